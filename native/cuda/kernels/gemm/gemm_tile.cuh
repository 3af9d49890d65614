// What products by the tensor cores are made of, whichever instructions multiply: a tile's extent, its weights unpacked on their way to
// shared memory, its rows, and what becomes of its sums.
#pragma once

#include "cuda/kernels/common/gelu.cuh"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Of a tile, whose warps share it: each takes warp_rows by warp_outputs of it.
template <class Tile>
struct TileExtent {
  static constexpr int rows = Tile::warp_rows * Tile::row_warps;
  static constexpr int outputs = Tile::warp_outputs * Tile::output_warps;
  static constexpr int threads = 32 * Tile::row_warps * Tile::output_warps;
  static constexpr int row_bytes = rows * step_row_bytes;
  static constexpr int weight_bytes = outputs * step_row_bytes;
};

/// Where 16-byte chunk `chunk` of a row lies: eight rows' equal chunks lie in eight different groups of banks.
__device__ __forceinline__ int swizzled(int row, int chunk) { return row * step_row_bytes + ((chunk ^ (row & 7)) << 4); }

/// Four quants times the factor, plus the offset, as bf16.
///
/// Byte u in the second place of 2^15 is the float 2^15 + u, without a conversion, and a permutation of bytes puts it there: less than
/// three instructions a weight (permute, multiply and add, half a packing). That 2^15 is taken off in the sum that adds the offset rounds
/// at 2^-9 of the factor, which is of one step of the quants: less than bf16 does to a weight of one step or more.
template <bool is_signed>
__device__ __forceinline__ void unpack_four(int word, float factor, float offset, Word& low, Word& high) {
  const Word bytes = is_signed ? static_cast<Word>(word) ^ 0x80808080U : static_cast<Word>(word);
  const float beside = fmaf(is_signed ? -32896.0F : -32768.0F, factor, offset);
  float w[4];
  LECTERN_UNROLL
  for (Word i = 0; i < 4; ++i) w[i] = fmaf(factor, float_of_bits(permute_bytes(bytes, 0x47000000U, 0x7404U | i << 4)), beside);
  low = pack_brains(w[0], w[1]);
  high = pack_brains(w[2], w[3]);
}

/// The weights' side of a block's tile: rows of shared memory from rows of a matrix.
template <DType type, class Tile, bool gated>
struct TileWeights {
  static constexpr bool unpacked = is_quantised<type>;
  using Extent = TileExtent<Tile>;
  /// A thread's share of a step: stretches of 32 columns.
  static constexpr int stretches = Extent::outputs * 2 / Extent::threads;
  static constexpr int block_outputs = gated ? Extent::outputs / 2 : Extent::outputs;

  /// Both of a row in one thread where it takes two: they have much in common.
  static __device__ __forceinline__ int own_row(int i) { return (thread_number() * stretches + i) / 2; }
  static __device__ __forceinline__ int stretch_of(int step, int i) { return 2 * step + (thread_number() * stretches + i) % 2; }

  /// Of a gated tile each warp has outputs of both matrices, half of its columns each, so that a thread holds what belongs together.
  static __device__ __forceinline__ int output_of(int row) {
    if (!gated) return block_y() * block_outputs + row;
    return block_y() * block_outputs + row / Tile::warp_outputs * (Tile::warp_outputs / 2) + row % (Tile::warp_outputs / 2);
  }
  static __device__ __forceinline__ int matrix_of(int row) { return gated && row % Tile::warp_outputs >= Tile::warp_outputs / 2 ? 1 : 0; }

  static __device__ __forceinline__ const std::uint8_t* row_of(const TileProduct& product, int row) {
    // Rows beyond the last read the last one's weights; their sums go nowhere.
    const int output = output_of(row) < product.outputs ? output_of(row) : product.outputs - 1;
    return (matrix_of(row) == 0 ? product.weights : product.second) + static_cast<std::size_t>(output) * product.row_bytes;
  }
};

/// A step of the rows' side, or of weights that need no unpacking: bytes of rows from a place that row_of() tells. `whole`: the rows have
/// all columns of every step; else what is beyond `columns` becomes zeros.
template <int rows, int threads, bool whole, class RowOf>
__device__ __forceinline__ void copy_step(std::uint8_t* shared, int step, int columns, const RowOf& row_of) {
  LECTERN_UNROLL
  for (int i = 0; i < rows * 8 / threads; ++i) {
    const int at = i * threads + thread_number();
    const int row = at / 8;
    const int chunk = at % 8;
    const int column = step * step_columns + 8 * chunk;
    // An address that nothing is read from must be one nevertheless.
    const bool wanted = whole || column < columns;
    copy_beside(shared + swizzled(row, chunk), row_of(row) + 2 * (wanted ? column : 0), wanted);
  }
}

/// Rows of x, of which the tile's first is `first_row`.
template <class Tile>
__device__ __forceinline__ void copy_input(const TileProduct& product, int first_row, int step, std::uint8_t* shared) {
  copy_step<TileExtent<Tile>::rows, TileExtent<Tile>::threads, true>(shared, step, product.x.stride, [&](int row) {
    const int from = first_row + row < product.rows ? first_row + row : product.rows - 1;
    return reinterpret_cast<const std::uint8_t*>(product.x.values + static_cast<std::size_t>(from) * static_cast<std::size_t>(product.x.stride));
  });
}

/// Quantised weights on their way through a thread's registers: of the step after the next, under way, and of the next, which are unpacked
/// between this one's products. Of float weights it does nothing.
///
/// A step of a row is 32 bytes of nibbles at most, and threads side by side read rows far apart: what crosses from the second-level cache are
/// whole sectors of 32 bytes, 25 to 32 bytes a clock and multiprocessor. Past the first-level cache Q4_K would be 128 bytes a row and
/// step, 48 KB with the rows of x in the 1,024 clocks that the products take, and Q6_K 80 KB; with the sectors kept until the rest of them is asked for
/// they are 36 bytes and 53, 25 KB and 29 KB.
template <DType type, class Tile, bool gated>
class ComingWeights {
 public:
  using Weights = TileWeights<type, Tile, gated>;

  __device__ __forceinline__ explicit ComingWeights(const TileProduct& product) : stretches_((product.columns + 31) / 32), planes_(plane_offsets(plane_shape_of<type>, stretches_)) {
    LECTERN_UNROLL
    for (int i = 0; i < Weights::stretches; ++i) own_[i] = Weights::row_of(product, Weights::own_row(i));
  }

  __device__ __forceinline__ void load(int step) {
    // Beyond the columns the rows are zeros: any weights will do.
    if constexpr (in_pairs) {
      const int even = 2 * step < stretches_ ? 2 * step : stretches_ - 2;
      load_pair<type, Kept::briefly, Kept::longer>(own_[0], planes_, even, coming_);
    } else if constexpr (Weights::unpacked) {
      LECTERN_UNROLL
      for (int i = 0; i < Weights::stretches; ++i) {
        const int stretch = Weights::stretch_of(step, i);
        coming_[i] = load_stretch<type, Kept::briefly, Kept::longer>(own_[i], planes_, stretch < stretches_ ? stretch : stretches_ - 1);
      }
    }
  }

  /// What was loaded is next.
  __device__ __forceinline__ void take() {
    if constexpr (Weights::unpacked) {
      LECTERN_UNROLL
      for (int i = 0; i < Weights::stretches; ++i) raw_[i] = coming_[i];
    }
  }

  /// Of four equal parts of the thread's share of the step, which was taken.
  __device__ __forceinline__ void store(int step, int part, std::uint8_t* shared) {
    if constexpr (Weights::unpacked) {
      LECTERN_UNROLL
      for (int i = part * Weights::stretches; i < (part + 1) * Weights::stretches; ++i) {
        // Eight weights: two words of quants.
        const int chunk = i % 4;
        const int stretch = Weights::stretch_of(step, i / 4);
        if (chunk == 0) block_ = unpack_stretch<type>(raw_[i / 4], stretch);
        Word words[4];
        LECTERN_UNROLL
        for (int half = 0; half < 2; ++half) {
          unpack_four<has_signed_quants<type>>(block_.q[2 * chunk + half], block_.factor[chunk / 2], block_.offset[chunk / 2], words[2 * half], words[2 * half + 1]);
        }
        store_words(shared + swizzled(Weights::own_row(i / 4), stretch % 2 * 4 + chunk), words);
      }
    }
  }

 private:
  static constexpr bool in_pairs = Weights::stretches == 2 && has_heads<type>;

  int stretches_;
  PlaneOffsets planes_;
  const std::uint8_t* own_[Weights::stretches];
  RawStretch coming_[Weights::stretches];
  RawStretch raw_[Weights::stretches];
  WeightBlock block_;
};

/// A power of two that takes what is `bound` at most below half of the largest half.
__device__ __forceinline__ int packing_exponent(float bound) {
  const int exponent = static_cast<int>(bits_of_float(bound) >> 23) - 127;
  return 13 - (exponent < -100 ? -100 : exponent > 126 ? 126 : exponent);
}
__device__ __forceinline__ float power_of_two(int exponent) { return float_of_bits(static_cast<Word>(127 + exponent) << 23); }

/// The endings of products with weights of f16 that leave something else than floats: the sum of an output, bias added.
__device__ __forceinline__ void hand_on(const TileProduct& product, int row, int output, float sum) {
  if (product.ending == Ending::keep) {
    const KeptRows& kept = product.kept;
    const int batch_row = kept.first_row + row;
    const int size = kept.cache.head_size;
    const std::size_t at = kept.cache.at(kept.layer, kept.slots[batch_row], kept.value, kept.cells[batch_row], output / size) + static_cast<std::size_t>(output % size);
    if (kept.cache.type == CacheType::halves) static_cast<std::uint16_t*>(kept.cache.data)[at] = float_to_half(sum);
    else static_cast<float*>(kept.cache.data)[at] = sum;
    return;
  }
  const PackedEnd& end = product.end;
  // Rounded once: threads whose code was made another way must not find another power of two.
  const float bound = fmaf(product.x.sizes[row], float_of_bits(static_cast<Word>(*end.weight)), end.bias == nullptr ? 0.0F : float_of_bits(static_cast<Word>(*end.bias)));
  const int exponent = packing_exponent(bound);
  const float y = gelu(sum);
  end.out.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(end.out.stride) + static_cast<std::size_t>(output)] =
      static_cast<std::uint16_t>(pack_halves(y * power_of_two(exponent), 0.0F) & 0xFFFFU);
  if (output == 0) end.out.scales[row] = power_of_two(-exponent);
}

/// What becomes of the sum of an output, or of the outputs of both matrices where `gated`; `before` is what y holds.
template <bool gated>
__device__ __forceinline__ float finished(const TileProduct& product, int output, float scale, float sum, float second, const float* before) {
  sum *= scale;
  if constexpr (gated) return sum / (1.0F + expf(-sum)) * (scale * second);
  if (product.bias != nullptr) sum += product.bias[output];
  if (product.ending == Ending::add) sum += *before;
  if (product.ending == Ending::gelu) sum = gelu(sum);
  return sum;
}

/// The sum of an output of a row, or those of both matrices where `gated`, comes to its end.
template <DType type, bool gated>
__device__ __forceinline__ void finish_output(const TileProduct& product, int row, int output, float scale, float sum, float second) {
  if constexpr (type == DType::f16 && !gated) {
    if (product.ending == Ending::keep || product.ending == Ending::pack) {
      sum *= scale;
      return hand_on(product, row, output, product.bias == nullptr ? sum : sum + product.bias[output]);
    }
  }
  float* const y = product.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(product.outputs) + static_cast<std::size_t>(output);
  float value = finished<gated>(product, output, scale, sum, second, y);
  if constexpr (type == DType::f16 && !gated) {
    if (product.ending == Ending::scale) value *= product.factor;
  }
  *y = value;
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
