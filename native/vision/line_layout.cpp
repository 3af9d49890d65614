#include "vision/line_layout.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <string>

#include "error.h"
#include "tensor/quoted.h"

namespace lectern::vision {
namespace {

/// The number of rows of `columns` numbers. Throws Error `invalid_request`.
std::size_t rows(std::size_t numbers, int columns, const char* what) {
  const auto wide = static_cast<std::size_t>(columns);
  if (numbers % wide != 0) throw Error(ErrorCode::invalid_request, std::string(what) + " are not rows of " + std::to_string(columns) + " numbers.");
  return numbers / wide;
}

/// Converts indices to the network's integers, with `none` for absent ones (-1). Throws Error `invalid_request`.
std::vector<std::int64_t> indices(const std::vector<std::int32_t>& given, std::int64_t items, std::int64_t none, const char* what) {
  std::vector<std::int64_t> made;
  made.reserve(given.size());
  for (const std::int32_t index : given) {
    if (index >= items || index < (none < 0 ? 0 : -1)) throw Error(ErrorCode::invalid_request, std::string(what) + " name an item that is not there.");
    made.push_back(index < 0 ? none : index);
  }
  return made;
}

}  // namespace

LineLayout::LineLayout(const LineLayoutOptions& options, const Place& place)
    : title_(options.file.filename().string()),
      network_(onnx::Network::open(options.file, place.backend, {.threads = place.threads, .most_bytes = place.most_bytes, .host = &place.host, .precision = Precision::f32})),
      features_(columns("features", Element::f32)),
      sides_(columns("neighbours", Element::i64)),
      pair_features_(columns("pair_features", Element::f32)),
      classes_(0) {
  if (columns("pairs", Element::i64) != 2) refuse("its input pairs does not hold two of them");
  if (network_.inputs().size() != 4) refuse("it takes more than items and pairs");
  for (const onnx::PortInfo& output : network_.outputs()) {
    if (output.name == "classes" && output.sizes.size() == 2 && output.sizes[1] > 0 && output.sizes[1] <= 1000) classes_ = static_cast<int>(output.sizes[1]);
  }
  if (classes_ == 0) refuse("it has no output classes of two axes");
}

LineClasses LineLayout::classify(const LineItems& items, const Cancel& cancel) {
  const std::size_t count = rows(items.features.size(), features_, "Features");
  const std::size_t pairs = rows(items.pairs.size(), 2, "Pairs");
  if (rows(items.neighbours.size(), sides_, "Neighbours") != count) throw Error(ErrorCode::invalid_request, "Features and neighbours are not of as many items.");
  if (rows(items.pair_features.size(), pair_features_, "Features of pairs") != pairs) throw Error(ErrorCode::invalid_request, "Pairs and their features are not as many.");
  if (count == 0 || count > INT_MAX / 2) {
    if (count == 0 && pairs == 0) return {};
    throw Error(ErrorCode::invalid_request, "These are pairs of no items, or too many items.");
  }
  const auto n = static_cast<std::int64_t>(count);
  // Behind the items stands an item without information: the absent neighbour.
  const std::vector<std::int64_t> neighbours = indices(items.neighbours, n, n, "Neighbours");
  std::vector<std::int64_t> both = indices(items.pairs, n, -1, "Pairs");
  std::vector<float> between = items.pair_features;
  // Tensors may not be empty.
  if (pairs == 0) both.assign(2, 0), between.assign(static_cast<std::size_t>(pair_features_), 0.0F);
  const auto m = static_cast<std::int64_t>(std::max<std::size_t>(pairs, 1));
  const std::vector<onnx::Input> inputs{{"features", Element::f32, {n, features_}, items.features.data()},
                                        {"neighbours", Element::i64, {n, sides_}, neighbours.data()},
                                        {"pairs", Element::i64, {m, 2}, both.data()},
                                        {"pair_features", Element::f32, {m, pair_features_}, between.data()}};
  const auto outputs = network_.run(inputs, &cancel);
  LineClasses found{output_of(outputs, "classes", count * static_cast<std::size_t>(classes_)), output_of(outputs, "joined", static_cast<std::size_t>(m))};
  found.joined.resize(pairs);
  return found;
}

int LineLayout::columns(std::string_view input, Element element) const {
  for (const onnx::PortInfo& port : network_.inputs()) {
    if (port.name == input && port.element == element && port.sizes.size() == 2 && port.sizes[0] < 0 && port.sizes[1] > 0 && port.sizes[1] <= 10'000) return static_cast<int>(port.sizes[1]);
  }
  refuse("it has no input " + std::string(input) + " of rows");
}

std::vector<float> LineLayout::output_of(const std::vector<onnx::Output>& outputs, std::string_view name, std::size_t count) const {
  const auto found = std::find_if(outputs.begin(), outputs.end(), [&](const onnx::Output& output) { return output.name == name; });
  if (found == outputs.end() || found->element != Element::f32 || found->as<float>().size() != count) refuse("its output " + std::string(name) + " does not hold " + std::to_string(count) + " floats");
  const auto values = found->as<float>();
  if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) refuse("its output " + std::string(name) + " holds values that are no numbers");
  return {values.begin(), values.end()};
}

void LineLayout::refuse(const std::string& reason) const { throw Error(ErrorCode::invalid_model, "The network " + quoted_name(title_) + " cannot be used: " + reason + "."); }

}  // namespace lectern::vision
