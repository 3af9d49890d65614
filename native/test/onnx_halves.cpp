#include "onnx_halves.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

namespace lectern::test {
namespace {

/// A query, place or box that a network chose, and what it says of it: one part for each output of floats.
struct Row {
  std::vector<std::int64_t> key;
  std::vector<std::vector<float>> parts;
};

/// An output of either side.
struct Tensor {
  Element element;
  Shape shape;
  const std::byte* data;

  float number(std::size_t i) const { return reinterpret_cast<const float*>(data)[i]; }
  std::int64_t integer(std::size_t i) const { return reinterpret_cast<const std::int64_t*>(data)[i]; }
};

std::vector<Tensor> tensors_of(const std::vector<onnx::Output>& outputs) {
  std::vector<Tensor> tensors;
  for (const onnx::Output& output : outputs) tensors.push_back({output.element, output.shape, output.bytes.data()});
  return tensors;
}

std::vector<Tensor> tensors_of(const PackCase& data) {
  std::vector<Tensor> tensors;
  for (const onnx::Array& array : data.outputs) tensors.push_back({array.element, array.shape, array.data()});
  return tensors;
}

/// Of differences and what is expected, all numbers together.
class Distance {
 public:
  void add(double got, double want) {
    differences_ += (got - want) * (got - want);
    squares_ += want * want;
  }
  double relative() const { return std::sqrt(differences_ / squares_); }

 private:
  double differences_ = 0, squares_ = 0;
};

std::vector<float> part_of(const Tensor& tensor, std::size_t row, std::size_t width) {
  std::vector<float> part;
  for (std::size_t k = 0; k < width; k++) part.push_back(tensor.number(row * width + k));
  return part;
}

/// RT-DETR: logits (n, q, labels), boxes (n, q, 4), the chosen queries (n, q).
std::vector<Row> queries_of(const std::vector<Tensor>& outputs) {
  std::vector<Row> rows;
  const auto queries = static_cast<std::size_t>(outputs[2].shape[1]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(outputs[2].shape.elements()); i++) {
    rows.push_back({{static_cast<std::int64_t>(i / queries), outputs[2].integer(i)},
                    {part_of(outputs[0], i, static_cast<std::size_t>(outputs[0].shape[2])), part_of(outputs[1], i, 4)}});
  }
  return rows;
}

/// With NonMaxSuppression inside: boxes (k, 4), scores (k), the chosen (k, 3) as picture, label and place.
std::vector<Row> places_of(const std::vector<Tensor>& outputs) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < static_cast<std::size_t>(outputs[2].shape[0]); i++) {
    rows.push_back({{outputs[2].integer(3 * i), outputs[2].integer(3 * i + 1), outputs[2].integer(3 * i + 2)}, {part_of(outputs[0], i, 4), part_of(outputs[1], i, 1)}});
  }
  return rows;
}

/// With TopK inside: (n, k, 6), a box, its score and its label.
std::vector<Row> boxes_of(const std::vector<Tensor>& outputs) {
  std::vector<Row> rows;
  const auto boxes = static_cast<std::size_t>(outputs[0].shape[1]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(outputs[0].shape.product(0, 2)); i++) {
    std::vector<float> values = part_of(outputs[0], i, 6);
    rows.push_back({{static_cast<std::int64_t>(i / boxes), static_cast<std::int64_t>(values[5])}, {{values.begin(), values.begin() + 4}, {values[4]}}});
  }
  return rows;
}

/// Of the same key the one whose first part is nearest; null where there is none.
const Row* nearest(const std::vector<Row>& rows, const Row& to) {
  const Row* found = nullptr;
  double least = 0;
  for (const Row& row : rows) {
    if (row.key != to.key) continue;
    double away = 0;
    for (std::size_t k = 0; k < to.parts[0].size(); k++) away += std::abs(static_cast<double>(row.parts[0][k] - to.parts[0][k]));
    if (found == nullptr || away < least) found = &row, least = away;
  }
  return found;
}

std::string difference_of_rows(const std::vector<Row>& got, const std::vector<Row>& want, double limit) {
  // Further than this from each other, on average of its sides, two boxes of one label are not one.
  double most = 0;
  for (const Row& row : want) {
    for (const float side : row.parts[0]) most = std::max(most, static_cast<double>(std::abs(side)));
  }
  std::vector<Distance> distances(want.at(0).parts.size());
  std::size_t there = 0;
  for (const Row& row : want) {
    const Row* twin = nearest(got, row);
    double away = 0;
    for (std::size_t k = 0; twin != nullptr && k < row.parts[0].size(); k++) away += std::abs(static_cast<double>(twin->parts[0][k] - row.parts[0][k])) / static_cast<double>(row.parts[0].size());
    if (twin == nullptr || away > 0.1 * most) continue;
    there++;
    for (std::size_t part = 0; part < row.parts.size(); part++) {
      for (std::size_t k = 0; k < row.parts[part].size(); k++) distances[part].add(static_cast<double>(twin->parts[part][k]), static_cast<double>(row.parts[part][k]));
    }
  }
  if (10 * there < 8 * want.size()) return "only " + std::to_string(there) + " of the " + std::to_string(want.size()) + " chosen rows are there";
  for (std::size_t part = 0; part < distances.size(); part++) {
    if (!(distances[part].relative() <= limit)) return "part " + std::to_string(part) + " of the chosen rows is off by " + std::to_string(distances[part].relative());
  }
  return {};
}

}  // namespace

const char* beyond_halves(const std::string& op_case) {
  static const std::map<std::string, const char*> reasons = {
      {"own_layernorm_large_mean", "its mean of 1,000 leaves halves no digits for what differs"},
      {"own_nms_center", "scores that are near become equal"},
      {"own_nms_corners", "scores that are near become equal"},
      {"own_pat_inverse_sigmoid_rtdetr", "its 1e-5 is a half without its digits"},
      {"own_quantize_i8_axis1", "a number between two steps falls on the other side"},
      {"own_reduceprod_all_k0", "the product is less than halves have"},
      {"own_topk_300_of_8400", "scores that are near become equal"},
      {"test_logsoftmax_large_number", "numbers of 10,000 are 8 apart"},
      {"test_softmax_large_number", "numbers of 10,000 are 8 apart"},
      {"test_nonmaxsuppression_iou_threshold_boundary", "an overlap of exactly the threshold"},
      {"test_reduce_prod_default_axes_keepdims_example", "the product is more than halves have"}};
  const auto entry = reasons.find(op_case);
  return entry == reasons.end() ? nullptr : entry->second;
}

void widen(PackCase& data, Precision precision) {
  if (precision != Precision::f16) return;
  for (Tolerance& tolerance : data.tolerances) tolerance = {2e-2, 0, Scale::size};
}

Limit limit_of(Precision precision, const std::string& network) {
  if (precision == Precision::f16x3) return {1e-3, nullptr};
  static const std::map<std::string, Limit> limits = {
      {"ppocrv5_det_server_eighth", {0.15, "142 convolutions of random weights, each of which makes what is lost a few percent more"}},
      {"rtdetrv2_small", {0.2, "its queries attend to others, some of which were chosen by a hair"}},
      {"slanet_small", {0.15, "a word that is chosen by a hair goes into the next step"}}};
  const auto entry = limits.find(network);
  return entry == limits.end() ? Limit{2e-2, nullptr} : entry->second;
}

std::string difference_of(onnx::Network& network, Precision precision, const std::string& name, const PackCase& data) {
  if (precision == Precision::f32) return run_case(network, data);
  using Reader = std::vector<Row> (*)(const std::vector<Tensor>&);
  static const std::map<std::string, Reader> choosers = {{"rtdetrv2_small", queries_of}, {"yolo_small_nms", places_of}, {"yolo_small_e2e", boxes_of}};
  const double limit = limit_of(precision, name).relative;
  const std::vector<onnx::Output> got = outputs_of(network, data);
  const auto chooser = choosers.find(name);
  if (chooser != choosers.end()) return difference_of_rows(chooser->second(tensors_of(got)), chooser->second(tensors_of(data)), limit);
  for (std::size_t i = 0; i < data.outputs.size(); i++) {
    const onnx::Array& want = data.outputs[i];
    if (got[i].shape != want.shape || want.element != Element::f32) return got[i].name + " is of shape " + got[i].shape.text() + ", not " + want.shape.text();
    Distance distance;
    for (std::size_t k = 0; k < want.as<float>().size(); k++) distance.add(static_cast<double>(got[i].as<float>()[k]), static_cast<double>(want.as<float>()[k]));
    if (!(distance.relative() <= limit)) return got[i].name + " is off by " + std::to_string(distance.relative());
  }
  return {};
}

}  // namespace lectern::test
