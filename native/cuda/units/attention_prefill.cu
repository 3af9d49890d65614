// Attention of prefill rows by mma.sync.
#include "cuda/kernels/attention_prefill/flash.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

void launch_flash_attention(Stream stream, const Cache& cache, int query_heads, int layer, const QueryTile* tiles, int count, const int* first, const int* visible, int first_row, const float* q,
                           float* out) {
  const Grid grid{count, cache.heads};
  const bool narrow = cache.head_size <= 64;
  const bool bytes = cache.type == CacheType::bytes;
  auto* const kernel = narrow ? (bytes ? flash_attention<64, true> : flash_attention<64, false>) : (bytes ? flash_attention<128, true> : flash_attention<128, false>);
  launch_shared(stream, kernel, grid, flash_threads, narrow ? flash_shared_bytes<64> : flash_shared_bytes<128>, cache, query_heads, layer, tiles, count, first, visible, first_row, q, out);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
