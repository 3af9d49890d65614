// Classifies the longest lines one after the other. A line's probabilities are those of its mean over the columns.
#include "vision/line_orientation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

#include "error.h"
#include "vision/ink.h"
#include "vision/line_finder.h"

namespace lectern::vision {
namespace {

constexpr std::size_t classes = 3;
// Columns of a line's picture for one of the network's columns. As in training, a picture ends with at least 8 blank columns, at a multiple of 32.
constexpr int column_pixels = 8;
constexpr int least_blank = 8;
constexpr int width_multiple = 32;
// The number of lines that are classified: with ten lines of badly scanned pages one is wrong, and on none of ten thousand pages half of this number.
constexpr std::size_t most_lines = 16;
// The network gets at most this many columns from the middle of a line; more columns of the same line add no information.
constexpr int most_columns = 448;
// Pixels: a shorter line does not vote if longer ones exist. This is a word of four letters.
constexpr int short_line = 64;
// A longer line has more than 150 letters and is not a text line.
constexpr int longest_text = 2400;

// The limit of a run beside the weights: ten times what a line of the most columns takes.
constexpr std::size_t most_bytes = std::size_t{16} << 20;

/// The columns [first, first + count) of a line that the network gets.
struct Part {
  int first;
  int count;
};

Part part_of(const LineImage& line) {
  const int count = std::min(line.width, most_columns);
  return {(line.width - count) / 2, count};
}

std::vector<std::size_t> longest(const std::vector<LineImage>& lines) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].width >= column_pixels && lines[i].width <= longest_text) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return part_of(lines[a]).count > part_of(lines[b]).count; });
  while (order.size() > most_lines) order.pop_back();
  while (order.size() > 1 && lines[order.back()].width < short_line) order.pop_back();
  return order;
}

void add(LineVotes& sum, const LineVotes& one) {
  sum.upright += one.upright;
  sum.turned += one.turned;
  sum.neither += one.neither;
  sum.lines += one.lines;
}

}  // namespace

LineVotes votes_of(std::span<const float> logits, std::size_t columns) {
  const std::size_t steps = logits.size() / classes;
  columns = std::min(columns, steps);
  if (columns == 0) return {};
  std::array<double, classes> means{};
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t x = 0; x < columns; ++x) means[c] += static_cast<double>(logits[c * steps + x]) / static_cast<double>(columns);
  }
  const double most = *std::max_element(means.begin(), means.end());
  double all = 0;
  for (double& mean : means) all += mean = std::exp(mean - most);
  if (!std::isfinite(all)) return {};
  const auto votes = static_cast<double>(columns);
  return {votes * means[0] / all, votes * means[1] / all, votes * means[2] / all, 1};
}

LineOrientation::LineOrientation(const std::filesystem::path& file, Backend& backend, int threads) : network_(onnx::Network::open(file, backend, {.threads = threads, .most_bytes = most_bytes})) {
  const auto refuse = [&](const std::string& reason) { throw Error(ErrorCode::invalid_model, file.string() + " does not tell which way up lines stand: " + reason + "."); };
  if (network_.inputs().size() != 1 || network_.outputs().size() != 1) refuse("it takes or gives more than one tensor");
  const auto& in = network_.inputs()[0].sizes;
  const auto& out = network_.outputs()[0].sizes;
  if (in.size() != 4 || in[1] != 1 || in[2] != line_rows) refuse("its input is not (n, 1, 32, w)");
  if (out.size() != 4 || out[1] != static_cast<std::int64_t>(classes) || out[2] != 1) refuse("its output is not (n, 3, 1, w / 8)");
}

LineVotes LineOrientation::ask(const std::vector<LineImage>& lines, const Cancel& cancel) {
  LineVotes votes;
  std::vector<float> picture;
  for (const std::size_t i : longest(lines)) {
    const LineImage& line = lines[i];
    const Part part = part_of(line);
    const int padded = (part.count + least_blank + width_multiple - 1) / width_multiple * width_multiple;
    picture.assign(static_cast<std::size_t>(line_rows) * static_cast<std::size_t>(padded), 0.0F);
    for (int y = 0; y < line_rows; ++y) {
      const std::uint8_t* from = line.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(line.width) + part.first;
      float* to = picture.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(padded);
      for (int x = 0; x < part.count; ++x) to[x] = 1.0F - static_cast<float>(from[x]) / 255.0F;
    }
    const onnx::Input input{network_.inputs()[0].name, Element::f32, {1, 1, line_rows, padded}, picture.data()};
    const auto outputs = network_.run({&input, 1}, &cancel);
    const auto logits = outputs[0].as<float>();
    if (logits.size() != classes * static_cast<std::size_t>(padded / column_pixels)) throw Error(ErrorCode::invalid_model, "The output of the network that tells which way up lines stand has another shape than its file declares.");
    add(votes, votes_of(logits, static_cast<std::size_t>(part.count / column_pixels)));
  }
  return votes;
}

LineVotes LineOrientation::ask(const Bitmap& bitmap, int dpi, const Cancel& cancel) {
  const Gray page = shrink_to_gray(bitmap, 1, cancel);
  std::vector<LineImage> images;
  for (const FoundLine& line : find_lines(find_ink(page, ink_reach(dpi), cancel), page.width, page.height, dpi, cancel)) {
    cancel.check();
    images.push_back(cut_line(page, line));
  }
  return ask(images, cancel);
}

}  // namespace lectern::vision
