// Converts to grey, applies a threshold, finds runs, and joins runs that touch.
#include "vision/ink.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace lectern::vision {
namespace {

/// sums[x] += R + 2 G + B of row[x].
void add_luminance(const std::uint8_t* row, std::vector<std::uint32_t>& sums) {
  using Pixels = std::uint32_t __attribute__((vector_size(16)));
  const std::size_t width = sums.size();
  std::size_t x = 0;
  for (; x + 4 <= width; x += 4) {
    Pixels pixels;
    Pixels sum;
    std::memcpy(&pixels, row + x * 4, sizeof pixels);
    std::memcpy(&sum, &sums[x], sizeof sum);
    // Little endian: R is the lowest byte.
    sum += (pixels & 255U) + ((pixels >> 7) & 510U) + ((pixels >> 16) & 255U);
    std::memcpy(&sums[x], &sum, sizeof sum);
  }
  for (; x < width; ++x) sums[x] += row[x * 4] + 2U * row[x * 4 + 1] + row[x * 4 + 2];
}

/// The darkness threshold of every pixel of one row, from the sums of the columns around the pixel.
class LocalMean {
 public:
  LocalMean(const Gray& gray, int reach) : gray_(gray), reach_(reach), columns_(static_cast<std::size_t>(gray.width)) {
    for (int y = 0; y < std::min(reach, gray.height); ++y) add_row(y, 1);
  }

  /// The caller requests all rows in order, each once. A pixel p is ink when p * count * 100 < 85 * sum.
  void next(int y, std::vector<std::uint8_t>& dark) {
    if (y + reach_ < gray_.height) add_row(y + reach_, 1);
    if (y - reach_ - 1 >= 0) add_row(y - reach_ - 1, -1);
    const int rows = std::min(y + reach_ + 1, gray_.height) - std::max(y - reach_, 0);
    const std::uint8_t* row = gray_.pixels.data() + static_cast<std::size_t>(y) * columns_.size();
    std::int64_t sum = 0;
    for (int x = 0; x < std::min(reach_, gray_.width); ++x) sum += columns_[static_cast<std::size_t>(x)];
    for (int x = 0; x < gray_.width; ++x) {
      if (x + reach_ < gray_.width) sum += columns_[static_cast<std::size_t>(x + reach_)];
      if (x - reach_ - 1 >= 0) sum -= columns_[static_cast<std::size_t>(x - reach_ - 1)];
      const int columns = std::min(x + reach_ + 1, gray_.width) - std::max(x - reach_, 0);
      const std::int64_t count = static_cast<std::int64_t>(rows) * columns;
      dark[static_cast<std::size_t>(x)] = row[x] * count * 100 < sum * 85;
    }
  }

 private:
  void add_row(int y, int sign) {
    const std::uint8_t* row = gray_.pixels.data() + static_cast<std::size_t>(y) * columns_.size();
    for (std::size_t x = 0; x < columns_.size(); ++x) columns_[x] += sign * row[x];
  }

  const Gray& gray_;
  const int reach_;
  std::vector<std::int32_t> columns_;  // sum of each column over the rows in reach
};

/// Groups runs that belong together: a forest over run indices.
class Forest {
 public:
  void add() { parent_.push_back(static_cast<int>(parent_.size())); }
  int root(int run) {
    while (parent(run) != run) run = parent(run) = parent(parent(run));
    return run;
  }
  void join(int a, int b) {
    a = root(a);
    b = root(b);
    parent(std::max(a, b)) = std::min(a, b);
  }

 private:
  int& parent(int run) { return parent_[static_cast<std::size_t>(run)]; }
  std::vector<int> parent_;
};

/// Joins the runs of one row, [row_begin, runs.size()), with those of the row above that touch them, [above, row_begin).
void join_rows(const std::vector<Run>& runs, std::size_t above, std::size_t row_begin, Forest& forest) {
  std::size_t below = row_begin;
  while (above < row_begin && below < runs.size()) {
    // Equal borders touch at a corner.
    if (runs[above].end >= runs[below].begin && runs[below].end >= runs[above].begin) {
      forest.join(static_cast<int>(above), static_cast<int>(below));
    }
    if (runs[above].end < runs[below].end) ++above;
    else ++below;
  }
}

void append_runs(const std::vector<std::uint8_t>& dark, int y, std::vector<Run>& runs) {
  const int width = static_cast<int>(dark.size()) - 1;
  for (int x = 0; x < width;) {
    const auto* begin = static_cast<const std::uint8_t*>(std::memchr(&dark[static_cast<std::size_t>(x)], 1, static_cast<std::size_t>(width - x)));
    if (begin == nullptr) return;
    const auto* end = begin;
    while (*end != 0) ++end;
    x = static_cast<int>(end - dark.data());
    runs.push_back({y, static_cast<int>(begin - dark.data()), x, 0});
  }
}

void name_marks(Ink& ink, Forest& forest) {
  std::vector<int> mark_of(ink.runs.size(), -1);
  for (std::size_t i = 0; i < ink.runs.size(); ++i) {
    Run& run = ink.runs[i];
    // A root precedes the rest of its tree: join keeps the lower index as the root.
    int& mark = mark_of[static_cast<std::size_t>(forest.root(static_cast<int>(i)))];
    if (mark < 0) {
      mark = static_cast<int>(ink.marks.size());
      ink.marks.push_back({run.begin, run.y, run.end, run.y + 1, 0});
    }
    run.mark = mark;
    Mark& box = ink.marks[static_cast<std::size_t>(mark)];
    box.left = std::min(box.left, run.begin);
    box.right = std::max(box.right, run.end);
    box.bottom = run.y + 1;
    box.area += run.end - run.begin;
  }
}

}  // namespace

Gray shrink_to_gray(const Bitmap& bitmap, int factor, const Cancel& cancel) {
  Gray gray{bitmap.width / factor, bitmap.height / factor, {}};
  gray.pixels.reserve(static_cast<std::size_t>(gray.width) * static_cast<std::size_t>(gray.height));
  const auto step = static_cast<std::size_t>(factor);
  const auto divisor = static_cast<std::uint32_t>(4 * factor * factor);
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(gray.width) * step);
  for (int y = 0; y < gray.height; ++y) {
    cancel.check();
    std::fill(sums.begin(), sums.end(), 0U);
    for (int i = 0; i < factor; ++i) add_luminance(bitmap.row(y * factor + i), sums);
    for (std::size_t x = 0; x < sums.size(); x += step) {
      const std::uint32_t sum = std::accumulate(&sums[x], &sums[x] + step, 0U);
      gray.pixels.push_back(static_cast<std::uint8_t>(sum / divisor));
    }
  }
  return gray;
}

Ink find_ink(const Gray& gray, int reach, const Cancel& cancel) {
  Ink ink;
  Forest forest;
  LocalMean mean(gray, reach);
  // One additional white pixel ends every run of the row.
  std::vector<std::uint8_t> dark(static_cast<std::size_t>(gray.width) + 1, 0);
  std::size_t above = 0;
  for (int y = 0; y < gray.height; ++y) {
    cancel.check();
    mean.next(y, dark);
    const std::size_t begin = ink.runs.size();
    append_runs(dark, y, ink.runs);
    for (std::size_t i = begin; i < ink.runs.size(); ++i) forest.add();
    join_rows(ink.runs, above, begin, forest);
    above = begin;
  }
  name_marks(ink, forest);
  return ink;
}

}  // namespace lectern::vision
