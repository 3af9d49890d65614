// Attention of FastOps: projections, rotation, and the KV cache in the kernels' order.
//
// For each (layer, slot, head) the cache holds the keys as (positions / 16, head_size, 16), followed by the values as
// (positions, head_size), with positions rounded up to 64.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/fast_ops.h"
#include "cpu/fast_rows.h"
#include "cpu/packed.h"

namespace lectern::cpu {
namespace {

constexpr int position_tile = 64;
constexpr int key_block = 16;

std::int64_t padded(const KvShape& shape) { return (std::int64_t{shape.positions} + position_tile - 1) / position_tile * position_tile; }

/// Elements before the keys of a head.
std::int64_t head_offset(const KvShape& shape, int layer, int slot, int head) {
  return ((std::int64_t{layer} * shape.slots + slot) * shape.heads + head) * padded(shape) * shape.head_size * 2;
}

std::size_t element_bytes(const KvShape& shape) { return shape.dtype == DType::f32 ? 4 : 2; }

std::byte* element_at(const Kv& kv, std::int64_t index) { return static_cast<std::byte*>(kv.data) + static_cast<std::size_t>(index) * element_bytes(kv.shape); }

/// One head's key or value, converted, elements `stride` apart.
void write_head(const Kernels& kernels, const Kv& kv, std::int64_t index, int stride, const float* head) {
  const int size = kv.shape.head_size;
  std::byte* to = element_at(kv, index);
  if (kv.shape.dtype == DType::f32) {
    for (int d = 0; d < size; d++) reinterpret_cast<float*>(to)[std::ptrdiff_t{d} * stride] = head[d];
    return;
  }
  std::uint16_t halves[1024];
  kernels.to_f16(head, size, halves);
  for (int d = 0; d < size; d++) reinterpret_cast<std::uint16_t*>(to)[std::ptrdiff_t{d} * stride] = halves[d];
}

}  // namespace

std::size_t fast_kv_bytes(const KvShape& shape) {
  // Whole-vector loads of the last row read into the padding.
  return static_cast<std::size_t>(head_offset(shape, shape.layers, 0, 0) + group_rows) * element_bytes(shape);
}

void FastOps::turn(bool second, int row, float* head) const {
  const int which = second ? 1 : 0;
  const int pairs = ropes_[which].rotated / 2;
  const float* cosines = cosines_[which].data() + std::ptrdiff_t{row} * pairs;
  const float* sines = sines_[which].data() + std::ptrdiff_t{row} * pairs;
  const int step = ropes_[which].adjacent ? 2 : 1;
  const int apart = ropes_[which].adjacent ? 1 : pairs;
  for (int i = 0; i < pairs; i++) {
    float& a = head[step * i];
    float& b = head[step * i + apart];
    const float turned = a * cosines[i] - b * sines[i];
    b = a * sines[i] + b * cosines[i];
    a = turned;
  }
}

void FastOps::finish_attention_row(const AttentionWeights& weights, int row, float* qkv, float* q, const Kv& kv, int layer, float* head_scratch) const {
  const int size = kv.shape.head_size;
  const int slot = batch_.slots[row];
  const int position = batch_.cells[row];
  const float scale = 1.0F / std::sqrt(static_cast<float>(size));
  const auto finished = [&](const float* head, const float* norm) {
    if (norm != nullptr) {
      kernels_.norm(head, norm, nullptr, weights.norm.epsilon, size, head_scratch);
    } else {
      std::memcpy(head_scratch, head, static_cast<std::size_t>(size) * sizeof(float));
    }
    turn(weights.second_rope, row, head_scratch);
  };
  for (int h = 0; h < weights.heads; h++) {
    finished(qkv + std::ptrdiff_t{h} * size, weights.query_norm);
    for (int d = 0; d < size; d++) q[std::ptrdiff_t{h} * size + d] = head_scratch[d] * scale;
  }
  const float* keys = qkv + std::ptrdiff_t{weights.heads} * size;
  const float* values = keys + std::ptrdiff_t{kv.shape.heads} * size;
  for (int h = 0; h < kv.shape.heads; h++) {
    const std::int64_t begin = head_offset(kv.shape, layer, slot, h);
    finished(keys + std::ptrdiff_t{h} * size, weights.key_norm);
    write_head(kernels_, kv, begin + std::int64_t{position / key_block} * key_block * size + position % key_block, key_block, head_scratch);
    write_head(kernels_, kv, begin + (padded(kv.shape) + position) * size, 1, values + std::ptrdiff_t{h} * size);
  }
}

void FastOps::project_attention(const AttentionWeights& weights, Rows rows, const float* x, float* q, const Kv& kv, int layer, const PreparedRows&) {
  const PackedMatrix& query = packed_of(weights.query.weight);
  const PackedMatrix& key = packed_of(weights.key.weight);
  const PackedMatrix& value = packed_of(weights.value.weight);
  prepare(weights.norm, rows.count, query.columns, {&query, &key, &value}, [&](int r) { return x + std::ptrdiff_t{r} * query.columns; });
  const int offsets[3] = {0, query.rows, query.rows + key.rows};
  const float* const biases[3] = {weights.query.bias, weights.key.bias, weights.value.bias};
  const int width = query.rows + key.rows + value.rows;
  float* const qkv = qkv_.floats();
  multiply_all({&query, &key, &value}, 0, rows.count, [&](int which, int r, int column, int columns, const float* products) {
    float* to = qkv + std::ptrdiff_t{r} * width + offsets[which] + column;
    const float* bias = biases[which];
    for (int i = 0; i < columns; i++) to[i] = products[i] + (bias == nullptr ? 0.0F : bias[column + i]);
  });
  auto finish = [&](int r, int thread) {
    float* head = scratch_[static_cast<std::size_t>(thread)].row.data();
    finish_attention_row(weights, rows.first + r, qkv + std::ptrdiff_t{r} * width, q + std::ptrdiff_t{r} * query.rows, kv, layer, head);
  };
  each_row(rows.count, finish);
}

void FastOps::attend_part(const AttentionPart& part, int group, int heads, const float* q, const Kv& kv, int layer, const AttentionReach& reach, float* out,
                          Scratch& scratch) const {
  const std::int32_t* const first = reach.local ? batch_.local_first : batch_.first;
  const std::int32_t* const visible = reach.local ? batch_.local_visible : batch_.visible;
  const int size = kv.shape.head_size;
  const std::int64_t begin = head_offset(kv.shape, layer, batch_.slots[part.first], part.head);
  AttentionTask task{};
  task.keys = element_at(kv, begin);
  task.values = element_at(kv, begin + padded(kv.shape) * size);
  task.head_size = size;
  task.cap = reach.cap;
  for (int r = part.first; r < part.first + part.rows; r++) {
    for (int h = part.head * group; h < (part.head + 1) * group; h++) {
      const std::ptrdiff_t offset = (std::ptrdiff_t{r} * heads + h) * size;
      const auto at = static_cast<std::size_t>(task.count++);
      scratch.queries[at] = q + offset;
      scratch.outs[at] = out + offset;
      scratch.first[at] = first[r];
      scratch.visible[at] = visible[r];
      scratch.cells[at] = batch_.cells[r];
      if (reach.slopes != nullptr) scratch.slopes[at] = reach.slopes[h];
      if (reach.sinks != nullptr) scratch.sinks[at] = reach.sinks[h];
    }
  }
  task.queries = scratch.queries.data();
  task.out = scratch.outs.data();
  task.first = scratch.first.data();
  task.visible = scratch.visible.data();
  task.cells = scratch.cells.data();
  task.slopes = reach.slopes == nullptr ? nullptr : scratch.slopes.data();
  task.sinks = reach.sinks == nullptr ? nullptr : scratch.sinks.data();
  if (kv.shape.dtype == DType::f32) {
    kernels_.attend_f32(task);
  } else {
    kernels_.attend_f16(task);
  }
}

PreparedRows FastOps::attend(int heads, Rows rows, const float* q, const Kv& kv, int layer, float* out, const AttentionReach& reach) {
  const int group = heads / kv.shape.heads;
  // Enough queries to use each loaded key and value several times, few enough to give every thread work.
  const int most_rows = std::max(1, 32 / group);
  attention_parts_.clear();
  const int end = rows.first + rows.count;
  for (int first = rows.first; first < end;) {
    int last = first;
    while (last < end && batch_.slots[last] == batch_.slots[first] && last - first < most_rows) last++;
    for (int head = 0; head < kv.shape.heads; head++) attention_parts_.push_back({first, last - first, head});
    first = last;
  }
  // q and out begin at the part's first row, the batch's arrays at the first row of all.
  const std::ptrdiff_t before = std::ptrdiff_t{rows.first} * heads * kv.shape.head_size;
  auto work = [&](int index, int thread) {
    attend_part(attention_parts_[static_cast<std::size_t>(index)], group, heads, q - before, kv, layer, reach, out - before, scratch_[static_cast<std::size_t>(thread)]);
  };
  each_part(static_cast<int>(attention_parts_.size()), work);
  return {};
}

void FastOps::copy_positions(const Kv& kv, int from_slot, int to_slot, int count) {
  const std::int64_t size = kv.shape.head_size;
  const std::int64_t keys = (std::int64_t{count} + key_block - 1) / key_block * key_block * size;
  const auto copy = [&](std::int64_t from, std::int64_t to, std::int64_t elements) {
    std::memmove(element_at(kv, to), element_at(kv, from), static_cast<std::size_t>(elements) * element_bytes(kv.shape));
  };
  for (int layer = 0; layer < kv.shape.layers; layer++) {
    for (int head = 0; head < kv.shape.heads; head++) {
      const std::int64_t from = head_offset(kv.shape, layer, from_slot, head);
      const std::int64_t to = head_offset(kv.shape, layer, to_slot, head);
      copy(from, to, keys);
      copy(from + padded(kv.shape) * size, to + padded(kv.shape) * size, count * size);
    }
  }
}

}  // namespace lectern::cpu
