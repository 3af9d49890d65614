// Products by warpgroups of weights that are 16-bit floats.
#include "cuda/kernels/dense_tiles.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

namespace {

TileMap map_of(const void* data, std::size_t row_bytes, int columns, int rows) { return make_tile_map(data, row_bytes, columns, rows, dense_box_rows); }

}  // namespace

void launch_dense_tiles(Stream stream, int processors, bool pairs, bool halves, const DensePart& part, const TileProduct& product) {
  const TileMap rows = map_of(product.x.values, 2 * static_cast<std::size_t>(product.x.stride), product.x.stride, product.rows);
  const TileMap weights = map_of(part.weights, part.row_bytes, product.columns, part.outputs);
  const TileMap second = product.ending == Ending::gated ? map_of(part.second, part.row_bytes, product.columns, part.outputs) : weights;
  const DenseProduct work{product, part.first_output, part.outputs, rows, weights, second};
  if (halves) launch_dense<true>(stream, processors, pairs, work);
  else launch_dense<false>(stream, processors, pairs, work);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
