// Preparation, rectangles and text maps against loops that follow their definitions pixel by pixel.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "harness.h"
#include "page.h"
#include "vision/preparation.h"
#include "vision/text_detector.h"
#include "vision/text_map.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using namespace lectern::vision;

Picture random_picture(int width, int height, std::mt19937& random) {
  Picture picture{width, height, {}};
  picture.pixels.resize(static_cast<std::size_t>(width * height) * 4);
  for (std::uint8_t& byte : picture.pixels) byte = static_cast<std::uint8_t>(random());
  return picture;
}

/// How much of source pixel `position` target pixel `i` holds: means when it shrinks, linear when it grows.
double weight_of(int position, int i, int source, int target) {
  const double scale = static_cast<double>(source) / target;
  if (scale > 1) return std::max(0.0, std::min(position + 1.0, (i + 1) * scale) - std::max<double>(position, i * scale)) / scale;
  return std::max(0.0, 1.0 - std::abs(std::clamp((i + 0.5) * scale - 0.5, 0.0, source - 1.0) - position));
}

double resized(const Picture& picture, int x, int y, int width, int height, int channel) {
  double sum = 0;
  for (int v = 0; v < picture.height; ++v) {
    for (int u = 0; u < picture.width; ++u) sum += weight_of(v, y, picture.height, height) * weight_of(u, x, picture.width, width) * picture.pixels[static_cast<std::size_t>((v * picture.width + u) * 4 + channel)];
  }
  return sum / 255;
}

void compare_preparation(const Picture& picture, int width, int height, const Preparation& preparation) {
  std::vector<float> out(3 * static_cast<std::size_t>(width * height), -77.0F);
  const Placement placement = prepare(picture.bitmap(), width, height, preparation, out, Cancel());
  int inner_width = width, inner_height = height, left = 0, top = 0;
  if (preparation.fit != Fit::stretch) {
    const double ratio = std::min(width / static_cast<double>(picture.width), height / static_cast<double>(picture.height));
    inner_width = std::max(1, static_cast<int>(picture.width * ratio + 0.5));
    inner_height = std::max(1, static_cast<int>(picture.height * ratio + 0.5));
    if (preparation.fit == Fit::centre) left = (width - inner_width) / 2, top = (height - inner_height) / 2;
  }
  double worst = 0;
  for (int c = 0; c < 3; ++c) {
    const auto channel = static_cast<std::size_t>(c);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const int u = x - left, v = y - top;
        const bool inside = u >= 0 && v >= 0 && u < inner_width && v < inner_height;
        double expected = 0;
        if (inside) expected = (resized(picture, u, v, inner_width, inner_height, preparation.bgr ? 2 - c : c) - static_cast<double>(preparation.mean[channel])) / static_cast<double>(preparation.std[channel]);
        else if (preparation.pad) expected = static_cast<double>((*preparation.pad - preparation.mean[channel]) / preparation.std[channel]);
        const double off = std::abs(static_cast<double>(out[channel * static_cast<std::size_t>(width * height) + static_cast<std::size_t>(y * width + x)]) - expected);
        worst = off >= 0 ? std::max(worst, off) : 1e9;
      }
    }
  }
  const std::string title = std::to_string(picture.width) + "x" + std::to_string(picture.height) + " in " + std::to_string(width) + "x" + std::to_string(height);
  check_near(worst, 0, 1e-4, title);
  check_near(placement.page_x(left), 0, 1e-9, title + ": its left edge");
  check_near(placement.page_x(left + inner_width), picture.width, 1e-9, title + ": its right edge");
  check_near(placement.page_y(top + inner_height / 2.0), picture.height / 2.0, 1e-9, title + ": its middle");
  check_near(placement.page_y(height + 50), picture.height, 1e-9, title + ": beyond its end");
}

LECTERN_TEST("vision shapes: pictures for networks, stretched and padded, in either order of channels") {
  std::mt19937 random(3);
  for (const Fit fit : {Fit::stretch, Fit::centre, Fit::corner}) {
    for (const bool bgr : {false, true}) {
      Preparation preparation{fit, bgr, {0.4F, 0.5F, 0.6F}, {0.2F, 0.3F, 0.4F}, std::nullopt};
      if (bgr) preparation.pad = 114.0F / 255;
      compare_preparation(random_picture(9, 23, random), 16, 16, preparation);
      compare_preparation(random_picture(31, 7, random), 16, 11, preparation);
      compare_preparation(random_picture(1, 60, random), 5, 8, preparation);
      compare_preparation(random_picture(16, 16, random), 16, 16, preparation);
    }
  }
  Cancel cancel;
  cancel.request();
  std::vector<float> out(3 * 64);
  check_throws(ErrorCode::cancelled, [&] { prepare(random_picture(9, 9, random).bitmap(), 8, 8, {}, out, cancel); }, "a cancelled preparation");
}

double cross(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/// The least area of a rectangle around the points with a side along any pair of them.
double least_area(const std::vector<Point>& points) {
  double least = 1e30;
  for (const Point& a : points) {
    for (const Point& b : points) {
      const double length = std::hypot(b.x - a.x, b.y - a.y);
      const Point along = length == 0 ? Point{1, 0} : Point{(b.x - a.x) / length, (b.y - a.y) / length};
      double low[2] = {1e30, 1e30}, high[2] = {-1e30, -1e30};
      for (const Point& p : points) {
        const double at[2] = {p.x * along.x + p.y * along.y, p.y * along.x - p.x * along.y};
        for (int k = 0; k < 2; ++k) low[k] = std::min(low[k], at[k]), high[k] = std::max(high[k], at[k]);
      }
      least = std::min(least, (high[0] - low[0]) * (high[1] - low[1]));
    }
  }
  return least;
}

bool holds(const Quad& quad, Point point, double slack) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (cross(quad[i], quad[(i + 1) % 4], point) < -slack * (1 + std::hypot(quad[(i + 1) % 4].x - quad[i].x, quad[(i + 1) % 4].y - quad[i].y))) return false;
  }
  return true;
}

double distance_to(const Quad& quad, Point point) {
  double best = 1e30;
  for (std::size_t i = 0; i < 4; ++i) {
    const Point a = quad[i], b = quad[(i + 1) % 4];
    const double length = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
    const double t = length == 0 ? 0 : std::clamp(((point.x - a.x) * (b.x - a.x) + (point.y - a.y) * (b.y - a.y)) / length, 0.0, 1.0);
    best = std::min(best, std::hypot(point.x - a.x - t * (b.x - a.x), point.y - a.y - t * (b.y - a.y)));
  }
  return best;
}

LECTERN_TEST("vision shapes: the smallest rectangle around points, and the one that was grown") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<Point> points;
    const int count = 1 + pick(random, 20), spread = 1 + pick(random, 12);
    for (int i = 0; i < count; ++i) points.push_back({static_cast<double>(pick(random, spread * 3)), static_cast<double>(pick(random, spread))});
    const std::vector<Point> hull = convex_hull(points);
    const Quad quad = smallest_rectangle(hull);
    const std::string title = "round " + std::to_string(round);
    check_near(width_of(quad) * height_of(quad), least_area(points), 1e-6, title + ": its area");
    check(std::all_of(points.begin(), points.end(), [&](Point p) { return holds(quad, p, 1e-6); }), title + ": it holds all points");
    check(quad[0].x <= quad[1].x + 1e-9 && quad[0].y <= quad[3].y + 1e-9, title + ": it begins at the upper left");
    const double distance = 0.5 + pick(random, 5);
    const Quad grown = expanded(quad, distance);
    check_near(width_of(grown), width_of(quad) + 2 * distance, 1e-9, title + ": grown along");
    check_near(height_of(grown), height_of(quad) + 2 * distance, 1e-9, title + ": grown across");
    for (std::size_t i = 0; i < 4; ++i) check_near(std::hypot(grown[i].x - quad[i].x, grown[i].y - quad[i].y), std::sqrt(2.0) * distance, 1e-9, title + ": its corners");
    // The outline with round corners, which it must hold and touch on all sides.
    for (int step = 0; step < 36; ++step) {
      const double angle = step * 0.1745329;
      for (const Point& corner : quad) check(holds(grown, {corner.x + distance * std::cos(angle), corner.y + distance * std::sin(angle)}, 1e-6), title + ": it holds the rounded outline");
    }
    check_near(distance_to(grown, quad[0]), distance, 1e-9, title + ": it touches it");
  }
  const Quad quad{Point{1, 2}, {5, 2}, {5, 4}, {1, 4}};
  check(turned(quad, 1)[0].x == 5 && turned(quad, 1)[0].y == 2 && width_of(turned(quad, 1)) == 2, "a quarter later it begins at the top right");
  check(turned(quad, 2)[0].x == 5 && turned(quad, 2)[0].y == 4, "upside down it begins at the bottom right");
}

LECTERN_TEST("vision shapes: what is cut out along the axes are the pixels themselves, at an angle what lies between them") {
  std::mt19937 random(8);
  const Picture page = random_picture(40, 30, random);
  const auto at = [](const Picture& picture, int x, int y, int c) { return picture.pixels[static_cast<std::size_t>((y * picture.width + x) * 4 + c)]; };
  const Quad box{Point{3, 5}, {23, 5}, {23, 12}, {3, 12}};
  int differ = 0;
  const Picture straight = cut_quad(page.bitmap(), box, Cancel()), head = cut_quad(page.bitmap(), turned(box, 2), Cancel()), quarter = cut_quad(page.bitmap(), turned(box, 1), Cancel());
  check(straight.width == 20 && straight.height == 7 && quarter.width == 7 && quarter.height == 20, "their sizes");
  for (int y = 0; y < 7; ++y) {
    for (int x = 0; x < 20; ++x) {
      for (int c = 0; c < 4; ++c) {
        const int pixel = at(page, x + 3, y + 5, c);
        // Read from the top right downwards: right of the quarter's row is what lay below.
        differ += (at(straight, x, y, c) != pixel) + (at(head, 19 - x, 6 - y, c) != pixel) + (at(quarter, y, 19 - x, c) != pixel);
      }
    }
  }
  check(differ == 0, std::to_string(differ) + " values differ");
  const double angle = 0.3;
  const auto place = [&](double u, double v) { return Point{12 + u * std::cos(angle) - v * std::sin(angle), 4 + u * std::sin(angle) + v * std::cos(angle)}; };
  const Picture tilted = cut_quad(page.bitmap(), {place(0, 0), place(35, 0), place(35, 12), place(0, 12)}, Cancel());
  double worst = 0;
  for (int v = 0; v < tilted.height; ++v) {
    for (int u = 0; u < tilted.width; ++u) {
      const Point p = place(u + 0.5, v + 0.5);
      double sum = 0;
      for (int y = 0; y < page.height; ++y) {
        for (int x = 0; x < page.width; ++x) {
          const double wx = std::max(0.0, 1 - std::abs(std::clamp(p.x - 0.5, 0.0, page.width - 1.0) - x)), wy = std::max(0.0, 1 - std::abs(std::clamp(p.y - 0.5, 0.0, page.height - 1.0) - y));
          sum += wx * wy * at(page, x, y, 1);
        }
      }
      worst = std::max(worst, std::abs(sum - at(tilted, u, v, 1)));
    }
  }
  check(tilted.width == 35 && tilted.height == 12, "the size of the tilted one");
  check(worst <= 0.51, "the worst value is off by " + std::to_string(worst));
  const Quad huge{Point{0, 0}, {30000, 0}, {30000, 30000}, {0, 30000}};
  const Picture small = cut_quad(page.bitmap(), huge, Cancel());
  check(std::int64_t{small.width} * small.height <= max_resized_pixels, "a huge one is made smaller");
}

/// Boxes of a map by flood fill, all pairs of pixels and a test of every pixel.
std::vector<TextBox> plain_boxes(const std::vector<float>& map, int width, int height, const TextMapOptions& options) {
  std::vector<TextBox> boxes;
  std::set<int> seen;
  for (int start = 0; start < width * height; ++start) {
    if (!(map[static_cast<std::size_t>(start)] > options.threshold) || seen.contains(start)) continue;
    std::vector<int> open{start};
    std::vector<Point> points;
    seen.insert(start);
    while (!open.empty()) {
      const int place = open.back();
      open.pop_back();
      points.push_back({place % width + 0.5, place / width + 0.5});
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const int x = place % width + dx, y = place / width + dy, next = y * width + x;
          if (x < 0 || y < 0 || x >= width || y >= height || !(map[static_cast<std::size_t>(next)] > options.threshold) || !seen.insert(next).second) continue;
          open.push_back(next);
        }
      }
    }
    const Quad quad = smallest_rectangle(convex_hull(points));
    if (std::min(width_of(quad), height_of(quad)) < 3) continue;
    double sum = 0, count = 0;
    for (int place = 0; place < width * height; ++place) {
      if (!holds(quad, {place % width + 0.5, place / width + 0.5}, 1e-7)) continue;
      sum += static_cast<double>(map[static_cast<std::size_t>(place)]);
      count += 1;
    }
    if (sum / count < static_cast<double>(options.box_threshold)) continue;
    const double across = width_of(quad), down = height_of(quad), d = across * down * options.unclip / (2 * (across + down));
    if (std::min(across, down) + 2 * d < 5) continue;
    boxes.push_back({expanded(quad, d), static_cast<float>(sum / count)});
  }
  return boxes;
}

LECTERN_TEST("vision shapes: boxes of a text map, as flood fill finds them") {
  std::mt19937 random(11);
  std::size_t found = 0;
  for (int round = 0; round < 120; ++round) {
    const int width = 1 + pick(random, 48), height = 1 + pick(random, 40);
    std::vector<float> map(static_cast<std::size_t>(width * height));
    for (float& value : map) value = static_cast<float>(pick(random, 100)) * (round % 3 == 0 ? 0.004F : 0.002F);
    for (int blob = 0; blob < 1 + pick(random, 4); ++blob) {
      const double x0 = pick(random, width), y0 = pick(random, height), angle = pick(random, 314) * 0.01, across = 2 + pick(random, 16), down = 1 + pick(random, 7);
      for (int place = 0; place < width * height; ++place) {
        const double x = place % width - x0, y = place / width - y0;
        if (std::abs(x * std::cos(angle) + y * std::sin(angle)) < across && std::abs(y * std::cos(angle) - x * std::sin(angle)) < down) map[static_cast<std::size_t>(place)] = 0.5F + static_cast<float>(pick(random, 50)) * 0.01F;
      }
    }
    const TextMapOptions options{0.3F, 0.55F, 1.5, 1000};
    const auto mine = find_text_boxes(map, width, height, options, Cancel());
    const auto plain = plain_boxes(map, width, height, options);
    const std::string title = "round " + std::to_string(round);
    check(mine.size() == plain.size(), title + ": " + std::to_string(mine.size()) + " boxes, not " + std::to_string(plain.size()));
    for (const TextBox& expected : plain) {
      check(std::any_of(mine.begin(), mine.end(), [&](const TextBox& box) {
        return std::abs(box.score - expected.score) < 1e-5F && std::abs(box.corners[0].x - expected.corners[0].x) < 1e-6 && std::abs(box.corners[2].y - expected.corners[2].y) < 1e-6;
      }), title + ": a box is missing");
    }
    const auto top_of = [](const TextBox& box) { return std::min({box.corners[0].y, box.corners[1].y, box.corners[2].y, box.corners[3].y}); };
    check(std::is_sorted(mine.begin(), mine.end(), [&](const TextBox& a, const TextBox& b) { return top_of(a) < top_of(b); }), title + ": from the top");
    found += mine.size();
  }
  check(found > 50, std::to_string(found) + " boxes in all");
  // A checkerboard of specks, and all of it text.
  std::vector<float> specks(600 * 400);
  for (std::size_t i = 0; i < specks.size(); ++i) specks[i] = i % 2 == 0 && i / 600 % 2 == 0 ? 1.0F : 0.0F;
  check(find_text_boxes(specks, 600, 400, {}, Cancel()).empty(), "specks are no text");
  check(find_text_boxes(std::vector<float>(600 * 400, 1.0F), 600, 400, {}, Cancel()).size() == 1, "all of it is one box");
  Cancel cancel;
  cancel.request();
  check_throws(ErrorCode::cancelled, [&] { find_text_boxes(specks, 600, 400, {}, cancel); }, "a cancelled search");
}

LECTERN_TEST("vision shapes: the size at which text is detected") {
  const auto is = [](int width, int height, int wanted_width, int wanted_height, const char* what) {
    const auto size = detection_size(width, height, 736, 1920);
    check(size[0] == wanted_width && size[1] == wanted_height, std::string(what) + ": " + std::to_string(size[0]) + "x" + std::to_string(size[1]));
  };
  is(1240, 1754, 1248, 1760, "a page at 150 dpi");
  is(2480, 3508, 1344, 1920, "a page at 300 dpi");
  is(400, 300, 992, 736, "a small picture");
  is(8000, 20, 1920, 32, "a long strip");
  is(1, 1, 736, 736, "a single pixel");
}

}  // namespace
