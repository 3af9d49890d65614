// The network that tells what lines of text are: a made one whose sums are done by loops here, items that fit nothing, files that are no such networks.
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "error.h"
#include "harness.h"
#include "onnx_writer.h"
#include "page.h"
#include "vision/line_layout.h"
#include "vision_graphs.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using namespace lectern::vision;

constexpr int features = 3, sides = 2, between = 2, classes = 4;

/// classes: an item's features, then the sum of the first ones of those beside it; joined: the product of the first ones of both, plus the sum of what is known of the two.
std::string summing_network(const std::string& output = "classes", std::int64_t kinds = classes) {
  OnnxGraph graph;
  graph.input("features", Element::f32, {-1, features}).input("neighbours", Element::i64, {-1, sides}).input("pairs", Element::i64, {-1, 2}).input("pair_features", Element::f32, {-1, between});
  graph.constant(onnx_floats("nobody", {1, features}, {0, 0, 0})).constant(onnx_integers("first", {0})).constant(onnx_integers("second", {1})).constant(onnx_integers("end", {1})).constant(onnx_integers("axis", {1}));
  graph.constant(onnx_integers("axis2", {2}));
  graph.node(OnnxNode("Concat", {"features", "nobody"}, {"all"}).integer("axis", 0)).node(OnnxNode("Gather", {"all", "neighbours"}, {"beside"}).integer("axis", 0));
  graph.node(OnnxNode("Slice", {"beside", "first", "end", "axis2"}, {"firsts"})).node(OnnxNode("ReduceSum", {"firsts", "axis"}, {"sums"}).integer("keepdims", 0));
  graph.node(OnnxNode("Concat", {"features", "sums"}, {output}).integer("axis", 1));
  graph.node(OnnxNode("Slice", {"features", "first", "end", "axis"}, {"own"})).node(OnnxNode("Gather", {"own", "pairs"}, {"both"}).integer("axis", 0)).node(OnnxNode("ReduceProd", {"both"}, {"product"}).integers("axes", {1, 2}).integer("keepdims", 0));
  graph.node(OnnxNode("ReduceSum", {"pair_features", "axis"}, {"known"}).integer("keepdims", 0)).node(OnnxNode("Add", {"product", "known"}, {"joined"}));
  return graph.output(output, Element::f32, {-1, kinds}).output("joined", Element::f32, {-1}).model();
}

LineItems made_items(std::mt19937& random, int count, int pairs) {
  LineItems items;
  for (int i = 0; i < count * features; ++i) items.features.push_back(static_cast<float>(pick(random, 2001) - 1000) / 500);
  for (int i = 0; i < count * sides; ++i) items.neighbours.push_back(pick(random, count + 1) - 1);
  for (int i = 0; i < pairs * 2; ++i) items.pairs.push_back(pick(random, count));
  for (int i = 0; i < pairs * between; ++i) items.pair_features.push_back(static_cast<float>(pick(random, 2001) - 1000) / 500);
  return items;
}

LECTERN_TEST("line layout: items, those beside them and pairs, of any number") {
  const Written file("summing.onnx", summing_network());
  LineLayout layout({file.path}, place());
  check(layout.weight_bytes() > 0, "weights");
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const int count = 1 + pick(random, 40), pairs = pick(random, 3) == 0 ? 0 : pick(random, 50);
    const LineItems items = made_items(random, count, pairs);
    const LineClasses found = layout.classify(items, Cancel());
    check(found.classes.size() == static_cast<std::size_t>(count * classes) && found.joined.size() == static_cast<std::size_t>(pairs), "sizes");
    const auto first = [&](std::int32_t item) { return item < 0 ? 0.0F : items.features[static_cast<std::size_t>(item * features)]; };
    double off = 0;
    for (int item = 0; item < count; ++item) {
      float beside = 0;
      for (int side = 0; side < sides; ++side) beside += first(items.neighbours[static_cast<std::size_t>(item * sides + side)]);
      for (int k = 0; k < features; ++k) off += std::abs(static_cast<double>(found.classes[static_cast<std::size_t>(item * classes + k)] - items.features[static_cast<std::size_t>(item * features + k)]));
      off += std::abs(static_cast<double>(found.classes[static_cast<std::size_t>(item * classes + features)] - beside));
    }
    for (int pair = 0; pair < pairs; ++pair) {
      const auto at = static_cast<std::size_t>(2 * pair);
      const float expected = first(items.pairs[at]) * first(items.pairs[at + 1]) + items.pair_features[at] + items.pair_features[at + 1];
      off += std::abs(static_cast<double>(found.joined[static_cast<std::size_t>(pair)] - expected));
    }
    check(std::isfinite(off) && off < 1e-3, "round " + std::to_string(round) + ", off by " + std::to_string(off));
  }
  check(layout.classify({}, Cancel()).classes.empty(), "nothing of no items");
}

LECTERN_TEST("line layout: items that fit nothing, and a flag") {
  const Written file("summing.onnx", summing_network());
  LineLayout layout({file.path}, place());
  std::mt19937 random(4);
  const LineItems good = made_items(random, 5, 4);
  const auto refused = [&](const char* what, auto&& change) {
    LineItems items = good;
    change(items);
    check_throws(ErrorCode::invalid_request, [&] { layout.classify(items, Cancel()); }, what);
  };
  refused("half a row of features", [](LineItems& items) { items.features.pop_back(); });
  refused("half a row of neighbours", [](LineItems& items) { items.neighbours.pop_back(); });
  refused("fewer rows of neighbours", [](LineItems& items) { items.neighbours.resize(items.neighbours.size() - sides); });
  refused("half a pair", [](LineItems& items) { items.pairs.pop_back(); });
  refused("fewer features of pairs", [](LineItems& items) { items.pair_features.resize(items.pair_features.size() - between); });
  refused("pairs of nothing", [](LineItems& items) { items.features.clear(), items.neighbours.clear(); });
  for (const std::int32_t strange : {5, -2, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()}) refused("a neighbour that is not there", [&](LineItems& items) { items.neighbours[3] = strange; });
  for (const std::int32_t strange : {5, -1, std::numeric_limits<std::int32_t>::min()}) refused("a pair that is not there", [&](LineItems& items) { items.pairs[3] = strange; });
  LineItems wild = good;
  wild.features[4] = std::numeric_limits<float>::quiet_NaN();
  check_throws(ErrorCode::invalid_model, [&] { layout.classify(wild, Cancel()); }, "an answer that is no number");
  Cancel cancel;
  cancel.request();
  check_throws(ErrorCode::cancelled, [&] { layout.classify(good, cancel); }, "a flag");
  check(layout.classify(good, Cancel()).joined.size() == 4, "and it goes on");
}

LECTERN_TEST("line layout: files that are no such networks") {
  const auto refused = [](const char* what, const std::string& bytes) {
    const Written file("strange.onnx", bytes);
    check_throws(ErrorCode::invalid_model, [&] { LineLayout({file.path}, place()); }, what);
  };
  refused("no network", "nothing");
  refused("a network of pictures", darkness_network());
  refused("no classes", summing_network("kinds"));
  check_throws(ErrorCode::model_not_found, [] { LineLayout({"/nowhere/none.onnx"}, place()); }, "no file");
  // It declares more classes than its output has.
  const Written file("boasting.onnx", summing_network("classes", classes + 1));
  std::mt19937 random(5);
  check_throws(ErrorCode::invalid_model, [&] { LineLayout({file.path}, place()).classify(made_items(random, 3, 2), Cancel()); }, "fewer classes than said");
}

}  // namespace
