// Lines along made maps whose ridges are known, shares of lines along cores, and a made detector: ink itself is the core.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cpu/backend.h"
#include "error.h"
#include "harness.h"
#include "onnx_writer.h"
#include "vision/page_detector.h"
#include "vision_graphs.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using vision::CoreMap;
using vision::FoundLine;
using vision::Gray;

/// Pages (n, 1, h, w) to six planes of h / 4 by w / 4 cells: a core where ink is more than half, going the way `way` of four (0 to 3).
std::string ink_detector(std::size_t way, const char* dpi = "96", std::int64_t outputs = 6) {
  OnnxGraph graph;
  graph.input("pages", Element::f32, {-1, 1, -1, -1}).constant(onnx_floats("half", {}, {0.5F})).constant(onnx_floats("much", {}, {20}));
  std::vector<float> ways(static_cast<std::size_t>(outputs), 0.0F);
  ways[0] = 1;
  graph.constant(onnx_floats("planes", {1, outputs, 1, 1}, ways));
  std::vector<float> levels(static_cast<std::size_t>(outputs), 0.0F);
  levels[1 + way] = 3;
  graph.constant(onnx_floats("levels", {1, outputs, 1, 1}, levels));
  graph.node(OnnxNode("AveragePool", {"pages"}, {"means"}).integers("kernel_shape", {4, 4}).integers("strides", {4, 4})).node(OnnxNode("Sub", {"means", "half"}, {"off"}));
  graph.node(OnnxNode("Mul", {"off", "much"}, {"loud"})).node(OnnxNode("Mul", {"loud", "planes"}, {"core"})).node(OnnxNode("Add", {"core", "levels"}, {"cells"}));
  graph.output("cells", Element::f32, {-1, outputs, -1, -1});
  Proto model;
  model.integer(1, 8).message(7, graph.proto).message(8, Proto().integer(2, 13));
  if (dpi != nullptr) model.message(14, Proto().text(1, "dpi").text(2, dpi));
  return model.bytes();
}

CoreMap blank(int width, int height, double cell) { return {width, height, std::vector<float>(static_cast<std::size_t>(width * height), 0.0F), cell}; }

/// A core from column `left` to `right` of which the middle is at `middle` + slope * x cells and `height` cells are covered, shared between cells as areas are.
void draw_core(CoreMap& map, int left, int right, double middle, double slope, double height) {
  for (int x = left; x < right; ++x) {
    const double centre = middle + slope * (x + 0.5);
    for (int y = 0; y < map.height; ++y) {
      const double inside = std::min(y + 1.0, centre + height / 2) - std::max<double>(y, centre - height / 2);
      auto& cell = map.cores[static_cast<std::size_t>(y * map.width + x)];
      cell = std::max(cell, static_cast<float>(std::clamp(inside, 0.0, 1.0)));
    }
  }
}

LECTERN_TEST("page detector: lines along the ridges of a map have its middle, slope and height") {
  CoreMap map = blank(100, 60, 12.5);
  draw_core(map, 10, 90, 8, 0.01, 1.5);
  draw_core(map, 10, 40, 20, 0, 2);
  draw_core(map, 55, 90, 20, 0, 2);
  draw_core(map, 5, 60, 40, -0.012, 1.6);
  draw_core(map, 5, 60, 43, -0.012, 1.6);
  const auto lines = vision::lines_along(map);
  check(lines.size() == 5, std::to_string(lines.size()) + " lines");
  check(std::is_sorted(lines.begin(), lines.end(), [](const FoundLine& a, const FoundLine& b) { return a.box.top < b.box.top; }), "from the top");
  const auto line_at = [&](double middle) {
    return *std::min_element(lines.begin(), lines.end(), [&](const FoundLine& a, const FoundLine& b) {
      const auto off = [&](const FoundLine& line) { return std::abs((line.box.top + line.box.bottom) / 2.0 - middle); };
      return off(a) < off(b);
    });
  };
  const FoundLine& first = line_at(8.5 * 12.5);
  check(first.box.left == 125 && first.box.right == 1125, "its ends are those of the core");
  check(std::abs(first.slope - 0.01) < 0.004, "its slope");
  const double em = (1.5 - 0.18) * 12.5 / 0.46;
  check(std::abs(first.above - 0.78 * em) < 4 && std::abs(first.below - 0.24 * em) < 2, "its face's height: " + std::to_string(first.above));
  // The line that letters stand on is half of the core below its middle.
  check(std::abs(first.baseline - (8.1 * 12.5 + 0.23 * em)) < 4, "its baseline at the left end");
  check(first.box.top <= first.baseline - first.above + 1 && first.box.bottom >= first.baseline + first.below, "a box around it");
  const auto row = std::count_if(lines.begin(), lines.end(), [](const FoundLine& line) { return std::abs(line.baseline - 20 * 12.5 - 0.46 * 25) < 12; });
  check(row == 2, "what stands apart on one row is two lines");
}

LECTERN_TEST("page detector: faint and short cores are no lines, a hole of two columns ends none") {
  CoreMap map = blank(60, 40, 10);
  draw_core(map, 2, 4, 5, 0, 1.5);
  check(vision::lines_along(map).empty(), "two columns are none");
  draw_core(map, 10, 30, 12, 0, 0.5);
  check(vision::lines_along(map).empty(), "half of a cell is none");
  draw_core(map, 10, 30, 20.5, 0, 1);
  draw_core(map, 32, 50, 20.5, 0, 1);
  check(vision::lines_along(map).size() == 1, "a hole of two columns");
  check(vision::lines_along(blank(0, 0, 10)).empty() && vision::lines_along(blank(1, 1, 10)).empty(), "nothing on nothing");
}

LECTERN_TEST("page detector: the share of a line that has a core") {
  CoreMap map = blank(60, 40, 10);
  draw_core(map, 0, 30, 20, 0, 2);
  const FoundLine line{{100, 180, 500, 220}, {}, 212, 0, 30, 8};
  check(std::abs(vision::core_share(map, line) - 0.5) < 1e-9, "half of it");
  const FoundLine below{{100, 280, 500, 320}, {}, 312, 0, 30, 8};
  check(vision::core_share(map, below) == 0, "none of the next");
  const FoundLine outside{{2000, -300, 2400, -200}, {}, -210, 0, 30, 8};
  check(vision::core_share(map, outside) == 0, "nothing beyond the page");
}

LECTERN_TEST("page detector: what a network sees on a page, whatever its size and resolution") {
  const auto backend = cpu::make_backend();
  const Cancel never;
  for (const auto& [way, seen] : {std::pair{std::size_t{0}, true}, std::pair{std::size_t{1}, false}, std::pair{std::size_t{2}, true}, std::pair{std::size_t{3}, false}}) {
    const Written file("ink.onnx", ink_detector(way));
    vision::PageDetector detector(file.path, *backend, 1);
    for (const auto& [width, height, dpi] : {std::tuple{700, 300, 192}, std::tuple{3300, 130, 96}, std::tuple{90, 3400, 96}}) {
      Gray page{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height), 255)};
      for (int y = 40; y < 64; ++y) std::fill_n(page.pixels.begin() + y * width + 16, width - 32, std::uint8_t{0});
      const CoreMap map = detector.look(page, dpi, never);
      const double cell = 4.0 * dpi / 96;
      check(map.width == static_cast<int>(std::ceil(width / cell)) && map.height == static_cast<int>(std::ceil(height / cell)) && std::abs(map.cell - cell) < 0.1, "cells of a " + std::to_string(width) + " page");
      int right = 0, all = 0;
      for (int y = 0; y < map.height; ++y) {
        for (int x = 0; x < map.width; ++x) {
          const double middle_x = (x + 0.5) * cell, middle_y = (y + 0.5) * cell;
          if (std::abs(middle_x - 16) < cell || std::abs(middle_x - width + 16) < cell) continue;
          const bool ink = seen && middle_x > 16 && middle_x < width - 16 && middle_y > 40 && middle_y < 64;
          ++all;
          right += (map.at(x, y) > 0.5F) == ink ? 1 : 0;
        }
      }
      check(right == all && all > 0, std::to_string(right) + " of " + std::to_string(all) + " cells, way " + std::to_string(way));
    }
  }
}

LECTERN_TEST("page detector: other networks are refused, and a cancelled run ends") {
  const auto backend = cpu::make_backend();
  for (const auto& [name, bytes] : {std::pair{"no-dpi.onnx", ink_detector(0, nullptr)}, std::pair{"dpi.onnx", ink_detector(0, "fine")}, std::pair{"zero.onnx", ink_detector(0, "0")},
                                    std::pair{"planes.onnx", ink_detector(0, "96", 5)}}) {
    const Written file(name, bytes);
    check_throws(ErrorCode::invalid_model, [&] { vision::PageDetector(file.path, *backend, 1); }, name);
  }
  const Written file("ink.onnx", ink_detector(0));
  vision::PageDetector detector(file.path, *backend, 1);
  Cancel cancel;
  cancel.request();
  check_throws(ErrorCode::cancelled, [&] { detector.look({64, 64, std::vector<std::uint8_t>(4096, 255)}, 96, cancel); }, "cancelled");
}

}  // namespace
