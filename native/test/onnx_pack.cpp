#include "onnx_pack.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>

#include "harness.h"
#include "onnx/tensor_reader.h"
#include "options.h"

namespace lectern::test {
namespace {

namespace fs = std::filesystem;
using onnx::Array;

std::vector<std::byte> read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path.string() + " cannot be read");
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

Tolerance tolerance_of(const Json& json) { return {json["rtol"].number, json["atol"].number}; }

bool close(double got, double want, Tolerance tolerance, double size) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want) || std::isinf(got)) return got == want;
  return std::abs(got - want) <= tolerance.absolute + tolerance.relative * std::max(std::abs(want), tolerance.scale == Scale::size ? size : 0);
}

double number_at(Element element, const std::byte* data, std::size_t i) {
  switch (element) {
    case Element::f32: return static_cast<double>(reinterpret_cast<const float*>(data)[i]);
    case Element::f64: return reinterpret_cast<const double*>(data)[i];
    case Element::i64: return static_cast<double>(reinterpret_cast<const std::int64_t*>(data)[i]);
    case Element::i32: return reinterpret_cast<const std::int32_t*>(data)[i];
    case Element::i8: return reinterpret_cast<const std::int8_t*>(data)[i];
    default: return reinterpret_cast<const std::uint8_t*>(data)[i];
  }
}

/// The root of the mean square of what is finite.
double size_of(const Array& array) {
  double squares = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(array.elements()); i++) {
    const double x = number_at(array.element, array.data(), i);
    if (!std::isfinite(x)) continue;
    squares += x * x;
    finite++;
  }
  return finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
}

/// Empty where all is well, else what is not.
std::string difference(const onnx::Output& got, const Array& want, Tolerance tolerance) {
  if (got.element != want.element) return got.name + " is of type " + std::string(name_of(got.element)) + ", not " + std::string(name_of(want.element));
  if (got.shape != want.shape) return got.name + " is of shape " + got.shape.text() + ", not " + want.shape.text();
  const Tolerance allowed = is_float(want.element) ? tolerance : Tolerance{0, 0};
  const double size = allowed.scale == Scale::size ? size_of(want) : 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(want.elements()); i++) {
    const double a = number_at(got.element, got.bytes.data(), i);
    const double b = number_at(want.element, want.data(), i);
    if (!close(a, b, allowed, size)) return got.name + " at " + std::to_string(i) + " is " + std::to_string(a) + ", not " + std::to_string(b);
  }
  return {};
}

Array read_raw(const fs::path& folder, const Json& entry) {
  static const std::map<std::string, Element> types = {{"float32", Element::f32}, {"int64", Element::i64}, {"int32", Element::i32}, {"bool", Element::boolean}, {"uint8", Element::u8}};
  Shape shape;
  for (const int size : entry["shape"].integers()) shape.push(size);
  const std::vector<std::byte> bytes = read_bytes(folder / entry["file"].string);
  const Element element = types.at(entry["type"].string);
  if (bytes.size() != static_cast<std::size_t>(shape.elements()) * bytes_of(element)) throw std::runtime_error(entry["file"].string + " is of another size");
  return onnx::make_array(element, shape, bytes.data());
}

}  // namespace

std::vector<fs::path> found_onnx_packs() {
  std::vector<fs::path> found;
  for (const fs::path& pack : onnx_packs()) {
    if (fs::exists(pack / "index.json")) {
      found.push_back(pack);
    } else {
      note("skipped: there is no ONNX pack at " + pack.string());
      check(options().onnx_packs.empty(), "the pack that --onnx-pack names is there");
    }
  }
  if (found.empty()) check(true, "nothing to check");
  return found;
}

PackCase read_op_case(const fs::path& pack, const Json& entry) {
  PackCase data;
  const fs::path set = pack / entry["path"].string / "test_data_set_0";
  for (std::size_t i = 0; i < entry["inputs"].list.size(); i++) {
    data.inputs.emplace_back(entry["inputs"].list[i]["name"].string, onnx::read_tensor(read_bytes(set / ("input_" + std::to_string(i) + ".pb")), {}).array);
  }
  for (std::size_t i = 0; i < entry["outputs"].list.size(); i++) data.outputs.push_back(onnx::read_tensor(read_bytes(set / ("output_" + std::to_string(i) + ".pb")), {}).array);
  data.tolerances.assign(data.outputs.size(), tolerance_of(entry["tolerance"]));
  return data;
}

PackCase read_net_case(const fs::path& folder, const Json& entry) {
  PackCase data;
  for (const Json& input : entry["inputs"].list) data.inputs.emplace_back(input["name"].string, read_raw(folder, input));
  for (const Json& output : entry["outputs"].list) {
    data.outputs.push_back(read_raw(folder, output));
    data.tolerances.push_back(tolerance_of(output["tolerance"]));
  }
  return data;
}

std::vector<fs::path> net_folders(const fs::path& pack) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(pack / "nets")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  check(!folders.empty(), "the pack has networks");
  return folders;
}

std::vector<onnx::Output> outputs_of(onnx::Network& network, const PackCase& data) {
  std::vector<onnx::Input> inputs;
  for (const auto& [name, array] : data.inputs) inputs.push_back({name, array.element, array.shape, array.data()});
  return network.run(inputs);
}

std::string run_case(onnx::Network& network, const PackCase& data) {
  const std::vector<onnx::Output> outputs = outputs_of(network, data);
  if (outputs.size() != data.outputs.size()) return "it has " + std::to_string(outputs.size()) + " outputs";
  for (std::size_t i = 0; i < outputs.size(); i++) {
    const std::string what = difference(outputs[i], data.outputs[i], data.tolerances[i]);
    if (!what.empty()) return what;
  }
  return {};
}

}  // namespace lectern::test
