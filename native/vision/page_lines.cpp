#include "vision/page_lines.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lectern::vision {
namespace {

// The least mean confidence of light letters on dark: most dark fills are pictures, whose grain resembles letters.
constexpr double least_sure_on_dark = 0.7;

/// Many letters of medium confidence weigh more than one of high confidence: the hole of a white O resembles a black one.
double worth(const std::vector<ReadLetter>& letters) { return (sureness(letters) - 0.5) * static_cast<double>(letters.size()); }

/// Whether the boxes share a third of the smaller one.
bool meet(const PixelBox& a, const PixelBox& b) {
  const auto area = [](const PixelBox& box) { return std::int64_t{box.right - box.left} * (box.bottom - box.top); };
  const PixelBox common{std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
  return common.left < common.right && common.top < common.bottom && 3 * area(common) > std::min(area(a), area(b));
}

}  // namespace

void PageLines::add(std::vector<FoundLine> found, const Gray& page, const Cancel& cancel) {
  for (FoundLine& line : found) {
    cancel.check();
    images.push_back(cut_line(page, line));
    lines.push_back(std::move(line));
  }
  letters.resize(lines.size());
}

void PageLines::drop(std::size_t line) {
  images[line] = {};
  letters[line].clear();
}

double sureness(const std::vector<ReadLetter>& letters) {
  double sum = 0;
  for (const ReadLetter& letter : letters) sum += static_cast<double>(letter.confidence);
  return letters.empty() ? 0 : sum / static_cast<double>(letters.size());
}

double sureness(const std::vector<std::vector<ReadLetter>>& lines) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& letters : lines) {
    sum += sureness(letters) * static_cast<double>(letters.size());
    count += letters.size();
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

bool is_read(const PageLines& page, const FoundLine& line, double least) {
  for (std::size_t i = 0; i < page.lines.size(); ++i) {
    const PixelBox& box = page.lines[i].box;
    const int across = std::min(box.right, line.box.right) - std::max(box.left, line.box.left), down = std::min(box.bottom, line.box.bottom) - std::max(box.top, line.box.top);
    if (10 * across < 8 * (line.box.right - line.box.left) || 2 * down < std::min(box.bottom - box.top, line.box.bottom - line.box.top)) continue;
    if (!page.letters[i].empty() && sureness(page.letters[i]) >= least) return true;
  }
  return false;
}

std::vector<std::size_t> surest(const PageLines& page) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < page.on_paper; ++i) kept.push_back(i);
  const auto add = [&](std::size_t from, std::size_t to, double least) {
    for (std::size_t i = from; i < to; ++i) {
      if (page.letters[i].empty() || sureness(page.letters[i]) < least) continue;
      const auto rivals = [&](std::size_t other) { return !page.letters[other].empty() && meet(page.lines[i].box, page.lines[other].box); };
      // Several fragments, such as table cells, weigh as much as their sum.
      double others = 0;
      for (const std::size_t other : kept) others += rivals(other) ? std::max(0.0, worth(page.letters[other])) : 0;
      if (others > 0 && others >= worth(page.letters[i])) continue;
      std::erase_if(kept, rivals);
      kept.push_back(i);
    }
  };
  add(page.on_paper, page.detected, least_sure_on_dark);
  add(page.detected, page.lines.size(), 0);
  std::stable_sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) { return page.lines[a].box.top < page.lines[b].box.top; });
  return kept;
}

}  // namespace lectern::vision
