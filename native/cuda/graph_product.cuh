// Products by tiles: C(a, b) = sum over k of A(a, k) B(b, k), of which convolutions are one, their pictures unfolded on the way.
//
// Halves go through the tensor cores, sixteen by sixteen along k from the left, floats one by one: the order of a sum does not depend on
// the tile, nor on how many lines there are.
#pragma once

#include "cuda/graph_sides.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// A product for each of `batches`, of which at[0] and at[1] are A's and B's elements before it.
template <class A, class B, class End>
struct TiledProduct {
  A a;
  B b;
  End end;
  Places<2> batches;
  int first_batch;
  int a_tiles;
};

/// How a block's warps share a tile of sums: each takes warp_a by warp_b of it.
struct LargeProductTile {
  static constexpr int warp_a = 64, warp_b = 32, a_warps = 2, b_warps = 4;
};
struct SmallProductTile {
  static constexpr int warp_a = 32, warp_b = 32, a_warps = 2, b_warps = 2;
};
/// For matrices of few rows, as the first layers' filters are.
struct WideProductTile {
  static constexpr int warp_a = 32, warp_b = 32, a_warps = 1, b_warps = 4;
};

template <class Tile>
struct ProductShape {
  static constexpr int a_lines = Tile::warp_a * Tile::a_warps;
  static constexpr int b_lines = Tile::warp_b * Tile::b_warps;
  static constexpr int threads = 32 * Tile::a_warps * Tile::b_warps;
  static constexpr int depth = 32;  // of one step
  // Rows begin 16 bytes later each, modulo all banks: eight of them lie in eight different groups.
  static constexpr int a_stride = depth + 8;
  static constexpr int b_stride = b_lines + 8;
  static constexpr int a_chunks = a_lines * depth / 8 / threads;
  static constexpr int b_chunks = b_lines * depth / 8 / threads;
};

/// Chunk `number` of a step of a side: which line and which k (of the step) it begins at.
template <class Side, int lines, int depth>
__device__ __forceinline__ void chunk_place(int number, int& line, int& k) {
  if constexpr (Side::along_depth) {
    line = number / (depth / 8);
    k = number % (depth / 8) * 8;
  } else {
    k = number / (lines / 8);
    line = number % (lines / 8) * 8;
  }
}

template <class Tile, class A, class B, class End>
__global__ void LECTERN_LAUNCH_BOUNDS(ProductShape<Tile>::threads, 2) multiply_by_tensor_cores(TiledProduct<A, B, End> product) {
  using Shape = ProductShape<Tile>;
  constexpr int a_blocks = Tile::warp_a / 16;
  constexpr int b_blocks = Tile::warp_b / 8;
  alignas(16) LECTERN_SHARED std::uint16_t shared_a[2][Shape::a_lines * Shape::a_stride];
  alignas(16) LECTERN_SHARED std::uint16_t shared_b[2][Shape::depth * Shape::b_stride];
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

  Chunk<Half> coming_a[Shape::a_chunks];
  Chunk<Half> coming_b[Shape::b_chunks];
  const auto load = [&](int step) {
    LECTERN_UNROLL
    for (int i = 0; i < Shape::a_chunks; ++i) {
      int line, k;
      chunk_place<A, Shape::a_lines, Shape::depth>(i * Shape::threads + thread_number(), line, k);
      coming_a[i] = {};
      a.chunk(first_a + line, step * Shape::depth + k, coming_a[i]);
    }
    LECTERN_UNROLL
    for (int i = 0; i < Shape::b_chunks; ++i) {
      int line, k;
      chunk_place<B, Shape::b_lines, Shape::depth>(i * Shape::threads + thread_number(), line, k);
      coming_b[i] = {};
      b.chunk(first_b + line, step * Shape::depth + k, coming_b[i]);
    }
  };
  const auto store = [&](int stage) {
    LECTERN_UNROLL
    for (int i = 0; i < Shape::a_chunks; ++i) {
      int line, k;
      chunk_place<A, Shape::a_lines, Shape::depth>(i * Shape::threads + thread_number(), line, k);
      std::uint16_t* to = shared_a[stage] + line * Shape::a_stride + k;
      if constexpr (A::along_depth) {
        store_words(to, coming_a[i].w);
      } else {
        LECTERN_UNROLL
        for (int n = 0; n < 8; ++n) to[n * Shape::a_stride] = coming_a[i].get(n).bits;
      }
    }
    LECTERN_UNROLL
    for (int i = 0; i < Shape::b_chunks; ++i) {
      int line, k;
      chunk_place<B, Shape::b_lines, Shape::depth>(i * Shape::threads + thread_number(), line, k);
      std::uint16_t* to = shared_b[stage] + k * Shape::b_stride + line;
      if constexpr (B::along_depth) {
        LECTERN_UNROLL
        for (int n = 0; n < 8; ++n) to[n * Shape::b_stride] = coming_b[i].get(n).bits;
      } else {
        store_words(to, coming_b[i].w);
      }
    }
  };

  float sums[a_blocks][b_blocks][4];
  LECTERN_UNROLL
  for (int i = 0; i < a_blocks; ++i) {
    LECTERN_UNROLL
    for (int j = 0; j < b_blocks; ++j) {
      LECTERN_UNROLL
      for (int n = 0; n < 4; ++n) sums[i][j][n] = 0;
    }
  }
  // A step's numbers come while those of the step before are multiplied; each is written once, as the compiler would make them large.
  for (int step = 0; step <= steps; ++step) {
    const int stage = (step + 1) % 2;
    if (step < steps) load(step);
    LECTERN_UNROLL
    for (int k = 0; k < Shape::depth && step > 0; k += 16) {
      Word left[a_blocks][4];
      LECTERN_UNROLL
      for (int i = 0; i < a_blocks; ++i) load_matrices(left[i], shared_a[stage] + (warp_a + 16 * i + lane % 16) * Shape::a_stride + k + lane / 16 * 8);
      LECTERN_UNROLL
      for (int j = 0; j < b_blocks; j += 2) {
        Word right[4];
        load_matrices_transposed(right, shared_b[stage] + (k + lane % 16) * Shape::b_stride + warp_b + 8 * j + lane / 16 * 8);
        const Word near[2] = {right[0], right[1]};
        const Word far[2] = {right[2], right[3]};
        LECTERN_UNROLL
        for (int i = 0; i < a_blocks; ++i) {
          multiply_halves(sums[i][j], left[i], near);
          multiply_halves(sums[i][j + 1], left[i], far);
        }
      }
    }
    // The other stage was last read before the barrier that ended the step before.
    if (step < steps) store(step % 2);
    synchronise_block();
  }
  LECTERN_UNROLL
  for (int i = 0; i < a_blocks; ++i) {
    LECTERN_UNROLL
    for (int j = 0; j < b_blocks; ++j) {
      const int row = first_a + warp_a + 16 * i + lane / 4;
      const int column = first_b + warp_b + 8 * j + lane % 4 * 2;
      put_pair(product.end, batch, row, column, sums[i][j][0], sums[i][j][1]);
      put_pair(product.end, batch, row + 8, column, sums[i][j][2], sums[i][j][3]);
    }
  }
}

/// Floats: 64 by 64 sums on 256 threads, four by four each.
constexpr int float_side = 64;
constexpr int float_depth = 16;
constexpr int float_threads = 256;

template <class A, class B, class End>
__global__ void LECTERN_LAUNCH_BOUNDS(float_threads, 2) multiply_by_floats(TiledProduct<A, B, End> product) {
  constexpr int stride = float_side + 4;
  LECTERN_SHARED float shared_a[float_depth * stride];
  LECTERN_SHARED float shared_b[float_depth * stride];
  const int batch = product.first_batch + block_z();
  Count at[2];
  product.batches.find(batch, at);
  A a = product.a;
  B b = product.b;
  a.data += at[0];
  b.data += at[1];
  const int first_a = block_x() % product.a_tiles * float_side;
  const int first_b = block_x() / product.a_tiles * float_side;
  const int own_a = thread_number() / 16 * 4;
  const int own_b = thread_number() % 16 * 4;
  // Half of the threads bring A, the others B: a chunk each.
  const int number = thread_number() % (float_threads / 2);
  float sums[4][4] = {};
  for (int first = 0; first < a.depth; first += float_depth) {
    Chunk<float> chunk;
    int line, k;
    if (thread_number() < float_threads / 2) {
      chunk_place<A, float_side, float_depth>(number, line, k);
      a.chunk(first_a + line, first + k, chunk);
      LECTERN_UNROLL
      for (int n = 0; n < 8; ++n) shared_a[A::along_depth ? (k + n) * stride + line : k * stride + line + n] = chunk.get(n);
    } else {
      chunk_place<B, float_side, float_depth>(number, line, k);
      b.chunk(first_b + line, first + k, chunk);
      LECTERN_UNROLL
      for (int n = 0; n < 8; ++n) shared_b[B::along_depth ? (k + n) * stride + line : k * stride + line + n] = chunk.get(n);
    }
    synchronise_block();
    for (int step = 0; step < float_depth; ++step) {
      float left[4];
      float right[4];
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) {
        left[i] = shared_a[step * stride + own_a + i];
        right[i] = shared_b[step * stride + own_b + i];
      }
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) {
        LECTERN_UNROLL
        for (int j = 0; j < 4; ++j) sums[i][j] += left[i] * right[j];
      }
    }
    synchronise_block();
  }
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) {
    LECTERN_UNROLL
    for (int j = 0; j < 4; ++j) {
      const int row = first_a + own_a + i;
      const int column = first_b + own_b + j;
      if (row >= product.end.rows || column >= product.end.columns) continue;
      const Count place = product.end.place(batch, row, column);
      product.end.out[place] = ended(product.end, batch, row, column, place, sums[i][j]);
    }
  }
}

template <class Side>
constexpr bool is_unfolded = false;
template <class T>
constexpr bool is_unfolded<PixelLines<T>> = true;


inline int counted(std::int64_t count) {
  // Tiles reach beyond the last line.
  if (count > INT32_MAX - 256) throw Error(ErrorCode::too_large, "A product of " + std::to_string(count) + " lines is more than the GPU counts.");
  return static_cast<int>(count);
}

inline bool is_aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

/// Whether all chunks of eight elements of T along lines of `length` are aligned and whole, in every batch.
template <class T>
bool in_vectors(const T* data, std::int64_t length, const Places<2>& batches, int operand) {
  bool aligned = is_aligned(data) && length % 8 == 0;
  for (int axis = 0; axis < batches.rank; ++axis) aligned = aligned && batches.strides[operand][axis] % 8 == 0;
  return aligned;
}

/// Queues a kernel for all batches: as many at a time as a grid has.
template <class Kernel, class A, class B, class End, class Queue>
void queue_batches(Kernel kernel, int a_lines, int b_lines, int threads, const A& a, const B& b, const End& end, const Places<2>& batches, Queue&& queue) {
  constexpr Count most = 65535;
  const int a_tiles = (end.rows + a_lines - 1) / a_lines;
  const int b_tiles = (end.columns + b_lines - 1) / b_lines;
  for (Count first = 0; first < batches.count; first += most) {
    const Count rest = batches.count - first;
    queue(kernel, Grid{counted(Count{a_tiles} * b_tiles), 1, static_cast<int>(rest < most ? rest : most)}, threads, TiledProduct<A, B, End>{a, b, end, batches, static_cast<int>(first), a_tiles});
  }
}

template <class A, class B, class End, class Queue>
void multiply_sides(int multiprocessors, const A& a, const B& b, const End& end, const Places<2>& batches, Queue&& queue) {
  if constexpr (std::is_same<typename A::Element, float>::value) {
    queue_batches(multiply_by_floats<A, B, End>, float_side, float_side, float_threads, a, b, end, batches, queue);
  } else {
    // Which tile is no matter to the sums. Large ones where they leave no multiprocessor idle.
    const Count large = Count{(end.rows + 127) / 128} * ((end.columns + 127) / 128) * batches.count;
    const auto with_tile = [&](auto tile) {
      using Tile = decltype(tile);
      using Shape = ProductShape<Tile>;
      queue_batches(multiply_by_tensor_cores<Tile, A, B, End>, Shape::a_lines, Shape::b_lines, Shape::threads, a, b, end, batches, queue);
    };
    // Sides that lie across are rare: they have one tile, which keeps the device's code small.
    constexpr bool usual = A::along_depth;
    if constexpr (usual) {
      if (end.rows > 64 && large >= multiprocessors) return with_tile(LargeProductTile());
    }
    if constexpr (usual && is_unfolded<B>) {
      if (end.rows <= 32) return with_tile(WideProductTile());
    }
    with_tile(SmallProductTile());
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
