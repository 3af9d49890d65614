// By which kernels products of answers go on this device, tried when operations of a model are first made in a process: through rings (kernels/gemv/ring_gemv.cuh)
// where these have the bits of those that need nothing (kernels/gemv/register_gemv.cuh), by the tensor cores (kernels/gemv/mma_gemv.cuh) where these agree. One kind for
// all products: its last bits are its own, what a row becomes may not depend on its company, and a change of kernels costs a pass more than a quicker one brings.
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
  GemvSelection(Stream stream, const Chip& chip) : stream_(stream), chip_(chip) {}

  /// Remarks what is wrong. Throws what the runtime does, and Error `device_lost`, with the way out, where the trial took the device with it.
  cuda::GemvKernel best() const {
    try {
      bool tiles = true;
      for (const DTypeInfo& type : dtype_table) {
        if (type.block_elements == 1) continue;
        const Made made(*this, type.dtype);
        // With the same bits, or something is wrong with the copies.
        if (!same_bits(made.by(cuda::GemvKernel::rings, most_decode_rows), made.by(cuda::GemvKernel::registers, most_decode_rows))) {
          tell(type, "without rings", "through rings they have other bits.");
          return cuda::GemvKernel::registers;
        }
        const std::string fault = tiles ? fault_of(made) : "";
        if (fault.empty()) continue;
        tell(type, "without the tensor cores", fault);
        tiles = false;
      }
      return tiles ? cuda::GemvKernel::tiles : cuda::GemvKernel::rings;
    } catch (const Error& error) {
      // A device that has no room for a trial is full of others, which go by what is known.
      if (error.code() == ErrorCode::out_of_memory) {
        remark("Products of answers go through rings: the GPU had no memory to try what may be quicker.");
        return cuda::GemvKernel::rings;
      }
      if (error.code() != ErrorCode::device_lost) throw;
      throw Error(ErrorCode::device_lost, error.what() + std::string(" That was while products of answers were tried: with LECTERN_DECODE=registers nothing tries them."));
    }
  }

 private:
  // For two blocks three tiles each, the last of no whole one, in pieces of which the last is short.
  static constexpr int few_blocks = 2;
  static constexpr int few_outputs = 5 * decode_tile_rows + 7;
  static constexpr int few_columns = 32 * (2 * tile_stretches + 24);

  /// As far as `few` goes.
  static bool same_bits(const std::vector<float>& few, const std::vector<float>& many) { return std::memcmp(few.data(), many.data(), sizeof(float) * few.size()) == 0; }

  static void tell(const DTypeInfo& type, const char* way, const std::string& fault) {
    remark("Products of answers go " + std::string(way) + ", which is slower: with weights of " + std::string(type.name) + " " + fault);
  }

  DecodeRows rows_by(cuda::GemvKernel kernel) const {
    OpsShape shape{};
    shape.logit_rows = most_decode_rows;
    shape.columns = few_columns;
    shape.heads = 1;
    Chip chip = chip_;
    chip.multiprocessors = few_blocks;
    chip.gemv = kernel;
    return DecodeRows(shape, stream_, chip);
  }

  /// A made matrix and made rows on the device.
  class Made {
   public:
    Made(const GemvSelection& selection, DType type) : selection_(selection), type_(type), placed_(placed_row_bytes(type, few_columns) * few_outputs + read_beyond), x_(std::size_t{most_decode_rows} * few_columns), y_(std::size_t{most_decode_rows} * few_outputs) {
      const std::vector<std::uint8_t> weights = trial_weights(type, few_columns, few_outputs);
      TrialNoise noise;
      std::vector<float> values(std::size_t{most_decode_rows} * few_columns);
      for (float& value : values) value = noise.value();
      copy_to_device(selection.stream_, placed_.get(), weights.data(), weights.size());
      copy_to_device(selection.stream_, x_.get(), values.data(), sizeof(float) * values.size());
    }

    std::vector<float> by(cuda::GemvKernel kernel, int rows) const {
      // It stays until the kernel is done: what it releases would wait for it, and without end.
      const DecodeRows way = selection_.rows_by(kernel);
      way.store(Norm{}, {{type_, few_outputs, few_columns, 1, placed_.get()}, nullptr}, nullptr, rows, x_.get(), y_.get());
      finish_trial(selection_.stream_);
      std::vector<float> got(static_cast<std::size_t>(rows) * few_outputs);
      copy_to_host(selection_.stream_, got.data(), y_.get(), sizeof(float) * got.size());
      return got;
    }

   private:
    const GemvSelection& selection_;
    DType type_;
    DeviceArray<std::uint8_t> placed_;
    DeviceArray<float> x_, y_;
  };

  /// What is wrong with products by the tensor cores, as a sentence; empty: nothing.
  static std::string fault_of(const Made& made) {
    const std::vector<float> four = made.by(cuda::GemvKernel::tiles, most_decode_rows);
    const double distance = trial_distance(four, made.by(cuda::GemvKernel::rings, most_decode_rows));
    // Sums of some hundred products of integers, added in another order.
    if (!(distance < 1e-5)) return "they differ by " + std::to_string(distance) + " of their size.";
    for (int rows = 1; rows < most_decode_rows; ++rows) {
      const std::vector<float> few = made.by(cuda::GemvKernel::tiles, rows);
      if (!same_bits(few, four)) return "their last bits depend on the number of rows.";
    }
    return {};
  }

  Stream stream_;
  Chip chip_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
