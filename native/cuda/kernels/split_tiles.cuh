// Attention of single rows over a long cache by the tensor cores: the positions are split over blocks, the heads that share keys and values are the rows of a product.
//
// A cache goes by once, at the memory's rate or nearly so; all else is to be short or beside it. A block has four warps that share nothing until their end: each
// takes tiles of 16 positions by turns and has a ring of such tiles in shared memory, keys and values by turns, which it fills by copies beside its work, one slot
// behind: with heads of 128 halves 17 KB a warp are under way while it works, 70 KB a block. Per tile of halves and warp 16 copies, 16 loads of matrices, 32
// products and some 380 other instructions are issued, where 4.5 TB/s over 132 multiprocessors leave 1,750 clocks.
//
// A product has 16 rows and eight heads are eight of them: a query is two halves, the nearest one and what that leaves, in rows g and g + 8, and so is a share. So
// keys and values meet 22 bits of each at no cost, and what a row becomes is as exact as by floats. Of a cache of bytes the products take the bytes as they are
// (as halves b / 128, which is exact) and scales are multiplied to sums of scores, and to shares.
//
// Where a row is split depends on how many positions it sees and on how many heads there are, so neither other rows nor the chip change a bit.
#pragma once

#include "cuda/kernels/split_parts.cuh"
#include "cuda/launchers.h"
#include "cuda/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int tiles_threads = 128;
constexpr int tiles_warps = tiles_threads / 32;
/// Positions of a tile.
constexpr int split_tile = 16;
/// Heads of a block; where more share keys, more blocks read these.
constexpr int tile_heads = 8;

/// Where the scores, as powers of two, come from.
constexpr float log2_of_e = 1.44269504F;

__host__ __device__ constexpr int head_tiles(int group) { return (group + tile_heads - 1) / tile_heads; }

/// The most parts of a row: `units` (KV heads times their tiles of heads) times so many fill a large chip's multiprocessors once. Every chip splits alike.
__host__ __device__ constexpr int parts_of(int units) {
  const int parts = 132 / units;
  return parts < 1 ? 1 : parts > most_splits ? most_splits : parts;
}

/// Positions of one part of a row that sees `seen`. To put parts together takes as long as a block takes for some 200 positions.
__host__ __device__ constexpr int tiles_length(int seen, int most) {
  if (seen <= 256) return 256;
  const int even = ((seen + most - 1) / most + split_tile - 1) / split_tile * split_tile;
  return even < 128 ? 128 : even;
}

static_assert(tiles_length(256, 16) == 256 && tiles_length(257, 16) == 128 && tiles_length(8192, 16) == 512 && tiles_length(8193, 16) * 16 >= 8193, "every position is in a part");

/// Tiles of keys or values in a warp's ring: an odd number, so that what is asked for when a tile of keys is taken is one, too.
template <class Element>
constexpr int ring_slots = sizeof(Element) == 1 ? 9 : 5;

/// Rows lie 16 bytes apart beyond their size, a multiple of 32: eight of them meet different banks.
template <class Element>
__host__ __device__ constexpr int tile_pitch(int head_size) {
  return head_size * static_cast<int>(sizeof(Element)) + 16;
}
/// A tile, and behind it the scales of bytes, two a word.
template <class Element>
__host__ __device__ constexpr int tile_slot_bytes(int head_size) {
  return split_tile * (tile_pitch<Element>(head_size) + (sizeof(Element) == 1 ? head_size / 16 : 0));
}
template <class Element>
__host__ __device__ constexpr int ring_bytes(int head_size) {
  return ring_slots<Element> * tile_slot_bytes<Element>(head_size);
}
/// Of what a warp leaves of a head, in floats.
__host__ __device__ constexpr int sums_pitch(int head_size) { return head_size + 8; }

/// What the warps leave takes the place of their rings; weights of parts lie behind the largest scores and totals.
template <class Element>
constexpr std::size_t split_tiles_bytes(int head_size) {
  return static_cast<std::size_t>(tiles_warps * (ring_bytes<Element>(head_size) + (2 * tile_heads + most_splits) * static_cast<int>(sizeof(float))));
}

/// What attend_unit() is asked for; of a launch.
struct SplitWork {
  Cache cache;
  int query_heads;
  int layer;
  const int* slots;  // of the batch's rows
  const int* first;
  const int* visible;
  int first_row;   // of the batch
  const float* q;  // (rows, query_heads, head_size), and so out
  SplitParts parts;
  float* out;
  std::uint8_t* quantised;  // out once more as bytes (head_size a multiple of 32), or null
};

/// Two numbers as halves, and what is left of them.
__device__ __forceinline__ void split_halves(float low, float high, Word& nearest, Word& rest) {
  nearest = pack_halves(low, high);
  rest = pack_halves(low - half_to_float(static_cast<std::uint16_t>(nearest)), high - half_to_float(static_cast<std::uint16_t>(nearest >> 16)));
}

/// Too large for a half becomes the largest one; what is no number stays.
__device__ __forceinline__ float within_halves(float x) { return fabsf(x) > 65504.0F ? copysignf(65504.0F, x) : x; }

/// Two of four signed bytes as halves, b / 128: `bytes` with their signs turned, 0 .. 255, are the last bits of halves between 8 and 10. `which`: the bytes, and 0x48 above each.
template <std::uint32_t which>
__device__ __forceinline__ Word widen_bytes(Word bytes) {
  return subtract_halves(permute_bytes(bytes, 0x48484848U, which), 0x48804880U);
}
constexpr Word byte_signs = 0x80808080U;

/// What a lane (4 g + t) holds of a tile of eight query heads, whose rows g are halves and rows g + 8 what they leave: the queries, the sums over values, the largest
/// score so far and of its columns' shares the total. The specialisations know how keys and values lie in their slot.
template <class Element, int width>
struct HeadTile {
  Word queries[width / 16][4];
  float sums[width / 8][4];
  float largest;
  float total;

  __device__ __forceinline__ void begin() {
    LECTERN_UNROLL
    for (int n = 0; n < width / 8; ++n) {
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) sums[n][i] = 0.0F;
    }
    largest = -INFINITY;
    total = 0.0F;
  }

  /// Columns `d` and `d` + 1, `e` and `e` + 1 are those of step k. `query` is null for rows that are no heads.
  __device__ __forceinline__ void take_queries(const float* query, int k, int d, int e) {
    Words<2> left{};
    Words<2> right{};
    if (query != nullptr) {
      left = *reinterpret_cast<const Words<2>*>(query + d);
      right = *reinterpret_cast<const Words<2>*>(query + e);
    }
    split_halves(within_halves(log2_of_e * float_of_bits(left.w[0])), within_halves(log2_of_e * float_of_bits(left.w[1])), queries[k][0], queries[k][1]);
    split_halves(within_halves(log2_of_e * float_of_bits(right.w[0])), within_halves(log2_of_e * float_of_bits(right.w[1])), queries[k][2], queries[k][3]);
  }

  /// Scores of positions 2 t, 2 t + 1, 2 t + 8 and 2 t + 9, of which the tile has `count`, become shares.
  __device__ __forceinline__ void share(float (&scores)[4], int count) {
    const int first = 2 * (thread_number() % 4);
    float top = largest;
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (first + i % 2 + 8 * (i / 2) >= count) scores[i] = -INFINITY;
      top = fmaxf(top, scores[i]);
    }
    top = fmaxf(top, shuffle_xor(top, 1));
    top = fmaxf(top, shuffle_xor(top, 2));
    // Where no score is a number yet: what is none must reach the sums, and nothing else is one.
    const float base = top == -INFINITY ? 0.0F : top;
    const float shrink = fast_exp2(largest - base);
    largest = top;
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) scores[i] = fast_exp2(scores[i] - base);
    total = fmaf(total, shrink, scores[0] + scores[1] + (scores[2] + scores[3]));
    LECTERN_UNROLL
    for (int n = 0; n < width / 8; ++n) {
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) sums[n][i] *= shrink;
    }
  }

  __device__ __forceinline__ void end() {
    total += shuffle_xor(total, 1);
    total += shuffle_xor(total, 2);
  }
};

/// How a tile of halves is multiplied. `size`: the head size, a multiple of 16.
template <int width>
__device__ __forceinline__ void take_queries(HeadTile<std::uint16_t, width>& heads, const float* query, int size) {
  const int t = thread_number() % 4;
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    if (16 * k < size) heads.take_queries(query, k, 16 * k + 2 * t, 16 * k + 8 + 2 * t);
  }
}

template <int width>
__device__ __forceinline__ void score_tile(const HeadTile<std::uint16_t, width>& heads, const std::uint8_t* keys, int size, float (&scores)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = keys + (lane % 8 + lane / 16 * 8) * tile_pitch<std::uint16_t>(size) + lane / 8 % 2 * 16;
  // Even and odd steps by themselves: products that wait for each other are what takes time.
  float sums[2][2][4] = {};
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    if (16 * k >= size) continue;
    Word b[4];
    load_matrices(b, row + 32 * k);
    const Word left[2] = {b[0], b[1]};
    const Word right[2] = {b[2], b[3]};
    multiply_halves(sums[k % 2][0], heads.queries[k], left);
    multiply_halves(sums[k % 2][1], heads.queries[k], right);
  }
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) scores[i] = sums[0][i / 2][i % 2] + sums[1][i / 2][i % 2] + (sums[0][i / 2][i % 2 + 2] + sums[1][i / 2][i % 2 + 2]);
}

template <int width>
__device__ __forceinline__ void add_values(HeadTile<std::uint16_t, width>& heads, const std::uint8_t* values, int size, const float (&shares)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = values + lane % 16 * tile_pitch<std::uint16_t>(size) + lane / 16 * 16;
  Word a[4];
  split_halves(shares[0], shares[1], a[0], a[1]);
  split_halves(shares[2], shares[3], a[2], a[3]);
  LECTERN_UNROLL
  for (int n = 0; n < width / 8; n += 2) {
    if (8 * n >= size) continue;
    Word b[4];
    load_matrices_transposed(b, row + 16 * n);
    const Word left[2] = {b[0], b[1]};
    const Word right[2] = {b[2], b[3]};
    multiply_halves(heads.sums[n], a, left);
    multiply_halves(heads.sums[n + 1], a, right);
  }
}

/// Of head g: to `to`, what lies in the shared memory of the block.
template <int width>
__device__ __forceinline__ void leave_sums(const HeadTile<std::uint16_t, width>& heads, int size, float* to) {
  LECTERN_UNROLL
  for (int n = 0; n < width / 8; ++n) {
    if (8 * n >= size) continue;
    Words<2> two;
    LECTERN_UNROLL
    for (int i = 0; i < 2; ++i) two.w[i] = bits_of_float(heads.sums[n][i] + heads.sums[n][i + 2]);
    *reinterpret_cast<Words<2>*>(to + 8 * n + 2 * (thread_number() % 4)) = two;
  }
}

/// And of bytes, of heads of 64 or 128. Elements of a head may come in any order if queries do, too: of 32, which have a scale, lane t takes 8 t .. 8 t + 7 in two steps.
template <int width>
__device__ __forceinline__ void take_queries(HeadTile<std::int8_t, width>& heads, const float* query, int) {
  const int t = thread_number() % 4;
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    const int d = k / 2 * 32 + 8 * t + k % 2 * 4;
    heads.take_queries(query, k, d, d + 2);
  }
}

/// The scales of the four positions whose scores a lane has, of a tile of keys or values.
template <int width>
struct TileScales {
  Words<width / 64> words[4];

  __device__ __forceinline__ explicit TileScales(const std::uint8_t* slot) {
    const auto* scales = reinterpret_cast<const Words<width / 64>*>(slot + split_tile * tile_pitch<std::int8_t>(width));
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) words[i] = scales[2 * (thread_number() % 4) + i % 2 + 8 * (i / 2)];
  }
  /// Of position i the one of elements 32 b and so on.
  __device__ __forceinline__ float of(int i, int b) const { return half_to_float(static_cast<std::uint16_t>(words[i].w[b / 2] >> (16 * (b % 2)))); }
};

template <int width>
__device__ __forceinline__ void score_tile(const HeadTile<std::int8_t, width>& heads, const std::uint8_t* keys, int, float (&scores)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = keys + lane / 4 * tile_pitch<std::int8_t>(width) + 8 * (lane % 4);
  const TileScales<width> scales(keys);
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) scores[i] = 0.0F;
  LECTERN_UNROLL
  for (int b = 0; b < width / 32; ++b) {
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      const auto eight = *reinterpret_cast<const Words<2>*>(row + 8 * half * tile_pitch<std::int8_t>(width) + 32 * b);
      float sums[4] = {};
      LECTERN_UNROLL
      for (int k = 0; k < 2; ++k) {
        const Word bytes = eight.w[k] ^ byte_signs;
        const Word four[2] = {widen_bytes<0x4140>(bytes), widen_bytes<0x4342>(bytes)};
        multiply_halves(sums, heads.queries[2 * b + k], four);
      }
      LECTERN_UNROLL
      for (int i = 0; i < 2; ++i) scores[2 * half + i] = fmaf(scales.of(2 * half + i, b), sums[i] + sums[i + 2], scores[2 * half + i]);
    }
  }
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) scores[i] *= 128.0F;
}

/// Matrices of 16-bit elements are two neighbours of a head here: what comes of a load transposed is two products of eight elements each, the even ones and the odd.
template <int width>
__device__ __forceinline__ void add_values(HeadTile<std::int8_t, width>& heads, const std::uint8_t* values, int, const float (&shares)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = values + lane % 16 * tile_pitch<std::int8_t>(width) + lane / 16 * 16;
  const TileScales<width> scales(values);
  float larger[4];
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) larger[i] = 128.0F * shares[i];
  LECTERN_UNROLL
  for (int b = 0; b < width / 32; ++b) {
    float scaled[4];
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) scaled[i] = within_halves(larger[i] * scales.of(i, b));
    Word a[4];
    split_halves(scaled[0], scaled[1], a[0], a[1]);
    split_halves(scaled[2], scaled[3], a[2], a[3]);
    Word words[4];
    load_matrices_transposed(words, row + 32 * b);
    LECTERN_UNROLL
    for (int c = 0; c < 2; ++c) {
      const Word low = words[2 * c] ^ byte_signs;
      const Word high = words[2 * c + 1] ^ byte_signs;
      const Word even[2] = {widen_bytes<0x4240>(low), widen_bytes<0x4240>(high)};
      const Word odd[2] = {widen_bytes<0x4341>(low), widen_bytes<0x4341>(high)};
      multiply_halves(heads.sums[4 * b + 2 * c], a, even);
      multiply_halves(heads.sums[4 * b + 2 * c + 1], a, odd);
    }
  }
}

template <int width>
__device__ __forceinline__ void leave_sums(const HeadTile<std::int8_t, width>& heads, int, float* to) {
  LECTERN_UNROLL
  for (int n = 0; n < width / 8; n += 2) {
    Words<4> four;
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) four.w[i] = bits_of_float(heads.sums[n + i % 2][i / 2] + heads.sums[n + i % 2][i / 2 + 2]);
    *reinterpret_cast<Words<4>*>(to + 8 * n + 4 * (thread_number() % 4)) = four;
  }
}

/// A warp's ring: tiles of keys and values by turns, `next` the one that is asked for next. All lanes of the warp call its functions.
template <class Element, int width>
class TileRing {
 public:
  /// Of `count` positions of a head, the first at `key` and `value` of the cache; the warp's tiles are the `warp`th and every tiles_warps'th from it on.
  __device__ __forceinline__ TileRing(std::uint8_t* ring, const Cache& cache, std::size_t key, std::size_t value, int count, int warp)
      : ring_(ring), data_(static_cast<const std::uint8_t*>(cache.data)), cells_{key, value}, stride_(cache.heads * cache.head_size), count_(count), at_(warp * split_tile) {
    if constexpr (sizeof(Element) == 1) scales_ = cache.scales();
  }

  __device__ __forceinline__ void begin(int size) {
    LECTERN_UNROLL
    for (int i = 0; i < ring_slots<Element> - 1; ++i) copy(i % 2, size);
  }

  /// The tile that is next in order, there for all lanes; of the one before nobody reads any more.
  __device__ __forceinline__ const std::uint8_t* next(int value, int size) {
    wait_for_copies<ring_slots<Element> - 2>();
    synchronise_warp();
    // An even number of tiles ahead.
    copy(value, size);
    const std::uint8_t* const tile = ring_ + taken_ * tile_slot_bytes<Element>(size);
    taken_ = taken_ + 1 == ring_slots<Element> ? 0 : taken_ + 1;
    return tile;
  }

 private:
  __device__ __forceinline__ void copy(int value, int size) {
    if (at_ < count_) {
      constexpr int chunks = width * static_cast<int>(sizeof(Element)) / 16;
      const int lane = thread_number() % 32;
      std::uint8_t* const to = ring_ + filled_ * tile_slot_bytes<Element>(size);
      const std::size_t cell = cells_[value] + static_cast<std::size_t>(at_) * static_cast<std::size_t>(stride_);
      LECTERN_UNROLL
      for (int i = 0; i < split_tile * chunks / 32; ++i) {
        const int row = (lane + 32 * i) / chunks;
        const int chunk = (lane + 32 * i) % chunks;
        if (16 * chunk >= size * static_cast<int>(sizeof(Element))) continue;
        const bool wanted = at_ + row < count_;
        const std::size_t from = (cell + static_cast<std::size_t>((wanted ? row : 0) * stride_)) * sizeof(Element) + static_cast<std::size_t>(16 * chunk);
        copy_beside(to + row * tile_pitch<Element>(size) + 16 * chunk, data_ + from, wanted);
      }
      if constexpr (sizeof(Element) == 1) {
        constexpr int words = width / 64;
        if (lane < split_tile * words) {
          const bool wanted = at_ + lane / words < count_;
          const std::size_t from = (cell + static_cast<std::size_t>((wanted ? lane / words : 0) * stride_)) / 32 + static_cast<std::size_t>(lane % words * 2);
          copy_word_beside(to + split_tile * tile_pitch<Element>(size) + 4 * lane, scales_ + from, wanted);
        }
      }
    }
    end_copies();
    filled_ = filled_ + 1 == ring_slots<Element> ? 0 : filled_ + 1;
    if (value == 1) at_ += tiles_warps * split_tile;
  }

  std::uint8_t* ring_;
  const std::uint8_t* data_;
  const std::uint16_t* scales_ = nullptr;
  std::size_t cells_[2];
  int stride_;
  int count_;
  int at_;  // the first position of what is asked for next
  int filled_ = 0;
  int taken_ = 0;
};

/// By all tiles_threads of a block: one part of a row for eight heads or fewer. `unit`: KV head times head_tiles() + tile of heads. Who goes on to another unit lets the block
/// meet before. width: the head size, or where that is not `exact` more.
template <class Element, int width, bool exact>
__device__ __forceinline__ void attend_unit(const SplitWork& work, int unit, int split, int row, std::uint8_t* shared) {
  const Cache& cache = work.cache;
  const int batch_row = work.first_row + row;
  const int first = work.first[batch_row];
  const int seen = work.visible[batch_row] - first;
  const int slot = work.slots[batch_row];
  const int size = exact ? width : cache.head_size;
  const int group = work.query_heads / cache.heads;
  const int tiles = head_tiles(group);
  const int length = tiles_length(seen, parts_of(cache.heads * tiles));
  const int begin = split * length;
  if (begin >= seen) return;
  const int count = seen - begin < length ? seen - begin : length;

  const int kv_head = unit / tiles;
  const int first_head = kv_head * group + unit % tiles * tile_heads;
  const int heads = group - unit % tiles * tile_heads < tile_heads ? group - unit % tiles * tile_heads : tile_heads;
  const int warp = thread_number() / 32;
  const int lane = thread_number() % 32;
  std::uint8_t* const own = shared + warp * ring_bytes<Element>(size);
  float* const largest = reinterpret_cast<float*>(shared + tiles_warps * ring_bytes<Element>(size));  // (warps, heads)
  float* const totals = largest + tiles_warps * tile_heads;                                           // (warps, heads)
  float* const weights = totals + tiles_warps * tile_heads;                                           // (warps, most_splits)

  if (warp * split_tile < count) {
    TileRing<Element, width> ring(own, cache, cache.at(work.layer, slot, 0, first + begin, kv_head), cache.at(work.layer, slot, 1, first + begin, kv_head), count, warp);
    ring.begin(size);
    HeadTile<Element, width> tile;
    const int g = lane / 4;
    const std::size_t query = (static_cast<std::size_t>(row) * static_cast<std::size_t>(work.query_heads) + static_cast<std::size_t>(first_head + g)) * static_cast<std::size_t>(size);
    take_queries(tile, g < heads ? work.q + query : nullptr, size);
    tile.begin();
    LECTERN_ROLLED
    for (int at = warp * split_tile; at < count; at += tiles_warps * split_tile) {
      float shares[4];
      score_tile(tile, ring.next(0, size), size, shares);
      tile.share(shares, count - at);
      add_values(tile, ring.next(1, size), size, shares);
    }
    tile.end();
    // All that was asked for was waited for, but other lanes may still read it.
    synchronise_warp();
    leave_sums(tile, size, reinterpret_cast<float*>(own) + g * sums_pitch(size));
    if (lane % 4 == 0) {
      largest[warp * tile_heads + g] = tile.largest;
      totals[warp * tile_heads + g] = tile.total;
    }
  }
  synchronise_block();

  const int splits = (seen + length - 1) / length;
  for (int h = warp; h < heads; h += tiles_warps) {
    float top = -INFINITY;
    float total = 0.0F;
    float sums[4] = {0.0F, 0.0F, 0.0F, 0.0F};
    // Warps that had no tile have left nothing.
    LECTERN_UNROLL
    for (int w = 0; w < tiles_warps; ++w) top = fmaxf(top, w * split_tile < count ? largest[w * tile_heads + h] : -INFINITY);
    const int d = 4 * lane;
    LECTERN_UNROLL
    for (int w = 0; w < tiles_warps; ++w) {
      if (w * split_tile >= count) continue;
      const float weight = fast_exp2(largest[w * tile_heads + h] - top);
      total = fmaf(weight, totals[w * tile_heads + h], total);
      if (d >= size) continue;
      const auto four = *reinterpret_cast<const Words<4>*>(shared + w * ring_bytes<Element>(size) + sizeof(float) * static_cast<std::size_t>(h * sums_pitch(size) + d));
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) sums[k] = fmaf(weight, float_of_bits(four.w[k]), sums[k]);
    }
    if (splits == 1) {
      finish_head(size, work.query_heads, row, first_head + h, d, sums, total, work.out, work.quantised);
      continue;
    }
    const std::size_t part = (static_cast<std::size_t>(row) * static_cast<std::size_t>(work.query_heads) + static_cast<std::size_t>(first_head + h)) * most_splits + static_cast<std::size_t>(split);
    if (d < size) {
      const Words<4> four{{bits_of_float(sums[0]), bits_of_float(sums[1]), bits_of_float(sums[2]), bits_of_float(sums[3])}};
      *reinterpret_cast<Words<4>*>(work.parts.values + part * static_cast<std::size_t>(size) + static_cast<std::size_t>(d)) = four;
    }
    if (lane == 0) {
      work.parts.largest[part] = top;
      work.parts.totals[part] = total;
    }
  }
  if (splits == 1) return;
  if (!comes_last(work.parts.arrived + row * cache.heads * tiles + unit, splits, reinterpret_cast<int*>(largest))) return;
  for (int h = warp; h < heads; h += tiles_warps) {
    combine_parts<true>(size, work.query_heads, row, first_head + h, splits, work.parts, weights + warp * most_splits, work.out, work.quantised);
  }
}

/// Grid: KV heads times their tiles of heads, by parts_of() them, by rows. Of parts that have no positions nothing is written.
template <class Element, int width, bool exact>
__global__ void LECTERN_LAUNCH_BOUNDS(tiles_threads, 2) attend_split_tiles(SplitWork work) {
  let_next_begin();
  wait_for_kernels_before();
  attend_unit<Element, width, exact>(work, block_x(), block_y(), block_z(), dynamic_shared());
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
