// Networks that lie: broken files, impossible shapes, paths that leave their folder.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "cpu/backend.h"
#include "harness.h"
#include "onnx/network.h"
#include "onnx_graphs.h"
#include "onnx_writer.h"

namespace lectern::test {
namespace {

namespace fs = std::filesystem;

onnx::Network open(const std::string& file, std::size_t most_bytes = std::size_t{64} << 20) {
  static const auto backend = cpu::make_backend();
  onnx::NetworkOptions options;
  options.threads = 1;
  options.most_bytes = most_bytes;
  options.most_iterations = 1000;
  return onnx::Network(std::span(reinterpret_cast<const std::byte*>(file.data()), file.size()), *backend, options);
}

/// The sentence of the refusal.
std::string refusal(const std::string& file) {
  try {
    (void)open(file);
  } catch (const Error& error) {
    return error.code() == ErrorCode::invalid_model ? error.what() : std::string("of another code: ") + error.what();
  }
  return "none";
}

void check_refused(const std::string& file, const std::string& because) {
  const std::string what = refusal(file);
  check(what.find(because) != std::string::npos, "refused for " + because + ", not: " + what);
}

/// x (2, 3) through one node.
std::string one_node(const OnnxNode& node, std::int64_t opset = 17) {
  return OnnxGraph().input("x", Element::f32, {2, 3}).node(node).output("y", Element::f32, {-1}).model(opset);
}

void check_run(const std::string& file, ErrorCode code, const std::string& what) {
  const float x[] = {1, 2, 3, 4, 5, 6};
  check_throws(code, [&] {
    onnx::Network network = open(file);
    const onnx::Input input{"x", Element::f32, {2, 3}, x};
    (void)network.run(std::span(&input, 1));
  }, what);
}

LECTERN_TEST("onnx: a file that is cut anywhere is refused or whole") {
  for (const auto& [name, file] : made_networks()) {
    int refused = 0;
    for (std::size_t length = 0; length < file.size(); length++) {
      try {
        (void)open(file.substr(0, length));
      } catch (const Error& error) {
        refused += error.code() == ErrorCode::invalid_model;
      }
    }
    // What is cut between the last fields may still be a network.
    check(refused + 8 >= static_cast<int>(file.size()), name + ": " + std::to_string(refused) + " of " + std::to_string(file.size()));
  }
}

LECTERN_TEST("onnx: what is not supported is refused by name at load") {
  check_refused(one_node(OnnxNode("Frobnicate", {"x"}, {"y"})), "Frobnicate");
  check_refused(one_node(OnnxNode("Relu", {"x"}, {"y"}), 99), "opset 99");
  check_refused(one_node(OnnxNode("Relu", {"x"}, {"y"}), 3), "opset 3");
  check_refused(one_node(OnnxNode("Relu", {"x"}, {"y"}).integer("colour", 3)), "\"colour\"");
  check_refused(one_node(OnnxNode("Cast", {"x"}, {"y"}).integer("to", 8)), "type 8");
  OnnxNode foreign("Relu", {"x"}, {"y"});
  foreign.proto.text(7, "com.example");
  check_refused(one_node(foreign), "com.example.Relu");
  OnnxNode forged("Unary", {"x"}, {"y"});
  forged.proto.text(7, "lectern");
  check_refused(one_node(forged), "lectern.Unary");
}

LECTERN_TEST("onnx: graphs that cannot be are refused") {
  OnnxGraph circle;
  circle.input("x", Element::f32, {1}).node(OnnxNode("Add", {"x", "b"}, {"a"})).node(OnnxNode("Relu", {"a"}, {"b"})).output("b", Element::f32, {1});
  check_refused(circle.model(), "circle");
  check_refused(one_node(OnnxNode("Relu", {"nowhere"}, {"y"})), "\"nowhere\"");
  check_refused(OnnxGraph().input("x", Element::f32, {1}).node(OnnxNode("Relu", {"x"}, {"x"})).output("x", Element::f32, {1}).model(), "made twice");
  OnnxGraph deep;
  deep.node(OnnxNode("Relu", {"x"}, {"y"})).output("y", Element::f32, {1});
  for (int i = 0; i < 20; i++) {
    OnnxGraph outer;
    outer.node(OnnxNode("If", {"c"}, {"y"}).graph("then_branch", deep.proto).graph("else_branch", deep.proto)).output("y", Element::f32, {1});
    if (outer.proto.bytes().size() > (1U << 20)) break;
    deep = outer;
  }
  check_refused(deep.model(), "too deep");
  check_refused(OnnxGraph().constant(onnx_tensor("w", Element::f32, {3, -1}, std::vector<float>{1})).model(), "negative");
  check_refused(OnnxGraph().constant(onnx_tensor("w", Element::f32, {1LL << 40, 1LL << 40}, std::vector<float>{1})).model(), "impossible");
  check_refused(OnnxGraph().constant(onnx_tensor("w", Element::f32, {3}, std::vector<float>{1})).model(), "4 bytes");
}

LECTERN_TEST("onnx: tensors beyond the bound are errors, not a death") {
  const auto huge = onnx_integers("size", {1 << 20, 1 << 20});
  const auto make = [&](const OnnxNode& node) { return OnnxGraph().input("x", Element::f32, {2, 3}).constant(huge).node(node).node(OnnxNode("Size", {"z"}, {"y"})).output("z", Element::f32, {-1}).model(); };
  check_throws(ErrorCode::too_large, [&] { (void)open(make(OnnxNode("ConstantOfShape", {"size"}, {"z"}))); }, "a constant");
  OnnxGraph expand;
  expand.input("x", Element::f32, {2, 3}).constant(onnx_integers("size", {1 << 24, 2, 3})).node(OnnxNode("Expand", {"x", "size"}, {"y"})).output("y", Element::f32, {-1});
  check_run(expand.model(), ErrorCode::too_large, "an expansion");
  OnnxGraph pad;
  pad.input("x", Element::f32, {2, 3}).constant(onnx_integers("pads", {0, 1 << 28, 0, 0})).node(OnnxNode("Pad", {"x", "pads"}, {"y"})).output("y", Element::f32, {-1});
  check_run(pad.model(), ErrorCode::too_large, "padding");
  OnnxGraph outer;
  outer.input("x", Element::f32, {2, 3}).constant(onnx_integers("column", {6, 1})).constant(onnx_integers("row", {1, 6}));
  std::string before = "x";
  outer.node(OnnxNode("Reshape", {"x", "column"}, {"c0"})).node(OnnxNode("Reshape", {"x", "row"}, {"r0"})).node(OnnxNode("MatMul", {"c0", "r0"}, {"p0"}));
  for (int i = 0; i < 6; i++) {
    const std::string n = std::to_string(i);
    const std::string next = std::to_string(i + 1);
    outer.node(OnnxNode("Concat", {"p" + n, "p" + n, "p" + n, "p" + n, "p" + n, "p" + n, "p" + n, "p" + n, "p" + n}, {"p" + next}).integer("axis", 1));
  }
  check_run(outer.output("p6", Element::f32, {-1, -1}).model(), ErrorCode::too_large, "growth by nines");
}

LECTERN_TEST("onnx: shapes and indices that do not fit are errors that name the node") {
  const std::vector<std::pair<OnnxNode, const char*>> wrong = {
      {OnnxNode("Conv", {"x", "x"}, {"y"}), "a convolution of a matrix"},
      {OnnxNode("MatMul", {"x", "x"}, {"y"}), "matrices that do not fit"},
      {OnnxNode("Transpose", {"x"}, {"y"}).integers("perm", {0, 0}), "an axis twice"},
      {OnnxNode("Gather", {"x", "far"}, {"y"}), "an index outside"},
      {OnnxNode("Reshape", {"x", "far"}, {"y"}), "a shape of other elements"},
      {OnnxNode("Softmax", {"x"}, {"y"}).integer("axis", 5), "an axis outside"},
      {OnnxNode("TopK", {"x", "far"}, {"y", "z"}), "more than there are"},
      {OnnxNode("And", {"x", "x"}, {"y"}), "a logical sum of floats"},
      {OnnxNode("Relu", {}, {"y"}), "no input"},
      {OnnxNode("Relu", {"x"}, {"y", "z"}), "an output that there is not"},
  };
  for (const auto& [node, what] : wrong) {
    check_run(OnnxGraph().input("x", Element::f32, {2, 3}).constant(onnx_integers("far", {7})).node(node).output("y", Element::f32, {-1}).model(), ErrorCode::invalid_model, what);
  }
  onnx::Network network = open(one_node(OnnxNode("Relu", {"x"}, {"y"})));
  const float x[] = {1, 2, 3, 4, 5, 6};
  const onnx::Input other_shape{"x", Element::f32, {3, 2}, x};
  const onnx::Input other_name{"z", Element::f32, {2, 3}, x};
  const onnx::Input other_type{"x", Element::i32, {2, 3}, x};
  for (const onnx::Input& input : {other_shape, other_name, other_type}) {
    check_throws(ErrorCode::invalid_request, [&] { (void)network.run(std::span(&input, 1)); }, "an input that is not the network's");
  }
}

LECTERN_TEST("onnx: nodes without outputs, blocks beyond all numbers and last elements of long axes") {
  OnnxGraph split;
  split.input("x", Element::f32, {2, 3}).constant(onnx_floats("w", {2}, {1, 2})).node(OnnxNode("Split", {"w"}, {})).node(OnnxNode("Relu", {"x"}, {"y"}));
  check_refused(split.output("y", Element::f32, {2, 3}).model(), "no outputs");
  OnnxGraph blocks;
  blocks.constant(onnx_tensor("q", Element::i8, {4}, std::vector<std::int8_t>{1, 2, 3, 4})).constant(onnx_floats("scale", {0}, {}));
  blocks.node(OnnxNode("DequantizeLinear", {"q", "scale"}, {"y"}).integer("axis", 0).integer("block_size", INT64_MAX)).output("y", Element::f32, {4});
  check_refused(blocks.model(21), "block_size");
  // The last place of this axis is no float: rounded, it would lie behind the end.
  constexpr std::int64_t length = std::int64_t{1} << 25;
  std::vector<std::uint8_t> x(static_cast<std::size_t>(length), 1);
  x.back() = 7;
  OnnxGraph ends;
  ends.input("x", Element::u8, {length}).constant(onnx_integers("size", {2}));
  OnnxNode resize("Resize", {"x", "", "", "size"}, {"y"});
  resize.proto.message(5, Proto().text(1, "coordinate_transformation_mode").text(4, "align_corners").integer(20, 3));
  onnx::Network network = open(ends.node(resize).output("y", Element::u8, {2}).model());
  const onnx::Input input{"x", Element::u8, {length}, x.data()};
  const auto y = network.run(std::span(&input, 1));
  check(y[0].as<std::uint8_t>()[0] == 1 && y[0].as<std::uint8_t>()[1] == 7, "both ends of a long axis");
}

LECTERN_TEST("onnx: boxes beyond counting are given up when the caller is, and end by themselves") {
  // All keep clear of each other: each is compared with all before it.
  constexpr std::int64_t count = 1 << 18;
  OnnxGraph graph;
  graph.input("boxes", Element::f32, {1, -1, 4}).input("scores", Element::f32, {1, 1, -1}).constant(onnx_integers("most", {INT64_MAX}));
  graph.node(OnnxNode("NonMaxSuppression", {"boxes", "scores", "most"}, {"chosen"})).output("chosen", Element::i64, {-1, 3});
  onnx::Network network = open(graph.model());
  const std::vector<float> boxes(std::size_t{4} * count, 0), scores(count, 1);
  const onnx::Input inputs[] = {{"boxes", Element::f32, {1, count, 4}, boxes.data()}, {"scores", Element::f32, {1, 1, count}, scores.data()}};
  Cancel cancel;
  std::thread caller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel.request();
  });
  check_throws(ErrorCode::cancelled, [&] { (void)network.run(inputs, &cancel); }, "boxes that nobody waits for");
  caller.join();
  // Of a thousand bytes all are mutated.
  const onnx::Input few[] = {{"boxes", Element::f32, {1, 1000, 4}, boxes.data()}, {"scores", Element::f32, {1, 1, 1000}, scores.data()}};
  check(network.run(few)[0].shape == Shape{1000, 3}, "a thousand are chosen");
}

LECTERN_TEST("onnx: blocks of pictures without channels are of no size beyond all numbers") {
  const auto exchanged = [](const char* op, const std::vector<std::int64_t>& sizes) {
    OnnxGraph graph;
    graph.input("x", Element::f32, sizes).node(OnnxNode(op, {"x"}, {"y"}).integer("blocksize", 1 << 16)).output("y", Element::f32, {-1, -1, -1, -1});
    onnx::Network network = open(graph.model());
    Shape shape;
    for (const std::int64_t size : sizes) shape.push(size);
    const onnx::Input input{"x", Element::f32, shape, nullptr};
    (void)network.run(std::span(&input, 1));
  };
  check_throws(ErrorCode::too_large, [&] { exchanged("DepthToSpace", {1, 0, 1 << 20, 1 << 20}); }, "channels that there are not");
  check_throws(ErrorCode::too_large, [&] { exchanged("SpaceToDepth", {1, 1 << 30, 0, 0}); }, "points that there are not");
}

LECTERN_TEST("onnx: NaN, infinities and divisions by nothing go through") {
  const float odd[] = {NAN, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), 1e38F, -1e-38F, 0};
  const auto run = [&](const OnnxNode& node, const std::string& what) {
    OnnxGraph graph;
    graph.input("x", Element::f32, {2, 3}).constant(onnx_integers("two", {2})).constant(onnx_floats("picture", {1, 1, 2, 2}, {1, 2, 3, 4}));
    graph.constant(onnx_integers("grid", {1, 1, 3, 2})).node(OnnxNode("Reshape", {"x", "grid"}, {"points"})).node(node).output("y", Element::f32, {});
    try {
      onnx::Network network = open(graph.model());
      const onnx::Input input{"x", Element::f32, {2, 3}, odd};
      check(network.run(std::span(&input, 1)).size() == 1, what);
    } catch (const Error& error) {
      check(false, what + ": " + error.what());
    }
  };
  run(OnnxNode("TopK", {"x", "two"}, {"y", "i"}), "the best of NaN");
  run(OnnxNode("ArgMax", {"x"}, {"y"}), "the place of NaN");
  run(OnnxNode("Cast", {"x"}, {"y"}).integer("to", 7), "NaN as an integer");
  run(OnnxNode("Cast", {"x"}, {"y"}).integer("to", 2), "NaN as a byte");
  run(OnnxNode("GridSample", {"picture", "points"}, {"y"}), "a picture at NaN");
  run(OnnxNode("Softmax", {"x"}, {"y"}), "shares of infinity");
  OnnxGraph division;
  division.input("x", Element::f32, {2, 3}).node(OnnxNode("Cast", {"x"}, {"i"}).integer("to", 6)).node(OnnxNode("Sub", {"i", "i"}, {"zero"}));
  division.node(OnnxNode("Div", {"i", "zero"}, {"d"})).node(OnnxNode("Mod", {"i", "zero"}, {"m"})).node(OnnxNode("Add", {"d", "m"}, {"y"})).output("y", Element::i32, {2, 3});
  onnx::Network network = open(division.model());
  const onnx::Input input{"x", Element::f32, {2, 3}, odd};
  check(network.run(std::span(&input, 1))[0].as<std::int32_t>()[1] == 0, "integers divided by 0 are 0");
}

LECTERN_TEST("onnx: external data stays below the folder of its file") {
  const fs::path root = fs::temp_directory_path() / ("lectern-onnx-" + std::to_string(getpid()));
  fs::remove_all(root);
  fs::create_directories(root / "net" / "data");
  const float numbers[] = {5, 6, 7, 8};
  for (const char* name : {"secret.bin", "net/weights.bin", "net/data/more.bin"}) {
    std::ofstream(root / name, std::ios::binary).write(reinterpret_cast<const char*>(numbers), sizeof numbers);
  }
  fs::create_symlink(root / "secret.bin", root / "net" / "link.bin");
  fs::create_directory_symlink(root, root / "net" / "up");
  const auto backend = cpu::make_backend();
  const auto open_with = [&](const std::string& location, const std::string& offset, const std::string& length) {
    const auto entry = [](std::string_view key, std::string_view value) { return Proto().text(1, key).text(2, value); };
    Proto tensor;
    tensor.integer(1, 2).integer(2, 1).text(8, "w").message(13, entry("location", location)).message(13, entry("offset", offset)).message(13, entry("length", length)).integer(14, 1);
    const std::string file = OnnxGraph().input("x", Element::f32, {2}).constant(tensor).node(OnnxNode("Add", {"x", "w"}, {"y"})).output("y", Element::f32, {2}).model();
    std::ofstream(root / "net" / "model.onnx", std::ios::binary) << file;
    return onnx::Network::open(root / "net" / "model.onnx", *backend);
  };
  const float x[] = {1, 1};
  const onnx::Input input{"x", Element::f32, {2}, x};
  check(open_with("weights.bin", "4", "8").run(std::span(&input, 1))[0].as()[0] == 7, "a file beside it, from its second number on");
  check(open_with("data/more.bin", "0", "8").run(std::span(&input, 1))[0].as()[1] == 7, "a file below it");
  const std::string outside = (root / "secret.bin").string();
  for (const std::string& location : {std::string("../secret.bin"), outside, std::string("link.bin"), std::string("up/secret.bin"), std::string("data/../../secret.bin"), std::string("data"), std::string("none.bin"), std::string()}) {
    check_throws(ErrorCode::invalid_model, [&] { (void)open_with(location, "0", "8"); }, "the path " + location);
  }
  check_throws(ErrorCode::invalid_model, [&] { (void)open_with("weights.bin", "12", "8"); }, "past the end");
  check_throws(ErrorCode::invalid_model, [&] { (void)open_with("weights.bin", "18446744073709551615", "8"); }, "an offset beyond all");
  check_throws(ErrorCode::invalid_model, [&] { (void)open_with("weights.bin", "0", "16"); }, "a length of another tensor");
  check_throws(ErrorCode::model_not_found, [&] { (void)onnx::Network::open(root / "gone.onnx", *backend); }, "a file that is not there");
  fs::remove_all(root);
}

}  // namespace
}  // namespace lectern::test
