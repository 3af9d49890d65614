#include "vision/page_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "vision/ink.h"
#include "vision/rulings.h"

namespace lectern::vision {
namespace {

// A box with at least this proportion counts as a line that runs downwards, as in the networks' reference implementation.
constexpr double upright_proportion = 1.5;
// Share of a box's height below the baseline: the detector's boxes contain descenders and a margin of paper.
constexpr double below_baseline = 0.22;

Point between(Point a, Point b, double part) { return {a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)}; }

PixelBox box_around(const Quad& quad, int width, int height) {
  PixelBox box{width, height, 0, 0};
  for (const Point& corner : quad) {
    box.left = std::min(box.left, static_cast<int>(std::floor(corner.x)));
    box.top = std::min(box.top, static_cast<int>(std::floor(corner.y)));
    box.right = std::max(box.right, static_cast<int>(std::ceil(corner.x)));
    box.bottom = std::max(box.bottom, static_cast<int>(std::ceil(corner.y)));
  }
  box.left = std::clamp(box.left, 0, width - 1);
  box.top = std::clamp(box.top, 0, height - 1);
  box.right = std::clamp(box.right, box.left + 1, width);
  box.bottom = std::clamp(box.bottom, box.top + 1, height);
  return box;
}

GreyImage grey_of(const Bitmap& bitmap, const Cancel& cancel) {
  Gray page = shrink_to_gray(bitmap, 1, cancel);
  return {page.width, page.height, std::move(page.pixels)};
}

}  // namespace

ReadLine line_in(const Quad& box, const LineLetters& line, int width, int height) {
  const Point left = between(box[3], box[0], below_baseline);
  const Point right = between(box[2], box[1], below_baseline);
  ReadLine read{{}, static_cast<float>(left.x), static_cast<float>(left.y), static_cast<float>(right.x), static_cast<float>(right.y)};
  const auto part = [&](double column) { return line.filled > 0 ? std::clamp(column / line.filled, 0.0, 1.0) : 0.0; };
  for (std::size_t first = 0; first < line.letters.size();) {
    if (line.letters[first].text == " ") {
      ++first;
      continue;
    }
    std::size_t last = first;
    ReadWord word{"", {}, 0};
    for (; last < line.letters.size() && line.letters[last].text != " "; ++last) {
      word.text += line.letters[last].text;
      word.confidence += line.letters[last].confidence;
    }
    word.confidence /= static_cast<float>(last - first);
    // A letter's columns give its middle; its edges lie about half way to its neighbours.
    const double begin = first == 0 ? 0 : (line.letters[first - 1].end + line.letters[first].begin) / 2.0;
    const double end = last == line.letters.size() ? line.filled : (line.letters[last - 1].end + line.letters[last].begin) / 2.0;
    const double from = part(begin), to = std::max(part(end), from);
    word.box = box_around({between(box[0], box[1], from), between(box[0], box[1], to), between(box[3], box[2], to), between(box[3], box[2], from)}, width, height);
    if (!word.text.empty()) read.words.push_back(std::move(word));
    first = last;
  }
  return read;
}

PageReader::PageReader(const PageReaderOptions& options, const Place& place, const Place& small_place) : detector_(options.detector, place), reader_(options.reader, small_place) {
  if (options.angle) angle_.emplace(*options.angle, small_place);
}

std::size_t PageReader::weight_bytes() const { return detector_.weight_bytes() + (angle_ ? angle_->weight_bytes() : 0) + reader_.weight_bytes(); }

std::vector<ReadPage> PageReader::read(std::span<const PageRequest> pages, const Cancel& cancel) {
  // Holds the pictures of a few dozen lines at a time: those of whole pages at a high resolution would take hundreds of megabytes.
  constexpr std::size_t most_lines = 64;
  std::vector<PageBox> boxes;
  std::vector<ReadPage> read(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const Bitmap& bitmap = pages[i].bitmap;
    if (pages[i].one_line) {
      const auto width = static_cast<double>(bitmap.width), height = static_cast<double>(bitmap.height);
      boxes.push_back({i, {Point{0, 0}, {width, 0}, {width, height}, {0, height}}});
      continue;
    }
    for (const TextBox& box : detector_.find(bitmap, cancel)) boxes.push_back({i, height_of(box.corners) >= upright_proportion * width_of(box.corners) ? turned(box.corners, 1) : box.corners});
    read[i].rulings = find_rulings(grey_of(bitmap, cancel), pages[i].dpi, cancel);
  }
  for (std::size_t begin = 0; begin < boxes.size(); begin += most_lines) read_boxes(pages, std::span(boxes).subspan(begin, std::min(most_lines, boxes.size() - begin)), cancel, read);
  return read;
}

void PageReader::read_boxes(std::span<const PageRequest> pages, std::span<PageBox> boxes, const Cancel& cancel, std::vector<ReadPage>& read) {
  std::vector<Picture> lines;
  for (const PageBox& box : boxes) lines.push_back(cut_quad(pages[box.page].bitmap, box.corners, cancel));
  if (angle_) {
    const std::vector<bool> upside_down = angle_->upside_down(lines, cancel);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (!upside_down[i]) continue;
      boxes[i].corners = turned(boxes[i].corners, 2);
      lines[i] = cut_quad(pages[boxes[i].page].bitmap, boxes[i].corners, cancel);
    }
  }
  const std::vector<LineLetters> letters = reader_.read(lines, cancel);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Bitmap& bitmap = pages[boxes[i].page].bitmap;
    ReadLine line = line_in(boxes[i].corners, letters[i], bitmap.width, bitmap.height);
    if (!line.words.empty()) read[boxes[i].page].lines.push_back(std::move(line));
  }
}

}  // namespace lectern::vision
