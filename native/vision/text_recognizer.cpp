// Lines are cut out, read in batches of one width, and their letters become words where spaces stand.
#include "vision/text_recognizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>

#include "error.h"
#include "vision/dark_ground.h"
#include "vision/line_finder.h"
#include "vision/rulings.h"

namespace lectern::vision {
namespace {

// As in training: a line's picture ends with at least 8 blank columns, at a multiple of 32.
constexpr int least_blank = 8;
constexpr int width_multiple = 32;
// Letters light on dark must be so sure in the mean: most dark grounds are pictures, whose grain is guessed at.
constexpr double least_sure_on_dark = 0.7;
// Of the network's output, for one of its columns.
constexpr int column_pixels = 4;
// Pictures that are read at once: more costs memory and gains nothing.
constexpr int most_columns = 16384;

std::vector<std::string> code_points(const std::string& text) {
  std::vector<std::string> points;
  for (const char byte : text) {
    const bool follows = (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
    if (follows && !points.empty()) points.back() += byte;
    else points.emplace_back(1, byte);
  }
  return points;
}

int padded(int width) { return (width + least_blank + width_multiple - 1) / width_multiple * width_multiple; }

/// What of a mark lies between two places across the line; a mark that hardly reaches over is whole.
std::optional<PixelBox> part_between(const PixelBox& mark, double begin, double end, double slack) {
  const double left = std::max<double>(mark.left, begin);
  const double right = std::min<double>(mark.right, end);
  if (right - left < 0.5 * std::min<double>(mark.right - mark.left, end - begin)) return std::nullopt;
  PixelBox part = mark;
  if (begin - mark.left > slack) part.left = static_cast<int>(begin);
  if (mark.right - end > slack) part.right = static_cast<int>(std::ceil(end));
  return part;
}

struct Span {
  std::size_t first;  // letters [first, last)
  std::size_t last;
  double begin;  // pixels of the page, between the spaces
  double end;
};

/// Letters between spaces.
std::vector<Span> words_of(const std::vector<ReadLetter>& letters, const LineImage& image) {
  const auto place = [&](double column) { return image.left + column * column_pixels * image.scale; };
  std::vector<Span> words;
  std::size_t first = 0;
  double begin = image.left;
  for (std::size_t i = 0; i <= letters.size(); ++i) {
    const bool ends = i == letters.size();
    if (!ends && letters[i].text != " ") continue;
    const double end = ends ? place(static_cast<double>(image.width) / column_pixels) : place((letters[i].begin + letters[i].end) / 2.0);
    if (i > first) words.push_back({first, i, begin, end});
    first = i + 1;
    begin = end;
  }
  return words;
}

PixelBox box_of(const Span& word, const std::vector<ReadLetter>& letters, const FoundLine& line, const LineImage& image) {
  std::optional<PixelBox> box;
  for (const PixelBox& mark : line.marks) {
    const auto part = part_between(mark, word.begin, word.end, 0.3 * (line.above + line.below));
    if (!part) continue;
    if (!box) box = part;
    else *box = {std::min(box->left, part->left), std::min(box->top, part->top), std::max(box->right, part->right), std::max(box->bottom, part->bottom)};
  }
  if (box) return *box;
  // Letters without marks of their own: where the network saw them.
  const double step = column_pixels * image.scale;
  const auto left = static_cast<int>(image.left + (letters[word.first].begin - 1) * step);
  const auto right = static_cast<int>(std::ceil(image.left + (letters[word.last - 1].end + 1) * step));
  return {std::max(line.box.left, left), line.box.top, std::max(std::max(line.box.left, left) + 1, std::min(line.box.right, right)), line.box.bottom};
}

ReadLine line_of(const FoundLine& line, const LineImage& image, const std::vector<ReadLetter>& letters) {
  const auto rise = [&](int x) { return static_cast<float>(line.baseline + line.slope * (x - line.box.left)); };
  ReadLine read{{}, static_cast<float>(line.box.left), rise(line.box.left), static_cast<float>(line.box.right), rise(line.box.right)};
  for (const Span& span : words_of(letters, image)) {
    ReadWord word{"", box_of(span, letters, line, image), 0};
    for (std::size_t i = span.first; i < span.last; ++i) {
      word.text += letters[i].text;
      word.confidence += letters[i].confidence / static_cast<float>(span.last - span.first);
    }
    read.words.push_back(std::move(word));
  }
  return read;
}

/// Mean over the letters; 0 without any.
double sureness(const std::vector<ReadLetter>& letters) {
  double sum = 0;
  for (const ReadLetter& letter : letters) sum += letter.confidence;
  return letters.empty() ? 0 : sum / static_cast<double>(letters.size());
}

/// Many letters that are rather sure than not are worth more than one that is very sure: the hole of a white O looks like a black one.
double worth(const std::vector<ReadLetter>& letters) { return (sureness(letters) - 0.5) * static_cast<double>(letters.size()); }

/// Whether a third of the smaller box lies in the other.
bool meet(const PixelBox& a, const PixelBox& b) {
  const auto area = [](const PixelBox& box) { return std::int64_t{box.right - box.left} * (box.bottom - box.top); };
  const PixelBox common{std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
  return common.left < common.right && common.top < common.bottom && 3 * area(common) > std::min(area(a), area(b));
}

/// Which lines count, from the top: those from `on_paper` on are light on a dark ground, and of two at one place the one that is worth more is there.
std::vector<std::size_t> surest(const std::vector<FoundLine>& lines, const std::vector<std::vector<ReadLetter>>& letters, std::size_t on_paper) {
  std::vector<bool> out(lines.size(), false);
  for (std::size_t light = on_paper; light < lines.size(); ++light) {
    out[light] = sureness(letters[light]) < least_sure_on_dark;
    for (std::size_t dark = 0; dark < on_paper && !out[light]; ++dark) {
      if (out[dark] || !meet(lines[light].box, lines[dark].box)) continue;
      if (worth(letters[light]) > worth(letters[dark])) out[dark] = true;
      else out[light] = true;
    }
  }
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!out[i]) kept.push_back(i);
  }
  std::stable_sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) { return lines[a].box.top < lines[b].box.top; });
  return kept;
}

}  // namespace

TextRecognizer::TextRecognizer(const std::filesystem::path& file, Backend& backend, int threads, std::size_t work_bytes)
    : network_(onnx::Network::open(file, backend, {.threads = threads, .most_bytes = work_bytes})) {
  const auto refuse = [&](const std::string& reason) { throw Error(ErrorCode::invalid_model, file.string() + " is no recogniser of lines: " + reason + "."); };
  const auto alphabet = network_.metadata().find("alphabet");
  if (alphabet == network_.metadata().end()) refuse("its metadata has no alphabet");
  alphabet_ = code_points(alphabet->second);
  if (network_.inputs().size() != 1 || network_.outputs().size() != 1) refuse("it takes or gives more than one tensor");
  const auto& in = network_.inputs()[0].sizes;
  const auto& out = network_.outputs()[0].sizes;
  if (in.size() != 4 || in[1] != 1 || in[2] != line_rows) refuse("its input is not (n, 1, 32, w)");
  if (out.size() != 4 || out[1] != static_cast<std::int64_t>(alphabet_.size()) + 1) refuse("its output has not one class for each letter of the alphabet and one for none");
}

void TextRecognizer::read_batch(const std::vector<LineImage>& lines, const std::vector<std::size_t>& batch, int width, const Cancel& cancel,
                                std::vector<std::vector<ReadLetter>>& letters) {
  const auto columns = static_cast<std::size_t>(width);
  std::vector<float> pictures(batch.size() * line_rows * columns, 0.0F);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const LineImage& line = lines[batch[i]];
    const auto used = static_cast<std::size_t>(line.width);
    for (std::size_t y = 0; y < line_rows; ++y) {
      float* row = pictures.data() + (i * line_rows + y) * columns;
      for (std::size_t x = 0; x < used; ++x) row[x] = 1.0F - static_cast<float>(line.pixels[y * used + x]) / 255.0F;
    }
  }
  const onnx::Input input{network_.inputs()[0].name, Element::f32, {static_cast<std::int64_t>(batch.size()), 1, line_rows, width}, pictures.data()};
  const auto outputs = network_.run({&input, 1}, &cancel);
  const auto logits = outputs[0].as<float>();
  const int classes = static_cast<int>(alphabet_.size()) + 1;
  const int steps = width / column_pixels;
  const auto each = static_cast<std::size_t>(classes) * static_cast<std::size_t>(steps);
  if (logits.size() != each * batch.size()) throw Error(ErrorCode::invalid_model, "The recogniser's output has another shape than its file declares.");
  for (std::size_t i = 0; i < batch.size(); ++i) letters[batch[i]] = read_letters({logits.data() + i * each, classes, steps, false, false}, alphabet_);
}

std::vector<std::vector<ReadLetter>> TextRecognizer::read_lines(const std::vector<LineImage>& lines, const Cancel& cancel) {
  std::vector<std::size_t> all(lines.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::vector<ReadLetter>> letters(lines.size());
  read_some(lines, all, letters, cancel);
  return letters;
}

void TextRecognizer::read_some(const std::vector<LineImage>& lines, std::vector<std::size_t> order, std::vector<std::vector<ReadLetter>>& letters, const Cancel& cancel) {
  std::erase_if(order, [&](std::size_t i) { return lines[i].width <= 0; });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return padded(lines[a].width) < padded(lines[b].width); });
  for (std::size_t begin = 0; begin < order.size();) {
    const int width = padded(lines[order[begin]].width);
    const auto most = static_cast<std::size_t>(std::max(1, most_columns / width));
    std::size_t end = begin;
    while (end < order.size() && end - begin < most && padded(lines[order[end]].width) == width) ++end;
    read_batch(lines, {order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end)}, width, cancel, letters);
    begin = end;
  }
}

ReadPage TextRecognizer::read_line(const Bitmap& bitmap, const Cancel& cancel) {
  const Gray picture = shrink_to_gray(bitmap, 1, cancel);
  const PixelBox box{0, 0, picture.width, picture.height};
  const FoundLine line{box, {}, static_cast<double>(picture.height), 0, static_cast<double>(picture.height), 0};
  const LineImage image = line_image(picture);
  ReadPage result{{line_of(line, image, read_lines({image}, cancel)[0])}, {}};
  if (result.lines[0].words.empty()) result.lines.clear();
  return result;
}

ReadPage TextRecognizer::read(const Bitmap& bitmap, int dpi, const Cancel& cancel, LineOrientation* orientation) {
  Gray page = shrink_to_gray(bitmap, 1, cancel);
  GreyImage grey{page.width, page.height, std::move(page.pixels)};
  ReadPage result{{}, find_rulings(grey, dpi, cancel)};
  page.pixels = std::move(grey.pixels);
  std::vector<FoundLine> found = find_lines(find_ink(page, ink_reach(dpi), cancel), page.width, page.height, dpi, cancel);
  std::vector<LineImage> images;
  const auto cut = [&](const Gray& from) {
    for (std::size_t i = images.size(); i < found.size(); ++i) {
      cancel.check();
      images.push_back(cut_line(from, found[i]));
    }
  };
  cut(page);
  const std::size_t on_paper = found.size();
  if (const auto turned = dark_ground(page, dpi)) {
    auto light = find_lines(find_ink(*turned, ink_reach(dpi), cancel), page.width, page.height, dpi, cancel);
    std::move(light.begin(), light.end(), std::back_inserter(found));
    cut(*turned);
  }
  if (orientation != nullptr) {
    const LineVotes votes = orientation->ask(images, cancel);
    result.turned = votes.lines > 0 && !votes.stands_upright();
    if (result.turned) return result;
  }
  const auto letters = read_lines(images, cancel);
  for (const std::size_t i : surest(found, letters, on_paper)) {
    ReadLine line = line_of(found[i], images[i], letters[i]);
    if (!line.words.empty()) result.lines.push_back(std::move(line));
  }
  return result;
}

}  // namespace lectern::vision
