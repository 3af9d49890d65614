#include "vision_graphs.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "cpu/backend.h"
#include "onnx_writer.h"

namespace lectern::test {
namespace {

std::string file_of(const OnnxGraph& graph, const std::string& character) {
  Proto model;
  model.integer(1, 8).message(7, graph.proto).message(8, Proto().integer(2, 17));
  if (!character.empty()) model.message(14, Proto().text(1, "character").text(2, character));
  return model.bytes();
}

}  // namespace

std::string darkness_network() {
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, 3, -1, -1}).constant(onnx_floats("one", {}, {1}));
  graph.node(OnnxNode("ReduceMean", {"x"}, {"mean"}).integers("axes", {1})).node(OnnxNode("Sub", {"one", "mean"}, {"y"}));
  return graph.output("y", Element::f32, {-1, 1, -1, -1}).model();
}

std::string level_network(const std::vector<float>& levels, const std::string& character) {
  const auto count = static_cast<std::int64_t>(levels.size());
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, 3, 48, -1}).constant(onnx_floats("levels", {1, 1, count}, levels));
  graph.node(OnnxNode("ReduceMean", {"x"}, {"mean"}).integers("axes", {1, 2}).integer("keepdims", 0)).constant(onnx_integers("axis", {1}));
  graph.node(OnnxNode("Unsqueeze", {"mean", "axis"}, {"row"})).node(OnnxNode("AveragePool", {"row"}, {"steps"}).integers("kernel_shape", {8}).integers("strides", {8}));
  graph.node(OnnxNode("Transpose", {"steps"}, {"column"}).integers("perm", {0, 2, 1})).node(OnnxNode("Sub", {"column", "levels"}, {"off"}));
  graph.node(OnnxNode("Abs", {"off"}, {"far"})).node(OnnxNode("Neg", {"far"}, {"y"})).output("y", Element::f32, {-1, -1, count});
  return file_of(graph, character);
}

std::string left_half_network() {
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, 3, 48, 192}).constant(onnx_integers("first", {0})).constant(onnx_integers("middle", {96})).constant(onnx_integers("axis", {3})).constant(onnx_floats("one", {}, {1}));
  graph.node(OnnxNode("Slice", {"x", "first", "middle", "axis"}, {"half"})).node(OnnxNode("ReduceMean", {"half"}, {"mean"}).integers("axes", {2, 3}).integer("keepdims", 0));
  graph.node(OnnxNode("ReduceMean", {"mean"}, {"light"}).integers("axes", {1})).node(OnnxNode("Sub", {"one", "light"}, {"dark"})).node(OnnxNode("Concat", {"light", "dark"}, {"y"}).integer("axis", 1));
  return graph.output("y", Element::f32, {-1, 2}).model();
}

std::string network_with_outputs(const std::vector<NamedFloats>& tensors, std::int64_t side) {
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, 3, side, side}).constant(onnx_floats("zero", {}, {0}));
  graph.node(OnnxNode("ReduceMean", {"x"}, {"means"}).integers("axes", {1, 2, 3}));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, sizes, values] = tensors[i];
    std::vector<std::int64_t> whole{1}, ones{-1};
    for (const std::int64_t size : sizes) {
      whole.push_back(size);
      ones.push_back(1);
    }
    const std::string shaped = name + "_mean", added = name + "_added";
    graph.constant(onnx_floats(name + "_values", whole, values)).constant(onnx_integers(name + "_ones", ones)).node(OnnxNode("Reshape", {"means", name + "_ones"}, {shaped}));
    graph.node(OnnxNode("Mul", {shaped, "zero"}, {name + "_nothing"})).node(OnnxNode("Add", {name + "_values", i == 0 ? shaped : name + "_nothing"}, {name}));
    whole[0] = -1;
    graph.output(name, Element::f32, whole);
  }
  return graph.model();
}

Written::Written(const std::string& name, const std::string& bytes)
    : path((std::filesystem::temp_directory_path() / ("lectern-" + std::to_string(getpid()) + "-" + name)).string()) {
  std::ofstream(path, std::ios::binary) << bytes;
}

Written::~Written() { std::filesystem::remove(path); }

vision::Place place() {
  static const auto backend = cpu::make_backend();
  return {*backend, *backend, 2, std::size_t{1} << 30};
}

}  // namespace lectern::test
