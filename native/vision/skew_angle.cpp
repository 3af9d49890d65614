// Measures the skew angle of a page: first the direction in which the ink falls into the most distinct rows, to half a degree, then the slope of the text lines themselves (baselines.h).
#include "vision/skew_angle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "vision/baselines.h"
#include "vision/ink.h"

namespace lectern::vision {
namespace {

// The number of pixels at which the page is measured, about: A4 at 150 dpi is halved. A higher resolution takes time without gain: the results of
// clean pages improve by 0.002 degrees, and the specks of noisy pages begin to resemble letters.
constexpr double working_pixels = 750e3;

// The surroundings of a letter, to each side: 5 mm on A4.
constexpr int threshold_reach = 15;

constexpr double coarse_step_degrees = 0.5;

// More marks of ink add time to the coarse search and do not change its result.
constexpr std::size_t coarse_pieces = 20000;

// The letter height is the height below which marks hold this share of the ink. The second share serves pages on which pictures
// or bars hold most of the ink. The number of letters on straight lines decides between the two.
constexpr std::array<double, 2> height_shares = {0.5, 0.25};

int working_factor(const Bitmap& bitmap) {
  const double pixels = static_cast<double>(bitmap.width) * bitmap.height;
  const auto factor = static_cast<int>(std::lround(std::sqrt(pixels / working_pixels)));
  return std::clamp(factor, 1, std::min(bitmap.width, bitmap.height));
}

/// Inverts a page of white text on black.
void make_paper_bright(Gray& gray) {
  const auto sum = std::accumulate(gray.pixels.begin(), gray.pixels.end(), std::uint64_t{0});
  if (sum > 110 * gray.pixels.size()) return;
  for (std::uint8_t& pixel : gray.pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
}

/// Whether the mark may be a letter. Marks at the page's edge (shadows, the scanner's lid) may not, nor rulings, frames and hatching (they fill little of
/// their box if they skew, and have no height if they do not), nor specks.
bool may_be_letters(const Mark& mark, const Gray& gray) {
  if (mark.left == 0 || mark.top == 0 || mark.right == gray.width || mark.bottom == gray.height) return false;
  const std::int64_t box = static_cast<std::int64_t>(mark.width()) * mark.height();
  return mark.height() >= 3 && mark.area >= 5 && 10 * std::int64_t{mark.area} >= box;
}

/// The height below which possible letters hold `share` of their ink; 0 for none. Blots and
/// pictures are limited to a twelfth of the page.
int letter_height_at(double share, const std::vector<Mark>& marks, const Gray& gray) {
  const int limit = std::max(gray.height / 12, 24);
  std::vector<std::int64_t> area_by_height(static_cast<std::size_t>(limit) + 1, 0);
  for (const Mark& mark : marks) {
    if (mark.height() > limit || mark.width() > 8 * limit || !may_be_letters(mark, gray)) continue;
    area_by_height[static_cast<std::size_t>(mark.height())] += mark.area;
  }
  const std::int64_t total = std::accumulate(area_by_height.begin(), area_by_height.end(), std::int64_t{0});
  std::int64_t below = 0;
  for (int height = 0; height <= limit; ++height) {
    below += area_by_height[static_cast<std::size_t>(height)];
    if (static_cast<double>(below) > share * static_cast<double>(total)) return height;
  }
  return 0;
}

std::vector<bool> find_text(const std::vector<Mark>& marks, const Gray& gray, int letter_height) {
  std::vector<bool> is_text;
  is_text.reserve(marks.size());
  for (const Mark& mark : marks) {
    const bool fits = 2 * mark.height() >= letter_height && mark.height() <= 3 * letter_height + 2 &&
                      mark.width() <= 25 * letter_height;
    is_text.push_back(fits && may_be_letters(mark, gray));
  }
  return is_text;
}

/// A few pixels of ink beside each other: their middle and their number.
struct Piece {
  float x;
  float y;
  float pixels;
};

std::vector<Piece> cut_into_pieces(const Ink& ink, const std::vector<bool>& is_text) {
  std::vector<Piece> pieces;
  for (const Run& run : ink.runs) {
    if (!is_text[static_cast<std::size_t>(run.mark)]) continue;
    for (int begin = run.begin; begin < run.end; begin += run_step) {
      const int end = std::min(begin + run_step, run.end);
      pieces.push_back({static_cast<float>(begin + end - 1) / 2, static_cast<float>(run.y), static_cast<float>(end - begin)});
    }
  }
  if (pieces.size() > coarse_pieces) {
    const std::size_t step = pieces.size() / coarse_pieces + 1;
    for (std::size_t i = 0; i * step < pieces.size(); ++i) pieces[i] = pieces[i * step];
    pieces.resize((pieces.size() + step - 1) / step);
  }
  return pieces;
}

/// How unevenly the ink falls into rows that skew by `degrees`: the sum of the squares of the rows' ink.
double sharpness(const std::vector<Piece>& pieces, const Gray& gray, double degrees, std::vector<float>& rows) {
  const double radians = degrees * std::numbers::pi / 180;
  const auto cosine = static_cast<float>(std::cos(radians));
  const auto sine = static_cast<float>(std::sin(radians));
  // |sine| stays below 0.3: a shift by the width keeps every row at or above 0, height + 2 widths at or above the last.
  const auto shift = static_cast<float>(gray.width);
  rows.assign(static_cast<std::size_t>(gray.height + 2 * gray.width + 2), 0.0F);
  for (const Piece& piece : pieces) {
    const float row = piece.y * cosine + piece.x * sine + shift;
    const auto index = static_cast<std::size_t>(row);
    const float below = row - static_cast<float>(index);
    // The ink is divided between two rows; otherwise the score would jump with every rounding.
    rows[index] += piece.pixels * (1 - below);
    rows[index + 1] += piece.pixels * below;
  }
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double sum, float row) { return sum + static_cast<double>(row) * row; });
}

double coarse_angle(const std::vector<Piece>& pieces, const Gray& gray, const Cancel& cancel) {
  // One degree beyond the range, so that a maximum inside it has both its neighbours.
  const double limit = max_deskew_degrees + 1;
  const int steps = static_cast<int>(2 * limit / coarse_step_degrees) + 1;
  std::vector<float> rows;
  std::vector<double> scores;
  for (int i = 0; i < steps; ++i) {
    cancel.check();
    scores.push_back(sharpness(pieces, gray, i * coarse_step_degrees - limit, rows));
  }
  const auto best = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  double offset = 0;
  if (best > 0 && best + 1 < scores.size()) {
    // The vertex of the parabola through the three highest values.
    const double before = scores[best - 1];
    const double after = scores[best + 1];
    const double bend = before - 2 * scores[best] + after;
    if (bend < 0) offset = (before - after) / (2 * bend);
  }
  return (static_cast<double>(best) + offset) * coarse_step_degrees - limit;
}

Skew skew_of_letters(const Ink& ink, const Gray& gray, int letter_height, const Cancel& cancel) {
  const std::vector<bool> is_text = find_text(ink.marks, gray, letter_height);
  const double coarse = coarse_angle(cut_into_pieces(ink, is_text), gray, cancel);
  // Runs twice: chains along the coarse angle still join lines of different columns in places.
  const Skew rough = measure_skew(ink, is_text, letter_height, coarse, cancel);
  return measure_skew(ink, is_text, letter_height, rough.degrees, cancel);
}

/// Letters stand on straight lines. The measured share that does: 0.5 to 0.95 for print, 0.07 for a paragraph beside a large photograph;
/// at most 0.02 for noise, photographs and text that runs down the page, and never more than 7 letters.
bool is_text_page(const Skew& skew) {
  if (skew.support >= 16) return skew.support >= 0.05 * skew.points;
  // Two words on a title page suffice if the page has nothing else.
  return skew.support >= 6 && skew.support >= 0.8 * skew.points;
}

}  // namespace

double deskew_angle(const Bitmap& bitmap, const Cancel& cancel) {
  Gray gray = shrink_to_gray(bitmap, working_factor(bitmap), cancel);
  make_paper_bright(gray);
  const Ink ink = find_ink(gray, threshold_reach, cancel);

  Skew best{0, 0, 0};
  int tried = 0;
  for (const double share : height_shares) {
    const int letter_height = letter_height_at(share, ink.marks, gray);
    if (letter_height == tried) continue;
    tried = letter_height;
    const Skew skew = skew_of_letters(ink, gray, letter_height, cancel);
    if (skew.support > best.support) best = skew;
  }
  // A skew beyond the range may be part of a larger rotation, which this function does not measure.
  const bool told = is_text_page(best) && std::abs(best.degrees) <= max_deskew_degrees + 0.1;
  return told ? best.degrees : 0;
}

}  // namespace lectern::vision
