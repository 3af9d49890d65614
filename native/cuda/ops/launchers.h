// What the host asks kernels for: plain descriptions of the work, and the functions that queue it, each defined in one of units/. C++17.
//
// Kernels whose parts are compiled for every type take minutes together; behind these declarations each unit is compiled by itself.
#pragma once

#include "backend/ops.h"
#include "cuda/kernels/gemv/activation_planes.cuh"
#include "cuda/kernels/common/kv_cache.cuh"
#include "cuda/kernels/common/norm.cuh"
#include "tensor/dtype.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

// --- Weights and tables (units/weight_layout.cu) ---

/// The largest magnitude of many numbers: a float's bits, to be compared as they are. Zero before the first.
using LargestBits = std::uint64_t;

/// Rows of a file, from one to the next file_row_bytes, to planes on the device: placed_row_bytes each. Of f16 `largest` becomes theirs, where
/// they have more; else it may be null.
template <DType type>
void launch_repack(Stream stream, const std::uint8_t* file, std::size_t file_row_bytes, int columns, int rows, std::uint8_t* placed, LargestBits* largest);

/// *largest = that of `count` floats.
void launch_find_largest(Stream stream, const float* values, std::size_t count, LargestBits* largest);

/// x[r] (+)= table[numbers[r]] (+ extra). numbers: on the device.
template <DType type>
void launch_look_up(Stream stream, const Matrix& table, int rows, const int* numbers, const float* extra, bool adds, float* x);

// --- Products of any rows (units/plain_gemm.cu) ---

/// One product. `part` chooses a matrix of several for each row of x, or is null.
struct Product {
  const std::uint8_t* weights;
  std::size_t row_bytes;
  std::size_t part_bytes;
  int outputs;
  int columns;
  const void* x;  // (rows, columns) as the format wants them
  int rows;
  int row_divisor;  // row r of the result takes row r / row_divisor of x
  const int* part;  // (rows) or null
  const float* bias;
  float* y;  // (rows, outputs)
  bool adds;  // y += instead of y =
};

template <DType type>
void launch_product(Stream stream, const Product& product);

/// Of float weights and float rows, in tiles, however few they are.
template <DType type>
void launch_float_tiles(Stream stream, const Product& product);

// --- Products of many rows by the tensor cores (units/tiles_*.cu) ---

/// Columns of one step through shared memory: rows of 128 bytes, which is what the swizzle below is for.
constexpr int step_columns = 64;
constexpr int step_row_bytes = 2 * step_columns;

/// Rows as the tensor cores take them: x = scale * value. Values: (rows, stride), zeros from the columns on; f16 for weights of
/// f16, else bf16. The scales, powers of two that keep f16 in its range, are null for bf16.
struct PackedRows {
  std::uint16_t* values;
  float* scales;  // (rows) or null
  int stride;     // a multiple of step_columns
  float* sizes;   // (rows) where there are scales: the sum of the magnitudes of x
};

inline int packed_stride(int columns) { return (columns + step_columns - 1) / step_columns * step_columns; }

/// Whether weights of this type and so many columns go by tiles; others go by floats.
inline bool goes_by_tiles(DType type, int columns) {
  if (type == DType::f32) return false;
  return info_of(type).block_elements > 1 || columns % 8 == 0;  // copies are of 16 bytes
}

/// What becomes of a sum s, bias added.
enum class Ending {
  put,    // y = s
  add,    // y += s
  gelu,   // y = s / 2 * (1 + erf(s / sqrt(2)))
  gated,  // y = silu(s of the first matrix) * (s of the second)
  // Of f16 alone:
  scale,  // y = s * factor
  keep,   // s goes to the cache
  pack,   // y = s / 2 * (1 + erf(s / sqrt(2))), as the next product takes it
};

/// Where keys or values go.
struct KeptRows {
  Cache cache;       // of halves or floats
  const int* slots;  // of the batch's rows
  const int* cells;
  int first_row;  // of the batch
  int layer;
  int value;  // 0: keys, 1: values
};

/// Rows that a product leaves packed. How large a row can become is known before: no sum is larger than the row's size times the largest weight
/// and the largest bias.
struct PackedEnd {
  PackedRows out;  // as many columns as the product has outputs, a multiple of step_columns
  const LargestBits* weight;
  const LargestBits* bias;  // or null
};

struct TileProduct {
  const std::uint8_t* weights;
  const std::uint8_t* second;  // the ending is `gated`, or null
  std::size_t row_bytes;
  int outputs;
  int columns;
  PackedRows x;
  int rows;
  const float* bias;  // (outputs) or null; not where `gated`
  float* y;           // (rows, outputs)
  Ending ending;
  float factor = 1.0F;  // scale
  KeptRows kept{};      // keep
  PackedEnd end{};      // pack
};

/// Large tiles from `large_from` of them on. Not of f32.
template <DType type>
void launch_tiles(Stream stream, int large_from, const TileProduct& product);

/// Shared memory of the largest tile.
std::size_t large_tile_bytes();

/// Whether launch_group_tiles() has kernels for this type: what 70B models and bge-m3 consist of.
constexpr bool goes_by_groups(DType type) {
  return type == DType::q4_k || type == DType::q5_k || type == DType::q6_k || type == DType::q5_0 || type == DType::q8_0 || type == DType::f16;
}

/// The same by warpgroups, on chips that have them (sm_90a): `processors` of them. The last bits of sums are others than launch_tiles() makes.
template <DType type>
void launch_group_tiles(Stream stream, int processors, const TileProduct& product);

/// `values`: (rows, packed_stride(columns)) as bf16. Of types that go_by_groups(), halves excepted.
template <DType type>
void launch_unpack(Stream stream, const std::uint8_t* weights, std::size_t row_bytes, int rows, int columns, std::uint16_t* values);

/// Some of a product's outputs, with weights as 16-bit floats. The product's own weights are not looked at.
struct DenseMatrix {
  TileProduct product;
  const void* weights;  // of these outputs
  const void* second;   // the ending is `gated`, or null
  int first_output;
  int outputs;
};

/// Outputs that a part has a multiple of, all but the last.
constexpr int dense_part_outputs = 256;

/// Products of one input with `count` matrices, three at most, to the bits of launch_group_tiles(). Several: `put` all, or of halves `scale`, then `keep`. row_bytes:
/// from one row of weights to the next. `halves`, else bf16.
void launch_dense_tiles(Stream stream, int processors, bool halves, std::size_t row_bytes, const DenseMatrix* matrices, int count);

/// out[r] = norm(x[r]), as the tensor cores take it: f16 and a scale where out has scales, else bf16. `normed`: norm(x[r]) as floats too, may
/// be x; or null. out.values null: floats alone.
void launch_pack(Stream stream, int rows, const NormParameters& norm, int columns, const float* x, const PackedRows& out, float* normed);

// --- Attention of many rows (units/attention_prefill.cu) ---

/// A query row is one head of one token: the heads that share keys and values lie in one tile, so that these are read once for all.
constexpr int query_rows = 128;
constexpr int cell_tile = 64;
constexpr int flash_threads = 256;  // 16 query rows a warp

/// Tokens of one text that follow one another.
struct QueryTile {
  int first_row;  // of the batch
  int tokens;
  int slot;
  int begin;  // the cells that any of them sees, `begin` a multiple of cell_tile
  int end;
};

/// Whether heads of this size go by tiles of this kernel.
inline bool goes_by_flash(const KvShape& shape) {
  return (shape.dtype == DType::f16 ? shape.head_size % 8 == 0 : shape.dtype == DType::q8_0) && shape.head_size <= 128;
}

inline int tokens_of_tile(int group) { return group > query_rows ? 0 : query_rows / group; }

/// Of `count` tiles; q and out begin with the batch's row `first_row`.
void launch_tile_attention(Stream stream, const Cache& cache, int query_heads, int layer, const QueryTile* tiles, int count, const int* first, const int* visible, int first_row, const float* q,
                           float* out);

/// Whether such tiles go by warpgroups on chips that have them (sm_90a, units/wgmma_attention.cu).
inline bool goes_by_group_attention(const KvShape& shape) { return goes_by_flash(shape) && shape.dtype == DType::f16; }

/// The same by them. The last bits are others.
void launch_group_attention(Stream stream, const Cache& cache, int query_heads, int layer, const QueryTile* tiles, int count, const int* first, const int* visible, int first_row, const float* q,
                            float* out);

// --- Products of one to four rows (units/decode_*.cu) ---

constexpr int decode_threads = 512;
constexpr int decode_warps = decode_threads / 32;
constexpr int rows_per_warp = 4;
constexpr int most_decode_rows = 4;

/// What becomes of a product.
enum class Then { store, add, heads, gated };

/// A matrix of the product; those of one kernel have the same columns.
struct DecodeMatrix {
  const std::uint8_t* weights;
  const float* bias;  // (rows) or null
  DType type;
  int rows;
  int pitch;  // bytes from one row to the next
};

struct DecodeWork {
  DecodeMatrix matrices[3];  // heads: query, key, value; gated: gate, up; else one
  int columns;
  int rows;  // of x, most_decode_rows at most
  // The input: bytes where another kernel left some, else floats with the norm.
  const std::uint8_t* quantised;  // (rows, activation_row_bytes) or null
  const float* x;                 // (rows, columns)
  const int* chosen;              // (rows) of x, or null: in order
  NormParameters norm;            // RMS; weight null: none
  // Of bytes that are x times the norm's weight alone: (rows, columns / 32), the sums of x's squares by stretches, which the rest of the norm is made of; or null.
  const float* squares;
  Then then;
  float* y;                     // store, add, gated: (rows, rows of the matrix); heads: the queries
  std::uint8_t* quantised_out;  // gated: y once more as bytes; add: y times norm_out, or null
  const float* norm_out;        // (rows of the matrix), a multiple of 32
  float* squares_out;           // (rows, rows of the matrix / 32)
  HeadWork heads;
  Cache cache;
};

/// Shared memory beside the input: what gated products quantise together, and sums of the norm.
constexpr std::size_t decode_shared_bytes(int columns, int rows) {
  return static_cast<std::size_t>(rows) * (static_cast<std::size_t>(activation_row_bytes(columns / 32)) + 2 * decode_warps * sizeof(float)) + most_decode_rows * 32 * sizeof(float);
}

/// `width`: 1, 2, or 4 for three and four rows.
template <int width>
void launch_decode(Stream stream, int blocks, const DecodeWork& work);

/// Weight rows that a warp takes together from its ring: what is read of x serves both.
constexpr int ring_rows = 2;
/// Two rows' pieces on their way to a warp.
constexpr int slot_bytes = 4608;
constexpr int most_slots = 8;

/// How a block shares its memory where the weights go through rings: slots of each warp, bytes of the input, and stretches that a block's gated
/// products gather at most.
struct RingShape {
  int slots;
  int input_bytes;
  int gathered;
};

constexpr std::size_t ring_shared_bytes(const RingShape& shape) {
  const int slots = decode_warps * shape.slots;
  return static_cast<std::size_t>(slots) * (slot_bytes + sizeof(std::uint64_t)) + static_cast<std::size_t>(shape.input_bytes) + sizeof(float) * 32 * most_decode_rows * static_cast<std::size_t>(shape.gathered + 1) +
         sizeof(int) * static_cast<std::size_t>(shape.gathered);
}

/// The same as launch_decode() with the same bits, on chips of compute capability 9.0 and more. Shared memory: ring_shared_bytes().
template <int width>
void launch_ring_decode(Stream stream, int blocks, const RingShape& shape, const DecodeWork& work);

/// Weight rows of a tile, which warps of a block multiply together by the tensor cores: each takes four stretches of a piece of the rows. One more warp
/// ends what has been summed, and one asks for pieces.
constexpr int decode_tile_rows = 16;
constexpr int multiplying_warps = 16;
constexpr int decode_tile_threads = 32 * (multiplying_warps + 2);
/// All but those that ask, which begin with that.
constexpr int reading_threads = 32 * (multiplying_warps + 1);
/// Of a piece.
constexpr int tile_stretches = 4 * multiplying_warps;
/// Where slots of the ring that pieces come through begin, and how many there are at most.
constexpr int slot_alignment = 1024;
constexpr int most_tile_slots = 12;
/// Zeros in shared memory, for lanes that multiply by nothing.
constexpr int zero_bytes = 16;

/// How a block shares its memory: slots of the block, their bytes, and bytes of the input. And what tiles it has: `each` of a block's units, one more in the first `more` blocks.
struct DecodeTileShape {
  int slots;
  int slot_bytes;
  int input_bytes;
  int each = 0;
  int more = 0;
  int ahead = 0;  // slots that are filled at a time at first
};

constexpr std::size_t decode_tile_shared_bytes(const DecodeTileShape& shape) {
  // Sums of two tiles by all warps, 32 outputs that a gated product gathers, what the norm adds up, zeros, barriers, and what is lost before the first slot.
  return static_cast<std::size_t>(shape.slots) * (static_cast<std::size_t>(shape.slot_bytes) + 2 * sizeof(std::uint64_t)) + static_cast<std::size_t>(shape.input_bytes) +
         sizeof(float) * most_decode_rows * (2 * multiplying_warps * decode_tile_rows + 32 + 32) + zero_bytes + 5 * sizeof(std::uint64_t) + slot_alignment;
}

/// The same as launch_decode() by the tensor cores, on chips of compute capability 9.0 and more; the last bits are others. Heads have multiples of decode_tile_rows, and of the pairs that are turned whole halves of as many.
/// Shared memory: decode_tile_shared_bytes().
template <int width>
void launch_decode_tiles(Stream stream, int blocks, const DecodeTileShape& shape, const DecodeWork& work);

// --- Attention of single rows (units/attention_decode.cu) ---

/// The most parts of a row; a warp weighs them all.
constexpr int most_splits = 64;
/// What a part of a row leaves: for each (row, query head, split) the sum of shares times values, their largest score and their sum.
struct SplitParts {
  float* values;  // (rows, heads, most_splits, head_size)
  float* largest;  // (rows, heads, most_splits)
  float* totals;
  int* arrived;  // (rows, heads) at most: how many parts of what shares keys and values are there; zeros before and after
};

/// What a block takes.
std::size_t split_shared_bytes(const KvShape& kv, int group);

/// Ops::attend of `rows` rows of the batch from first_row on. q, out: (rows, heads * head_size); `quantised`: out once more as bytes
/// (head_size a multiple of 32), or null.
void launch_splits(Stream stream, const Cache& cache, int query_heads, int layer, const int* slots, const int* first, const int* visible, int first_row, int rows, const float* q,
                   const SplitParts& parts, float* out, std::uint8_t* quantised);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
