// Products on the tensor cores, sixteen by sixteen along k from the left: the order of a sum does not depend on the tile, nor on how many
// lines there are.
//
// Halves are multiplied as they are. Floats are split: x = s (high + low / 2048) with a power of two s, 22 bits of x in two halves, and
// a b is high high + (high low + low high) / 2048, three products (the fourth is below the last bit). The two kinds of sums are kept
// apart until the end, so that no low part is lost among large ones (Ootomo and Yokota 2022, on recovering single precision).
#pragma once

#include "cuda/graph/gemm_tiles.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// How a block's warps share a tile of sums: each takes warp_a by warp_b of it.
struct LargeProductTile {
  static constexpr int warp_a = 64, warp_b = 32, a_warps = 2, b_warps = 4;
};
/// The large tile of pairs, whose sums take twice the registers.
struct TallProductTile {
  static constexpr int warp_a = 32, warp_b = 32, a_warps = 4, b_warps = 2;
};
struct SmallProductTile {
  static constexpr int warp_a = 32, warp_b = 32, a_warps = 2, b_warps = 2;
};
/// For matrices of few rows, as the first layers' filters are.
struct WideProductTile {
  static constexpr int warp_a = 32, warp_b = 32, a_warps = 1, b_warps = 4;
};

/// A tile whose elements are halves or floats.
template <class Tile, class T>
struct ProductShape {
  static constexpr int parts = std::is_same<T, Half>::value ? 1 : 2;  // halves of a factor
  static constexpr int a_lines = Tile::warp_a * Tile::a_warps;
  static constexpr int b_lines = Tile::warp_b * Tile::b_warps;
  static constexpr int threads = 32 * Tile::a_warps * Tile::b_warps;
  static constexpr int depth = 32 / parts;  // of one step
  // Of a multiprocessor, at least: pairs take some 140 registers a thread, the large tile of halves four more than half of all.
  static constexpr int blocks = threads == 256 ? 1 : parts == 1 ? 2 : 3;
  // Eight neighbouring rows lie in eight different groups of banks.
  static constexpr int a_stride = depth + 8;
  static constexpr int b_stride = b_lines + 8;
  static constexpr int a_size = a_lines * a_stride;
  static constexpr int b_size = depth * b_stride;
  static constexpr int all_a_chunks = a_lines * depth / 8;
  static constexpr int all_b_chunks = b_lines * depth / 8;
  static constexpr int a_chunks = (all_a_chunks + threads - 1) / threads;  // of a thread
  static constexpr int b_chunks = (all_b_chunks + threads - 1) / threads;
};

/// What low parts are kept times of: a half has 11 bits.
constexpr float low_scale = 2048.0F;

/// Eight floats as halves and what these leave. What is no number, or infinite, leaves nothing.
__device__ __forceinline__ void split(const Chunk<float>& chunk, float scale, Chunk<Half>& high, Chunk<Half>& low) {
  LECTERN_UNROLL
  for (int i = 0; i < 8; ++i) {
    const float x = chunk.get(i) * scale;
    const Half first = half_of(x);
    high.set(i, first);
    low.set(i, half_of(fabsf(x) <= FLT_MAX ? (x - value_of(first)) * low_scale : 0.0F));
  }
}

/// A chunk at its place in shared memory, whose lines are k's where the side is dense across.
template <bool lies_along>
__device__ __forceinline__ void store_chunk(std::uint16_t* to, int stride, const Chunk<Half>& chunk) {
  if constexpr (lies_along) {
    store_words(to, chunk.w);
  } else {
    LECTERN_UNROLL
    for (int n = 0; n < 8; ++n) to[n * stride] = chunk.get(n).bits;
  }
}

/// The same of one or both parts, `size` elements apart.
template <bool lies_along>
__device__ __forceinline__ void store_parts(std::uint16_t* to, int, int stride, const Factors&, const Chunk<Half>& chunk) {
  store_chunk<lies_along>(to, stride, chunk);
}
template <bool lies_along>
__device__ __forceinline__ void store_parts(std::uint16_t* to, int size, int stride, const Factors& factors, const Chunk<float>& chunk) {
  Chunk<Half> high;
  Chunk<Half> low;
  split(chunk, factors.scale, high, low);
  store_chunk<lies_along>(to, stride, high);
  if (!factors.single) store_chunk<lies_along>(to + size, stride, low);
}

template <class Tile, class A, class B, class End>
__global__ void LECTERN_LAUNCH_BOUNDS((ProductShape<Tile, typename A::Element>::threads), (ProductShape<Tile, typename A::Element>::blocks)) multiply_by_tensor_cores(TiledProduct<A, B, End> product) {
  using T = typename A::Element;
  using Shape = ProductShape<Tile, T>;
  constexpr bool pairs = Shape::parts == 2;
  constexpr int a_blocks = Tile::warp_a / 16;
  constexpr int b_blocks = Tile::warp_b / 8;
  alignas(16) LECTERN_SHARED std::uint16_t shared_a[2][Shape::parts * Shape::a_size];
  alignas(16) LECTERN_SHARED std::uint16_t shared_b[2][Shape::parts * Shape::b_size];
  const int batch = product.first_batch + block_z();
  Count at[2];
  product.batches.find(batch, at);
  A a = product.a;
  B b = product.b;
  a.data += at[0];
  b.data += at[1];
  const int first_a = block_x() % product.a_tiles * Shape::a_lines;
  const int first_b = block_x() / product.a_tiles * Shape::b_lines;
  const int steps = (a.depth + Shape::depth - 1) / Shape::depth;
  const int lane = thread_number() % 32;
  const int warp_a = thread_number() / 32 / Tile::b_warps * Tile::warp_a;
  const int warp_b = thread_number() / 32 % Tile::b_warps * Tile::warp_b;

  Chunk<T> coming_a[Shape::a_chunks];
  Chunk<T> coming_b[Shape::b_chunks];
  const auto load = [&](int step) {
    LECTERN_UNROLL
    for (int i = 0; i < Shape::a_chunks; ++i) {
      const int number = i * Shape::threads + thread_number();
      int line, k;
      chunk_place<A, Shape::a_lines, Shape::depth>(number, line, k);
      coming_a[i] = {};
      if (number < Shape::all_a_chunks) a.chunk(first_a + line, step * Shape::depth + k, coming_a[i]);
    }
    LECTERN_UNROLL
    for (int i = 0; i < Shape::b_chunks; ++i) {
      const int number = i * Shape::threads + thread_number();
      int line, k;
      chunk_place<B, Shape::b_lines, Shape::depth>(number, line, k);
      coming_b[i] = {};
      if (number < Shape::all_b_chunks) b.chunk(first_b + line, step * Shape::depth + k, coming_b[i]);
    }
  };
  const auto store = [&](int stage) {
    LECTERN_UNROLL
    for (int i = 0; i < Shape::a_chunks; ++i) {
      const int number = i * Shape::threads + thread_number();
      int line, k;
      chunk_place<A, Shape::a_lines, Shape::depth>(number, line, k);
      if (number < Shape::all_a_chunks) store_parts<A::along_depth>(shared_a[stage] + line * Shape::a_stride + k, Shape::a_size, Shape::a_stride, product.a_factors, coming_a[i]);
    }
    LECTERN_UNROLL
    for (int i = 0; i < Shape::b_chunks; ++i) {
      const int number = i * Shape::threads + thread_number();
      int line, k;
      chunk_place<B, Shape::b_lines, Shape::depth>(number, line, k);
      if (number < Shape::all_b_chunks) store_parts<!B::along_depth>(shared_b[stage] + k * Shape::b_stride + line, Shape::b_size, Shape::b_stride, product.b_factors, coming_b[i]);
    }
  };

  // Of high parts, and of those with a low one.
  float sums[Shape::parts][a_blocks][b_blocks][4];
  LECTERN_UNROLL
  for (int part = 0; part < Shape::parts; ++part) {
    LECTERN_UNROLL
    for (int i = 0; i < a_blocks; ++i) {
      LECTERN_UNROLL
      for (int j = 0; j < b_blocks; ++j) {
        LECTERN_UNROLL
        for (int n = 0; n < 4; ++n) sums[part][i][j][n] = 0;
      }
    }
  }
  // A step's numbers come while those of the step before are multiplied; each is written once, as the compiler would make them large.
  for (int step = 0; step <= steps; ++step) {
    const int stage = (step + 1) % 2;
    if (step < steps) load(step);
    LECTERN_UNROLL
    for (int k = 0; k < Shape::depth && step > 0; k += 16) {
      Word left[Shape::parts][a_blocks][4];
      LECTERN_UNROLL
      for (int part = 0; part < Shape::parts; ++part) {
        if (part == 1 && product.a_factors.single) break;
        LECTERN_UNROLL
        for (int i = 0; i < a_blocks; ++i) {
          load_matrices(left[part][i], shared_a[stage] + part * Shape::a_size + (warp_a + 16 * i + lane % 16) * Shape::a_stride + k + lane / 16 * 8);
        }
      }
      LECTERN_UNROLL
      for (int j = 0; j < b_blocks; j += 2) {
        // A part of B with those parts of A that count beside it.
        LECTERN_UNROLL
        for (int part = 0; part < Shape::parts; ++part) {
          if (part == 1 && product.b_factors.single) break;
          Word right[4];
          load_matrices_transposed(right, shared_b[stage] + part * Shape::b_size + (k + lane % 16) * Shape::b_stride + warp_b + 8 * j + lane / 16 * 8);
          const Word near[2] = {right[0], right[1]};
          const Word far[2] = {right[2], right[3]};
          LECTERN_UNROLL
          for (int i = 0; i < a_blocks; ++i) {
            multiply_halves(sums[part][i][j], left[0][i], near);
            multiply_halves(sums[part][i][j + 1], left[0][i], far);
            if constexpr (pairs) {
              if (part == 1 || product.a_factors.single) continue;
              multiply_halves(sums[1][i][j], left[1][i], near);
              multiply_halves(sums[1][i][j + 1], left[1][i], far);
            }
          }
        }
      }
    }
    // The other stage was last read before the barrier that ended the step before.
    if (step < steps) store(step % 2);
    synchronise_block();
  }
  const auto whole = [&](int i, int j, int n) {
    float sum = sums[0][i][j][n];
    if constexpr (pairs) {
      // What is infinite already has nothing to add.
      if (fabsf(sum) <= FLT_MAX) sum += sums[1][i][j][n] * (1.0F / low_scale);
      sum *= product.unscale;
    }
    return sum;
  };
  LECTERN_UNROLL
  for (int i = 0; i < a_blocks; ++i) {
    LECTERN_UNROLL
    for (int j = 0; j < b_blocks; ++j) {
      const int row = first_a + warp_a + 16 * i + lane / 4;
      const int column = first_b + warp_b + 8 * j + lane % 4 * 2;
      put_pair(product.end, batch, row, column, whole(i, j, 0), whole(i, j, 1));
      put_pair(product.end, batch, row + 8, column, whole(i, j, 2), whole(i, j, 3));
    }
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
