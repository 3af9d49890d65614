// Lines of one width run together, because the padding of a line depends on the line alone.
#include "vision/line_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace lectern::vision {
namespace {

constexpr int width_multiple = 32;
// Columns of pictures in one run: more columns take memory without gain.
constexpr int most_columns = 16384;
constexpr int most_angles = 32;

std::vector<std::string> alphabet_of(const LineReaderOptions& options, const VisionNetwork& network) {
  std::vector<std::string> alphabet;
  if (!options.dictionary.empty()) {
    alphabet = read_dictionary(options.dictionary);
  } else {
    const auto& metadata = network.network().metadata();
    const auto entry = metadata.find("character");
    if (entry == metadata.end()) network.refuse("its card names no dictionary, and its metadata holds none");
    if (!is_utf8(entry->second)) network.refuse("the dictionary in its metadata is not UTF-8");
    alphabet = lines_of(entry->second);
  }
  if (options.space) alphabet.emplace_back(" ");
  return alphabet;
}

}  // namespace

LineReader::LineReader(const LineReaderOptions& options, const Place& place) : options_(options), network_(options.file, place, options.precision), alphabet_(alphabet_of(options, network_)) {
  if (network_.height() > 0) options_.height = network_.height();
  options_.preparation.fit = Fit::stretch;
  const int classes = network_.declared(0, 2);
  if (classes > 0) check_classes(classes);
}

void LineReader::check_classes(int classes) const {
  if (static_cast<std::size_t>(classes) == alphabet_.size() + 1) return;
  network_.refuse("it has " + std::to_string(classes) + " classes, and none with the dictionary" + (options_.space ? " and a space" : "") + " make " + std::to_string(alphabet_.size() + 1));
}

LineReader::Widths LineReader::widths_of(const Picture& line) const {
  const double natural = std::ceil(static_cast<double>(line.width) * options_.height / line.height);
  if (network_.width() > 0) return {static_cast<int>(std::clamp(natural, 1.0, static_cast<double>(network_.width()))), network_.width()};
  const int filled = static_cast<int>(std::clamp(natural, 1.0, static_cast<double>(options_.most_width)));
  return {filled, std::max(options_.least_width, (filled + width_multiple - 1) / width_multiple * width_multiple)};
}

std::vector<LineLetters> LineReader::read(const std::vector<Picture>& lines, const Cancel& cancel) {
  std::vector<Widths> widths;
  for (const Picture& line : lines) widths.push_back(widths_of(line));
  std::vector<std::size_t> order(lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return widths[a].whole < widths[b].whole; });
  std::vector<LineLetters> read(lines.size());
  const auto height = static_cast<std::size_t>(options_.height);
  for (std::size_t begin = 0; begin < order.size();) {
    const int whole = widths[order[begin]].whole;
    const auto most = static_cast<std::size_t>(network_.batch(std::max(1, most_columns / whole)));
    std::size_t end = begin;
    while (end < order.size() && end - begin < most && widths[order[end]].whole == whole) ++end;
    const auto columns = static_cast<std::size_t>(whole);
    // After mean and std, the padding is 0, as in training.
    std::vector<float> pictures((end - begin) * 3 * height * columns, 0.0F);
    for (std::size_t i = begin; i < end; ++i) {
      const auto filled = static_cast<std::size_t>(widths[order[i]].filled);
      std::vector<float> line(3 * height * filled);
      prepare(lines[order[i]].bitmap(), static_cast<int>(filled), options_.height, options_.preparation, line, cancel);
      float* target = pictures.data() + (i - begin) * 3 * height * columns;
      for (std::size_t row = 0; row < 3 * height; ++row) std::copy_n(line.data() + row * filled, filled, target + row * columns);
    }
    const int count = static_cast<int>(end - begin);
    const auto outputs = network_.run(pictures, count, options_.height, whole, cancel);
    const auto sizes = network_.sizes(outputs[0], 3, count);
    check_classes(sizes[2]);
    const auto values = outputs[0].as<float>();
    const auto each = static_cast<std::size_t>(sizes[1]) * static_cast<std::size_t>(sizes[2]);
    for (std::size_t i = begin; i < end; ++i) {
      LineLetters& line = read[order[i]];
      line.letters = read_letters({values.data() + (i - begin) * each, sizes[2], sizes[1], true, !options_.logits}, alphabet_);
      line.filled = static_cast<double>(sizes[1]) * widths[order[i]].filled / whole;
    }
    begin = end;
  }
  return read;
}

AngleClassifier::AngleClassifier(const AngleOptions& options, const Place& place) : options_(options), network_(options.file, place, options.precision) {
  if (network_.width() > 0) options_.width = network_.width();
  if (network_.height() > 0) options_.height = network_.height();
  const int classes = network_.declared(0, 1);
  if (classes >= 0 && classes != 2) network_.refuse("it tells " + std::to_string(classes) + " classes apart, and upright and upside down are two");
}

std::vector<bool> AngleClassifier::upside_down(const std::vector<Picture>& lines, const Cancel& cancel) {
  std::vector<bool> flipped;
  const std::size_t each = 3 * static_cast<std::size_t>(options_.width) * static_cast<std::size_t>(options_.height);
  while (flipped.size() < lines.size()) {
    const auto count = std::min(lines.size() - flipped.size(), static_cast<std::size_t>(network_.batch(most_angles)));
    std::vector<float> pictures(count * each);
    for (std::size_t i = 0; i < count; ++i) {
      prepare(lines[flipped.size() + i].bitmap(), options_.width, options_.height, options_.preparation, std::span(pictures).subspan(i * each, each), cancel);
    }
    const auto outputs = network_.run(pictures, static_cast<int>(count), options_.height, options_.width, cancel);
    if (network_.sizes(outputs[0], 2, static_cast<int>(count))[1] != 2) network_.refuse("it does not tell two classes apart");
    const auto values = outputs[0].as<float>();
    for (std::size_t i = 0; i < count; ++i) flipped.push_back(values[2 * i + 1] > values[2 * i] && values[2 * i + 1] >= options_.threshold);
  }
  return flipped;
}

}  // namespace lectern::vision
