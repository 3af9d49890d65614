// The inner loops, one table of them per instruction level. Plain C types only: the files behind it are compiled for
// processors that the caller may not have.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/instructions.h"
#include "tensor/dtype.h"

namespace lectern::cpu {

/// Rows of activations lie in tiles of 16, 8, 4, 2 and 1 rows, as many of each as fit: tile_rows() of the remaining rows.
/// As floats a tile is (columns, rows of the tile). Quantised, it holds for each 32 columns the rows' 32 bytes each, followed by the
/// rows' BlockSums each.
constexpr int tile_rows(int left) { return left >= 16 ? 16 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1; }

/// The sums of 32 bytes of a quantised row.
struct BlockSums {
  float scale;              // unit of the bytes
  float sum;                // of the 32 bytes, times the scale
  std::int32_t less;        // minus the sum of the 32 bytes
  std::int32_t less_first;  // minus the sum of the first 16
};

/// Bytes of one quantised row's 32 columns.
constexpr int quantised_bytes = 32 + sizeof(BlockSums);

/// Quantised to 14 bits, a tile holds for each 32 columns the rows' 32 words of 16 bits each, followed by the rows' scales, a float each.
/// Columns missing from the last 32 are zeros.
constexpr int wide_bytes = 64 + 4;
/// The sum of 32 products of such words stays below 2^31.
constexpr int most_wide_quant = 8191;

/// The number of blocks of packed weights whose headers, of that many bytes each, stand together before their quants: as many as fill whole
/// vectors of 64 bytes, so that the quants are aligned.
constexpr int header_blocks(int header_bytes) { return header_bytes % 64 == 0 ? 1 : 2; }

/// Multiplies `groups` groups of packed rows with `rows` rows of activations: out[row * stride + 16 * group + lane].
using Multiply = void (*)(const std::byte* packed, std::size_t group_bytes, int columns, int groups, const void* activations, int rows, float* out,
                          std::ptrdiff_t stride);

/// Queries of one KV head over the positions of one slot. Keys lie as (positions / 16, head_size, 16), values as
/// (positions, head_size), with positions rounded up to 64.
struct AttentionTask {
  const void* keys;
  const void* values;
  int head_size;
  int count;                    // number of queries
  const float* const* queries;  // (count) of (head_size)
  float* const* out;            // (count) of (head_size); may be the queries themselves
  const std::int32_t* first;    // (count) a query attends to positions first .. visible - 1, at least one
  const std::int32_t* visible;  // (count)
  float cap;                    // a score s becomes cap * tanh(s / cap); 0: it stays
  const std::int32_t* cells;    // (count) of the queries, with slopes
  const float* slopes;          // (count) a score loses slope * |cell - position|; or null
  const float* sinks;           // (count) one more score of the softmax, whose value is zero; or null
};

struct Kernels {
  Multiply multiply[most_dtype + 1];  // by DType
  void (*attend_f16)(const AttentionTask& task);
  void (*attend_f32)(const AttentionTask& task);
  /// Norm of backend/ops.h; bias null: RMS norm. out may be x.
  void (*norm)(const float* x, const float* weight, const float* bias, float epsilon, int columns, float* out);
  /// Quantises row `index` of a tile. columns: a multiple of 32. If a row is not finite, all its scales become NaN.
  void (*quantise)(const float* x, int columns, int tile, int index, void* out);
  /// The same to 14 bits, for any number of columns.
  void (*quantise_wide)(const float* x, int columns, int tile, int index, void* out);
  void (*spread)(const float* x, int columns, int tile, int index, float* out);
  /// gate[i] = silu(gate[i]) * up[i]
  void (*gate)(float* gate, const float* up, int count);
  /// gate[i] = activation(gate[i], up[i]), as backend/ops.h defines them
  void (*gate_gelu_tanh)(float* gate, const float* up, int count);
  void (*gate_gelu)(float* gate, const float* up, int count);
  void (*gate_clamped)(float* gate, const float* up, int count);
  void (*gelu)(float* x, int count);
  /// Rounds to half precision. Values beyond its range become its largest number; NaN stays NaN.
  void (*to_f16)(const float* x, int count, std::uint16_t* out);
  /// Only 8-bit products, at full speed; returns the number of operations (two a product). For the bench.
  std::int64_t (*exercise)(int rounds);
};

/// The table of a level that this processor has. Null if this build has no kernels of that level.
const Kernels* kernels_of(Instructions level);

const Kernels& baseline_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
const Kernels& neon_kernels();
const Kernels& neon_dotprod_kernels();
const Kernels& neon_i8mm_kernels();

}  // namespace lectern::cpu
