// Attention of many rows by warpgroups.
#include "cuda/kernels/group_attention.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

template <int width>
void launch_width(Stream stream, int processors, const GroupAttention& work) {
  const int units = work.tile_count * work.cache.heads;
  launch_shared(stream, attend_group_tiles<width>, Grid{units < processors ? units : processors}, group_attention_threads, group_attention_bytes<width>, work);
}

}  // namespace

void launch_group_attention(Stream stream, int processors, const Cache& cache, int query_heads, int layer, const QueryTile* tiles, int count, const int* first, const int* visible, int first_row,
                            const float* q, float* out) {
  const int columns = cache.heads * cache.head_size;
  const TileMap cells = make_tile_map(cache.data, 2 * static_cast<std::size_t>(columns), columns, cache.layers * cache.slots * 2 * cache.positions, cell_tile);
  const GroupAttention work{cache, query_heads, layer, tiles, count, first, visible, first_row, q, out, cells};
  if (cache.head_size <= 64) launch_width<64>(stream, processors, work);
  else launch_width<128>(stream, processors, work);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
