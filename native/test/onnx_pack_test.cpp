// Networks against a conformance pack: op cases and whole networks with the outputs that another runtime gave.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "error.h"
#include "harness.h"
#include "json.h"
#include "onnx/network.h"
#include "onnx/tensor_reader.h"
#include "options.h"
#include "sanitized.h"

namespace lectern::test {
namespace {

namespace fs = std::filesystem;
using onnx::Array;

std::vector<fs::path> packs() {
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

std::vector<std::byte> read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path.string() + " cannot be read");
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

struct Tolerance {
  double relative, absolute;
};

Tolerance tolerance_of(const Json& json) { return {json["rtol"].number, json["atol"].number}; }

bool close(double got, double want, Tolerance tolerance) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want) || std::isinf(got)) return got == want;
  return std::abs(got - want) <= tolerance.absolute + tolerance.relative * std::abs(want);
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

/// Empty where all is well, else what is not.
std::string difference(const onnx::Output& got, const Array& want, Tolerance tolerance) {
  if (got.element != want.element) return got.name + " is of type " + std::string(name_of(got.element)) + ", not " + std::string(name_of(want.element));
  if (got.shape != want.shape) return got.name + " is of shape " + got.shape.text() + ", not " + want.shape.text();
  const Tolerance allowed = is_float(want.element) ? tolerance : Tolerance{0, 0};
  const auto count = static_cast<std::size_t>(want.elements());
  for (std::size_t i = 0; i < count; i++) {
    const double a = number_at(got.element, got.bytes.data(), i);
    const double b = number_at(want.element, want.data(), i);
    if (!close(a, b, allowed)) return got.name + " at " + std::to_string(i) + " is " + std::to_string(a) + ", not " + std::to_string(b);
  }
  return {};
}

struct Case {
  std::vector<std::pair<std::string, Array>> inputs;
  std::vector<Array> outputs;
};

Case read_op_case(const fs::path& folder, const Json& entry) {
  Case data;
  const fs::path set = folder / "test_data_set_0";
  for (std::size_t i = 0; i < entry["inputs"].list.size(); i++) {
    data.inputs.emplace_back(entry["inputs"].list[i]["name"].string, onnx::read_tensor(read_bytes(set / ("input_" + std::to_string(i) + ".pb")), {}).array);
  }
  for (std::size_t i = 0; i < entry["outputs"].list.size(); i++) data.outputs.push_back(onnx::read_tensor(read_bytes(set / ("output_" + std::to_string(i) + ".pb")), {}).array);
  return data;
}

/// Throws what the network throws; returns what differs.
std::string run_case(onnx::Network& network, const Case& data, const std::vector<Tolerance>& tolerances) {
  std::vector<onnx::Input> inputs;
  for (const auto& [name, array] : data.inputs) inputs.push_back({name, array.element, array.shape, array.data()});
  const std::vector<onnx::Output> outputs = network.run(inputs);
  if (outputs.size() != data.outputs.size()) return "it has " + std::to_string(outputs.size()) + " outputs";
  for (std::size_t i = 0; i < outputs.size(); i++) {
    const std::string what = difference(outputs[i], data.outputs[i], tolerances[i]);
    if (!what.empty()) return what;
  }
  return {};
}

onnx::NetworkOptions network_options(bool fuse) {
  onnx::NetworkOptions chosen;
  chosen.threads = 2;
  chosen.fuse = fuse;
  return chosen;
}

std::string run_op_case(Backend& backend, const fs::path& pack, const Json& entry, bool fuse) {
  const fs::path folder = pack / entry["path"].string;
  const Case data = read_op_case(folder, entry);
  onnx::Network network = onnx::Network::open(folder / "model.onnx", backend, network_options(fuse));
  return run_case(network, data, std::vector<Tolerance>(data.outputs.size(), tolerance_of(entry["tolerance"])));
}

std::unique_ptr<Backend> make_backend() { return cpu::make_backend(options().plain ? cpu::Arithmetic::plain : cpu::Arithmetic::fast); }

LECTERN_TEST("onnx: every op case of the pack's first tier") {
  const auto backend = make_backend();
  for (const fs::path& pack : packs()) {
    std::map<std::string, int> beyond;  // of tier 2, by outcome
    int cases = 0;
    const Json index = read_json((pack / "index.json").string());
    for (const Json& entry : index["cases"].list) {
      const bool required = entry["tier"].number == 1;
      for (const bool fuse : {true, false}) {
        if (!fuse && sanitized) continue;
        std::string what;
        try {
          what = run_op_case(*backend, pack, entry, fuse);
        } catch (const Error& error) {
          what = error.what();
        }
        if (required) check(what.empty(), entry["name"].string + (fuse ? ": " : " (unfused): ") + what);
        else if (fuse) beyond[what.empty() ? "right" : what.find("not supported") != std::string::npos ? "refused" : "wrong"]++;
      }
      cases += required;
    }
    note(std::to_string(cases) + " cases; of the second tier " + std::to_string(beyond["right"]) + " right, " + std::to_string(beyond["refused"]) + " refused, " +
         std::to_string(beyond["wrong"]) + " otherwise");
  }
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

void run_network(Backend& backend, const fs::path& folder) {
  const Json net = read_json((folder / "net.json").string());
  onnx::Network network = onnx::Network::open(folder / "model.onnx", backend, network_options(true));
  const std::vector<Json>& cases = net["cases"].list;
  for (const Json& entry : cases) {
    if (sanitized && &entry != &cases.back()) continue;
    Case data;
    std::vector<Tolerance> tolerances;
    for (const Json& input : entry["inputs"].list) data.inputs.emplace_back(input["name"].string, read_raw(folder, input));
    for (const Json& output : entry["outputs"].list) {
      data.outputs.push_back(read_raw(folder, output));
      tolerances.push_back(tolerance_of(output["tolerance"]));
    }
    std::string what;
    const auto start = std::chrono::steady_clock::now();
    try {
      what = run_case(network, data, tolerances);
    } catch (const Error& error) {
      what = error.what();
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string title = net["name"].string + " " + data.inputs.front().second.shape.text();
    note(title + ": " + std::to_string(seconds) + " s");
    check(what.empty(), title + ": " + what);
  }
}

LECTERN_TEST("onnx: every network of the pack") {
  const auto backend = make_backend();
  for (const fs::path& pack : packs()) {
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(pack / "nets")) folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    check(!folders.empty(), "the pack has networks");
    for (const fs::path& folder : folders) run_network(*backend, folder);
  }
}

}  // namespace
}  // namespace lectern::test
