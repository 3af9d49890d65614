// Networks as CUDA kernels, emulated here, in every precision: the conformance packs' op cases, and their networks on small pictures.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "cuda/emulation/backend.h"
#include "cuda/emulation/fibers.h"
#include "cuda_places.h"
#include "error.h"
#include "harness.h"
#include "json.h"
#include "onnx_halves.h"
#include "onnx_pack.h"
#include "random_draws.h"

namespace lectern::test {
namespace {

/// A network on the emulation with the processor beside it.
onnx::Network open_on(Backend& device, Backend& host, const std::filesystem::path& file, Precision precision) {
  onnx::NetworkOptions chosen;
  chosen.threads = 1;
  chosen.host = &host;
  chosen.precision = precision;
  return onnx::Network::open(file, device, chosen);
}

/// Whether the precisions that keep floats differ in an op case: others than products are the same kernels.
bool has_products(const Json& entry) {
  static const std::set<std::string> products = {"Conv", "MatMul", "Gemm", "Einsum", "FusedConv", "FusedMatMul"};
  for (const Json& op : entry["ops"].list) {
    if (products.count(op.string) > 0) return true;
  }
  return false;
}

LECTERN_TEST("cuda: every op case of the pack's first tier, emulated, in every precision") {
  if (!tests_emulation()) return;
  const auto host = cpu::make_backend();
  for (const auto& pack : found_onnx_packs()) {
    const Json index = read_json((pack / "index.json").string());
    for (const Precision precision : {Precision::f16x3, Precision::f32, Precision::f16}) {
      for (const Json& entry : index["cases"].list) {
        const std::string& name = entry["name"].string;
        if (entry["tier"].number != 1 || (precision == Precision::f16 && beyond_halves(name) != nullptr) || (precision == Precision::f32 && !has_products(entry))) continue;
        // A device for each case, so that a case which wrote beside its memory is reported at its end.
        const auto device = cuda_emulated::make_backend();
        PackCase data = read_op_case(pack, entry);
        widen(data, precision);
        std::string what;
        // Threads in reverse where the emulation has been seen to add nothing in order.
        cuda::emulation::set_reverse(precision == Precision::f16);
        try {
          onnx::Network network = open_on(*device, *host, pack / entry["path"].string / "model.onnx", precision);
          what = run_case(network, data);
        } catch (const Error& error) {
          what = error.what();
        }
        cuda::emulation::set_reverse(false);
        check(what.empty(), name + ", " + name_of(precision) + ": " + what);
      }
    }
  }
}

/// The upper left of a case's first picture, as small as the network allows: what its file leaves open becomes 64 at most.
PackCase cut(const onnx::Network& network, const PackCase& data) {
  const auto& [name, picture] = data.inputs.front();
  Shape shape = picture.shape;
  const std::vector<std::int64_t>& declared = network.inputs().front().sizes;
  for (int axis = 0; axis < shape.rank; axis++) {
    if (declared[static_cast<std::size_t>(axis)] < 0) shape[axis] = std::min<std::int64_t>(shape[axis], axis == 0 ? 1 : 64);
  }
  std::vector<float> values;
  for (std::int64_t i = 0; i < shape[1] * shape[2]; i++) {
    const float* row = picture.as<float>().data() + (i / shape[2] * picture.shape[2] + i % shape[2]) * picture.shape[3];
    values.insert(values.end(), row, row + shape[3]);
  }
  PackCase small;
  small.inputs.emplace_back(name, onnx::make_array(Element::f32, shape, values.data()));
  return small;
}

LECTERN_TEST("cuda: each network of the pack on a small picture, emulated, within the limit of f16x3") {
  if (!tests_emulation()) return;
  const auto host = cpu::make_backend();
  for (const auto& pack : found_onnx_packs()) {
    for (const auto& folder : net_folders(pack)) {
      const std::string name = folder.filename().string();
      const auto device = cuda_emulated::make_backend();
      onnx::Network network = open_on(*device, *host, folder / "model.onnx", Precision::f16x3);
      onnx::Network exact = open_on(*host, *host, folder / "model.onnx", Precision::f32);
      PackCase data = cut(network, read_net_case(folder, read_json((folder / "net.json").string())["cases"].list.front()));
      for (const onnx::Output& output : outputs_of(exact, data)) data.outputs.push_back(onnx::make_array(output.element, output.shape, output.bytes.data()));
      cuda::emulation::set_reverse(true);
      const std::string what = difference_of(network, Precision::f16x3, name, data);
      cuda::emulation::set_reverse(false);
      check(what.empty(), name + " " + data.inputs.front().second.shape.text() + ": " + what);
    }
  }
}

LECTERN_TEST("cuda: a whole network that ships, emulated: lines alone and in a batch are the same bits in f16x3, and near the processor's") {
  if (!has_emulation()) return;
  constexpr int lines = 3, rows = 32, columns = 32;  // three make no whole tile
  constexpr std::size_t each = std::size_t{rows} * columns;
  const std::filesystem::path file = std::filesystem::path(LECTERN_SOURCE_DIRECTORY) / "models" / "lectern-orientation.onnx";
  const auto host = cpu::make_backend();
  const auto device = cuda_emulated::make_backend();
  onnx::Network network = open_on(*device, *host, file, Precision::f16x3);
  onnx::Network exact = open_on(*host, *host, file, Precision::f32);
  Random random(20261123);
  std::vector<float> pictures(lines * each);
  for (float& pixel : pictures) pixel = uniform(random, 0, 1);
  const auto run = [](onnx::Network& of, const float* begin, int count) { return of.run(std::vector<onnx::Input>{{of.inputs().front().name, Element::f32, Shape{count, 1, rows, columns}, begin}}).front(); };
  const onnx::Output together = run(network, pictures.data(), lines);
  const onnx::Output right = run(exact, pictures.data(), lines);
  check(together.shape == right.shape && together.shape[0] == lines, "a row of logits for each line");
  for (std::size_t i = 0; i < together.as().size(); i++) check(std::fabs(together.as()[i] - right.as()[i]) <= 1e-3F * std::max(1.0F, std::fabs(right.as()[i])), "logit " + std::to_string(i) + " is near the processor's");
  const std::size_t of_one = together.bytes.size() / lines;
  for (std::size_t line = 0; line < lines; line++) {
    const onnx::Output alone = run(network, pictures.data() + line * each, 1);
    const auto begin = together.bytes.begin() + static_cast<std::ptrdiff_t>(line * of_one);
    check(alone.bytes.size() == of_one && std::equal(alone.bytes.begin(), alone.bytes.end(), begin), "line " + std::to_string(line) + " alone as in the batch");
    check(line == 0 || !std::equal(begin, begin + static_cast<std::ptrdiff_t>(of_one), together.bytes.begin()), "and unlike the first");
  }
}

LECTERN_TEST("cuda: networks of the pack, emulated, in every precision") {
  if (!tests_emulation()) return;
  const bool all = test::is_long_form();
  // The quickest that have convolutions, deformable or plain attention, loops, and a choice of boxes.
  const std::set<std::string> few = {"ppocr_cls_mobile", "slanet_small", "yolo_small_e2e"};
  const auto host = cpu::make_backend();
  for (const auto& pack : found_onnx_packs()) {
    for (const auto& folder : net_folders(pack)) {
      const std::string name = folder.filename().string();
      if (!all && few.count(name) == 0) continue;
      const Json net = read_json((folder / "net.json").string());
      const auto device = cuda_emulated::make_backend();
      for (const Precision precision : {Precision::f16x3, Precision::f16, Precision::f32}) {
        // Small pictures have been through it.
        if (!all && precision == Precision::f16x3) continue;
        onnx::Network network = open_on(*device, *host, folder / "model.onnx", precision);
        for (const Json& entry : net["cases"].list) {
          const PackCase data = read_net_case(folder, entry);
          const std::string what = difference_of(network, precision, name, data);
          check(what.empty(), name + " " + data.inputs.front().second.shape.text() + ", " + name_of(precision) + ": " + what);
          if (!all) break;
        }
      }
    }
  }
  if (!all) note("the other networks, and their second cases, with CI_FULL=1");
}

}  // namespace
}  // namespace lectern::test
