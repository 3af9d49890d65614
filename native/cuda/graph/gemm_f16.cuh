// GEMM by mma.sync. Sums add k from the left, sixteen by sixteen: the order does not depend on the tile or on the number of
// rows.
//
// f16 is multiplied as it is. Floats are split: x = s (high + low / 2048) with a power of two s, 22 bits of x in two f16, and
// a b is high high + (high low + low high) / 2048, three products (the fourth is below the last bit). The two kinds of sums have accumulators of
// their own, so that no low part is lost in large sums (Ootomo and Yokota 2022, on recovering single precision).
#pragma once

#include "cuda/graph/gemm_tiles.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// How the warps of a block share a tile: each takes warp_a by warp_b of it.
struct LargeProductTile {
  static constexpr int warp_a = 64, warp_b = 32, a_warps = 2, b_warps = 4;
};
/// The large tile of split floats, whose accumulators take twice the registers.
struct TallProductTile {
  static constexpr int warp_a = 32, warp_b = 32, a_warps = 4, b_warps = 2;
};
struct SmallProductTile {
  static constexpr int warp_a = 32, warp_b = 32, a_warps = 2, b_warps = 2;
};
/// For matrices of few rows, such as the filters of first layers.
struct WideProductTile {
  static constexpr int warp_a = 32, warp_b = 32, a_warps = 1, b_warps = 4;
};

/// A tile of elements that are f16 or float.
template <class Tile, class T>
struct ProductShape {
  static constexpr int parts = std::is_same<T, Half>::value ? 1 : 2;  // f16 parts of an element
  static constexpr int a_lines = Tile::warp_a * Tile::a_warps;
  static constexpr int b_lines = Tile::warp_b * Tile::b_warps;
  static constexpr int threads = 32 * Tile::a_warps * Tile::b_warps;
  static constexpr int depth = 32 / parts;  // the K extent of a tile
  // Blocks per multiprocessor at least: split floats take some 140 registers per thread, the large f16 tile four more than half of all.
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

/// The scale of low parts: an f16 has 11 bits.
constexpr float low_scale = 2048.0F;

/// Splits eight floats into f16 high and low parts. NaN and infinities have no low part.
__device__ __forceinline__ void split(const Chunk<float>& chunk, float scale, Chunk<Half>& high, Chunk<Half>& low) {
  LECTERN_UNROLL
  for (int i = 0; i < 8; ++i) {
    const float x = chunk.get(i) * scale;
    const Half first = half_of(x);
    high.set(i, first);
    low.set(i, half_of(fabsf(x) <= FLT_MAX ? (x - value_of(first)) * low_scale : 0.0F));
  }
}

/// Stores a chunk to its place in shared memory; where the operand is dense across k, rows of shared memory are steps of k.
template <bool lies_along>
__device__ __forceinline__ void store_chunk(std::uint16_t* to, int stride, const Chunk<Half>& chunk) {
  if constexpr (lies_along) {
    store_words(to, chunk.w);
  } else {
    LECTERN_UNROLL
    for (int n = 0; n < 8; ++n) to[n * stride] = chunk.get(n).bits;
  }
}

/// The same for one or both parts, `size` elements apart.
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

  // Accumulators of high parts, and of products with a low part.
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
  // The loads of a K tile overlap with the products of the one before; each is written out once, because the compiler would unroll them to a large kernel.
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
          ldmatrix(left[part][i], shared_a[stage] + part * Shape::a_size + (warp_a + 16 * i + lane % 16) * Shape::a_stride + k + lane / 16 * 8);
        }
      }
      LECTERN_UNROLL
      for (int j = 0; j < b_blocks; j += 2) {
        // A part of B with the parts of A that are multiplied with it.
        LECTERN_UNROLL
        for (int part = 0; part < Shape::parts; ++part) {
          if (part == 1 && product.b_factors.single) break;
          Word right[4];
          ldmatrix_transposed(right, shared_b[stage] + part * Shape::b_size + (k + lane % 16) * Shape::b_stride + warp_b + 8 * j + lane / 16 * 8);
          const Word near[2] = {right[0], right[1]};
          const Word far[2] = {right[2], right[3]};
          LECTERN_UNROLL
          for (int i = 0; i < a_blocks; ++i) {
            mma_f16(sums[part][i][j], left[0][i], near);
            mma_f16(sums[part][i][j + 1], left[0][i], far);
            if constexpr (pairs) {
              if (part == 1 || product.a_factors.single) continue;
              mma_f16(sums[1][i][j], left[1][i], near);
              mma_f16(sums[1][i][j + 1], left[1][i], far);
            }
          }
        }
      }
    }
    // The other stage was last read before the barrier at the end of the previous K tile.
    if (step < steps) store(step % 2);
    synchronise_block();
  }
  const auto whole = [&](int i, int j, int n) {
    float sum = sums[0][i][j][n];
    if constexpr (pairs) {
      // An infinity has nothing to add.
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
