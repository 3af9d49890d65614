#include "cpu/backend.h"

#include <cstdlib>
#include <cstring>

#include "backend/ops.h"
#include "cpu/device.h"
#include "cpu/fast_ops.h"
#include "cpu/graph/fast_graph_ops.h"
#include "cpu/reference_ops.h"
#include "error.h"

namespace lectern::cpu {
namespace {

class CpuBackend final : public Backend {
 public:
  CpuBackend(Arithmetic arithmetic, Instructions level) : arithmetic_(arithmetic), level_(level) {}

  Device info() const override { return device(); }

  void* allocate(std::size_t bytes) override {
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    // Linux overcommits memory and kills the process that uses too much of it.
    const bool too_large = rounded < bytes || (rounded >= worth_asking && rounded > device().memory_free_bytes);
    void* memory = too_large ? nullptr : std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    if (memory == nullptr) throw Error(ErrorCode::out_of_memory, "There is no memory for " + std::to_string(bytes >> 20) + " MiB more.");
    std::memset(memory, 0, rounded);
    return memory;
  }
  void release(void* memory) noexcept override { std::free(memory); }

  void upload(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void synchronise() override {}

  int pass_rows() const override { return 256; }
  std::unique_ptr<Ops> make_ops(const OpsShape& shape) override {
    return plain() ? make_reference_ops(shape) : make_fast_ops(shape, level_);
  }

  std::unique_ptr<GraphOps> make_graph_ops(int threads, FloatStorage) override {
    if (plain()) return std::make_unique<ReferenceGraphOps>();
    return std::make_unique<FastGraphOps>(level_, threads);
  }

  // The reference operations have the same limits as the fast ones, and read weights in place.
  bool supports(Op op, DType dtype) const override { return fast_supports(op, dtype); }
  std::size_t ops_bytes(const OpsShape& shape) const override { return plain() ? 0 : fast_ops_bytes(shape); }
  std::size_t matrix_bytes(DType dtype, std::int64_t rows, std::int64_t columns, int count) const override {
    return plain() ? 0 : packed_matrix_bytes(dtype, rows, columns, count);
  }
  /// The reference operations read weights in place.
  std::size_t table_bytes(DType, std::int64_t, std::int64_t) const override { return 0; }
  std::size_t kv_bytes(const KvShape& shape) const override { return plain() ? reference_kv_bytes(shape) : fast_kv_bytes(shape); }

 private:
  bool plain() const { return arithmetic_ == Arithmetic::plain; }

  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t worth_asking = std::size_t{64} << 20;

  Arithmetic arithmetic_;
  Instructions level_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(Arithmetic arithmetic, Instructions level) { return std::make_unique<CpuBackend>(arithmetic, level); }

}  // namespace lectern::cpu
