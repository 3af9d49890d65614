// Attention of decode rows.
#include "cuda/kernels/attention_decode/split_kv_plain.cuh"
#include "cuda/kernels/attention_decode/split_kv_mma.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

/// Whether the tensor-core kernel handles such heads; otherwise the other kernel does.
bool goes_by_mma(CacheType type, int head_size) {
  if (type == CacheType::bytes) return head_size == 64 || head_size == 128;
  return type == CacheType::halves && head_size % 16 == 0 && head_size <= 128;
}

template <class Element>
void launch_split(Stream stream, int rows, const SplitKvParams& work) {
  const Cache& cache = work.cache;
  launch_dependent(stream, split_kv_attention<Element>, Grid{cache.heads, max_splits, rows}, split_threads, split_kv_bytes<Element>(cache.head_size, work.query_heads / cache.heads), cache, work.query_heads,
               work.layer, work.slots, work.first, work.visible, work.first_row, work.q, work.partials, work.out, work.quantised);
}

template <class Element, int width, bool exact>
void launch_split_mma(Stream stream, int rows, const SplitKvParams& work) {
  const Cache& cache = work.cache;
  const int units = cache.heads * head_tiles(work.query_heads / cache.heads);
  launch_dependent(stream, split_kv_mma_attention<Element, width, exact>, Grid{units, splits_for(units), rows}, split_mma_threads, split_mma_shared_bytes<Element>(cache.head_size), work);
}

}  // namespace

std::size_t split_kv_shared_bytes(const KvShape& kv, int group) {
  const bool bytes = kv.dtype == DType::q8_0;
  if (goes_by_mma(bytes ? CacheType::bytes : kv.dtype == DType::f16 ? CacheType::halves : CacheType::floats, kv.head_size)) {
    return bytes ? split_mma_shared_bytes<std::int8_t>(kv.head_size) : split_mma_shared_bytes<std::uint16_t>(kv.head_size);
  }
  if (bytes) return split_kv_bytes<std::int8_t>(kv.head_size, group);
  return kv.dtype == DType::f16 ? split_kv_bytes<std::uint16_t>(kv.head_size, group) : split_kv_bytes<float>(kv.head_size, group);
}

void launch_split_kv(Stream stream, const Cache& cache, int query_heads, int layer, const int* slots, const int* first, const int* visible, int first_row, int rows, const float* q,
                   const SplitKvPartials& partials, float* out, std::uint8_t* quantised) {
  const SplitKvParams work{cache, query_heads, layer, slots, first, visible, first_row, q, partials, out, quantised};
  const bool bytes = cache.type == CacheType::bytes;
  if (goes_by_mma(cache.type, cache.head_size)) {
    if (cache.head_size == 64) return bytes ? launch_split_mma<std::int8_t, 64, true>(stream, rows, work) : launch_split_mma<std::uint16_t, 64, true>(stream, rows, work);
    if (cache.head_size == 128) return bytes ? launch_split_mma<std::int8_t, 128, true>(stream, rows, work) : launch_split_mma<std::uint16_t, 128, true>(stream, rows, work);
    return launch_split_mma<std::uint16_t, 128, false>(stream, rows, work);
  }
  auto* const launch_part = bytes ? launch_split<std::int8_t> : cache.type == CacheType::halves ? launch_split<std::uint16_t> : launch_split<float>;
  launch_part(stream, rows, work);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
