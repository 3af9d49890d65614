// Cuts lines out, runs batches of one width, and splits their letters into words at spaces.
#include "vision/text_recognizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>

#include "error.h"
#include "vision/dark_fills.h"
#include "vision/line_finder.h"
#include "vision/line_fragments.h"
#include "vision/page_lines.h"
#include "vision/rulings.h"
#include "vision/tick_boxes.h"

namespace lectern::vision {
namespace {

// As in training: a line's picture ends with at least 8 blank columns, at a multiple of 32.
constexpr int least_blank = 8;
constexpr int width_multiple = 32;
// A page is hard to recognise if this share of it is not white (17 clean scans have at most 0.20; pages drawn with boxes, noise or a camera's light have at least 0.31), or if the
// mean confidence of the letters in a sample of its lines is lower: clean scans have 0.95 to 1.
constexpr double most_ground = 0.25;
constexpr std::size_t sample_lines = 16;
constexpr double enough_sureness = 0.95;
// In inches: the highest letters, from top to bottom, in the detector's training data. Then the share of a line along which the detector must find a core, or else the confidence of the line's letters.
constexpr double highest_known = 0.6;
constexpr double least_core_share = 0.3;
constexpr double sure_by_itself = 0.9;
// A page that is hard to recognise, with less text than this and a lower mean confidence, is noise: some of its specks resemble `I`.
constexpr double fewest_bytes = 40;
constexpr double sure_of_few = 0.8;
// If most lines are doubtful and there are at least this many, they are grain and none is recognised.
constexpr std::size_t most_doubtful = 300;
// Pixels of the picture for one column of the network's output.
constexpr int column_pixels = 4;
// Columns of pictures in one run: more columns take memory without gain.
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

/// The part of a mark between two positions along the line; a mark that hardly crosses them stays whole.
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

/// Splits letters into words at spaces.
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
  // Letters without marks: the box follows from the columns of the network's output.
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

/// Whether a frame contains text: a letter or a number of high confidence that is not a usual tick.
bool holds_text(const std::vector<ReadLetter>& letters) {
  constexpr double sure = 0.85;
  constexpr std::string_view ticks = "xXvV/\\yY";
  return !letters.empty() && sureness(letters) >= sure && (letters.size() > 1 || ticks.find(letters[0].text) == std::string_view::npos);
}

/// Share of the page that is not nearly white: letters and figures of clean scans, also the background of others.
double share_of_ground(const Gray& page) {
  constexpr std::uint8_t nearly_white = 225;
  const auto darker = std::count_if(page.pixels.begin(), page.pixels.end(), [](std::uint8_t pixel) { return pixel < nearly_white; });
  return static_cast<double>(darker) / static_cast<double>(std::max<std::size_t>(1, page.pixels.size()));
}

/// A sample of lines from all over the page, among those that geometry found on paper.
std::vector<std::size_t> sample_of(std::size_t lines) {
  std::vector<std::size_t> sample;
  const std::size_t count = std::min(lines, sample_lines);
  for (std::size_t i = 0; i < count; ++i) sample.push_back((2 * i + 1) * lines / (2 * count));
  return sample;
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

void TextRecognizer::read_unread(PageLines& reading, const Cancel& cancel) {
  std::vector<std::size_t> unread;
  for (std::size_t i = 0; i < reading.lines.size(); ++i) {
    if (reading.letters[i].empty()) unread.push_back(i);
  }
  read_some(reading.images, unread, reading.letters, cancel);
}

void TextRecognizer::add_detected(PageLines& reading, const Gray& page, const Ink& ink, int dpi, PageDetector& detector, const Cancel& cancel) {
  const CoreMap map = detector.look(page, dpi, cancel);
  std::vector<std::size_t> doubtful;
  for (std::size_t i = 0; i < reading.lines.size(); ++i) {
    // The map does not cover letters that are higher than those of the detector's training data.
    const FoundLine& line = reading.lines[i];
    if (line.above + line.below <= highest_known * dpi && core_share(map, line) < least_core_share) doubtful.push_back(i);
  }
  const bool grain = doubtful.size() > most_doubtful && 4 * doubtful.size() > 3 * reading.lines.size();
  if (grain) {
    for (const std::size_t i : doubtful) reading.drop(i);
  }
  read_unread(reading, cancel);
  for (const std::size_t i : doubtful) {
    if (sureness(reading.letters[i]) < sure_by_itself) reading.drop(i);
  }
  std::vector<FoundLine> detected = lines_along(map);
  std::erase_if(detected, [&](const FoundLine& line) { return is_read(reading, line, enough_sureness); });
  for (FoundLine& line : detected) {
    cancel.check();
    line = with_marks(std::move(line), ink.marks);
  }
  reading.add(std::move(detected), page, cancel);
}

std::vector<TickBox> TextRecognizer::take_out_tick_boxes(Gray& page, Ink& ink, int dpi, const Cancel& cancel) {
  std::vector<FoundTickBox> found = find_tick_boxes(ink, page.height, dpi, cancel);
  std::vector<LineImage> pictures;
  for (const FoundTickBox& one : found) {
    const Gray inside = one.box.ticked && !one.full ? inside_of(page, one.box) : Gray{};
    pictures.push_back(inside.width > 0 ? line_image(inside) : LineImage{});
  }
  const auto letters = read_lines(pictures, cancel);
  std::vector<TickBox> boxes;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (holds_text(letters[i])) continue;
    wipe_out(page, ink, found[i]);
    boxes.push_back(found[i].box);
  }
  if (!boxes.empty()) ink = find_ink(page, ink_reach(dpi), cancel);
  return boxes;
}

ReadPage TextRecognizer::read(const Bitmap& bitmap, int dpi, const Cancel& cancel, const PageNetworks& networks) {
  Gray page = shrink_to_gray(bitmap, 1, cancel);
  GreyImage grey{page.width, page.height, std::move(page.pixels)};
  ReadPage result{{}, find_rulings(grey, dpi, cancel)};
  result.fills = find_fills(grey, dpi, cancel);
  wipe_upright_rulings(grey, result.rulings, dpi);
  page.pixels = std::move(grey.pixels);
  Ink ink = find_ink(page, ink_reach(dpi), cancel);
  result.tick_boxes = take_out_tick_boxes(page, ink, dpi, cancel);
  PageLines reading;
  const auto find_on = [&](const Gray& from, const Ink& its) { reading.add(find_lines(its, page.width, page.height, dpi, cancel), from, cancel); };
  find_on(page, ink);
  reading.on_paper = reading.lines.size();
  if (const auto turned = invert_dark_fills(page, dpi)) find_on(*turned, find_ink(*turned, ink_reach(dpi), cancel));
  reading.detected = reading.lines.size();
  if (networks.orientation != nullptr) {
    const LineVotes votes = networks.orientation->ask(reading.images, cancel);
    result.turned = votes.lines > 0 && !votes.stands_upright();
    if (result.turned) return result;
  }
  bool hard = false;
  if (networks.detector != nullptr) {
    hard = share_of_ground(page) > most_ground;
    if (!hard) {
      read_some(reading.images, sample_of(reading.on_paper), reading.letters, cancel);
      // If geometry finds nothing on white paper, the page is empty.
      hard = reading.on_paper > 0 && sureness(reading.letters) < enough_sureness;
    }
    if (hard) add_detected(reading, page, ink, dpi, *networks.detector, cancel);
  }
  read_unread(reading, cancel);
  double bytes = 0, sure = 0;
  for (const std::size_t i : surest(reading)) {
    ReadLine line = line_of(reading.lines[i], reading.images[i], reading.letters[i]);
    for (const ReadWord& word : line.words) {
      bytes += static_cast<double>(word.text.size());
      sure += static_cast<double>(word.text.size()) * static_cast<double>(word.confidence);
    }
    if (!line.words.empty()) result.lines.push_back(std::move(line));
  }
  if (hard && bytes < fewest_bytes && sure < sure_of_few * bytes) result.lines.clear();
  return result;
}

}  // namespace lectern::vision
