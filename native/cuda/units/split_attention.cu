// Attention of single rows.
#include "cuda/kernels/decode_attention.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

std::size_t split_shared_bytes(const KvShape& kv, int group) {
  if (kv.dtype == DType::q8_0) return split_bytes<std::int8_t>(kv.head_size, group);
  return kv.dtype == DType::f16 ? split_bytes<std::uint16_t>(kv.head_size, group) : split_bytes<float>(kv.head_size, group);
}

namespace {

template <class Element>
void launch_split(Stream stream, const Cache& cache, int query_heads, int layer, const int* slots, const int* first, const int* visible, int first_row, int rows, const float* q, const SplitParts& parts, float* out,
                  std::uint8_t* quantised) {
  launch_early(stream, attend_split<Element>, Grid{cache.heads, most_splits, rows}, split_threads, split_bytes<Element>(cache.head_size, query_heads / cache.heads), cache, query_heads, layer, slots,
                first, visible, first_row, q, parts, out, quantised);
}

}  // namespace

void launch_splits(Stream stream, const Cache& cache, int query_heads, int layer, const int* slots, const int* first, const int* visible, int first_row, int rows, const float* q,
                   const SplitParts& parts, float* out, std::uint8_t* quantised) {
  auto* const launch_part = cache.type == CacheType::bytes ? launch_split<std::int8_t> : cache.type == CacheType::halves ? launch_split<std::uint16_t> : launch_split<float>;
  launch_part(stream, cache, query_heads, layer, slots, first, visible, first_row, rows, q, parts, out, quantised);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
