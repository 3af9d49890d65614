// Matrices of 16-bit floats times many rows by warpgroups: both sides come to shared memory by copies that the device makes by itself, so that
// nobody does anything but multiply. Quantised weights are unpacked to bf16 before (unpack_rows.cuh), once for all rows, where the tiles of
// group_tiles.cuh unpack them once for each 128.
//
// A block has one of the chip's multiprocessors to itself and takes one tile after the other, 128 rows by 256 outputs: two warpgroups multiply, each
// 64 rows and all outputs; a thread beside them asks for the steps of 64 columns that come, four of 48 KB, also of the next tile while this one ends.
//
// A sum adds its columns from the left, sixteen by sixteen, by the same instructions as in group_tiles.cuh, and so to the same bits;
// group_choice.cuh has the device show it.
#pragma once

#include "cuda/async_copies.h"
#include "cuda/kernels/tile_parts.cuh"
#include "cuda/warpgroups.h"

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
constexpr std::size_t dense_shared_bytes = matrix_alignment + dense_stages * dense_stage_bytes + 2 * dense_stages * sizeof(CopyBarrier);
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

/// What becomes of a thread's sums: of rows g and g + 8 of the warp's 16 each two outputs of every eight. All endings write what four lanes have of a
/// row side by side: whole sectors of floats.
template <bool halves, Ending ending>
class DenseEnd {
 public:
  static constexpr bool gated = ending == Ending::gated;
  static constexpr int blocks = dense_columns / 8 / (gated ? 2 : 1);

  /// `first_row`: of the warp; `first_output`: of the tile.
  __device__ __forceinline__ DenseEnd(const TileProduct& product, int first_row, int first_output) : product_(product), output_(first_output + 2 * (thread_number() % 4)) {
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      row_[half] = first_row + thread_number() % 32 / 4 + 8 * half;
      there_[half] = row_[half] < product.rows;
      if (!there_[half]) row_[half] = 0;
      scale_[half] = halves ? product.x.scales == nullptr ? 1.0F : product.x.scales[row_[half]] : 1.0F;
    }
    if constexpr (ending == Ending::keep) {
      LECTERN_UNROLL
      for (int half = 0; half < 2; ++half) {
        const int batch_row = product.kept.first_row + row_[half];
        kept_[half] = product.kept.cache.at(product.kept.layer, product.kept.slots[batch_row], product.kept.value, product.kept.cells[batch_row], 0);
      }
    }
    if constexpr (ending == Ending::pack) {
      LECTERN_UNROLL
      for (int half = 0; half < 2; ++half) {
        // Rounded once: threads whose code was made another way must not find another power of two.
        const float bound = fmaf(product.x.sizes[row_[half]], float_of_bits(static_cast<Word>(*product.end.weight)), product.end.bias == nullptr ? 0.0F : float_of_bits(static_cast<Word>(*product.end.bias)));
        const int exponent = packing_exponent(bound);
        packing_[half] = power_of_two(exponent);
        if (first_output == 0 && thread_number() % 4 == 0 && there_[half]) product.end.out.scales[row_[half]] = power_of_two(-exponent);
      }
    }
  }

  __device__ __forceinline__ void finish(const float (&sums)[dense_columns / 8][4]) const {
    // Some blocks' own are on their way while others are finished.
    constexpr int together = 8;
    Words<2> before[2][together][2];
    if constexpr (ending == Ending::add) load(0, before[0]);
    LECTERN_UNROLL
    for (int first = 0; first < blocks; first += together) {
      if constexpr (ending == Ending::add) {
        if (first + together < blocks) load(first + together, before[(first / together + 1) % 2]);
      }
      LECTERN_UNROLL
      for (int o = first; o < first + together; ++o) {
        const int output = output_ + 8 * o;
        // An even number of outputs, or the second of two is looked at by itself.
        float bias[2] = {0.0F, 0.0F};
        if (!gated && product_.bias != nullptr) {
          LECTERN_UNROLL
          for (int i = 0; i < 2; ++i) bias[i] = output + i < product_.outputs ? product_.bias[output + i] : 0.0F;
        }
        LECTERN_UNROLL
        for (int half = 0; half < 2; ++half) {
          float values[2];
          LECTERN_UNROLL
          for (int i = 0; i < 2; ++i) {
            float sum = sums[o][2 * half + i] * scale_[half];
            if constexpr (gated) {
              sum = sum / (1.0F + expf(-sum)) * (scale_[half] * sums[o + blocks][2 * half + i]);
            } else {
              sum += bias[i];
              if constexpr (ending == Ending::add) sum += float_of_bits(before[first / together % 2][o - first][half].w[i]);
              if constexpr (ending == Ending::gelu || ending == Ending::pack) sum = gelu(sum);
              if constexpr (ending == Ending::scale) sum *= product_.factor;
              if constexpr (ending == Ending::pack) sum *= packing_[half];
            }
            values[i] = sum;
          }
          if (there_[half]) store(half, output, values);
        }
      }
    }
  }

 private:
  __device__ __forceinline__ float* place(int half, int output) const {
    return product_.y + static_cast<std::size_t>(row_[half]) * static_cast<std::size_t>(product_.outputs) + static_cast<std::size_t>(output);
  }
  __device__ __forceinline__ bool in_pairs() const { return product_.outputs % 2 == 0; }

  template <int together>
  __device__ __forceinline__ void load(int first, Words<2> (&before)[together][2]) const {
    LECTERN_UNROLL
    for (int o = 0; o < together; ++o) {
      const int output = output_ + 8 * (first + o);
      LECTERN_UNROLL
      for (int half = 0; half < 2; ++half) {
        before[o][half] = {{0, 0}};
        if (!there_[half] || output >= product_.outputs) continue;
        const float* const from = place(half, output);
        if (in_pairs()) {
          before[o][half] = *reinterpret_cast<const Words<2>*>(from);
        } else {
          before[o][half].w[0] = bits_of_float(from[0]);
          if (output + 1 < product_.outputs) before[o][half].w[1] = bits_of_float(from[1]);
        }
      }
    }
  }

  __device__ __forceinline__ void store(int half, int output, const float (&values)[2]) const {
    if (output >= product_.outputs) return;
    const bool both = output + 1 < product_.outputs;
    if constexpr (ending == Ending::keep) {
      // A cell's heads follow one another, as outputs do.
      const std::size_t at = kept_[half] + static_cast<std::size_t>(output);
      if (product_.kept.cache.type == CacheType::halves) {
        auto* const to = static_cast<std::uint16_t*>(product_.kept.cache.data) + at;
        if (in_pairs()) {
          *reinterpret_cast<Word*>(to) = float_to_half(values[0]) | static_cast<Word>(float_to_half(values[1])) << 16;
        } else {
          to[0] = float_to_half(values[0]);
          if (both) to[1] = float_to_half(values[1]);
        }
      } else {
        auto* const to = static_cast<float*>(product_.kept.cache.data) + at;
        to[0] = values[0];
        if (both) to[1] = values[1];
      }
    } else if constexpr (ending == Ending::pack) {
      // Whole steps of columns: both are there.
      *reinterpret_cast<Word*>(product_.end.out.values + static_cast<std::size_t>(row_[half]) * static_cast<std::size_t>(product_.end.out.stride) + static_cast<std::size_t>(output)) =
          pack_halves(values[0], values[1]);
    } else {
      float* const to = place(half, output);
      if (in_pairs()) {
        *reinterpret_cast<Words<2>*>(to) = {{bits_of_float(values[0]), bits_of_float(values[1])}};
      } else {
        to[0] = values[0];
        if (both) to[1] = values[1];
      }
    }
  }

  const TileProduct& product_;
  int output_;
  int row_[2];
  bool there_[2];
  float scale_[2];
  std::size_t kept_[2];
  float packing_[2];
};

/// Grid: as many blocks as run at a time. `others`: the ending of all matrices but the first.
template <bool halves, Ending ending, Ending others>
__global__ LECTERN_LAUNCH_BOUNDS(dense_threads, 1) void multiply_dense_tiles(const LECTERN_IN_PLACE DenseProduct work) {
#if defined(LECTERN_HAS_GROUPS)
  constexpr bool gated = ending == Ending::gated;
  std::uint8_t* const stages = dynamic_shared() + (matrix_alignment - shared_address(dynamic_shared()) % matrix_alignment) % matrix_alignment;
  auto* const full = reinterpret_cast<CopyBarrier*>(stages + dense_stages * dense_stage_bytes);
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
      if (ending == others || tile.matrix == 0) DenseEnd<halves, ending>(product, tile.row + 16 * warp, first_output).finish(sums);
      else DenseEnd<halves, others>(product, tile.row + 16 * warp, first_output).finish(sums);
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
