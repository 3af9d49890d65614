#include "cpu/graph/bands.h"

#include <algorithm>

namespace lectern::cpu {

Bands::Phases::Phases(const Side& side) : extra((side.kernel - 1) * side.dilation / side.stride) {
  for (int tap = 0; tap < side.kernel; tap++) {
    const int phase = tap * side.dilation % side.stride;
    const auto found = std::find(used.begin(), used.end(), phase);
    slot.push_back(static_cast<int>(found - used.begin()));
    if (found == used.end()) used.push_back(phase);
    shift.push_back(tap * side.dilation / side.stride);
  }
}

Bands::Bands(Side vertical, Side horizontal, int width, int in_height, int in_width)
    : vertical_(vertical), horizontal_(horizontal), down_(vertical), across_(horizontal), width_(width), in_height_(in_height), in_width_(in_width), pitch_(width + across_.extra) {
  const int before = horizontal.pad_before;
  const int after = pitch_ - in_width - before;
  if (horizontal.stride != 1 || before < 0 || after < 0) return;
  tail_ = std::min({before, after, across_.extra});
  pitch_ -= tail_;
}

void Bands::append_offsets(int rows, int begin, std::vector<std::int32_t>& offsets) const {
  const int plane = (rows + down_.extra) * pitch_;
  const auto across = static_cast<int>(across_.used.size());
  for (std::size_t dy = 0; dy < down_.slot.size(); dy++) {
    for (std::size_t dx = 0; dx < across_.slot.size(); dx++) {
      offsets.push_back(begin + (down_.slot[dy] * across + across_.slot[dx]) * plane + down_.shift[dy] * pitch_ + across_.shift[dx]);
    }
  }
}

void Bands::copy_row(const NetworkKernels& kernels, const float* row, int phase, float border, float* to) const {
  const int stride = horizontal_.stride;
  // Column x of the plane is column x * stride + shift of the picture.
  const int shift = phase - horizontal_.pad_before;
  const int begin = std::min(pitch_, shift < 0 ? (-shift + stride - 1) / stride : 0);
  const int end = std::clamp((in_width_ - shift + stride - 1) / stride, begin, pitch_);
  std::fill(to, to + begin, border);
  if (end > begin) kernels.gather(row + begin * stride + shift, stride, end - begin, to + begin);
  std::fill(to + end, to + pitch_, border);
}

void Bands::copy(const NetworkKernels& kernels, const float* channel, int first, int rows, float border, float* to) const {
  for (const int down : down_.used) {
    for (const int across : across_.used) {
      for (int r = 0; r < rows + down_.extra; r++, to += pitch_) {
        const int y = (first + r) * vertical_.stride + down - vertical_.pad_before;
        if (y >= 0 && y < in_height_) {
          copy_row(kernels, channel + std::ptrdiff_t{y} * in_width_, across, border, to);
        } else {
          std::fill(to, to + pitch_, border);
        }
      }
    }
  }
  std::fill(to, to + tail_, border);
}

int output_runs(int first, int count, int pitch, int width, OutputRun* runs) {
  int written = 0;
  for (int at = 0; at < count;) {
    const int x = (first + at) % pitch;
    const int y = (first + at) / pitch;
    const int in_row = std::min(pitch - x, count - at);
    const int kept = std::min(width - x, in_row);
    if (kept > 0) runs[written++] = {at, y * width + x, kept};
    at += in_row;
  }
  return written;
}

}  // namespace lectern::cpu
