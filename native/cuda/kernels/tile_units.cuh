// Which weight rows a tile of answers' products has (decode_tiles.cuh), and which tiles a block: one sixteen of rows after the other, but what belongs together is
// in one tile.
#pragma once

#include "cuda/kernels/decode_rows.cuh"
#include "cuda/launchers.h"

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

/// Row `i` of a tile in its matrix; may be beyond the end. What belongs together, of heads the two of a pair and of gated products those of both matrices, is
/// eight rows apart.
__device__ __forceinline__ int tile_row(const DecodeWork& work, const TileUnit& tile, int i) {
  constexpr int half = decode_tile_rows / 2;
  if (work.then == Then::gated) return half * tile.number + i % half;
  if (work.then != Then::heads) return decode_tile_rows * tile.number + i;
  const RowGroup<2> pair = pairs_of_head<2>(half * tile.number + i % half, work.cache.head_size, tile.which < 2 ? work.heads.pairs : 0, work.heads.adjacent);
  return i < half ? pair.rows[0] : pair.rows[1];
}

/// The block's tiles, no two blocks further apart than one; of gated products as many together as make a stretch of outputs.
struct TileRange {
  int begin;
  int end;
};

constexpr int gated_tiles = 32 / (decode_tile_rows / 2);

__device__ __forceinline__ TileRange block_tiles(const DecodeWork& work) {
  int units = tiles_of(work, work.matrices[0]);
  if (work.then == Then::heads) units += tiles_of(work, work.matrices[1]) + tiles_of(work, work.matrices[2]);
  const int together = work.then == Then::gated ? gated_tiles : 1;
  units /= together;
  return {together * static_cast<int>(static_cast<long long>(units) * block_x() / grid_x()), together * static_cast<int>(static_cast<long long>(units) * (block_x() + 1) / grid_x())};
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
