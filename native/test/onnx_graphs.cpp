#include "onnx_graphs.h"

#include <cmath>
#include <vector>

#include "onnx_writer.h"
#include "tensor/half.h"

namespace lectern::test {
namespace {

/// Numbers that resemble weights.
std::vector<float> waves(std::size_t count, float phase) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; i++) values[i] = std::sin(phase + 0.7F * static_cast<float>(i)) / 2;
  return values;
}

}  // namespace

std::string conv_network(bool watched) {
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, 3, -1, -1}).constant(onnx_floats("w", {5, 3, 3, 3}, waves(135, 1))).constant(onnx_floats("scale", {5}, {1, 2, 0.5F, -1, 1.5F}));
  graph.constant(onnx_floats("bias", {5}, waves(5, 2))).constant(onnx_floats("mean", {5}, waves(5, 3))).constant(onnx_floats("variance", {5}, {1, 0.5F, 2, 1, 0.25F}));
  graph.node(OnnxNode("Conv", {"x", "w"}, {"c"}).integers("pads", {1, 1, 1, 1})).node(OnnxNode("BatchNormalization", {"c", "scale", "bias", "mean", "variance"}, {"b"}));
  graph.node(OnnxNode("Relu", {"b"}, {"r"})).node(OnnxNode("Sigmoid", {"r"}, {"s"})).node(OnnxNode("Mul", {"r", "s"}, {"m"}));
  graph.node(OnnxNode("Add", {"m", "r"}, {"y"})).output("y", Element::f32, {-1, 5, -1, -1});
  if (watched) graph.output("c", Element::f32, {-1, 5, -1, -1}).output("b", Element::f32, {-1, 5, -1, -1}).output("s", Element::f32, {-1, 5, -1, -1});
  return graph.model();
}

std::string loop_network() {
  OnnxGraph body;
  body.input("i", Element::i64, {}).input("on", Element::boolean, {}).input("v", Element::f32, {2});
  body.node(OnnxNode("Add", {"v", "v"}, {"twice"})).node(OnnxNode("Identity", {"going"}, {"still"})).node(OnnxNode("Identity", {"twice"}, {"seen"}));
  body.output("still", Element::boolean, {}).output("twice", Element::f32, {2}).output("seen", Element::f32, {2});
  OnnxGraph graph;
  graph.input("x", Element::f32, {2}).input("trips", Element::i64, {}).input("going", Element::boolean, {});
  graph.node(OnnxNode("Loop", {"trips", "going", "x"}, {"y", "all"}).graph("body", body.proto)).node(OnnxNode("Shape", {"all"}, {"size"}));
  return graph.output("y", Element::f32, {2}).output("all", Element::f32, {-1, 2}).output("size", Element::i64, {2}).model();
}

std::string if_network() {
  OnnxGraph yes;
  yes.node(OnnxNode("Add", {"x", "one"}, {"more"})).output("more", Element::f32, {-1});
  OnnxGraph no;
  no.node(OnnxNode("Sub", {"x", "w"}, {"less"})).output("less", Element::f32, {-1});
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1}).input("condition", Element::boolean, {}).constant(onnx_floats("one", {}, {1})).constant(onnx_floats("w", {1}, {10}));
  graph.node(OnnxNode("If", {"condition"}, {"y"}).graph("else_branch", no.proto).graph("then_branch", yes.proto));
  return graph.output("y", Element::f32, {-1}).model();
}

std::string token_network() {
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, 4, -1, -1}).constant(onnx_integers("first", {0})).constant(onnx_integers("second", {2})).constant(onnx_integers("rest", {-1}));
  graph.node(OnnxNode("Shape", {"x"}, {"shape"})).node(OnnxNode("Slice", {"shape", "first", "second"}, {"head"})).node(OnnxNode("Concat", {"head", "rest"}, {"wanted"}).integer("axis", 0));
  graph.node(OnnxNode("Reshape", {"x", "wanted"}, {"flat"})).node(OnnxNode("Transpose", {"flat"}, {"tokens"}).integers("perm", {0, 2, 1}));
  graph.constant(onnx_floats("two", {}, {2})).constant(onnx_floats("tiny", {}, {1e-5F})).constant(onnx_floats("gamma", {4}, {1, 2, 0.5F, 1})).constant(onnx_floats("beta", {4}, waves(4, 1)));
  graph.node(OnnxNode("ReduceMean", {"tokens"}, {"mean"}).integers("axes", {-1})).node(OnnxNode("Sub", {"tokens", "mean"}, {"d"})).node(OnnxNode("Pow", {"d", "two"}, {"d2"}));
  graph.node(OnnxNode("ReduceMean", {"d2"}, {"v"}).integers("axes", {-1})).node(OnnxNode("Add", {"v", "tiny"}, {"ve"})).node(OnnxNode("Sqrt", {"ve"}, {"deviation"}));
  graph.node(OnnxNode("Div", {"d", "deviation"}, {"n"})).node(OnnxNode("Mul", {"n", "gamma"}, {"g"})).node(OnnxNode("Add", {"g", "beta"}, {"normal"}));
  graph.constant(onnx_floats("w", {4, 6}, waves(24, 5))).constant(onnx_floats("b", {6}, waves(6, 6))).constant(onnx_floats("root", {}, {1.41421356F}));
  graph.constant(onnx_floats("one", {}, {1})).constant(onnx_floats("half", {}, {0.5F}));
  graph.node(OnnxNode("MatMul", {"normal", "w"}, {"p"})).node(OnnxNode("Add", {"b", "p"}, {"h"})).node(OnnxNode("Div", {"h", "root"}, {"hr"})).node(OnnxNode("Erf", {"hr"}, {"e"}));
  graph.node(OnnxNode("Add", {"e", "one"}, {"e1"})).node(OnnxNode("Mul", {"h", "e1"}, {"he"})).node(OnnxNode("Mul", {"he", "half"}, {"y"}));
  return graph.output("y", Element::f32, {-1, -1, 6}).model();
}

std::string detection_network() {
  OnnxGraph graph;
  graph.input("boxes", Element::f32, {1, -1, 4}).input("scores", Element::f32, {1, 1, -1}).constant(onnx_integers("most", {5}));
  graph.constant(onnx_floats("overlap", {1}, {0.5F})).constant(onnx_floats("least", {1}, {0.1F})).constant(onnx_integers("axis", {0}));
  graph.node(OnnxNode("NonMaxSuppression", {"boxes", "scores", "most", "overlap", "least"}, {"chosen"})).constant(onnx_integers("third", {2}));
  graph.node(OnnxNode("Gather", {"chosen", "third"}, {"column"}).integer("axis", 1)).node(OnnxNode("Squeeze", {"boxes", "axis"}, {"rows"}));
  graph.node(OnnxNode("GatherND", {"rows", "column"}, {"y"}));
  return graph.output("y", Element::f32, {-1, 4}).model();
}

std::string half_network() {
  std::vector<std::uint16_t> halves;
  for (const float value : {1.0F, -2.0F, 0.5F, 3.0F, 0.25F, -1.0F}) halves.push_back(f16_from_float(value));
  OnnxGraph graph;
  graph.input("x", Element::f32, {-1, 2}).constant(onnx_tensor("w16", Element::f16, {2, 3}, halves)).node(OnnxNode("Cast", {"w16"}, {"w"}).integer("to", 1));
  return graph.node(OnnxNode("MatMul", {"x", "w"}, {"y"})).output("y", Element::f32, {-1, 3}).model();
}

std::map<std::string, std::string> made_networks() {
  return {{"conv", conv_network(false)}, {"watched", conv_network(true)}, {"loop", loop_network()},           {"if", if_network()},
          {"token", token_network()},    {"half", half_network()},        {"detection", detection_network()}};
}

}  // namespace lectern::test
