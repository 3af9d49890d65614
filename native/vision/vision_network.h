// An installed network that takes pictures: the checks that all kinds of outputs share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cancel.h"
#include "onnx/network.h"

namespace lectern::vision {

/// Where networks run.
struct Place {
  Backend& backend;
  Backend& host;  // of the processor
  int threads;
  std::size_t most_bytes;  // that a run may hold beside the weights
};

/// One thread at a time.
class VisionNetwork {
 public:
  /// Throws Error `model_not_found`, and `invalid_model` for a network whose first input is no (n, 3, h, w) of floats or that has another input beside
  /// `orig_target_sizes`.
  VisionNetwork(const std::filesystem::path& file, const Place& place, Precision precision);

  const onnx::Network& network() const { return network_; }
  /// As they lie in the file.
  std::size_t weight_bytes() const { return network_.weight_bytes(); }
  /// Of the picture; -1 where any will do.
  int height() const { return height_; }
  int width() const { return width_; }
  /// Pictures that it takes at once, at most `wanted`.
  int batch(int wanted) const { return takes_one_ ? 1 : wanted; }

  /// Which output is called so, or -1.
  int find(std::string_view name) const;

  /// `pictures` (count, 3, height, width). Throws as Network::run(), and Error `invalid_model` where an output of floats holds a NaN or an infinity.
  std::vector<onnx::Output> run(std::span<const float> pictures, int count, int height, int width, const Cancel& cancel);

  /// Throws Error `invalid_model` with the file's name.
  [[noreturn]] void refuse(const std::string& reason) const;
  /// The sizes of a floats' output of that many axes, all positive, the first `count`; else refuses it.
  std::vector<int> sizes(const onnx::Output& output, int axes, int count) const;
  /// Of an output before it was ever run; -1 where unknown.
  int declared(std::size_t output, std::size_t axis) const;

 private:
  std::string title_;
  onnx::Network network_;
  bool takes_one_ = false;
  int height_ = -1;
  int width_ = -1;
};

}  // namespace lectern::vision
