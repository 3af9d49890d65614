// RoPE and the KV cache: what happens to queries, keys and values after their product; and attention of rows that no faster kernel handles.
#pragma once

#include "cuda/kernels/common/kv_cache.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int attention_threads = 128;
constexpr int longest_head = 512;

/// Grid: rows. cosines and sines: (rows, rotated / 2), times the magnitude. Angles are computed in double, because positions are large.
__global__ void rope_angles(const double* frequencies, int pairs, float magnitude, const int* positions, float* cosines, float* sines) {
  for (int i = thread_number(); i < pairs; i += thread_count()) {
    const double angle = static_cast<double>(positions[block_x()]) * frequencies[i];
    const std::size_t at = static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(pairs) + static_cast<std::size_t>(i);
    cosines[at] = static_cast<float>(cos(angle)) * magnitude;
    sines[at] = static_cast<float>(sin(angle)) * magnitude;
  }
}

/// Heads of a thread block, one per warp.
constexpr int heads_per_block = 8;

/// Grid: rows by heads of queries, keys and values, heads_per_block of them per block; shared memory: as many heads. A warp normalises, rotates and scales one head of q, or normalises and
/// rotates one of k; k and v go to the KV cache. q, k, v: (rows, heads * head_size)
__global__ void finish_heads(HeadParams work, Cache cache, float* q, const float* k, const float* v) {
  const int size = cache.head_size;
  const int lane = thread_number() % 32;
  float* const head = reinterpret_cast<float*>(dynamic_shared()) + thread_number() / 32 * size;
  const int row = block_x();
  const int batch_row = work.first_row + row;
  const int number = block_y() * heads_per_block + thread_number() / 32;
  if (number >= work.query_heads + 2 * cache.heads) return;
  const bool is_query = number < work.query_heads;
  const int kv_head = (number - work.query_heads) % cache.heads;
  const bool is_value = !is_query && number >= work.query_heads + cache.heads;
  const float* in = is_query ? q + (static_cast<std::size_t>(row) * work.query_heads + number) * size
                             : (is_value ? v : k) + (static_cast<std::size_t>(row) * cache.heads + kv_head) * size;
  const float* norm = is_query ? work.query_norm : work.key_norm;
  float squares = 0.0F;
  for (int i = lane; i < size; i += 32) {
    head[i] = in[i];
    squares = fmaf(head[i], head[i], squares);
  }
  if (!is_value && norm != nullptr) {
    const float scale = 1.0F / sqrtf(warp_sum(squares) / static_cast<float>(size) + work.epsilon);
    for (int i = lane; i < size; i += 32) head[i] = head[i] * scale * norm[i];
  }
  synchronise_warp();
  if (!is_value) {
    for (int i = lane; i < work.pairs; i += 32) {
      const int first = work.adjacent ? 2 * i : i;
      const int second = work.adjacent ? 2 * i + 1 : i + work.pairs;
      const float cosine = work.cosines[static_cast<std::size_t>(batch_row) * work.pairs + i];
      const float sine = work.sines[static_cast<std::size_t>(batch_row) * work.pairs + i];
      const float a = head[first];
      const float b = head[second];
      head[first] = a * cosine - b * sine;
      head[second] = a * sine + b * cosine;
    }
    synchronise_warp();
  }
  const float scale = 1.0F / sqrtf(static_cast<float>(size));
  if (!is_query) return cache.put_head(cache.at(work.layer, work.slots[batch_row], is_value ? 1 : 0, work.cells[batch_row], kv_head), head);
  for (int i = lane; i < size; i += 32) {
    q[(static_cast<std::size_t>(row) * work.query_heads + number) * size + i] = head[i] * scale;
  }
}

/// What attend_rows makes of scores, as AttentionReach has it; slopes and sinks: (query heads) or null.
struct ScoreParams {
  float cap;
  const float* slopes;
  const float* sinks;
};

/// Grid: rows by query heads. first, visible, cells: of the rows of the batch. A block goes through the visible positions in tiles of its width, with an online softmax;
/// tiles begin at the first visible position, so the order depends on the row alone.
__global__ void attend_rows(Cache cache, int query_heads, int layer, const int* slots, const int* first, const int* visible, const int* cells, int first_row, ScoreParams params, const float* q, float* out) {
  LECTERN_SHARED float query[longest_head];
  LECTERN_SHARED float shares[attention_threads];
  LECTERN_SHARED float shared[32];
  const int size = cache.head_size;
  const int thread = thread_number();
  const int batch_row = first_row + block_x();
  const int slot = slots[batch_row];
  const int end = visible[batch_row];
  const int kv_head = block_y() / (query_heads / cache.heads);
  const std::size_t own = (static_cast<std::size_t>(block_x()) * query_heads + block_y()) * size;
  constexpr int parts = longest_head / attention_threads;
  float sums[parts];
  for (int i = 0; i < parts; ++i) sums[i] = 0.0F;
  for (int i = thread; i < size; i += attention_threads) query[i] = q[own + i];
  // A sink is a score whose value is zero.
  float largest = params.sinks == nullptr ? -INFINITY : params.sinks[block_y()];
  float total = params.sinks == nullptr ? 0.0F : 1.0F;
  for (int begin = first[batch_row]; begin < end; begin += attention_threads) {
    synchronise_block();
    const int position = begin + thread;
    float score = -INFINITY;
    if (position < end) {
      const std::size_t key = cache.at(layer, slot, 0, position, kv_head);
      score = 0.0F;
      for (int i = 0; i < size; ++i) score = fmaf(query[i], cache.get(key + i), score);
      if (params.cap > 0.0F) score = params.cap * tanhf(score / params.cap);
      if (params.slopes != nullptr) score -= params.slopes[block_y()] * fabsf(static_cast<float>(cells[batch_row] - position));
    }
    // A NaN must not be skipped.
    const float probe = position < end ? score * 0.0F : 0.0F;
    const float tile_largest = fmaxf(largest, block_max(score, shared));
    const float share = position < end ? expf(score - tile_largest) + probe : 0.0F;
    shares[thread] = share;
    const float shrink = expf(largest - tile_largest);
    total = fmaf(total, shrink, block_sum(share, shared));
    largest = tile_largest;
    synchronise_block();
    const int count = end - begin < attention_threads ? end - begin : attention_threads;
    for (int part = 0; part < parts; ++part) {
      const int i = part * attention_threads + thread;
      if (i >= size) continue;
      float sum = sums[part] * shrink;
      for (int p = 0; p < count; ++p) sum = fmaf(shares[p], cache.get(cache.at(layer, slot, 1, begin + p, kv_head) + i), sum);
      sums[part] = sum;
    }
  }
  for (int part = 0; part < parts; ++part) {
    const int i = part * attention_threads + thread;
    if (i < size) out[own + i] = sums[part] / total;
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
