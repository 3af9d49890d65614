#include "vision/vision_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <climits>

#include "error.h"
#include "tensor/quoted.h"

namespace lectern::vision {
namespace {

// The official export of RT-DETR takes the size in which it returns its boxes as an input.
constexpr std::string_view sizes_input = "orig_target_sizes";

int size_of(std::int64_t declared) { return declared < 0 || declared > INT_MAX ? -1 : static_cast<int>(declared); }

}  // namespace

VisionNetwork::VisionNetwork(const std::filesystem::path& file, const Place& place, Precision precision)
    : title_(file.filename().string()),
      network_(onnx::Network::open(file, place.backend,
                                   {.threads = place.threads, .most_bytes = place.most_bytes, .host = &place.host, .precision = precision})) {
  const auto& inputs = network_.inputs();
  if (inputs.empty() || inputs.size() > 2 || (inputs.size() == 2 && inputs[1].name != sizes_input)) refuse("it takes other tensors than one of pictures");
  const onnx::PortInfo& picture = inputs[0];
  if (picture.element != Element::f32 || picture.sizes.size() != 4 || (picture.sizes[1] != 3 && picture.sizes[1] >= 0)) refuse("its input is not (n, 3, h, w) of floats");
  if (inputs.size() == 2 && inputs[1].element != Element::i64) refuse("its input " + std::string(sizes_input) + " is not of integers");
  if (network_.outputs().empty()) refuse("it gives nothing");
  takes_one_ = picture.sizes[0] >= 0;
  if (takes_one_ && picture.sizes[0] != 1) refuse("it takes " + std::to_string(picture.sizes[0]) + " pictures at once, no more and no fewer");
  height_ = size_of(picture.sizes[2]);
  width_ = size_of(picture.sizes[3]);
}

int VisionNetwork::find(std::string_view name) const {
  const auto& outputs = network_.outputs();
  const auto found = std::find_if(outputs.begin(), outputs.end(), [&](const onnx::PortInfo& output) { return output.name == name; });
  return found == outputs.end() ? -1 : static_cast<int>(found - outputs.begin());
}

std::vector<onnx::Output> VisionNetwork::run(std::span<const float> pictures, int count, int height, int width, const Cancel& cancel) {
  std::vector<onnx::Input> inputs{{network_.inputs()[0].name, Element::f32, {count, 3, height, width}, pictures.data()}};
  std::vector<std::int64_t> sizes;
  if (network_.inputs().size() == 2) {
    for (int i = 0; i < count; ++i) sizes.insert(sizes.end(), {width, height});
    inputs.push_back({network_.inputs()[1].name, Element::i64, {count, 2}, sizes.data()});
  }
  std::vector<onnx::Output> outputs = network_.run(inputs, &cancel);
  for (const onnx::Output& output : outputs) {
    if (output.element != Element::f32) continue;
    const auto values = output.as<float>();
    if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) refuse("its output " + quoted_name(output.name) + " holds values that are no numbers");
  }
  return outputs;
}

void VisionNetwork::refuse(const std::string& reason) const { throw Error(ErrorCode::invalid_model, "The network " + quoted_name(title_) + " cannot be used: " + reason + "."); }

std::vector<int> VisionNetwork::sizes(const onnx::Output& output, int axes, int count) const {
  std::vector<int> found;
  bool fits = output.element == Element::f32 && output.shape.rank == axes && (axes == 0 || output.shape[0] == count);
  for (int axis = 0; fits && axis < axes; ++axis) {
    fits = output.shape[axis] > 0 && output.shape[axis] <= INT_MAX;
    found.push_back(static_cast<int>(output.shape[axis]));
  }
  if (!fits) refuse("its output " + quoted_name(output.name) + " is of shape " + output.shape.text() + ", and floats with " + std::to_string(axes) + " axes for " + std::to_string(count) + " pictures are asked for");
  return found;
}

int VisionNetwork::declared(std::size_t output, std::size_t axis) const {
  const auto& outputs = network_.outputs();
  return output < outputs.size() && axis < outputs[output].sizes.size() ? size_of(outputs[output].sizes[axis]) : -1;
}

}  // namespace lectern::vision
