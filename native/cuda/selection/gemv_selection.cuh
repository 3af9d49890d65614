// Chooses the GEMV kernel for decode rows on a device of compute capability 9.0 or newer, by a trial when the operations of a model are first created in a process; at 8.x, or where
// LECTERN_DECODE names a kernel, there is no trial (fixed_gemv_kernel()). The trial chooses the tensor-core kernel (kernels/gemv/mma_gemv.cuh) where its products agree with those of the ring kernel
// (kernels/gemv/fallback/ring_gemv.cuh), else the ring kernel where its bits are those of the register kernel (kernels/gemv/fallback/register_gemv.cuh), else the register kernel.
// The choice holds for all products of a model: the last bits of the tensor-core kernel are its own, a row's bits may not depend on the rows beside it, and a pass that alternates kernels loses more than the faster one gains.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/ops/decode_ops.cuh"
#include "cuda/selection/kernel_trial.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class GemvSelection {
 public:
  GemvSelection(Stream stream, const DeviceLimits& limits) : stream_(stream), limits_(limits) {}

  /// Runs the trial and remarks every fault in the log. Throws what the runtime throws, and Error `device_lost`, whose message names the switch that skips the trial, where a kernel lost the device.
  cuda::GemvKernel best() const {
    try {
      bool tiles = true;
      for (const DTypeInfo& type : dtype_table) {
        if (device_type(type.dtype) != type.dtype) continue;
        if (type.block_elements == 1) continue;
        const Made made(*this, type.dtype);
        // Both kernels add in the same order, so other bits mean that the copies to shared memory are faulty.
        if (!same_bits(made.by(cuda::GemvKernel::rings, max_gemv_rows), made.by(cuda::GemvKernel::registers, max_gemv_rows))) {
          tell(type, "without ring buffers", "these give other bits.");
          return cuda::GemvKernel::registers;
        }
        const std::string fault = tiles ? fault_of(made) : "";
        if (fault.empty()) continue;
        tell(type, "without the tensor cores", fault);
        tiles = false;
      }
      return tiles ? cuda::GemvKernel::tiles : cuda::GemvKernel::rings;
    } catch (const Error& error) {
      // Without memory for a trial the kernel that is known to work is used.
      if (error.code() == ErrorCode::out_of_memory) {
        remark("Decode uses the ring kernel: the GPU had no memory for a trial of the tensor-core kernel.");
        return cuda::GemvKernel::rings;
      }
      if (error.code() != ErrorCode::device_lost) throw;
      throw Error(ErrorCode::device_lost, error.what() + std::string(" This happened in the trial of decode kernels: LECTERN_DECODE=registers skips it."));
    }
  }

 private:
  // Three tiles for each of two blocks, the last one not full, in stages of which the last is not full.
  static constexpr int few_blocks = 2;
  static constexpr int few_outputs = 5 * gemv_tile_rows + 7;
  static constexpr int few_columns = 32 * (2 * stage_quant_blocks + 24);

  /// Compares as many numbers as `few` has.
  static bool same_bits(const std::vector<float>& few, const std::vector<float>& many) { return std::memcmp(few.data(), many.data(), sizeof(float) * few.size()) == 0; }

  static void tell(const DTypeInfo& type, const char* way, const std::string& fault) {
    remark("Decode runs " + std::string(way) + ", which is slower: with weights of " + std::string(type.name) + " " + fault);
  }

  DecodeOps rows_by(cuda::GemvKernel kernel) const {
    OpsShape shape{};
    shape.logit_rows = max_gemv_rows;
    shape.columns = few_columns;
    shape.heads = 1;
    DeviceLimits limits = limits_;
    limits.multiprocessors = few_blocks;
    limits.gemv = kernel;
    return DecodeOps(shape, stream_, limits);
  }

  /// A random matrix and random rows on the device.
  class Made {
   public:
    Made(const GemvSelection& selection, DType type) : selection_(selection), type_(type), weights_(repacked_row_bytes(type, few_columns) * few_outputs + read_beyond), x_(std::size_t{max_gemv_rows} * few_columns), y_(std::size_t{max_gemv_rows} * few_outputs) {
      const std::vector<std::uint8_t> weights = trial_weights(type, few_columns, few_outputs);
      TrialRandom noise;
      std::vector<float> values(std::size_t{max_gemv_rows} * few_columns);
      for (float& value : values) value = noise.value();
      copy_to_device(selection.stream_, weights_.get(), weights.data(), weights.size());
      copy_to_device(selection.stream_, x_.get(), values.data(), sizeof(float) * values.size());
    }

    std::vector<float> by(cuda::GemvKernel kernel, int rows) const {
      // Lives until the kernel is done: releasing its memory would wait for a kernel that may never end.
      const DecodeOps way = selection_.rows_by(kernel);
      way.store(Norm{}, {{type_, few_outputs, few_columns, 1, weights_.get()}, nullptr}, nullptr, rows, x_.get(), y_.get());
      finish_trial(selection_.stream_);
      std::vector<float> got(static_cast<std::size_t>(rows) * few_outputs);
      copy_to_host(selection_.stream_, got.data(), y_.get(), sizeof(float) * got.size());
      return got;
    }

   private:
    const GemvSelection& selection_;
    DType type_;
    DeviceArray<std::uint8_t> weights_;
    DeviceArray<float> x_, y_;
  };

  /// The fault of products by the tensor cores, as a sentence; empty: none.
  static std::string fault_of(const Made& made) {
    const std::vector<float> four = made.by(cuda::GemvKernel::tiles, max_gemv_rows);
    const double distance = trial_distance(four, made.by(cuda::GemvKernel::rings, max_gemv_rows));
    // Sums of some hundred products of integers, added in another order.
    if (!(distance < 1e-5)) return "the products differ by " + std::to_string(distance) + " of their size.";
    for (int rows = 1; rows < max_gemv_rows; ++rows) {
      const std::vector<float> few = made.by(cuda::GemvKernel::tiles, rows);
      if (!same_bits(few, four)) return "the last bits depend on the number of rows.";
    }
    return {};
  }

  Stream stream_;
  DeviceLimits limits_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
