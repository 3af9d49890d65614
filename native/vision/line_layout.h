// Predicts classes of the text lines and drawings of a page by a shipped network. Its input is features, not pixels (models/training/layout).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "cancel.h"
#include "vision/vision_network.h"

namespace lectern::vision {

/// The items of a page: the features of each item, its neighbours, and the pairs of items that may be one region.
struct LineItems {
  std::vector<float> features;            // (items, features of the network)
  std::vector<std::int32_t> neighbours;   // (items, sides of the network), -1 for none
  std::vector<std::int32_t> pairs;        // (pairs, 2)
  std::vector<float> pair_features;       // (pairs, features of pairs of the network)
};

struct LineClasses {
  std::vector<float> classes;  // (items, classes of the network): logits
  std::vector<float> joined;   // (pairs): above 0 if both items are one region
};

struct LineLayoutOptions {
  std::filesystem::path file;
};

/// Not safe for concurrent use.
class LineLayout {
 public:
  /// Throws Error `model_not_found`, and `invalid_model` unless the file is a network with the float inputs `features` (n, f) and `pair_features` (m, p), the integer inputs `neighbours` (n, s) and `pairs` (m, 2)
  /// and the outputs `classes` (n, k) and `joined` (m).
  LineLayout(const LineLayoutOptions& options, const Place& place);

  /// Returns an empty result for no items. Throws Error `invalid_request` for arrays that are not whole rows or that name an absent item, `cancelled`, `invalid_model` if an output has another size or is not finite,
  /// and as onnx::Network::run().
  LineClasses classify(const LineItems& items, const Cancel& cancel);

  std::size_t weight_bytes() const { return network_.weight_bytes(); }

 private:
  int columns(std::string_view input, Element element) const;
  std::vector<float> output_of(const std::vector<onnx::Output>& outputs, std::string_view name, std::size_t count) const;
  [[noreturn]] void refuse(const std::string& reason) const;

  std::string title_;
  onnx::Network network_;
  int features_, sides_, pair_features_, classes_;
};

}  // namespace lectern::vision
