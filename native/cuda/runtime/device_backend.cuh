// One device as a backend: its memory, its streams and its operations. Compiled in units/backend.cu.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "backend/backend.h"
#include "backend/graph_ops.h"
#include "cuda/selection/gemv_selection.cuh"
#include "cuda/graph/graph_ops.h"
#include "cuda/ops/recording_ops.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class DeviceBackend final : public Backend {
 public:
  explicit DeviceBackend(int device) : device_(device), stream_(open_stream(device)), copies_(open_copy_stream()) {}
  ~DeviceBackend() override {
    close_stream(copies_);
    close_stream(stream_);
  }

  Device info() const override { return describe(device_); }
  void* allocate(std::size_t bytes) override {
    void* memory = device_allocate(bytes);
    try {
      clear(stream_, memory, bytes);
    } catch (...) {
      device_release(memory);
      throw;
    }
    return memory;
  }
  void release(void* memory) noexcept override { device_release(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override { copy_to_device(stream_, to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { copy_to_host(stream_, to, from, bytes); }
  void synchronise() override { LECTERN_CUDA_SPACE::synchronise(stream_); }
  // 2,048 rows keep the tensor cores busy in every product of a 70B model, with four waves of large tiles or more.
  int pass_rows() const override { return 2048; }
  // The products of 1,024 by 1,024 of a layer are two waves of large tiles then.
  int text_rows() const override { return 8192; }
  std::unique_ptr<Ops> make_ops(const OpsShape& shape) override {
    DeviceLimits limits{multiprocessors(device_), max_shared_bytes(device_), has_warpgroups(device_), cuda::GemvKernel::registers, min_dense_rows()};
    limits.gemv = gemv_kernel_for(limits);
    return std::make_unique<RecordingOps>(shape, Streams{stream_, copies_}, limits);
  }
  std::unique_ptr<GraphOps> make_graph_ops(int, FloatStorage storage) override {
    return LECTERN_CUDA_SPACE::make_graph_ops(stream_, multiprocessors(device_), storage);
  }
  bool supports(Op op, DType dtype) const override { return device_supports(op, dtype); }
  std::size_t ops_bytes(const OpsShape& shape) const override { return Sizes(shape).bytes(shape) + DecodeOps::bytes(shape) + PrefillOps::bytes(shape, has_warpgroups(device_)) + TokenSampling::bytes(shape); }
  std::size_t matrix_bytes(DType dtype, std::int64_t rows, std::int64_t columns, int count) const override { return matrix_bytes_of(dtype, rows, columns, count); }
  std::size_t table_bytes(DType dtype, std::int64_t rows, std::int64_t columns) const override { return matrix_bytes_of(dtype, rows, columns, 1); }
  std::size_t kv_bytes(const KvShape& shape) const override { return cache_bytes(shape); }

 private:
  /// A trial runs once in a process, where no option names a kernel.
  cuda::GemvKernel gemv_kernel_for(const DeviceLimits& limits) {
    const std::optional<cuda::GemvKernel> fixed = fixed_gemv_kernel(device_);
    if (fixed.has_value()) return *fixed;
    TriedGemvKernels& tried = tried_gemv_kernels();
    const std::scoped_lock lock(tried.mutex);
    const auto found = tried.of_device.find(device_);
    if (found != tried.of_device.end()) return found->second;
    return tried.of_device[device_] = GemvSelection(stream_, limits).best();
  }

  int device_;
  Stream stream_, copies_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
