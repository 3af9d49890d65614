// Which weight rows form a tile of mma_gemv.cuh, and which tiles a thread block takes: 16 rows in order, except that rows which one epilogue needs together are
// in one tile.
#pragma once

#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Tiles of a matrix; of both matrices together in a gated product.
__device__ __forceinline__ int tiles_of(const GemvParams& params, const GemvMatrix& matrix) {
  const int rows = params.epilogue == GemvEpilogue::gated ? gemv_tile_rows / 2 : gemv_tile_rows;
  return (matrix.rows + rows - 1) / rows;
}

/// The matrix that the rows of a tile belong to (of a gated product the first), and the number of the tile in it.
struct TileCoord {
  int which;
  int number;
};

__device__ __forceinline__ TileCoord tile_coord(const GemvParams& params, int unit) {
  TileCoord tile{0, unit};
  if (params.epilogue != GemvEpilogue::qkv) return tile;
  while (tile.which < 2 && tile.number >= tiles_of(params, params.matrices[tile.which])) tile.number -= tiles_of(params, params.matrices[tile.which++]);
  return tile;
}

/// Whether the halves of a tile are the first and the second elements of RoPE pairs. Otherwise pairs are consecutive rows, as rows are in all other products.
__device__ __forceinline__ bool splits_rope_pairs(const GemvParams& params, const TileCoord& tile) {
  if (params.epilogue != GemvEpilogue::qkv || tile.which == 2 || params.heads.adjacent) return false;
  return gemv_tile_rows / 2 * tile.number % (params.cache.head_size / 2) < params.heads.pairs;
}

/// Row `i` of a tile in its matrix; may be beyond the end. Each half is eight consecutive rows.
__device__ __forceinline__ int tile_row(const GemvParams& params, const TileCoord& tile, int i) {
  constexpr int half = gemv_tile_rows / 2;
  if (params.epilogue == GemvEpilogue::gated) return half * tile.number + i % half;
  if (!splits_rope_pairs(params, tile)) return gemv_tile_rows * tile.number + i;
  const int pairs = params.cache.head_size / 2;
  const int pair = half * tile.number;
  return pair / pairs * params.cache.head_size + pair % pairs + i % half + (i < half ? 0 : params.heads.pairs);
}

/// Tiles that one thread block takes together: if the output is quantised, those of a quant block of outputs.
__host__ __device__ inline int tiles_per_unit(const GemvParams& params) {
  if (params.epilogue == GemvEpilogue::gated) return 32 / (gemv_tile_rows / 2);
  return params.epilogue == GemvEpilogue::add && params.quantised_out != nullptr ? 32 / gemv_tile_rows : 1;
}

/// The tiles of a thread block.
struct TileRange {
  int begin;
  int end;
};

__device__ __forceinline__ TileRange block_tiles(const GemvParams& params, const MmaGemvShape& shape) {
  const int together = tiles_per_unit(params);
  const int block = block_x();
  const int begin = together * (block * shape.units_per_block + (block < shape.blocks_with_extra ? block : shape.blocks_with_extra));
  return {begin, begin + together * (shape.units_per_block + (block < shape.blocks_with_extra ? 1 : 0))};
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
