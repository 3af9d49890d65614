// An installed network that takes pictures, with the checks that all kinds of outputs share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cancel.h"
#include "onnx/network.h"

namespace lectern::vision {

/// The backends on which networks run.
struct Place {
  Backend& backend;
  Backend& host;  // of the processor
  int threads;
  std::size_t most_bytes;  // that a run may hold beside the weights
};

/// Not safe for concurrent use.
class VisionNetwork {
 public:
  /// Throws Error `model_not_found`, and `invalid_model` for a network whose first input is not (n, 3, h, w) of floats or that has another input beside
  /// `orig_target_sizes`.
  VisionNetwork(const std::filesystem::path& file, const Place& place, Precision precision);

  const onnx::Network& network() const { return network_; }
  /// The bytes of the weights in the file.
  std::size_t weight_bytes() const { return network_.weight_bytes(); }
  /// The size of the picture; -1 where any size is accepted.
  int height() const { return height_; }
  int width() const { return width_; }
  /// The number of pictures in one run, at most `wanted`.
  int batch(int wanted) const { return takes_one_ ? 1 : wanted; }

  /// The index of the output with this name, or -1.
  int find(std::string_view name) const;

  /// `pictures` (count, 3, height, width). Throws as Network::run(), and Error `invalid_model` if an output of floats holds a NaN or an infinity.
  std::vector<onnx::Output> run(std::span<const float> pictures, int count, int height, int width, const Cancel& cancel);

  /// Throws Error `invalid_model` with the file's name.
  [[noreturn]] void refuse(const std::string& reason) const;
  /// The sizes of an output of floats with that many axes, all positive, the first equal to `count`; throws otherwise.
  std::vector<int> sizes(const onnx::Output& output, int axes, int count) const;
  /// The declared size of an output; -1 if unknown.
  int declared(std::size_t output, std::size_t axis) const;

 private:
  std::string title_;
  onnx::Network network_;
  bool takes_one_ = false;
  int height_ = -1;
  int width_ = -1;
};

}  // namespace lectern::vision
