// Networks against a conformance pack on the processor, or where --device says.
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "cpu/backend.h"
#include "cuda/runtime/backend.h"
#include "cuda/runtime/device.h"
#include "cuda/emulation/backend.h"
#include "error.h"
#include "harness.h"
#include "json.h"
#include "onnx_halves.h"
#include "onnx_pack.h"
#include "options.h"
#include "sanitized.h"

namespace lectern::test {
namespace {

namespace fs = std::filesystem;

struct Place {
  std::unique_ptr<Backend> host = cpu::make_backend(options().plain ? cpu::Arithmetic::plain : cpu::Arithmetic::fast);
  std::unique_ptr<Backend> device;  // null: the host

  Place() {
    if (options().device == DeviceKind::cuda) device = options().emulated ? cuda_emulated::make_backend() : cuda::make_backend(cuda::chosen_device);
  }
  onnx::Network open(const fs::path& file, bool fuse) {
    onnx::NetworkOptions chosen;
    chosen.threads = 2;
    chosen.fuse = fuse;
    chosen.host = host.get();
    chosen.precision = options().precision;
    return onnx::Network::open(file, device ? *device : *host, chosen);
  }
  Precision precision() const { return device ? options().precision : Precision::f32; }
};

std::string run_op_case(Place& place, const fs::path& pack, const Json& entry, bool fuse) {
  PackCase data = read_op_case(pack, entry);
  widen(data, place.precision());
  onnx::Network network = place.open(pack / entry["path"].string / "model.onnx", fuse);
  return run_case(network, data);
}

/// Cases of the second tier whose numbers are others here, or null.
const char* other_numbers(const std::string& name) {
  static const std::map<std::string, const char*> reasons = {
      {"test_resize_downsample_scales_cubic_align_corners", "the corners that are aligned are those of the output as it is, as onnxruntime and PyTorch have it, not those of the input times the scale"},
      {"test_resize_downsample_scales_linear_align_corners", "as the cubic one"},
  };
  const auto found = reasons.find(name);
  return found == reasons.end() ? nullptr : found->second;
}

/// What is not supported is refused by name when the network is opened.
bool is_refusal(const std::string& what) { return what.find("not supported") != std::string::npos; }

LECTERN_TEST("onnx: every op case of the pack's first tier, and of the second what is not refused") {
  Place place;
  for (const fs::path& pack : found_onnx_packs()) {
    std::map<std::string, int> beyond;  // of tier 2, by outcome
    int cases = 0;
    const Json index = read_json((pack / "index.json").string());
    for (const Json& entry : index["cases"].list) {
      const bool required = entry["tier"].number == 1;
      const std::string& name = entry["name"].string;
      if (place.precision() == Precision::f16 && beyond_halves(name) != nullptr) {
        note("not compared: " + name + ": " + beyond_halves(name));
        continue;
      }
      for (const bool fuse : {true, false}) {
        if (!fuse && sanitized) continue;
        std::string what;
        try {
          what = run_op_case(place, pack, entry, fuse);
        } catch (const Error& error) {
          what = error.what();
        }
        if (required) check(what.empty(), name + (fuse ? ": " : " (unfused): ") + what);
        else if (fuse) beyond[what.empty() ? "right" : is_refusal(what) ? "refused" : "other numbers"]++;
        if (required || place.device) continue;
        if (other_numbers(name) == nullptr) check(what.empty() || is_refusal(what), name + ": " + what);
        else check(!what.empty() && !is_refusal(what), name + " is right after all, or refused, and no longer one of those with other numbers");
      }
      cases += required;
    }
    note(std::to_string(cases) + " cases; of the second tier " + std::to_string(beyond["right"]) + " right, " + std::to_string(beyond["refused"]) + " refused, " +
         std::to_string(beyond["other numbers"]) + " with other numbers for a reason");
  }
}

void run_network(Place& place, const fs::path& folder) {
  const Json net = read_json((folder / "net.json").string());
  onnx::Network network = place.open(folder / "model.onnx", true);
  const std::vector<Json>& cases = net["cases"].list;
  const std::string& name = net["name"].string;
  const Limit limit = limit_of(place.precision(), name);
  if (place.precision() == Precision::f16 && limit.reason != nullptr) note(name + " is held to " + std::to_string(limit.relative) + ": " + limit.reason);
  for (const Json& entry : cases) {
    if (sanitized && &entry != &cases.back()) continue;
    const PackCase data = read_net_case(folder, entry);
    std::string what;
    const auto start = std::chrono::steady_clock::now();
    try {
      what = difference_of(network, place.precision(), name, data);
    } catch (const Error& error) {
      what = error.what();
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string title = name + " " + data.inputs.front().second.shape.text();
    note(title + ": " + std::to_string(seconds) + " s");
    check(what.empty(), title + ": " + what);
  }
}

LECTERN_TEST("onnx: every network of the pack") {
  Place place;
  for (const fs::path& pack : found_onnx_packs()) {
    for (const fs::path& folder : net_folders(pack)) run_network(place, folder);
  }
}

}  // namespace
}  // namespace lectern::test
