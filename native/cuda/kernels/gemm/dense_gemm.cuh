// Matrices of 16-bit floats times many rows by warpgroups: both sides come to shared memory by copies that the device makes by itself, so that
// nobody does anything but multiply. Quantised weights are unpacked to bf16 before (unpack_rows.cuh), once for all rows, where the tiles of
// wgmma_gemm.cuh unpack them once for each 128.
//
// A block has one of the chip's multiprocessors to itself and takes one tile after the other, 128 rows by 256 outputs: two warpgroups multiply, each
// 64 rows and all outputs; a thread beside them asks for the steps of 64 columns that come, four of 48 KB, also of the next tile while this one ends.
//
// A sum adds its columns from the left, sixteen by sixteen, by the same instructions as in wgmma_gemm.cuh, and so to the same bits;
// warpgroup_selection.cuh has the device show it.
#pragma once

#include "cuda/simt/async_copies.h"
#include "cuda/kernels/gemm/gemm_tile.cuh"
#include "cuda/simt/warpgroups.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int dense_rows = 128;
constexpr int dense_columns = 256;  // outputs of a tile; of a gated one half of them of each matrix
constexpr int dense_box_rows = 128;
constexpr int dense_stages = 4;
constexpr int dense_consumers = 8;  // warps
// A third warpgroup, of which one thread asks for copies, so that the registers of the others can go to those who multiply.
constexpr int dense_threads = 32 * (dense_consumers + 4);
constexpr int dense_few_registers = 40;
constexpr int dense_many_registers = 232;
constexpr int dense_box_bytes = dense_box_rows * step_row_bytes;
constexpr int dense_stage_bytes = 3 * dense_box_bytes;
/// Of a warp, for sums on their way out: 16 rows of 64.
constexpr int dense_way_out_floats = 16 * 64;
constexpr std::size_t dense_shared_bytes = matrix_alignment + dense_stages * dense_stage_bytes + sizeof(float) * dense_consumers * dense_way_out_floats + 2 * dense_stages * sizeof(CopyBarrier);
/// Rows' tiles that are taken beside one another before the next outputs: their rows stay in the second-level cache.
constexpr int dense_rows_beside = 16;

constexpr int dense_matrices = 3;

struct DenseProduct {
  TileProduct products[dense_matrices];  // of one input; their weights are not looked at
  int first_output[dense_matrices];      // of this part
  int outputs[dense_matrices];           // of this part, of one matrix
  int count;
  TileMap rows;
  TileMap weights[dense_matrices];  // of a gated product the first two
};

template <bool gated>
constexpr int dense_tile_outputs = gated ? dense_columns / 2 : dense_columns;

template <bool gated>
__host__ __device__ __forceinline__ int dense_output_tiles(const DenseProduct& work) {
  int tiles = 0;
  for (int i = 0; i < work.count; ++i) tiles += (work.outputs[i] + dense_tile_outputs<gated> - 1) / dense_tile_outputs<gated>;
  return tiles;
}

/// Which tile comes when: `turn` counts them.
struct DenseTile {
  int row;     // of the products
  int matrix;
  int output;  // of the matrix' part
};
template <bool gated>
__device__ __forceinline__ DenseTile dense_tile(const DenseProduct& work, int row_tiles, int output_tiles, int turn) {
  const int beside = turn / (dense_rows_beside * output_tiles) * dense_rows_beside;
  const int together = row_tiles - beside < dense_rows_beside ? row_tiles - beside : dense_rows_beside;
  const int within = turn % (dense_rows_beside * output_tiles);
  DenseTile tile{(beside + within % together) * dense_rows, 0, within / together * dense_tile_outputs<gated>};
  while (tile.output >= work.outputs[tile.matrix]) {
    tile.output -= (work.outputs[tile.matrix] + dense_tile_outputs<gated> - 1) / dense_tile_outputs<gated> * dense_tile_outputs<gated>;
    ++tile.matrix;
  }
  return tile;
}

/// What becomes of a warp's sums, 16 rows of all outputs: by way of shared memory, 64 columns at a time, so that each access of the device's memory is of
/// 256 bytes of a row. From where the tensor cores leave them it would be of 32 bytes of eight rows, which takes as long as products of 512 columns.
template <bool halves, Ending ending>
class DenseEnd {
 public:
  static constexpr bool gated = ending == Ending::gated;
  /// A lane has four outputs of a row at a time; of a gated product as many of both matrices.
  static constexpr int lanes_of_row = gated ? 8 : 16;
  static constexpr int rows_together = 32 / lanes_of_row;
  static constexpr int turns = 16 / rows_together;
  static constexpr int parts = 4;

  /// `first_row`: of the warp; `first_output`: of the tile; `own`: the warp's shared memory.
  __device__ __forceinline__ DenseEnd(const TileProduct& product, int first_row, int first_output, float* own)
      : product_(product), first_row_(first_row + thread_number() % 32 / lanes_of_row), first_output_(first_output + 4 * (thread_number() % lanes_of_row)), own_(own) {
    LECTERN_UNROLL
    for (int i = 0; i < turns; ++i) {
      const int row = row_of(i) < product.rows ? row_of(i) : 0;
      scale_[i] = halves ? product.x.scales == nullptr ? 1.0F : product.x.scales[row] : 1.0F;
      if constexpr (ending == Ending::keep) {
        const int batch_row = product.kept.first_row + row;
        kept_[i] = product.kept.cache.at(product.kept.layer, product.kept.slots[batch_row], product.kept.value, product.kept.cells[batch_row], 0);
      }
      if constexpr (ending == Ending::pack) {
        // Rounded once: threads whose code was made another way must not find another power of two.
        const float bound = fmaf(product.x.sizes[row], float_of_bits(static_cast<Word>(*product.end.weight)), product.end.bias == nullptr ? 0.0F : float_of_bits(static_cast<Word>(*product.end.bias)));
        const int exponent = packing_exponent(bound);
        packing_[i] = power_of_two(exponent);
        if (first_output_ == 0 && row_of(i) < product.rows) product.end.out.scales[row] = power_of_two(-exponent);
      }
    }
  }

  __device__ __forceinline__ void finish(const float (&sums)[dense_columns / 8][4]) const {
    LECTERN_UNROLL
    for (int part = 0; part < parts; ++part) {
      const int output = first_output_ + 4 * lanes_of_row * part;
      float before[turns][4];
      if constexpr (ending == Ending::add) {
        // All on their way together: one after the other they would take as long as the products.
        LECTERN_UNROLL
        for (int i = 0; i < turns; ++i) load(row_of(i), output, before[i]);
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
            if constexpr (ending == Ending::add) sum += before[i][k];
            if constexpr (ending == Ending::gelu || ending == Ending::pack) sum = gelu(sum);
            if constexpr (ending == Ending::scale) sum *= product_.factor;
            if constexpr (ending == Ending::pack) sum *= packing_[i];
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
  /// Eight columns lie where eight others would: rows that are written together lie in different banks.
  __device__ __forceinline__ float* place(int row, int column) const { return own_ + 64 * row + 8 * (column / 8 ^ (row & 7)) + column % 8; }

  __device__ __forceinline__ void put_part(int part, const float (&sums)[dense_columns / 8][4]) const {
    const int lane = thread_number() % 32;
    LECTERN_UNROLL
    for (int o = 0; o < 8; ++o) {
      // Of a gated part the second half are the other matrix's.
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
    if constexpr (ending == Ending::keep) {
      // A cell's heads follow one another, as outputs do.
      const std::size_t at = kept_[turn] + static_cast<std::size_t>(output);
      if (product_.kept.cache.type == CacheType::floats) return store_floats(static_cast<float*>(product_.kept.cache.data) + at, output, values);
      auto* const to = static_cast<std::uint16_t*>(product_.kept.cache.data) + at;
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
    } else if constexpr (ending == Ending::pack) {
      // Whole steps of columns: all four are there.
      auto* const to = product_.end.out.values + static_cast<std::size_t>(row_of(turn)) * static_cast<std::size_t>(product_.end.out.stride) + static_cast<std::size_t>(output);
      *reinterpret_cast<Words<2>*>(to) = {{pack_halves(values[0], values[1]), pack_halves(values[2], values[3])}};
    } else {
      store_floats(y_at(row_of(turn), output), output, values);
    }
  }

  const TileProduct& product_;
  int first_row_;
  int first_output_;
  float* own_;
  float scale_[turns];
  std::size_t kept_[ending == Ending::keep ? turns : 1];
  float packing_[ending == Ending::pack ? turns : 1];
};

/// Grid: as many blocks as run at a time. `others`: the ending of all matrices but the first.
template <bool halves, Ending ending, Ending others>
__global__ LECTERN_LAUNCH_BOUNDS(dense_threads, 1) void multiply_dense_tiles(const LECTERN_IN_PLACE DenseProduct work) {
#if defined(LECTERN_HAS_GROUPS)
  constexpr bool gated = ending == Ending::gated;
  std::uint8_t* const stages = dynamic_shared() + (matrix_alignment - shared_address(dynamic_shared()) % matrix_alignment) % matrix_alignment;
  auto* const way_out = reinterpret_cast<float*>(stages + dense_stages * dense_stage_bytes);
  auto* const full = reinterpret_cast<CopyBarrier*>(way_out + dense_consumers * dense_way_out_floats);
  CopyBarrier* const empty = full + dense_stages;
  const int warp = thread_number() / 32;
  const int steps = (work.products[0].columns + step_columns - 1) / step_columns;
  const int row_tiles = (work.products[0].rows + dense_rows - 1) / dense_rows;
  const int output_tiles = dense_output_tiles<gated>(work);

  if (thread_number() == 0) {
    for (int stage = 0; stage < dense_stages; ++stage) {
      init_barrier(full + stage, 1);
      init_barrier(empty + stage, dense_consumers);
    }
    show_barriers();
  }
  synchronise_block();

  if (warp >= dense_consumers) {
    give_up_registers<dense_few_registers>();
    if (thread_number() == 32 * dense_consumers) {
      int k = 0;
      for (int turn = block_x(); turn < row_tiles * output_tiles; turn += grid_x()) {
        const DenseTile tile = dense_tile<gated>(work, row_tiles, output_tiles, turn);
        LECTERN_NO_UNROLL
        for (int step = 0; step < steps; ++step, ++k) {
          const int stage = k % dense_stages;
          std::uint8_t* const to = stages + stage * dense_stage_bytes;
          if (k >= dense_stages) wait_for(empty + stage, k / dense_stages - 1);
          arrive_expecting(full + stage, dense_stage_bytes);
          copy_box(to, work.rows, step * step_columns, tile.row, full + stage);
          copy_box(to + dense_box_bytes, work.weights[tile.matrix], step * step_columns, tile.output, full + stage);
          copy_box(to + 2 * dense_box_bytes, work.weights[gated ? 1 : tile.matrix], step * step_columns, tile.output + (gated ? 0 : dense_box_rows), full + stage);
        }
      }
    }
  } else {
    take_registers<dense_many_registers>();
    int k = 0;
    const auto release = [&](int step) {
      if (thread_number() % 32 == 0) arrive(empty + step % dense_stages);
    };
    for (int turn = block_x(); turn < row_tiles * output_tiles; turn += grid_x()) {
      float sums[dense_columns / 8][4];
      LECTERN_UNROLL
      for (auto& of_block : sums) {
        LECTERN_UNROLL
        for (float& sum : of_block) sum = 0.0F;
      }
      hold_sums(sums);
      LECTERN_NO_UNROLL
      for (int step = 0; step < steps; ++step, ++k) {
        const int stage = k % dense_stages;
        wait_for(full + stage, k / dense_stages);
        const Word begin = shared_address(stages) + static_cast<Word>(stage * dense_stage_bytes);
        const MatrixPlace rows = place_at(begin + static_cast<Word>(warp / 4 * warpgroup_rows * step_row_bytes));
        const MatrixPlace weights = place_at(begin + static_cast<Word>(dense_box_bytes));
        begin_products();
        LECTERN_UNROLL
        for (int part = 0; part < step_columns / product_columns; ++part) multiply_group<halves>(sums, further(rows, part), further(weights, part));
        end_products();
        // The step before is done, and its place may be written.
        wait_for_products<1>();
        if (step > 0) release(k - 1);
      }
      wait_for_products<0>();
      release(k - 1);
      hold_sums(sums);
      const DenseTile tile = dense_tile<gated>(work, row_tiles, output_tiles, turn);
      const TileProduct& product = work.products[tile.matrix];
      const int first_output = work.first_output[tile.matrix] + tile.output;
      if (ending == others || tile.matrix == 0) DenseEnd<halves, ending>(product, tile.row + 16 * warp, first_output, way_out + warp * dense_way_out_floats).finish(sums);
      else DenseEnd<halves, others>(product, tile.row + 16 * warp, first_output, way_out + warp * dense_way_out_floats).finish(sums);
    }
  }
#endif
}

template <bool halves, Ending ending, Ending others = ending>
void launch_dense_end(Stream stream, int processors, const DenseProduct& work) {
  const int tiles = (work.products[0].rows + dense_rows - 1) / dense_rows * dense_output_tiles<ending == Ending::gated>(work);
  launch_shared(stream, multiply_dense_tiles<halves, ending, others>, Grid{tiles < processors ? tiles : processors}, dense_threads, dense_shared_bytes, work);
}

template <bool halves>
void launch_dense(Stream stream, int processors, const DenseProduct& work) {
  switch (work.products[0].ending) {
    case Ending::put: return launch_dense_end<halves, Ending::put>(stream, processors, work);
    case Ending::add: return launch_dense_end<halves, Ending::add>(stream, processors, work);
    case Ending::gelu: return launch_dense_end<halves, Ending::gelu>(stream, processors, work);
    case Ending::gated: return launch_dense_end<halves, Ending::gated>(stream, processors, work);
    default: break;
  }
  if constexpr (halves) {
    switch (work.products[0].ending) {
      case Ending::scale: return launch_dense_end<true, Ending::scale, Ending::keep>(stream, processors, work);
      case Ending::keep: return launch_dense_end<true, Ending::keep>(stream, processors, work);
      case Ending::pack: return launch_dense_end<true, Ending::pack>(stream, processors, work);
      default: break;
    }
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
