// Products of many rows with weights as 16-bit floats (kernels/gemm/dense_gemm.cuh): of halves as they lie there, of quantised types unpacked before,
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

class DenseProducts {
 public:
  /// `columns`, `outputs`: the most of any matrix.
  DenseProducts(Stream stream, Chip chip, const GroupChoice& groups, int columns, int outputs)
      : stream_(stream), groups_(groups), unpacked_from_(chip.unpacked_from), elements_(unpacked_elements(columns, outputs, chip.warpgroups)), unpacked_(elements_) {}

  /// `warpgroups`: whether the device has them.
  static std::size_t bytes(int columns, int outputs, bool warpgroups) { return 2 * unpacked_elements(columns, outputs, warpgroups) + 256; }

  struct Work {
    DType type;
    TileProduct product;
  };
  static constexpr int most = 3;

  /// Up to `most` products with one input, in one launch: few outputs alone would leave most of the chip idle. False, and nothing done, where they are better
  /// off otherwise. Several: `put` all, or of halves `scale`, then `keep`.
  bool run(const Work* works, int count) const {
    const bool halves = works[0].type == DType::f16;
    int outputs = 0;
    for (int i = 0; i < count; ++i) {
      if (!groups_.takes_dense(works[i].type) || (works[i].type == DType::f16) != halves) return false;
      outputs += matrices(works[i].product) * works[i].product.outputs;
    }
    const TileProduct& first = works[0].product;
    // Halves are there already: where there are tiles for most multiprocessors.
    if (halves) {
      if (4 * ((first.rows + 127) / 128) * ((outputs + 255) / 256) < 3 * groups_.processors()) return false;
      DenseMatrix all[most];
      for (int i = 0; i < count; ++i) all[i] = {works[i].product, works[i].product.weights, works[i].product.second, 0, works[i].product.outputs};
      launch_dense_tiles(stream_, groups_.processors(), true, first.row_bytes, all, count);
      return true;
    }
    if (first.rows < unpacked_from_) return false;
    const auto stride = static_cast<std::size_t>(packed_stride(first.columns));
    if (static_cast<std::size_t>(outputs) * stride <= elements_) {
      DenseMatrix all[most];
      std::uint16_t* to = unpacked_.get();
      for (int i = 0; i < count; ++i) {
        all[i] = unpack(works[i], 0, works[i].product.outputs, to);
        to += static_cast<std::size_t>(matrices(works[i].product) * works[i].product.outputs) * stride;
      }
      launch_dense_tiles(stream_, groups_.processors(), false, 2 * stride, all, count);
      return true;
    }
    const int room = static_cast<int>(elements_ / (static_cast<std::size_t>(matrices(first)) * stride)) / dense_part_outputs * dense_part_outputs;
    if (count > 1 || room == 0) return false;
    // Parts of one size, so that none leaves most of the chip idle.
    const int parts = (first.outputs + room - 1) / room;
    const int each = ((first.outputs + parts - 1) / parts + dense_part_outputs - 1) / dense_part_outputs * dense_part_outputs;
    for (int begin = 0; begin < first.outputs; begin += each) {
      const DenseMatrix part = unpack(works[0], begin, std::min(each, first.outputs - begin), unpacked_.get());
      launch_dense_tiles(stream_, groups_.processors(), false, 2 * stride, &part, 1);
    }
    return true;
  }

 private:
  /// None where nothing is unpacked: a quarter of a gigabyte is much of a small card.
  static std::size_t unpacked_elements(int columns, int outputs, bool warpgroups) {
    return warpgroups ? std::min(most_unpacked_elements(), 2 * static_cast<std::size_t>(outputs) * static_cast<std::size_t>(packed_stride(columns))) : 0;
  }
  static int matrices(const TileProduct& product) { return product.ending == Ending::gated ? 2 : 1; }

  /// `count` of the outputs from `begin` on, of both matrices where there are two.
  DenseMatrix unpack(const Work& work, int begin, int count, std::uint16_t* to) const {
    const TileProduct& product = work.product;
    const std::size_t skipped = static_cast<std::size_t>(begin) * product.row_bytes;
    std::uint16_t* const second = to + static_cast<std::size_t>(count) * static_cast<std::size_t>(packed_stride(product.columns));
    with_type(work.type, RunUnpack{stream_, product.weights + skipped, product, count, to});
    if (product.second != nullptr) with_type(work.type, RunUnpack{stream_, product.second + skipped, product, count, second});
    return {product, to, product.second == nullptr ? nullptr : second, begin, count};
  }

  Stream stream_;
  const GroupChoice& groups_;
  int unpacked_from_;
  std::size_t elements_;
  DeviceArray<std::uint16_t> unpacked_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
