// Bands of rows of a picture, copied with their border, so that every tap of a window is the same picture at another offset.
#pragma once

#include <vector>

#include "cpu/graph/convolution.h"

namespace lectern::cpu {

/// For a stride s every s-th row and column is a separate plane, so that taps are offsets there too. Output (y, x) of a band
/// stands at y * pitch() + x for any stride; columns from the picture's width to the pitch are undefined. For stride 1 the border
/// at the right of a row is the border at the left of the next row.
class Bands {
 public:
  /// `width` of the output; the input's plane is (in_height, in_width).
  Bands(Side vertical, Side horizontal, int width, int in_height, int in_width);

  int pitch() const { return pitch_; }
  /// Positions from the first output of a band to its last.
  int columns(int rows) const { return (rows - 1) * pitch_ + width_; }
  /// Floats of one channel.
  int floats(int rows) const { return static_cast<int>(down_.used.size() * across_.used.size()) * (rows + down_.extra) * pitch_ + tail_; }
  /// Appends the offset of each tap of the window, by rows, for a band of `rows` rows.
  void append_offsets(int rows, int begin, std::vector<std::int32_t>& offsets) const;
  /// Copies what the outputs of rows first .. first + rows - 1 read of a channel; `border` is the value outside the picture.
  void copy(const NetworkKernels& kernels, const float* channel, int first, int rows, float border, float* to) const;

 private:
  struct Phases {
    Phases(const Side& side);
    std::vector<int> used;   // remainders by the stride that taps have
    std::vector<int> slot;   // by tap, index in used
    std::vector<int> shift;  // by tap, whole strides
    int extra;               // the largest shift
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
  int tail_ = 0;  // floats missing at the right of the last row
};

/// Maps a band's positions first .. first + count - 1 to the output, as runs of neighbours.
struct OutputRun {
  int from;  // of the positions
  int to;    // in the band's output, without pitch
  int count;
};
/// Returns the number of runs, at most `count`.
int output_runs(int first, int count, int pitch, int width, OutputRun* runs);

}  // namespace lectern::cpu
