// Bands of rows of a picture, copied with their border so that every tap of a window is the same picture at another offset.
#pragma once

#include <vector>

#include "cpu/graph/convolution.h"

namespace lectern::cpu {

/// Of a stride s every s-th row and column is a plane of its own, so that taps are offsets there too. Output (y, x) of a band
/// stands at y * pitch() + x, whatever the stride; columns from the picture's width to the pitch mean nothing. Of stride 1 what is
/// outside at a row's right is what is outside at the next one's left.
class Bands {
 public:
  /// `width` of the output; the input's plane is (in_height, in_width).
  Bands(Side vertical, Side horizontal, int width, int in_height, int in_width);

  int pitch() const { return pitch_; }
  /// Positions from the first output of a band to its last.
  int columns(int rows) const { return (rows - 1) * pitch_ + width_; }
  /// Floats that one channel takes.
  int floats(int rows) const { return static_cast<int>(down_.used.size() * across_.used.size()) * (rows + down_.extra) * pitch_ + tail_; }
  /// Appends where each tap of the window lies, by rows, with `rows` rows in the band.
  void append_offsets(int rows, int begin, std::vector<std::int32_t>& offsets) const;
  /// Copies what outputs of rows first .. first + rows - 1 read of a channel; `border` stands outside of the picture.
  void copy(const NetworkKernels& kernels, const float* channel, int first, int rows, float border, float* to) const;

 private:
  struct Phases {
    Phases(const Side& side);
    std::vector<int> used;   // remainders by the stride that taps have
    std::vector<int> slot;   // by tap, place in used
    std::vector<int> shift;  // by tap, whole strides
    int extra;               // the greatest shift
  };

  void copy_row(const NetworkKernels& kernels, const float* row, int phase, float border, float* to) const;

  Side vertical_;
  Side horizontal_;
  Phases down_;
  Phases across_;
  int width_;
  int in_height_;
  int in_width_;
  int pitch_;
  int tail_ = 0;  // what the last row lacks at its right
};

/// The places of a band's positions first .. first + count - 1 in the output, as runs of neighbours.
struct OutputRun {
  int from;  // of the count
  int to;    // in the band's output, which has no pitch
  int count;
};
/// Gives how many were written, `count` at most.
int output_runs(int first, int count, int pitch, int width, OutputRun* runs);

}  // namespace lectern::cpu
