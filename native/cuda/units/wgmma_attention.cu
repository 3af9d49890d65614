// Attention of prefill rows by wgmma.
#include "cuda/kernels/attention_prefill/wgmma_flash.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

void launch_wgmma_attention(Stream stream, const Cache& cache, int query_heads, int layer, const QueryTile* tiles, int count, const int* first, const int* visible, int first_row, const float* q,
                            float* out) {
  const bool narrow = cache.head_size <= 64;
  launch_shared(stream, narrow ? wgmma_flash_attention<64> : wgmma_flash_attention<128>, Grid{count, cache.heads}, flash_threads,
                narrow ? WgmmaAttentionShape<64>::shared_bytes : WgmmaAttentionShape<128>::shared_bytes, cache, query_heads, layer, tiles, count, first, visible, first_row, q, out);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
