// GEMM of 16-bit weights by wgmma, warp-specialised: the copy engine loads both operands to shared memory, so that the consumer warpgroups
// only multiply. Quantised weights are unpacked to bf16 beforehand (unpack_rows.cuh), once for all rows, where wgmma_gemm.cuh
// unpacks them once for each 128 rows.
//
// Persistent thread blocks, one per multiprocessor, take one tile of 128 rows by 256 outputs after the other. Two consumer warpgroups multiply, each
// 64 rows and all outputs. A producer thread loads K tiles of 64 columns into four stages of 48 KB, also those of the next tile while the epilogue of this one runs.
//
// A sum adds its columns from the left, sixteen by sixteen, by the same instructions as in wgmma_gemm.cuh, and so has the same bits;
// warpgroup_selection.cuh verifies that on the device.
#pragma once

#include "cuda/simt/async_copies.h"
#include "cuda/kernels/gemm/gemm_tile.cuh"
#include "cuda/simt/warpgroups.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int dense_rows = 128;
constexpr int dense_columns = 256;  // outputs of a tile; of a gated product half of them from each matrix
constexpr int dense_box_rows = 128;
constexpr int dense_stages = 4;
constexpr int dense_consumers = 8;  // warps
// A third warpgroup has the producer thread; its registers go to the consumers.
constexpr int dense_threads = 32 * (dense_consumers + 4);
constexpr int dense_few_registers = 40;
constexpr int dense_many_registers = 232;
constexpr int dense_box_bytes = dense_box_rows * tile_k_bytes;
constexpr int dense_stage_bytes = 3 * dense_box_bytes;
/// The staging buffer of a warp for its accumulators: 16 rows of 64.
constexpr int dense_epilogue_floats = 16 * 64;
constexpr std::size_t dense_shared_bytes = matrix_alignment + dense_stages * dense_stage_bytes + sizeof(float) * dense_consumers * dense_epilogue_floats + 2 * dense_stages * sizeof(Mbarrier);
/// Row tiles that are taken before the next output tiles (rasterisation): their rows stay in the L2 cache.
constexpr int dense_raster_tiles = 16;

constexpr int dense_matrices = 3;

struct DenseGemmParams {
  GemmParams products[dense_matrices];  // of one input; their weights are not read
  int first_output[dense_matrices];      // of this part
  int outputs[dense_matrices];           // of this part, of one matrix
  int count;
  TensorMap2d rows;
  TensorMap2d weights[dense_matrices];  // of a gated product the first two
};

template <bool gated>
constexpr int dense_tile_outputs = gated ? dense_columns / 2 : dense_columns;

template <bool gated>
__host__ __device__ __forceinline__ int dense_output_tiles(const DenseGemmParams& params) {
  int tiles = 0;
  for (int i = 0; i < params.count; ++i) tiles += (params.outputs[i] + dense_tile_outputs<gated> - 1) / dense_tile_outputs<gated>;
  return tiles;
}

/// The order of the tiles: `turn` counts them.
struct DenseTile {
  int row;     // of the products
  int matrix;
  int output;  // in this part of the matrix
};
template <bool gated>
__device__ __forceinline__ DenseTile dense_tile(const DenseGemmParams& params, int row_tiles, int output_tiles, int turn) {
  const int beside = turn / (dense_raster_tiles * output_tiles) * dense_raster_tiles;
  const int together = row_tiles - beside < dense_raster_tiles ? row_tiles - beside : dense_raster_tiles;
  const int within = turn % (dense_raster_tiles * output_tiles);
  DenseTile tile{(beside + within % together) * dense_rows, 0, within / together * dense_tile_outputs<gated>};
  while (tile.output >= params.outputs[tile.matrix]) {
    tile.output -= (params.outputs[tile.matrix] + dense_tile_outputs<gated> - 1) / dense_tile_outputs<gated> * dense_tile_outputs<gated>;
    ++tile.matrix;
  }
  return tile;
}

/// The epilogue of a warp, 16 rows of all outputs, through shared memory, 64 columns at a time, so that each access to global memory covers
/// 256 bytes of a row. Directly from the accumulator layout it would cover 32 bytes of eight rows, which takes as long as products of 512 columns.
template <bool halves, Epilogue epilogue>
class DenseEpilogue {
 public:
  static constexpr bool gated = epilogue == Epilogue::gated;
  /// A lane has four outputs of a row at a time; in a gated product four of each matrix.
  static constexpr int lanes_of_row = gated ? 8 : 16;
  static constexpr int rows_together = 32 / lanes_of_row;
  static constexpr int turns = 16 / rows_together;
  static constexpr int parts = 4;

  /// `first_row`: of the warp; `first_output`: of the tile; `own`: the shared memory of the warp.
  __device__ __forceinline__ DenseEpilogue(const GemmParams& product, int first_row, int first_output, float* own)
      : product_(product), first_row_(first_row + thread_number() % 32 / lanes_of_row), first_output_(first_output + 4 * (thread_number() % lanes_of_row)), own_(own) {
    LECTERN_UNROLL
    for (int i = 0; i < turns; ++i) {
      const int row = row_of(i) < product.rows ? row_of(i) : 0;
      scale_[i] = halves ? product.x.scales == nullptr ? 1.0F : product.x.scales[row] : 1.0F;
      if constexpr (epilogue == Epilogue::store_kv) {
        const int batch_row = product.kv.first_row + row;
        kept_[i] = product.kv.cache.at(product.kv.layer, product.kv.slots[batch_row], product.kv.value, product.kv.cells[batch_row], 0);
      }
      if constexpr (epilogue == Epilogue::pack) {
        // Rounded once: code that was compiled differently must not find another power of two.
        const float bound = fmaf(product.x.sizes[row], float_of_bits(static_cast<Word>(*product.packed.weight)), product.packed.bias == nullptr ? 0.0F : float_of_bits(static_cast<Word>(*product.packed.bias)));
        const int exponent = packing_exponent(bound);
        packing_[i] = power_of_two(exponent);
        if (first_output_ == 0 && row_of(i) < product.rows) product.packed.out.scales[row] = power_of_two(-exponent);
      }
    }
  }

  __device__ __forceinline__ void finish(const float (&sums)[dense_columns / 8][4]) const {
    LECTERN_UNROLL
    for (int part = 0; part < parts; ++part) {
      const int output = first_output_ + 4 * lanes_of_row * part;
      float residual[turns][4];
      if constexpr (epilogue == Epilogue::add) {
        // All loads in flight together: one after the other they would take as long as the products.
        LECTERN_UNROLL
        for (int i = 0; i < turns; ++i) load(row_of(i), output, residual[i]);
      }
      float bias[4] = {0.0F, 0.0F, 0.0F, 0.0F};
      if (!gated && product_.bias != nullptr) {
        LECTERN_UNROLL
        for (int k = 0; k < 4; ++k) bias[k] = output + k < product_.outputs ? product_.bias[output + k] : 0.0F;
      }
      synchronise_warp();
      put_part(part, sums);
      synchronise_warp();
      LECTERN_UNROLL
      for (int i = 0; i < turns; ++i) {
        const int row = thread_number() % 32 / lanes_of_row + rows_together * i;
        float values[4];
        take(row, 4 * (thread_number() % lanes_of_row), values);
        float second[4];
        if constexpr (gated) take(row, 32 + 4 * (thread_number() % lanes_of_row), second);
        LECTERN_UNROLL
        for (int k = 0; k < 4; ++k) {
          float sum = values[k] * scale_[i];
          if constexpr (gated) {
            sum = sum / (1.0F + expf(-sum)) * (scale_[i] * second[k]);
          } else {
            sum += bias[k];
            if constexpr (epilogue == Epilogue::add) sum += residual[i][k];
            if constexpr (epilogue == Epilogue::gelu || epilogue == Epilogue::pack) sum = gelu(sum);
            if constexpr (epilogue == Epilogue::scale) sum *= product_.factor;
            if constexpr (epilogue == Epilogue::pack) sum *= packing_[i];
          }
          values[k] = sum;
        }
        if (row_of(i) < product_.rows) store(i, output, values);
      }
    }
  }

 private:
  __device__ __forceinline__ int row_of(int turn) const { return first_row_ + rows_together * turn; }
  __device__ __forceinline__ bool in_fours() const { return product_.outputs % 4 == 0; }
  /// A swizzle of eight columns: rows that are written together lie in different banks.
  __device__ __forceinline__ float* place(int row, int column) const { return own_ + 64 * row + 8 * (column / 8 ^ (row & 7)) + column % 8; }

  __device__ __forceinline__ void put_part(int part, const float (&sums)[dense_columns / 8][4]) const {
    const int lane = thread_number() % 32;
    LECTERN_UNROLL
    for (int o = 0; o < 8; ++o) {
      // In a gated part the second half belongs to the other matrix.
      const int block = !gated ? 8 * part + o : o < 4 ? 4 * part + o : dense_columns / 16 + 4 * part + o - 4;
      LECTERN_UNROLL
      for (int half = 0; half < 2; ++half) {
        *reinterpret_cast<Words<2>*>(place(lane / 4 + 8 * half, 8 * o + 2 * (lane % 4))) = {{bits_of_float(sums[block][2 * half]), bits_of_float(sums[block][2 * half + 1])}};
      }
    }
  }
  __device__ __forceinline__ void take(int row, int column, float (&four)[4]) const {
    const auto words = *reinterpret_cast<const Words<4>*>(place(row, column));
    LECTERN_UNROLL
    for (int k = 0; k < 4; ++k) four[k] = float_of_bits(words.w[k]);
  }

  __device__ __forceinline__ float* y_at(int row, int output) const {
    return product_.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(product_.outputs) + static_cast<std::size_t>(output);
  }
  __device__ __forceinline__ void load(int row, int output, float (&four)[4]) const {
    LECTERN_UNROLL
    for (float& one : four) one = 0.0F;
    if (row >= product_.rows || output >= product_.outputs) return;
    const float* const from = y_at(row, output);
    if (in_fours()) {
      const auto words = *reinterpret_cast<const Words<4>*>(from);
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) four[k] = float_of_bits(words.w[k]);
      return;
    }
    LECTERN_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (output + k < product_.outputs) four[k] = from[k];
    }
  }
  __device__ __forceinline__ void store_floats(float* to, int output, const float (&four)[4]) const {
    if (in_fours()) {
      *reinterpret_cast<Words<4>*>(to) = {{bits_of_float(four[0]), bits_of_float(four[1]), bits_of_float(four[2]), bits_of_float(four[3])}};
      return;
    }
    LECTERN_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (output + k < product_.outputs) to[k] = four[k];
    }
  }

  __device__ __forceinline__ void store(int turn, int output, const float (&values)[4]) const {
    if (output >= product_.outputs) return;
    if constexpr (epilogue == Epilogue::store_kv) {
      // The heads of a KV cache position are contiguous, as outputs are.
      const std::size_t at = kept_[turn] + static_cast<std::size_t>(output);
      if (product_.kv.cache.type == CacheType::floats) return store_floats(static_cast<float*>(product_.kv.cache.data) + at, output, values);
      auto* const to = static_cast<std::uint16_t*>(product_.kv.cache.data) + at;
      std::uint16_t kept[4];
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) kept[k] = float_to_half(values[k]);
      if (in_fours()) {
        *reinterpret_cast<Words<2>*>(to) = {{kept[0] | static_cast<Word>(kept[1]) << 16, kept[2] | static_cast<Word>(kept[3]) << 16}};
        return;
      }
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) {
        if (output + k < product_.outputs) to[k] = kept[k];
      }
    } else if constexpr (epilogue == Epilogue::pack) {
      // Whole K tiles: all four columns exist.
      auto* const to = product_.packed.out.values + static_cast<std::size_t>(row_of(turn)) * static_cast<std::size_t>(product_.packed.out.stride) + static_cast<std::size_t>(output);
      *reinterpret_cast<Words<2>*>(to) = {{pack_f16(values[0], values[1]), pack_f16(values[2], values[3])}};
    } else {
      store_floats(y_at(row_of(turn), output), output, values);
    }
  }

  const GemmParams& product_;
  int first_row_;
  int first_output_;
  float* own_;
  float scale_[turns];
  std::size_t kept_[epilogue == Epilogue::store_kv ? turns : 1];
  float packing_[epilogue == Epilogue::pack ? turns : 1];
};

/// Grid: as many thread blocks as run at a time. `other_epilogue`: of all matrices but the first.
template <bool halves, Epilogue epilogue, Epilogue other_epilogue>
__global__ LECTERN_LAUNCH_BOUNDS(dense_threads, 1) void dense_gemm(const LECTERN_GRID_CONSTANT DenseGemmParams params) {
#if defined(LECTERN_HAS_WGMMA)
  constexpr bool gated = epilogue == Epilogue::gated;
  std::uint8_t* const stages = dynamic_shared() + (matrix_alignment - shared_address(dynamic_shared()) % matrix_alignment) % matrix_alignment;
  auto* const staging = reinterpret_cast<float*>(stages + dense_stages * dense_stage_bytes);
  auto* const full = reinterpret_cast<Mbarrier*>(staging + dense_consumers * dense_epilogue_floats);
  Mbarrier* const empty = full + dense_stages;
  const int warp = thread_number() / 32;
  const int steps = (params.products[0].columns + tile_k - 1) / tile_k;
  const int row_tiles = (params.products[0].rows + dense_rows - 1) / dense_rows;
  const int output_tiles = dense_output_tiles<gated>(params);

  if (thread_number() == 0) {
    for (int stage = 0; stage < dense_stages; ++stage) {
      mbarrier_init(full + stage, 1);
      mbarrier_init(empty + stage, dense_consumers);
    }
    fence_mbarrier_init();
  }
  synchronise_block();

  if (warp >= dense_consumers) {
    release_registers<dense_few_registers>();
    if (thread_number() == 32 * dense_consumers) {
      int k = 0;
      for (int turn = block_x(); turn < row_tiles * output_tiles; turn += grid_x()) {
        const DenseTile tile = dense_tile<gated>(params, row_tiles, output_tiles, turn);
        LECTERN_NO_UNROLL
        for (int step = 0; step < steps; ++step, ++k) {
          const int stage = k % dense_stages;
          std::uint8_t* const to = stages + stage * dense_stage_bytes;
          if (k >= dense_stages) mbarrier_wait(empty + stage, k / dense_stages - 1);
          mbarrier_arrive_expect(full + stage, dense_stage_bytes);
          bulk_copy_2d(to, params.rows, step * tile_k, tile.row, full + stage);
          bulk_copy_2d(to + dense_box_bytes, params.weights[tile.matrix], step * tile_k, tile.output, full + stage);
          bulk_copy_2d(to + 2 * dense_box_bytes, params.weights[gated ? 1 : tile.matrix], step * tile_k, tile.output + (gated ? 0 : dense_box_rows), full + stage);
        }
      }
    }
  } else {
    acquire_registers<dense_many_registers>();
    int k = 0;
    const auto release = [&](int step) {
      if (thread_number() % 32 == 0) mbarrier_arrive(empty + step % dense_stages);
    };
    for (int turn = block_x(); turn < row_tiles * output_tiles; turn += grid_x()) {
      float sums[dense_columns / 8][4];
      LECTERN_UNROLL
      for (auto& of_block : sums) {
        LECTERN_UNROLL
        for (float& sum : of_block) sum = 0.0F;
      }
      fence_accumulators(sums);
      LECTERN_NO_UNROLL
      for (int step = 0; step < steps; ++step, ++k) {
        const int stage = k % dense_stages;
        mbarrier_wait(full + stage, k / dense_stages);
        const Word begin = shared_address(stages) + static_cast<Word>(stage * dense_stage_bytes);
        const MatrixDescriptor rows = matrix_descriptor(begin + static_cast<Word>(warp / 4 * warpgroup_rows * tile_k_bytes));
        const MatrixDescriptor weights = matrix_descriptor(begin + static_cast<Word>(dense_box_bytes));
        wgmma_fence();
        LECTERN_UNROLL
        for (int part = 0; part < tile_k / wgmma_k; ++part) wgmma<halves>(sums, advance_descriptor(rows, part), advance_descriptor(weights, part));
        wgmma_commit();
        // The previous K tile is done, and its stage may be overwritten.
        wgmma_wait<1>();
        if (step > 0) release(k - 1);
      }
      wgmma_wait<0>();
      release(k - 1);
      fence_accumulators(sums);
      const DenseTile tile = dense_tile<gated>(params, row_tiles, output_tiles, turn);
      const GemmParams& product = params.products[tile.matrix];
      const int first_output = params.first_output[tile.matrix] + tile.output;
      if (epilogue == other_epilogue || tile.matrix == 0) DenseEpilogue<halves, epilogue>(product, tile.row + 16 * warp, first_output, staging + warp * dense_epilogue_floats).finish(sums);
      else DenseEpilogue<halves, other_epilogue>(product, tile.row + 16 * warp, first_output, staging + warp * dense_epilogue_floats).finish(sums);
    }
  }
#endif
}

template <bool halves, Epilogue epilogue, Epilogue other_epilogue = epilogue>
void launch_dense_epilogue(Stream stream, int processors, const DenseGemmParams& params) {
  const int tiles = (params.products[0].rows + dense_rows - 1) / dense_rows * dense_output_tiles<epilogue == Epilogue::gated>(params);
  launch_shared(stream, dense_gemm<halves, epilogue, other_epilogue>, Grid{tiles < processors ? tiles : processors}, dense_threads, dense_shared_bytes, params);
}

template <bool halves>
void launch_dense(Stream stream, int processors, const DenseGemmParams& params) {
  switch (params.products[0].epilogue) {
    case Epilogue::store: return launch_dense_epilogue<halves, Epilogue::store>(stream, processors, params);
    case Epilogue::add: return launch_dense_epilogue<halves, Epilogue::add>(stream, processors, params);
    case Epilogue::gelu: return launch_dense_epilogue<halves, Epilogue::gelu>(stream, processors, params);
    case Epilogue::gated: return launch_dense_epilogue<halves, Epilogue::gated>(stream, processors, params);
    default: break;
  }
  if constexpr (halves) {
    switch (params.products[0].epilogue) {
      case Epilogue::scale: return launch_dense_epilogue<true, Epilogue::scale, Epilogue::store_kv>(stream, processors, params);
      case Epilogue::store_kv: return launch_dense_epilogue<true, Epilogue::store_kv>(stream, processors, params);
      case Epilogue::pack: return launch_dense_epilogue<true, Epilogue::pack>(stream, processors, params);
      default: break;
    }
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
