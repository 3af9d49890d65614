// The fuzz target: takes any bytes as a network, reads, plans and runs it on small inputs. native/test/fuzz.sh builds and starts it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/ops.h"
#include "cpu/graph/reference_graph_ops.h"
#include "error.h"
#include "onnx/network.h"

namespace lectern::onnx {
namespace {

/// Ends the process, so that the fuzzer keeps the input.
void demand(bool holds) {
  if (!holds) std::abort();
}

/// Host memory and the reference operations of networks.
class ReferenceBackend final : public Backend {
 public:
  Device info() const override { return {DeviceKind::cpu, "plain", 0, 0}; }
  void* allocate(std::size_t bytes) override { return std::calloc(std::max<std::size_t>(bytes, 1), 1); }
  void release(void* memory) noexcept override { std::free(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void synchronise() override {}
  int pass_rows() const override { return 256; }
  std::unique_ptr<Ops> make_ops(const OpsShape&) override { std::abort(); }
  std::unique_ptr<GraphOps> make_graph_ops(int, FloatStorage) override { return std::make_unique<cpu::ReferenceGraphOps>(); }
  bool supports(Op, DType) const override { return false; }
  std::size_t ops_bytes(const OpsShape&) const override { return 0; }
  std::size_t matrix_bytes(DType, std::int64_t, std::int64_t, int) const override { return 0; }
  std::size_t table_bytes(DType, std::int64_t, std::int64_t) const override { return 0; }
  std::size_t kv_bytes(const KvShape&) const override { return 0; }
};

/// Small enough that no operator takes seconds under sanitizers.
NetworkOptions small(bool fuse) {
  NetworkOptions options;
  options.threads = 1;
  options.most_bytes = 1 << 16;
  options.most_iterations = 20;
  options.fuse = fuse;
  return options;
}

/// A tensor for each input; the file's own bytes give sizes and contents.
void use(Network& network, std::span<const std::byte> file) {
  std::vector<Input> inputs;
  std::vector<std::vector<std::byte>> memory;
  std::size_t at = 0;
  const auto next = [&] { return file.empty() ? std::byte{1} : file[at++ % file.size()]; };
  for (const PortInfo& port : network.inputs()) {
    Shape shape;
    for (const std::int64_t size : port.sizes) shape.push(size < 0 ? 1 + static_cast<std::int64_t>(next()) % 5 : size);
    if (shape.elements() > 4096) return;
    memory.emplace_back(static_cast<std::size_t>(shape.elements()) * bytes_of(port.element));
    for (std::byte& byte : memory.back()) byte = next();
    inputs.push_back({port.name, port.element, shape, memory.back().data()});
  }
  for (int round = 0; round < 2; round++) {
    for (const Output& output : network.run(inputs)) {
      demand(output.shape.elements() >= 0 && output.bytes.size() == static_cast<std::size_t>(output.shape.elements()) * bytes_of(output.element));
    }
  }
}

void attempt(std::span<const std::byte> file, bool fuse) {
  static ReferenceBackend backend;
  try {
    Network network(file, backend, small(fuse));
    use(network, file);
  } catch (const Error& error) {
    const bool expected = error.code() == ErrorCode::invalid_model || error.code() == ErrorCode::too_large || error.code() == ErrorCode::invalid_request || error.code() == ErrorCode::out_of_memory;
    demand(expected && *error.what() != '\0');
  }
}

}  // namespace
}  // namespace lectern::onnx

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  lectern::onnx::attempt(file, size % 4 != 0);
  return 0;
}
