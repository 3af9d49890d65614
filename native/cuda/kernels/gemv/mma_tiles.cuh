// Which weight rows a tile of answers' products has (mma_gemv.cuh), and which tiles a block: one sixteen of rows after the other, but what belongs together is
// in one tile.
#pragma once

#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Tiles of a matrix; of gated products of both together.
__device__ __forceinline__ int tiles_of(const DecodeWork& work, const DecodeMatrix& matrix) {
  const int rows = work.then == Then::gated ? decode_tile_rows / 2 : decode_tile_rows;
  return (matrix.rows + rows - 1) / rows;
}

/// The matrix that a tile's rows are of, of a gated product the first, and the tile's number among its own.
struct TileUnit {
  int which;
  int number;
};

__device__ __forceinline__ TileUnit tile_unit(const DecodeWork& work, int unit) {
  TileUnit tile{0, unit};
  if (work.then != Then::heads) return tile;
  while (tile.which < 2 && tile.number >= tiles_of(work, work.matrices[tile.which])) tile.number -= tiles_of(work, work.matrices[tile.which++]);
  return tile;
}

/// Whether a tile's halves are the first and the second ones of pairs of a head. Else pairs are neighbours, as in all other products rows are.
__device__ __forceinline__ bool pairs_lie_apart(const DecodeWork& work, const TileUnit& tile) {
  if (work.then != Then::heads || tile.which == 2 || work.heads.adjacent) return false;
  return decode_tile_rows / 2 * tile.number % (work.cache.head_size / 2) < work.heads.pairs;
}

/// Row `i` of a tile in its matrix; may be beyond the end. Each half is eight rows that follow one another.
__device__ __forceinline__ int tile_row(const DecodeWork& work, const TileUnit& tile, int i) {
  constexpr int half = decode_tile_rows / 2;
  if (work.then == Then::gated) return half * tile.number + i % half;
  if (!pairs_lie_apart(work, tile)) return decode_tile_rows * tile.number + i;
  const int pairs = work.cache.head_size / 2;
  const int pair = half * tile.number;
  return pair / pairs * work.cache.head_size + pair % pairs + i % half + (i < half ? 0 : work.heads.pairs);
}

/// Tiles that belong to one block: of products that are left as bytes as many as make a stretch of outputs.
__host__ __device__ inline int tiles_together(const DecodeWork& work) {
  if (work.then == Then::gated) return 32 / (decode_tile_rows / 2);
  return work.then == Then::add && work.quantised_out != nullptr ? 32 / decode_tile_rows : 1;
}

/// The block's tiles.
struct TileRange {
  int begin;
  int end;
};

__device__ __forceinline__ TileRange block_tiles(const DecodeWork& work, const DecodeTileShape& shape) {
  const int together = tiles_together(work);
  const int block = block_x();
  const int begin = together * (block * shape.each + (block < shape.more ? block : shape.more));
  return {begin, begin + together * (shape.each + (block < shape.more ? 1 : 0))};
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
