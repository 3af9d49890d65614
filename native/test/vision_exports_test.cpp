// Layout networks as their makers export them, with the choice of boxes inside: synthetic ones with known outputs, alone and in batches.
#include <algorithm>
#include <string>
#include <vector>

#include "harness.h"
#include "onnx_writer.h"
#include "page.h"
#include "vision/layout.h"
#include "vision_graphs.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using namespace lectern::vision;

/// x (n, 3, 16, 16) to `mean` (n, 1, 1), the mean of each picture, and `nothing`, as many zeros.
OnnxGraph graph_of_means() {
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, 3, 16, 16}).constant(onnx_integers("each", {-1, 1, 1})).constant(onnx_floats("zero", {}, {0}));
  graph.node(OnnxNode("ReduceMean", {"x"}, {"means"}).integers("axes", {1, 2, 3})).node(OnnxNode("Reshape", {"means", "each"}, {"mean"})).node(OnnxNode("Mul", {"mean", "zero"}, {"nothing"}));
  return graph;
}

/// RT-DETR as its makers export it: it takes each picture's size, and gives labels (n, 3), boxes (n, 3, 4) in that size and scores (n, 3), the best of three queries and labels.
std::string finished_detector(const std::vector<float>& logits, const std::vector<float>& boxes) {
  OnnxGraph graph = graph_of_means();
  graph.input("orig_target_sizes", Element::i64, {-1, 2}).constant(onnx_floats("queries", {1, 3, 3}, logits)).constant(onnx_floats("places", {1, 3, 4}, boxes));
  graph.constant(onnx_integers("three", {3})).constant(onnx_integers("ones", {1, 1, 1, 1})).constant(onnx_floats("half", {}, {0.5F})).constant(onnx_integers("last", {-1}));
  graph.constant(onnx_integers("first", {1})).constant(onnx_integers("four", {1, 1, 4})).constant(onnx_integers("twice", {1, 2}));
  graph.node(OnnxNode("Add", {"queries", "mean"}, {"logits"})).node(OnnxNode("Sigmoid", {"logits"}, {"chances"})).node(OnnxNode("Flatten", {"chances"}, {"flat"}).integer("axis", 1));
  graph.node(OnnxNode("TopK", {"flat", "three"}, {"scores", "index"}).integer("axis", -1)).node(OnnxNode("Mod", {"index", "three"}, {"labels"})).node(OnnxNode("Div", {"index", "three"}, {"query"}));
  graph.node(OnnxNode("Add", {"places", "nothing"}, {"all"})).node(OnnxNode("Split", {"all", "ones"}, {"cx", "cy", "w", "h"}).integer("axis", -1));
  graph.node(OnnxNode("Mul", {"w", "half"}, {"rx"})).node(OnnxNode("Mul", {"h", "half"}, {"ry"})).node(OnnxNode("Sub", {"cx", "rx"}, {"left"})).node(OnnxNode("Sub", {"cy", "ry"}, {"top"}));
  graph.node(OnnxNode("Add", {"cx", "rx"}, {"right"})).node(OnnxNode("Add", {"cy", "ry"}, {"bottom"})).node(OnnxNode("Concat", {"left", "top", "right", "bottom"}, {"corners"}).integer("axis", -1));
  graph.node(OnnxNode("Unsqueeze", {"query", "last"}, {"column"})).node(OnnxNode("Tile", {"column", "four"}, {"rows"})).node(OnnxNode("GatherElements", {"corners", "rows"}, {"chosen"}).integer("axis", 1));
  graph.node(OnnxNode("Cast", {"orig_target_sizes"}, {"sizes"}).integer("to", 1)).node(OnnxNode("Tile", {"sizes", "twice"}, {"sides"})).node(OnnxNode("Unsqueeze", {"sides", "first"}, {"scale"}));
  graph.node(OnnxNode("Mul", {"chosen", "scale"}, {"boxes"}));
  return graph.output("labels", Element::i64, {-1, 3}).output("boxes", Element::f32, {-1, 3, 4}).output("scores", Element::f32, {-1, 3}).model();
}

/// YOLO with NonMaxSuppression inside: those of `boxes` (4, 4) that remain by `scores` (3 labels, 4), which the mean of the picture is added to.
std::string suppressing_detector(const std::vector<float>& boxes, const std::vector<float>& scores) {
  OnnxGraph graph = graph_of_means();
  graph.constant(onnx_floats("places", {1, 4, 4}, boxes)).constant(onnx_floats("chances", {1, 3, 4}, scores)).constant(onnx_integers("most", {100})).constant(onnx_floats("overlap", {1}, {0.5F}));
  graph.constant(onnx_floats("least", {1}, {0.3F})).constant(onnx_integers("of_box", {0, 2}));
  graph.node(OnnxNode("Add", {"places", "nothing"}, {"all"})).node(OnnxNode("Add", {"chances", "mean"}, {"all_scores"}));
  graph.node(OnnxNode("NonMaxSuppression", {"all", "all_scores", "most", "overlap", "least"}, {"selected"}));
  graph.node(OnnxNode("Gather", {"selected", "of_box"}, {"rows"}).integer("axis", 1)).node(OnnxNode("GatherND", {"all", "rows"}, {"boxes"})).node(OnnxNode("GatherND", {"all_scores", "selected"}, {"scores"}));
  return graph.output("boxes", Element::f32, {-1, 4}).output("scores", Element::f32, {-1}).output("selected", Element::i64, {-1, 3}).model();
}

/// Two regions on each page, the surer one in its middle, and the same alone as with all the others.
void check_pages(const std::string& model, LayoutOutputs outputs, const std::string& title) {
  const Written file("export.onnx", model);
  LayoutOptions options;
  options.file = file.path;
  options.outputs = outputs;
  options.labels = {"text", "table", "picture"};
  options.threshold = 0.3F;
  options.width = options.height = 16;
  LayoutFinder finder(options, place());
  std::vector<Page> pages;
  std::vector<Bitmap> bitmaps;
  for (int i = 0; i < 5; ++i) pages.emplace_back(320 - 40 * i, 160 + 8 * i, 0, static_cast<std::uint8_t>(i * 12));
  for (const Page& page : pages) bitmaps.push_back(page.bitmap());
  const auto together = finder.find(bitmaps, Cancel());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const std::string name = title + ", page " + std::to_string(i);
    const double width = bitmaps[i].width, height = bitmaps[i].height;
    const auto& regions = together[i];
    if (!check(regions.size() == 2 && regions[0].label == 0 && regions[1].label == 1, name + ": a text and a table, of " + std::to_string(regions.size()))) continue;
    check_near(regions[0].left, width / 4, 1e-3, name + ": left");
    check_near(regions[0].right, width * 3 / 4, 1e-3, name + ": right");
    check_near(regions[0].top, height * 3 / 8, 1e-3, name + ": top");
    check_near(regions[1].right, width / 2, 1e-3, name + ": the table's right");
    check_near(regions[1].bottom, height, 1e-3, name + ": its bottom");
    check(i == 0 || regions[0].score > together[i - 1][0].score, name + ": lighter than the one before");
    const auto alone = finder.find({&bitmaps[i], 1}, Cancel())[0];
    check(std::equal(alone.begin(), alone.end(), regions.begin(), regions.end(), [](const Region& a, const Region& b) { return a.label == b.label && a.score == b.score && a.left == b.left && a.bottom == b.bottom; }), name + ": the same alone");
  }
}

LECTERN_TEST("vision exports: RT-DETR's own form, which takes sizes and gives finished boxes") {
  const std::vector<float> logits{2, -9, -9, -9, 1, -9, -9, -9, -9}, boxes{0.5F, 0.5F, 0.5F, 0.25F, 0.25F, 0.75F, 0.5F, 0.5F, 0.1F, 0.1F, 0.1F, 0.1F};
  check_pages(finished_detector(logits, boxes), LayoutOutputs::finished_boxes, "finished boxes");
}

LECTERN_TEST("vision exports: YOLO with NonMaxSuppression inside leaves the better one of two boxes that overlap") {
  // The second is a worse twin of the first; what is no text stands elsewhere, and one is too unsure.
  const std::vector<float> boxes{4, 6, 12, 10, 4, 6, 12, 10.5F, 0, 8, 8, 16, 1, 1, 2, 2};
  const std::vector<float> scores{0.7F, 0.6F, 0, 0, 0, 0, 0.5F, 0, 0, 0, 0, 0.05F};
  check_pages(suppressing_detector(boxes, scores), LayoutOutputs::selected, "the selected");
}

LECTERN_TEST("vision exports: a label that the card does not name, and sizes that are asked for in another form") {
  const auto refused = [](const std::string& bytes, LayoutOutputs outputs, std::vector<std::string> labels, const std::string& what) {
    const Written file("wrong.onnx", bytes);
    LayoutOptions options;
    options.file = file.path;
    options.outputs = outputs;
    options.labels = std::move(labels);
    check_throws(ErrorCode::invalid_model, [&] {
      LayoutFinder finder(options, place());
      const Page page(50, 40);
      const Bitmap bitmap = page.bitmap();
      finder.find({&bitmap, 1}, Cancel());
    }, what);
  };
  const std::vector<float> boxes(12, 0.5F);
  refused(finished_detector({-9, -9, 9, -9, -9, -9, -9, -9, -9}, boxes), LayoutOutputs::finished_boxes, {"text", "table"}, "a third label of finished boxes");
  refused(suppressing_detector({0, 0, 8, 8, 0, 0, 8, 8, 0, 0, 8, 8, 0, 0, 8, 8}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}), LayoutOutputs::selected, {"text", "table"}, "a third label of the selected");
  OnnxGraph sizes;
  sizes.input("x", Element::f32, {1, 3, 16, 16}).input("orig_target_sizes", Element::f32, {1, 2}).node(OnnxNode("Abs", {"x"}, {"labels"})).node(OnnxNode("Abs", {"x"}, {"boxes"}));
  sizes.node(OnnxNode("Abs", {"orig_target_sizes"}, {"scores"})).output("labels", Element::f32, {1, 3, 16, 16}).output("boxes", Element::f32, {1, 3, 16, 16}).output("scores", Element::f32, {1, 2});
  refused(sizes.model(), LayoutOutputs::finished_boxes, {"text"}, "sizes as floats");
}

}  // namespace
