// GEMM of prefill rows with 16-bit weights (kernels/gemm/wgmma_unpacked_gemm.cuh): f16 weights as they are, quantised weights unpacked first,
// a part of a matrix at a time.
#pragma once

#include <algorithm>

#include "cuda/runtime/device_limits.h"
#include "cuda/selection/warpgroup_selection.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/runtime/runtime.h"
#include "cuda/simt/dispatch_type.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class DenseGemmOps {
 public:
  /// `columns`, `outputs`: those of the largest matrix.
  DenseGemmOps(Stream stream, DeviceLimits limits, const WarpgroupSelection& groups, int columns, int outputs)
      : stream_(stream), groups_(groups), unpacked_from_(limits.min_dense_rows), elements_(unpacked_elements(columns, outputs, limits.warpgroups)), unpacked_(elements_) {}

  /// Bytes of device memory that these operations take. `warpgroups`: whether the device has wgmma.
  static std::size_t bytes(int columns, int outputs, bool warpgroups) { return 2 * unpacked_elements(columns, outputs, warpgroups) + 256; }

  struct Work {
    DType type;
    GemmParams product;
  };
  static constexpr int most = 3;

  /// Computes up to `most` products of one input in one launch, because the outputs of one alone may leave most of the GPU idle. Returns false, without computing anything, where other kernels are
  /// faster. With several matrices all have the epilogue `store`, or, for f16, the first `scale` and the others `store_kv`.
  bool run(const Work* works, int count) const {
    const bool halves = works[0].type == DType::f16;
    int outputs = 0;
    for (int i = 0; i < count; ++i) {
      if (!groups_.takes_dense(works[i].type) || (works[i].type == DType::f16) != halves) return false;
      outputs += matrices(works[i].product) * works[i].product.outputs;
    }
    const GemmParams& first = works[0].product;
    // f16 weights need no unpacking; the kernel is used where there are tiles for at least three quarters of the multiprocessors.
    if (halves) {
      if (4 * ((first.rows + 127) / 128) * ((outputs + 255) / 256) < 3 * groups_.processors()) return false;
      DenseGemmMatrix all[most];
      for (int i = 0; i < count; ++i) all[i] = {works[i].product, works[i].product.weights, works[i].product.second, 0, works[i].product.outputs};
      launch_dense_gemm(stream_, groups_.processors(), true, first.row_bytes, all, count);
      return true;
    }
    if (first.rows < unpacked_from_) return false;
    const auto stride = static_cast<std::size_t>(packed_stride(first.columns));
    if (static_cast<std::size_t>(outputs) * stride <= elements_) {
      DenseGemmMatrix all[most];
      std::uint16_t* to = unpacked_.get();
      for (int i = 0; i < count; ++i) {
        all[i] = unpack(works[i], 0, works[i].product.outputs, to);
        to += static_cast<std::size_t>(matrices(works[i].product) * works[i].product.outputs) * stride;
      }
      launch_dense_gemm(stream_, groups_.processors(), false, 2 * stride, all, count);
      return true;
    }
    const int room = static_cast<int>(elements_ / (static_cast<std::size_t>(matrices(first)) * stride)) / dense_part_output_multiple * dense_part_output_multiple;
    if (count > 1 || room == 0) return false;
    // Parts of equal size, so that none leaves most of the GPU idle.
    const int parts = (first.outputs + room - 1) / room;
    const int each = ((first.outputs + parts - 1) / parts + dense_part_output_multiple - 1) / dense_part_output_multiple * dense_part_output_multiple;
    for (int begin = 0; begin < first.outputs; begin += each) {
      const DenseGemmMatrix part = unpack(works[0], begin, std::min(each, first.outputs - begin), unpacked_.get());
      launch_dense_gemm(stream_, groups_.processors(), false, 2 * stride, &part, 1);
    }
    return true;
  }

 private:
  /// Elements of the buffer for unpacked weights; 0 on devices without wgmma, where nothing is unpacked, because 256 MiB are a large part of a small GPU.
  static std::size_t unpacked_elements(int columns, int outputs, bool warpgroups) {
    return warpgroups ? std::min(max_unpacked_elements(), 2 * static_cast<std::size_t>(outputs) * static_cast<std::size_t>(packed_stride(columns))) : 0;
  }
  static int matrices(const GemmParams& product) { return product.epilogue == Epilogue::gated ? 2 : 1; }

  /// Unpacks the weights of `count` outputs from `begin` on (of both matrices in a gated product) to `to`.
  DenseGemmMatrix unpack(const Work& work, int begin, int count, std::uint16_t* to) const {
    const GemmParams& product = work.product;
    const std::size_t skipped = static_cast<std::size_t>(begin) * product.row_bytes;
    std::uint16_t* const second = to + static_cast<std::size_t>(count) * static_cast<std::size_t>(packed_stride(product.columns));
    dispatch_type(work.type, RunUnpackRows{stream_, product.weights + skipped, product, count, to});
    if (product.second != nullptr) dispatch_type(work.type, RunUnpackRows{stream_, product.second + skipped, product, count, second});
    return {product, to, product.second == nullptr ? nullptr : second, begin, count};
  }

  Stream stream_;
  const WarpgroupSelection& groups_;
  int unpacked_from_;
  std::size_t elements_;
  DeviceArray<std::uint16_t> unpacked_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
