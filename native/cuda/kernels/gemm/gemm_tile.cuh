// What the tensor-core GEMM kernels share: the extent of a tile, the unpacking of its weights to
// shared memory, the loads of its rows, and the epilogues.
#pragma once

#include "cuda/kernels/common/gelu.cuh"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// The extent of a tile that the warps of a block share: each takes warp_rows by warp_outputs of it.
template <class Tile>
struct TileExtent {
  static constexpr int rows = Tile::warp_rows * Tile::row_warps;
  static constexpr int outputs = Tile::warp_outputs * Tile::output_warps;
  static constexpr int threads = 32 * Tile::row_warps * Tile::output_warps;
  static constexpr int row_bytes = rows * tile_k_bytes;
  static constexpr int weight_bytes = outputs * tile_k_bytes;
};

/// The swizzled offset of 16-byte chunk `chunk` of a row: equal chunks of eight rows lie in eight different groups of banks.
__device__ __forceinline__ int swizzled_offset(int row, int chunk) { return row * tile_k_bytes + ((chunk ^ (row & 7)) << 4); }

/// Four quants times the scale, plus the offset, as bf16.
///
/// The byte u, put into the second byte of the float 2^15, makes it 2^15 + u without a conversion, and a byte permutation does that: fewer than
/// three instructions per weight (permute, multiply-add, half a packing). Subtracting 2^15 in the addition of the offset rounds
/// at 2^-9 of the scale, the step of the quants: less than bf16 rounds a weight of one step or more.
template <bool is_signed>
__device__ __forceinline__ void dequantise_four(int word, float factor, float offset, Word& low, Word& high) {
  const Word bytes = is_signed ? static_cast<Word>(word) ^ 0x80808080U : static_cast<Word>(word);
  const float beside = fmaf(is_signed ? -32896.0F : -32768.0F, factor, offset);
  float w[4];
  LECTERN_UNROLL
  for (Word i = 0; i < 4; ++i) w[i] = fmaf(factor, float_of_bits(permute_bytes(bytes, 0x47000000U, 0x7404U | i << 4)), beside);
  low = pack_bf16(w[0], w[1]);
  high = pack_bf16(w[2], w[3]);
}

/// The weight operand of a tile: rows of shared memory from rows of a matrix.
template <DType type, class Tile, bool gated>
struct WeightTile {
  static constexpr bool unpacked = is_quantised<type>;
  using Extent = TileExtent<Tile>;
  /// The part of a K tile that a thread takes: quant blocks of 32 columns.
  static constexpr int quant_blocks = Extent::outputs * 2 / Extent::threads;
  static constexpr int block_outputs = gated ? Extent::outputs / 2 : Extent::outputs;

  /// A thread that takes two quant blocks takes both of one row: they have much in common.
  static __device__ __forceinline__ int own_row(int i) { return (thread_number() * quant_blocks + i) / 2; }
  static __device__ __forceinline__ int quant_block_of(int step, int i) { return 2 * step + (thread_number() * quant_blocks + i) % 2; }

  /// In a gated tile each warp has outputs of both matrices, half of its columns each, so that a thread holds the two that belong together.
  static __device__ __forceinline__ int output_of(int row) {
    if (!gated) return block_y() * block_outputs + row;
    return block_y() * block_outputs + row / Tile::warp_outputs * (Tile::warp_outputs / 2) + row % (Tile::warp_outputs / 2);
  }
  static __device__ __forceinline__ int matrix_of(int row) { return gated && row % Tile::warp_outputs >= Tile::warp_outputs / 2 ? 1 : 0; }

  static __device__ __forceinline__ const std::uint8_t* row_of(const GemmParams& product, int row) {
    // Rows beyond the last read the weights of the last row; their sums are not stored.
    const int output = output_of(row) < product.outputs ? output_of(row) : product.outputs - 1;
    return (matrix_of(row) == 0 ? product.weights : product.second) + static_cast<std::size_t>(output) * product.row_bytes;
  }
};

/// Loads a K tile of the rows, or of weights that need no unpacking: row_of() gives the address of a row. `whole`: the rows have
/// all columns of every K tile; otherwise columns from `columns` on become zeros.
template <int rows, int threads, bool whole, class RowOf>
__device__ __forceinline__ void copy_step(std::uint8_t* shared, int step, int columns, const RowOf& row_of) {
  LECTERN_UNROLL
  for (int i = 0; i < rows * 8 / threads; ++i) {
    const int at = i * threads + thread_number();
    const int row = at / 8;
    const int chunk = at % 8;
    const int column = step * tile_k + 8 * chunk;
    // The address must be valid even if nothing is read.
    const bool wanted = whole || column < columns;
    cp_async_16(shared + swizzled_offset(row, chunk), row_of(row) + 2 * (wanted ? column : 0), wanted);
  }
}

/// Rows of x; the tile begins with `first_row`.
template <class Tile>
__device__ __forceinline__ void copy_input(const GemmParams& product, int first_row, int step, std::uint8_t* shared) {
  copy_step<TileExtent<Tile>::rows, TileExtent<Tile>::threads, true>(shared, step, product.x.stride, [&](int row) {
    const int from = first_row + row < product.rows ? first_row + row : product.rows - 1;
    return reinterpret_cast<const std::uint8_t*>(product.x.values + static_cast<std::size_t>(from) * static_cast<std::size_t>(product.x.stride));
  });
}

/// Quantised weights in the registers of a thread: those of the K tile after the next are in flight, those of the next are unpacked
/// between the products of this one. For float weights it does nothing.
///
/// A row of a K tile has at most 32 bytes of nibbles, and neighbouring threads read distant rows, so whole sectors of 32 bytes cross from the
/// L2 cache, 25 to 32 bytes per clock and multiprocessor. Without the L1 cache Q4_K would need 128 bytes per row and
/// K tile, 48 KB with the rows of x in the 1,024 clocks of the products, and Q6_K 80 KB; with sectors kept in L1 until their remaining bytes are read
/// they need 36 and 53 bytes, 25 KB and 29 KB.
template <DType type, class Tile, bool gated>
class WeightPrefetch {
 public:
  using Weights = WeightTile<type, Tile, gated>;

  __device__ __forceinline__ explicit WeightPrefetch(const GemmParams& product) : quant_blocks_((product.columns + 31) / 32), planes_(plane_offsets(plane_shape_of<type>, quant_blocks_)) {
    LECTERN_UNROLL
    for (int i = 0; i < Weights::quant_blocks; ++i) own_[i] = Weights::row_of(product, Weights::own_row(i));
  }

  __device__ __forceinline__ void load(int step) {
    // Beyond the columns the rows are zeros: any weights will do.
    if constexpr (in_pairs) {
      const int even = 2 * step < quant_blocks_ ? 2 * step : quant_blocks_ - 2;
      load_pair<type, CachePolicy::evict_first, CachePolicy::evict_last>(own_[0], planes_, even, next_);
    } else if constexpr (Weights::unpacked) {
      LECTERN_UNROLL
      for (int i = 0; i < Weights::quant_blocks; ++i) {
        const int quant_block = Weights::quant_block_of(step, i);
        next_[i] = load_quant_block<type, CachePolicy::evict_first, CachePolicy::evict_last>(own_[i], planes_, quant_block < quant_blocks_ ? quant_block : quant_blocks_ - 1);
      }
    }
  }

  /// The weights in flight become those of the next K tile.
  __device__ __forceinline__ void take() {
    if constexpr (Weights::unpacked) {
      LECTERN_UNROLL
      for (int i = 0; i < Weights::quant_blocks; ++i) raw_[i] = next_[i];
    }
  }

  /// Unpacks one of four equal parts of the thread's weights of the next K tile.
  __device__ __forceinline__ void store(int step, int part, std::uint8_t* shared) {
    if constexpr (Weights::unpacked) {
      LECTERN_UNROLL
      for (int i = part * Weights::quant_blocks; i < (part + 1) * Weights::quant_blocks; ++i) {
        // Eight weights: two words of quants.
        const int chunk = i % 4;
        const int quant_block = Weights::quant_block_of(step, i / 4);
        if (chunk == 0) block_ = unpack_quant_block<type>(raw_[i / 4], quant_block);
        Word words[4];
        LECTERN_UNROLL
        for (int half = 0; half < 2; ++half) {
          dequantise_four<has_signed_quants<type>>(block_.q[2 * chunk + half], block_.factor[chunk / 2], block_.offset[chunk / 2], words[2 * half], words[2 * half + 1]);
        }
        store_words(shared + swizzled_offset(Weights::own_row(i / 4), quant_block % 2 * 4 + chunk), words);
      }
    }
  }

 private:
  static constexpr bool in_pairs = Weights::quant_blocks == 2 && has_superblock_head<type>;

  int quant_blocks_;
  PlaneOffsets planes_;
  const std::uint8_t* own_[Weights::quant_blocks];
  RawQuantBlock next_[Weights::quant_blocks];
  RawQuantBlock raw_[Weights::quant_blocks];
  WeightBlock block_;
};

/// The exponent of a power of two that scales values up to `bound` below half of the largest f16.
__device__ __forceinline__ int packing_exponent(float bound) {
  const int exponent = static_cast<int>(bits_of_float(bound) >> 23) - 127;
  return 13 - (exponent < -100 ? -100 : exponent > 126 ? 126 : exponent);
}
__device__ __forceinline__ float power_of_two(int exponent) { return float_of_bits(static_cast<Word>(127 + exponent) << 23); }

/// The epilogues of f16 products that do not store floats; `sum` includes the bias.
__device__ __forceinline__ void store_converted(const GemmParams& product, int row, int output, float sum) {
  if (product.epilogue == Epilogue::store_kv) {
    const KvTarget& kept = product.kv;
    const int batch_row = kept.first_row + row;
    const int size = kept.cache.head_size;
    const std::size_t at = kept.cache.at(kept.layer, kept.slots[batch_row], kept.value, kept.cells[batch_row], output / size) + static_cast<std::size_t>(output % size);
    if (kept.cache.type == CacheType::halves) static_cast<std::uint16_t*>(kept.cache.data)[at] = float_to_half(sum);
    else static_cast<float*>(kept.cache.data)[at] = sum;
    return;
  }
  const PackedOutput& end = product.packed;
  // Rounded once: code that was compiled differently must not find another power of two.
  const float bound = fmaf(product.x.sizes[row], float_of_bits(static_cast<Word>(*end.weight)), end.bias == nullptr ? 0.0F : float_of_bits(static_cast<Word>(*end.bias)));
  const int exponent = packing_exponent(bound);
  const float y = gelu(sum);
  end.out.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(end.out.stride) + static_cast<std::size_t>(output)] =
      static_cast<std::uint16_t>(pack_f16(y * power_of_two(exponent), 0.0F) & 0xFFFFU);
  if (output == 0) end.out.scales[row] = power_of_two(-exponent);
}

/// Applies the epilogue to the sum of an output, or to those of both matrices in a gated product; `residual` is what y holds.
template <bool gated>
__device__ __forceinline__ float apply_epilogue(const GemmParams& product, int output, float scale, float sum, float second, const float* residual) {
  sum *= scale;
  if constexpr (gated) return sum / (1.0F + expf(-sum)) * (scale * second);
  if (product.bias != nullptr) sum += product.bias[output];
  if (product.epilogue == Epilogue::add) sum += *residual;
  if (product.epilogue == Epilogue::gelu) sum = gelu(sum);
  return sum;
}

/// Applies the epilogue and stores the output.
template <DType type, bool gated>
__device__ __forceinline__ void store_output(const GemmParams& product, int row, int output, float scale, float sum, float second) {
  if constexpr (type == DType::f16 && !gated) {
    if (product.epilogue == Epilogue::store_kv || product.epilogue == Epilogue::pack) {
      sum *= scale;
      return store_converted(product, row, output, product.bias == nullptr ? sum : sum + product.bias[output]);
    }
  }
  float* const y = product.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(product.outputs) + static_cast<std::size_t>(output);
  float value = apply_epilogue<gated>(product, output, scale, sum, second, y);
  if constexpr (type == DType::f16 && !gated) {
    if (product.epilogue == Epilogue::scale) value *= product.factor;
  }
  *y = value;
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
