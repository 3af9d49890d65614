// What the host passes to kernels: plain parameter structs, and the functions that launch the kernels, each defined in one of units/. C++17.
//
// Kernels that are instantiated for every weight type take minutes to compile together; behind these declarations each unit is compiled by itself.
#pragma once

#include "backend/ops.h"
#include "cuda/kernels/gemv/activation_planes.cuh"
#include "cuda/kernels/common/kv_cache.cuh"
#include "cuda/kernels/common/norm.cuh"
#include "tensor/dtype.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

// --- Weights and tables (units/weight_layout.cu) ---

/// The largest magnitude of many numbers: the bits of a float, which compare as the float does. Zero before the first number.
using LargestBits = std::uint64_t;

/// Repacks rows of a file (file_row_bytes from one to the next) to bit planes on the device, repacked_row_bytes each. For f16 weights `largest` is raised to their largest
/// magnitude; it may be null for other types.
template <DType type>
void launch_repack(Stream stream, const std::uint8_t* file, std::size_t file_row_bytes, int columns, int rows, std::uint8_t* placed, LargestBits* largest);

/// *largest = the largest magnitude of `count` floats.
void launch_find_largest(Stream stream, const float* values, std::size_t count, LargestBits* largest);

/// x[r] (+)= table[numbers[r]] (+ extra). numbers: device memory.
template <DType type>
void launch_look_up(Stream stream, const Matrix& table, int rows, const int* numbers, const float* extra, bool adds, float* x);

// --- GEMM without tensor cores (units/plain_gemm.cu) ---

/// One product. `part` selects one of several matrices for each row of x (experts), or is null.
struct PlainGemmParams {
  const std::uint8_t* weights;
  std::size_t row_bytes;
  std::size_t part_bytes;
  int outputs;
  int columns;
  const void* x;  // (rows, columns), in the form that the weight type needs
  int rows;
  int row_divisor;  // row r of the result reads row r / row_divisor of x
  const int* part;  // (rows) or null
  const float* bias;  // (outputs), of experts (parts, outputs), or null
  float* y;  // (rows, outputs)
  bool adds;  // y += instead of y =
};

template <DType type>
void launch_plain_gemm(Stream stream, const PlainGemmParams& product);

/// Float weights times float rows, always in tiles.
template <DType type>
void launch_float_gemm(Stream stream, const PlainGemmParams& product);

// --- GEMM by mma.sync (units/mma_gemm_*.cu) ---

/// The K extent of a tile, 64 columns: a row of 128 bytes, for which the swizzle below is made.
constexpr int tile_k = 64;
constexpr int tile_k_bytes = 2 * tile_k;

/// Rows in the form that the tensor cores read: x = scale * value. Values: (rows, stride), zeros from `columns` on; f16 for weights of
/// f16, else bf16. The scales are powers of two that keep f16 in its range; they are null for bf16.
struct PackedRows {
  std::uint16_t* values;
  float* scales;  // (rows) or null
  int stride;     // a multiple of tile_k
  float* sizes;   // (rows), with the scales: the sum of the magnitudes of x
};

inline int packed_stride(int columns) { return (columns + tile_k - 1) / tile_k * tile_k; }

/// Whether weights of this type and width are multiplied by the tensor cores; others are multiplied as floats.
inline bool has_mma_gemm(DType type, int columns) {
  if (type == DType::f32) return false;
  return info_of(type).block_elements > 1 || columns % 8 == 0;  // cp.async copies 16 bytes
}

/// What becomes of an accumulator s, to which the bias was added.
enum class Epilogue {
  store,    // y = s
  add,    // y += s
  gelu,   // y = s / 2 * (1 + erf(s / sqrt(2)))
  gated,  // y = silu(s of the first matrix) * (s of the second)
  // Only for f16 weights:
  scale,  // y = s * factor
  store_kv,   // s is stored in the KV cache
  pack,   // y = s / 2 * (1 + erf(s / sqrt(2))), packed for the next product
};

/// Where an epilogue stores keys or values.
struct KvTarget {
  Cache cache;       // of f16 or f32
  const int* slots;  // of the rows of the batch
  const int* cells;
  int first_row;  // of the batch
  int layer;
  int value;  // 0: keys, 1: values
};

/// Rows that an epilogue packs for the next product. Their scale is known before: no sum is larger than the size of the input row times the largest weight,
/// plus the largest bias.
struct PackedOutput {
  PackedRows out;  // as many columns as the product has outputs, a multiple of tile_k
  const LargestBits* weight;
  const LargestBits* bias;  // or null
};

struct GemmParams {
  const std::uint8_t* weights;
  const std::uint8_t* second;  // of a gated product, or null
  std::size_t row_bytes;
  int outputs;
  int columns;
  PackedRows x;
  int rows;
  const float* bias;  // (outputs) or null; not of a gated product
  float* y;           // (rows, outputs)
  Epilogue epilogue;
  float factor = 1.0F;  // for `scale`
  KvTarget kv{};      // for `store_kv`
  PackedOutput packed{};      // for `pack`
};

/// Uses large tiles where there are at least `large_from` of them. Not for f32.
template <DType type>
void launch_mma_gemm(Stream stream, int large_from, const GemmParams& product);

/// The shared memory of the largest tile.
std::size_t large_tile_shared_bytes();

/// Whether launch_wgmma_gemm() has kernels for this type: those that 70B models and bge-m3 consist of.
constexpr bool has_wgmma_gemm(DType type) {
  return type == DType::q4_k || type == DType::q5_k || type == DType::q6_k || type == DType::q5_0 || type == DType::q8_0 || type == DType::f16;
}

/// The same by wgmma, on sm_90a with `multiprocessors` multiprocessors. The last bits of sums differ from those of launch_mma_gemm().
template <DType type>
void launch_wgmma_gemm(Stream stream, int multiprocessors, const GemmParams& product);

/// Unpacks rows to bf16. `values`: (rows, packed_stride(columns)). For types that has_wgmma_gemm(), except f16.
template <DType type>
void launch_unpack_rows(Stream stream, const std::uint8_t* weights, std::size_t row_bytes, int rows, int columns, std::uint16_t* values);

/// Some outputs of a product, with weights as 16-bit floats. The weights of `product` itself are not read.
struct DenseGemmMatrix {
  GemmParams product;
  const void* weights;  // of these outputs
  const void* second;   // of a gated product, or null
  int first_output;
  int outputs;
};

/// Every part but the last has a multiple of so many outputs.
constexpr int dense_part_output_multiple = 256;

/// Products of one input with `count` matrices, three at most, with the bits of launch_wgmma_gemm(). With several matrices all have the epilogue `store`, or, for f16, the first `scale` and the others `store_kv`.
/// row_bytes: from one row of weights to the next. `halves`: f16, else bf16.
void launch_dense_gemm(Stream stream, int multiprocessors, bool halves, std::size_t row_bytes, const DenseGemmMatrix* matrices, int count);

/// out[r] = norm(x[r]), packed for the tensor cores: f16 with a scale where out has scales, else bf16. `normed`: where norm(x[r]) goes as floats, too; may
/// be x or null. out.values null: floats alone.
void launch_pack_rows(Stream stream, int rows, const NormParameters& norm, int columns, const float* x, const PackedRows& out, float* normed);

// --- Attention of prefill rows (units/attention_prefill.cu, wgmma_attention.cu) ---

/// A query row is one head of one token. The heads that share keys and values lie in one tile, so that these are read once for all of them.
constexpr int query_rows = 128;
constexpr int kv_tile = 64;
constexpr int flash_threads = 256;  // 16 query rows per warp

/// Consecutive tokens of one sequence.
struct QueryTile {
  int first_row;  // of the batch
  int tokens;
  int slot;
  int begin;  // the KV cache positions that any of them sees; `begin` is a multiple of kv_tile
  int end;
};

/// Whether this kernel handles heads of this size and type.
inline bool has_flash_attention(const KvShape& shape) {
  return (shape.dtype == DType::f16 ? shape.head_size % 8 == 0 : shape.dtype == DType::q8_0) && shape.head_size <= 128;
}

inline int tokens_per_tile(int group) { return group > query_rows ? 0 : query_rows / group; }

/// Attention of `count` tiles; q and out begin with row `first_row` of the batch.
void launch_flash_attention(Stream stream, const Cache& cache, int query_heads, int layer, const QueryTile* tiles, int count, const int* first, const int* visible, int first_row, const float* q,
                           float* out);

/// Whether wgmma_flash_attention handles them, on sm_90a.
inline bool has_wgmma_attention(const KvShape& shape) { return has_flash_attention(shape) && shape.dtype == DType::f16; }

/// The same by wgmma. The last bits differ.
void launch_wgmma_attention(Stream stream, const Cache& cache, int query_heads, int layer, const QueryTile* tiles, int count, const int* first, const int* visible, int first_row, const float* q,
                            float* out);

// --- GEMV: products of one to four rows (units/gemv_*.cu) ---

constexpr int gemv_threads = 512;
constexpr int gemv_warps = gemv_threads / 32;
constexpr int rows_per_warp = 4;
constexpr int max_gemv_rows = 4;

/// What becomes of a sum. `qkv`: RoPE, then queries are stored, keys and values go to the KV cache; `gated`: silu(gate) * up.
enum class GemvEpilogue { store, add, qkv, gated };

/// One matrix of a product; the matrices of one launch have the same number of columns.
struct GemvMatrix {
  const std::uint8_t* weights;
  const float* bias;  // (rows) or null
  DType type;
  int rows;
  int pitch;  // bytes from one row to the next
};

struct GemvParams {
  GemvMatrix matrices[3];  // qkv: query, key, value; gated: gate, up; else one
  int columns;
  int rows;  // of x, at most max_gemv_rows
  // The input: quantised rows that another kernel left, or else floats and their norm.
  const std::uint8_t* quantised;  // (rows, activation_row_bytes) or null
  const float* x;                 // (rows, columns)
  const int* chosen;              // (rows): the rows of x, or null: in order
  NormParameters norm;            // RMS norm; weight null: none
  // For quantised rows that were multiplied by the weights of the norm alone: (rows, columns / 32), the sum of squares of x for each quant block, from which the scale of the norm is computed; or null.
  const float* squares;
  GemvEpilogue epilogue;
  float* y;                     // store, add, gated: (rows, rows of the matrix); qkv: the queries
  std::uint8_t* quantised_out;  // gated: y, quantised; add: y times norm_out, quantised, or null
  const float* norm_out;        // (rows of the matrix), a multiple of 32
  float* squares_out;           // (rows, rows of the matrix / 32)
  HeadParams heads;
  Cache cache;
};

/// Shared memory of register_gemv: the input, the outputs that a gated product quantises together, and the sums of the norm.
constexpr std::size_t register_gemv_shared_bytes(int columns, int rows) {
  return static_cast<std::size_t>(rows) * (static_cast<std::size_t>(activation_row_bytes(columns / 32)) + 2 * gemv_warps * sizeof(float)) + max_gemv_rows * 32 * sizeof(float);
}

/// `width`: 1, 2, or 4 for three and four rows.
template <int width>
void launch_register_gemv(Stream stream, int blocks, const GemvParams& params);

/// Weight rows that a warp takes together: each part of x that it loads serves both.
constexpr int ring_gemv_rows = 2;
/// One stage of the ring buffer of a warp: a part of two rows.
constexpr int ring_stage_bytes = 4608;
constexpr int max_ring_stages = 8;

/// How a thread block divides its shared memory: stages of each warp, bytes of the input, and the quant blocks of outputs that a block of a gated
/// product collects at most.
struct RingGemvShape {
  int stages;
  int input_bytes;
  int gathered;
};

constexpr std::size_t ring_gemv_shared_bytes(const RingGemvShape& shape) {
  const int stages = gemv_warps * shape.stages;
  return static_cast<std::size_t>(stages) * (ring_stage_bytes + sizeof(std::uint64_t)) + static_cast<std::size_t>(shape.input_bytes) + sizeof(float) * 32 * max_gemv_rows * static_cast<std::size_t>(shape.gathered + 1) +
         sizeof(int) * static_cast<std::size_t>(shape.gathered);
}

/// The same as launch_register_gemv(), with the same bits, for compute capability 9.0 and newer. Shared memory: ring_gemv_shared_bytes().
template <int width>
void launch_ring_gemv(Stream stream, int blocks, const RingGemvShape& shape, const GemvParams& params);

/// Weight rows of a tile, which the consumer warps of a thread block multiply together by the tensor cores, each four quant blocks of a stage. One more warp
/// runs the epilogue, and one is the producer.
constexpr int gemv_tile_rows = 16;
constexpr int consumer_warps = 16;
constexpr int mma_gemv_threads = 32 * (consumer_warps + 2);
/// All threads but those of the producer warp.
constexpr int input_threads = 32 * (consumer_warps + 1);
/// Of each weight row.
constexpr int stage_quant_blocks = 4 * consumer_warps;
/// The alignment of a stage, which the swizzle needs, and the most stages of the ring buffer.
constexpr int stage_alignment = 1024;
constexpr int max_mma_stages = 12;
/// Zeros in shared memory, which lanes without an input of their own multiply by.
constexpr int zero_bytes = 16;

/// How a thread block divides its shared memory (stages, their bytes, bytes of the input), and which tiles it takes: `units_per_block` units, one more in the first `blocks_with_extra` blocks.
struct MmaGemvShape {
  int stages;
  int stage_bytes;
  int input_bytes;
  int units_per_block = 0;
  int blocks_with_extra = 0;
  int prefetch_stages = 0;  // stages that are filled at once at the beginning
};

constexpr std::size_t mma_gemv_shared_bytes(const MmaGemvShape& shape) {
  // Partial sums of two tiles by all warps, 32 outputs that a gated product collects, the sums of the norm, zeros, mbarriers, and the padding before the first stage.
  return static_cast<std::size_t>(shape.stages) * (static_cast<std::size_t>(shape.stage_bytes) + 2 * sizeof(std::uint64_t)) + static_cast<std::size_t>(shape.input_bytes) +
         sizeof(float) * max_gemv_rows * (2 * consumer_warps * gemv_tile_rows + 32 + 32) + zero_bytes + 5 * sizeof(std::uint64_t) + stage_alignment;
}

/// The same as launch_register_gemv() by the tensor cores, for compute capability 9.0 and newer; the last bits differ. The head size is a multiple of gemv_tile_rows, and the number of RoPE pairs a multiple of half of it.
/// Shared memory: mma_gemv_shared_bytes().
template <int width>
void launch_mma_gemv(Stream stream, int blocks, const MmaGemvShape& shape, const GemvParams& params);

// --- Attention of decode rows (units/attention_decode.cu) ---

/// The most splits of a row; a warp weighs them all.
constexpr int max_splits = 64;
/// What a split of a row leaves, for each (row, query head, split): the sum of probabilities times values, the largest score and the sum of probabilities.
struct SplitKvPartials {
  float* values;  // (rows, heads, max_splits, head_size)
  float* largest;  // (rows, heads, max_splits)
  float* totals;
  int* arrived;  // (rows, heads) at most: how many splits of the heads that share keys and values have finished; zeros before and after
};

/// The shared memory of a thread block.
std::size_t split_kv_shared_bytes(const KvShape& kv, int group);

/// Ops::attend of `rows` rows of the batch from first_row on. q, out: (rows, heads * head_size); `quantised`: where out goes quantised, too
/// (head_size a multiple of 32), or null.
void launch_split_kv(Stream stream, const Cache& cache, int query_heads, int layer, const int* slots, const int* first, const int* visible, int first_row, int rows, const float* q,
                   const SplitKvPartials& partials, float* out, std::uint8_t* quantised);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
