// Votes of lines against sums by hand, and a synthetic network with a known output: ink in the upper half of a picture is upright, in the lower half upside down.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "error.h"
#include "harness.h"
#include "onnx_writer.h"
#include "vision/line_orientation.h"
#include "vision_graphs.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using vision::LineImage;
using vision::LineVotes;

/// lines (n, 1, 32, w) to (n, 3, 1, w / 8): 40 times the mean ink of 8 columns in the upper half, in the lower half, and 4. `rows` and `classes` are right at 32 and 3.
std::string halves_network(std::int64_t rows = 32, bool third = true) {
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, 1, rows, -1}).constant(onnx_floats("much", {}, {40})).constant(onnx_floats("none", {}, {0})).constant(onnx_floats("some", {}, {4}));
  graph.constant(onnx_integers("zero", {0})).constant(onnx_integers("one", {1})).constant(onnx_integers("two", {2}));
  graph.node(OnnxNode("AveragePool", {"x"}, {"means"}).integers("kernel_shape", {rows / 2, 8}).integers("strides", {rows / 2, 8})).node(OnnxNode("Mul", {"means", "much"}, {"loud"}));
  graph.node(OnnxNode("Slice", {"loud", "zero", "one", "two"}, {"upper"})).node(OnnxNode("Slice", {"loud", "one", "two", "two"}, {"lower"}));
  graph.node(OnnxNode("Mul", {"upper", "none"}, {"flat"})).node(OnnxNode("Add", {"flat", "some"}, {"level"}));
  graph.node(third ? OnnxNode("Concat", {"upper", "lower", "level"}, {"y"}).integer("axis", 1) : OnnxNode("Concat", {"upper", "lower"}, {"y"}).integer("axis", 1));
  return graph.output("y", Element::f32, {-1, third ? 3 : 2, 1, -1}).model();
}

/// A picture of `width` columns with ink in the upper half, the lower half or all over.
LineImage line(int width, bool upper, bool lower) {
  LineImage image{width, std::vector<std::uint8_t>(static_cast<std::size_t>(32 * width), 255), 0, 1};
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < width; ++x) image.pixels[static_cast<std::size_t>(y * width + x)] = (y < 16 ? upper : lower) ? 0 : 255;
  }
  return image;
}

bool near(double a, double b) { return std::isfinite(a) && std::abs(a - b) < 1e-6 * (1 + std::abs(b)); }

LECTERN_TEST("line orientation: a line's votes are its columns times the probabilities of its mean") {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 3);
  for (int round = 0; round < 50; ++round) {
    const std::size_t steps = 1 + random() % 40, columns = random() % (steps + 5);
    std::vector<float> logits(3 * steps);
    for (float& logit : logits) logit = normal(random);
    const LineVotes votes = vision::votes_of(logits, columns);
    double sums[3] = {0, 0, 0}, all = 0;
    const std::size_t counted = std::min(columns, steps);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t x = 0; x < counted; ++x) sums[c] += static_cast<double>(logits[c * steps + x]);
      if (counted > 0) all += std::exp(sums[c] / static_cast<double>(counted));
    }
    const auto share = [&](std::size_t c) { return counted == 0 ? 0.0 : static_cast<double>(counted) * std::exp(sums[c] / static_cast<double>(counted)) / all; };
    check(near(votes.upright, share(0)) && near(votes.turned, share(1)) && near(votes.neither, share(2)) && votes.lines == (counted > 0 ? 1 : 0), "round " + std::to_string(round));
  }
  check(vision::votes_of(std::vector<float>{1, 2, std::numeric_limits<float>::quiet_NaN()}, 1).lines == 0, "no votes from what is no number");
}

LECTERN_TEST("line orientation: the longest lines of a page vote, each by itself") {
  const Written file("halves.onnx", halves_network());
  const auto backend = cpu::make_backend();
  vision::LineOrientation orientation(file.path, *backend, 1);
  const Cancel never;
  const LineVotes upright = orientation.ask({line(160, true, false)}, never);
  check(upright.lines == 1 && upright.stands_upright() && near(upright.upright + upright.turned + upright.neither, 20), "ink above is upright");
  const LineVotes turned = orientation.ask({line(160, false, true)}, never);
  check(near(turned.turned, upright.upright) && !turned.stands_upright(), "ink below is turned");
  check(orientation.ask({line(160, false, false)}, never).neither > 18, "blank paper is neither");
  // One long line against two short ones; what is shorter than four letters has no vote beside it.
  const LineVotes together = orientation.ask({line(32, false, true), line(320, true, false), line(96, false, true), line(96, false, true)}, never);
  check(together.lines == 3 && together.stands_upright() && together.turned > 23 && together.upright > 39, "votes are as many as columns");
  check(orientation.ask({line(32, false, true)}, never).lines == 1, "a short line votes where it is alone");
  const LineVotes many = orientation.ask(std::vector<LineImage>(40, line(900, true, false)), never);
  check(many.lines == 16 && near(many.upright + many.turned + many.neither, 16 * 56), "16 lines of 448 columns are enough");
  check(orientation.ask({line(3000, false, true), line(7, true, false), LineImage{}}, never).lines == 0, "bars, specks and what was not cut have no vote");
  check(orientation.ask(std::vector<LineImage>{}, never).lines == 0 && !LineVotes{}.stands_upright(), "no lines, no votes");
  // Whatever stands beside it.
  const LineVotes one = orientation.ask({line(200, true, true)}, never), two = orientation.ask({line(120, true, false)}, never);
  const LineVotes both = orientation.ask({line(120, true, false), line(200, true, true)}, never);
  check(both.upright == one.upright + two.upright && both.turned == one.turned + two.turned, "a line's votes do not depend on the others");
}

LECTERN_TEST("line orientation: other networks are refused, and a cancelled run ends") {
  const auto backend = cpu::make_backend();
  for (const auto& [name, bytes] : {std::pair{"rows.onnx", halves_network(16)}, std::pair{"classes.onnx", halves_network(32, false)}}) {
    const Written file(name, bytes);
    check_throws(ErrorCode::invalid_model, [&] { vision::LineOrientation(file.path, *backend, 1); }, name);
  }
  const Written file("halves.onnx", halves_network());
  vision::LineOrientation orientation(file.path, *backend, 1);
  Cancel cancel;
  cancel.request();
  check_throws(ErrorCode::cancelled, [&] { orientation.ask({line(160, true, false)}, cancel); }, "cancelled");
}

}  // namespace
