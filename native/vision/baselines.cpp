// Finds the lowest points of letters, chains them, and fits one slope to all chains by least squares.
#include "vision/baselines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace lectern::vision {
namespace {

/// A point of the page, rotated so that the assumed skew is horizontal: `along` grows in reading direction, `down` towards the foot of the page.
struct Point {
  float along;
  float down;
};

struct Chain {
  std::vector<Point> points;
  float down;  // where the next point is expected
};

constexpr float nowhere = std::numeric_limits<float>::lowest();

/// One point for each letter. Marks of several letters (words whose letters touch) are cut into slices of one letter's width.
std::vector<Point> lowest_points(const Ink& ink, const std::vector<bool>& is_text, int letter_height, double degrees) {
  const double radians = degrees * std::numbers::pi / 180;
  const auto cosine = static_cast<float>(std::cos(radians));
  const auto sine = static_cast<float>(std::sin(radians));

  std::vector<std::size_t> first_slice = {0};  // (marks + 1)
  for (std::size_t i = 0; i < ink.marks.size(); ++i) {
    const int slices = is_text[i] ? std::max(1, (ink.marks[i].width() + letter_height / 2) / letter_height) : 0;
    first_slice.push_back(first_slice.back() + static_cast<std::size_t>(slices));
  }
  std::vector<Point> points(first_slice.back(), Point{0, nowhere});

  for (const Run& run : ink.runs) {
    const auto index = static_cast<std::size_t>(run.mark);
    if (!is_text[index]) continue;
    const Mark& mark = ink.marks[index];
    const auto slices = static_cast<int>(first_slice[index + 1] - first_slice[index]);
    // A run may cross several slices: walk along it in steps shorter than a slice.
    for (int begin = run.begin; begin < run.end; begin += run_step) {
      const int end = std::min(begin + run_step, run.end);
      const int slice = (begin + end - 1 - 2 * mark.left) * slices / (2 * mark.width());
      Point& point = points[first_slice[index] + static_cast<std::size_t>(slice)];
      const int lower_end = sine > 0 ? end - 1 : begin;
      const float down = static_cast<float>(run.y) * cosine + static_cast<float>(lower_end) * sine;
      if (down <= point.down) continue;
      const float middle = static_cast<float>(begin + end - 1) / 2;
      point = {middle * cosine - static_cast<float>(run.y) * sine, down};
    }
  }
  std::erase_if(points, [](const Point& point) { return point.down == nowhere; });
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.along != b.along ? a.along < b.along : a.down < b.down; });
  return points;
}

/// Each point joins the chain that ends within three letters to its left at nearly the same height. Otherwise it begins a new chain.
std::vector<Chain> chain_up(const std::vector<Point>& points, int letter_height, const Cancel& cancel) {
  // Three letters cover the spaces of a justified line: with 1.2 letters a third of the pages had wrong results.
  const float reach = 3.0F * static_cast<float>(letter_height);
  // A third of a letter: descenders are deeper. They form chains among themselves, with the same skew as the others.
  const float tolerance = std::max(1.5F, 0.3F * static_cast<float>(letter_height));
  std::vector<Chain> chains;
  std::vector<std::size_t> open;
  for (const Point& point : points) {
    std::erase_if(open, [&](std::size_t index) { return point.along - chains[index].points.back().along > reach; });
    std::size_t nearest = chains.size();
    float distance = tolerance;
    for (const std::size_t index : open) {
      const float apart = std::abs(point.down - chains[index].down);
      if (apart > distance) continue;
      distance = apart;
      nearest = index;
    }
    if (nearest == chains.size()) {
      cancel.check();
      open.push_back(nearest);
      chains.push_back({{}, point.down});
    }
    Chain& chain = chains[nearest];
    chain.points.push_back(point);
    // Follows the unknown skew without a jump after one descender.
    chain.down += 0.25F * (point.down - chain.down);
  }
  std::erase_if(chains, [](const Chain& chain) { return chain.points.size() < 4; });
  return chains;
}

/// The intercept of a chain at a given slope. It is the median, so that descenders and specks do not move it.
float middle_of(const Chain& chain, double slope, std::vector<float>& scratch) {
  scratch.clear();
  for (const Point& point : chain.points) scratch.push_back(point.down - static_cast<float>(slope) * point.along);
  const auto middle = scratch.begin() + static_cast<std::ptrdiff_t>(scratch.size() / 2);
  std::nth_element(scratch.begin(), middle, scratch.end());
  return *middle;
}

struct Fit {
  double slope;
  int support;
};

/// Fits one slope to all chains by least squares, over the points within `trim` pixels of their chain at the previous slope.
Fit fit_slope(const std::vector<Chain>& chains, double slope, float trim) {
  double squares = 0;
  double products = 0;
  int support = 0;
  std::vector<float> scratch;
  std::vector<Point> kept;
  for (const Chain& chain : chains) {
    const float middle = middle_of(chain, slope, scratch);
    kept.clear();
    for (const Point& point : chain.points) {
      if (std::abs(point.down - static_cast<float>(slope) * point.along - middle) <= trim) kept.push_back(point);
    }
    if (kept.size() < 3) continue;
    double along = 0;
    double down = 0;
    for (const Point& point : kept) {
      along += point.along;
      down += point.down;
    }
    along /= static_cast<double>(kept.size());
    down /= static_cast<double>(kept.size());
    for (const Point& point : kept) {
      squares += (point.along - along) * (point.along - along);
      products += (point.along - along) * (point.down - down);
    }
    // Noise forms short chains, and long ones that are not straight; text forms neither.
    if (kept.size() >= 6 && 10 * kept.size() >= 7 * chain.points.size()) support += static_cast<int>(kept.size());
  }
  return {squares > 0 ? products / squares : slope, support};
}

}  // namespace

Skew measure_skew(const Ink& ink, const std::vector<bool>& is_text, int letter_height, double degrees,
                  const Cancel& cancel) {
  const std::vector<Point> points = lowest_points(ink, is_text, letter_height, degrees);
  const std::vector<Chain> chains = chain_up(points, letter_height, cancel);
  Fit fit{0, 0};
  // Pixels: from the tolerance that a start wrong by half a degree needs down to the jitter of a baseline.
  for (const float trim : {2.5F, 1.5F, 1.5F, 1.0F, 1.0F}) fit = fit_slope(chains, fit.slope, trim);
  return {degrees - std::atan(fit.slope) * 180 / std::numbers::pi, static_cast<int>(points.size()), fit.support};
}

}  // namespace lectern::vision
