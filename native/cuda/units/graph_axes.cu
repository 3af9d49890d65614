// Kernels along axes: reductions, arg-extremes, running sums, top-k.
#include "cuda/graph/elements.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

/// The threads that reduce one line together; shorter lines have one thread each.
constexpr int line_threads = 128;

/// The state of a reduction; integers wrap. States can be merged in any number.
template <class T>
struct Accumulator {
  static constexpr bool whole = std::is_integral<T>::value;
  using Wide = std::conditional_t<whole, std::uint64_t, T>;

  Wide sum;
  double squares;
  T extreme;

  __device__ void begin(ReductionKind kind) {
    sum = kind == ReductionKind::product ? 1 : 0;
    squares = 0;
    // The extreme of an empty line.
    if constexpr (whole) extreme = kind == ReductionKind::minimum ? static_cast<T>(~(std::uint64_t{1} << (8 * sizeof(T) - 1))) : static_cast<T>(std::uint64_t{1} << (8 * sizeof(T) - 1));
    else extreme = kind == ReductionKind::minimum ? static_cast<T>(INFINITY) : -static_cast<T>(INFINITY);
  }
  /// most: for log_sum_exp the largest element.
  __device__ void add(ReductionKind kind, T x, T most) {
    const auto wide = static_cast<Wide>(x);
    switch (kind) {
      case ReductionKind::sum:
      case ReductionKind::mean:
      case ReductionKind::log_sum: sum += wide; break;
      case ReductionKind::log_sum_exp:
        if constexpr (whole) squares += exp(static_cast<double>(x) - static_cast<double>(most));
        else sum += exp(x - most);
        break;
      case ReductionKind::product: sum *= wide; break;
      case ReductionKind::l1: sum += x < 0 ? Wide(0) - wide : wide; break;
      case ReductionKind::l2:
        if constexpr (whole) squares += static_cast<double>(x) * static_cast<double>(x);
        else sum += wide * wide;
        break;
      case ReductionKind::sum_of_squares: sum += wide * wide; break;
      case ReductionKind::maximum:
      case ReductionKind::minimum: take(kind, x); break;
    }
  }
  __device__ void take(ReductionKind kind, T x) {
    if (extreme != extreme) return;
    if (x != x || (kind == ReductionKind::minimum ? x < extreme : x > extreme)) extreme = x;
  }
  __device__ void join(ReductionKind kind, const Accumulator& other) {
    if (kind == ReductionKind::product) sum *= other.sum;
    else sum += other.sum;
    squares += other.squares;
    take(kind, other.extreme);
  }
  __device__ T result(ReductionKind kind, Count count, T most) const {
    switch (kind) {
      case ReductionKind::mean:
        if constexpr (whole) return count == 0 ? T(0) : static_cast<T>(static_cast<std::int64_t>(sum) / count);
        else return sum / static_cast<T>(count);
      case ReductionKind::l2:
        if constexpr (whole) return rounded(sqrt(squares));
        else return sqrt(sum);
      case ReductionKind::log_sum:
        if constexpr (whole) return rounded(log(static_cast<double>(static_cast<std::int64_t>(sum))));
        else return log(sum);
      case ReductionKind::log_sum_exp:
        if constexpr (whole) return rounded(static_cast<double>(most) + log(squares));
        else return most + log(sum);
      case ReductionKind::maximum:
      case ReductionKind::minimum: return extreme;
      default: return static_cast<T>(sum);
    }
  }

 private:
  static __device__ T rounded(double value) {
    constexpr T least = static_cast<T>(std::uint64_t{1} << (8 * sizeof(T) - 1));
    constexpr T greatest = static_cast<T>(~(std::uint64_t{1} << (8 * sizeof(T) - 1)));
    if (value != value || value <= -static_cast<double>(greatest)) return least;
    return value >= static_cast<double>(greatest) ? greatest : static_cast<T>(value);
  }
};

/// The value that log_sum_exp subtracts: the largest element, or 0 where that is not finite.
template <class T>
__device__ __forceinline__ T subtracted(const Accumulator<T>& accumulator) {
  const auto most = static_cast<double>(accumulator.extreme);
  return fabs(most) <= DBL_MAX ? accumulator.extreme : T(0);
}

template <class T>
__global__ void reduce_short(ReductionKind kind, Places<1> kept, Places<1> reduced, const T* in, T* out) {
  for (Count i = first_element(); i < kept.count; i += element_step()) {
    Count begin[1];
    kept.find(i, begin);
    Counted<T> most = 0;
    Accumulator<Counted<T>> accumulator;
    for (int pass = kind == ReductionKind::log_sum_exp ? 0 : 1; pass < 2; ++pass) {
      const ReductionKind now = pass == 0 ? ReductionKind::maximum : kind;
      accumulator.begin(now);
      for (Count k = 0; k < reduced.count; ++k) {
        Count at[1];
        reduced.find(k, at);
        accumulator.add(now, value_of(in[begin[0] + at[0]]), most);
      }
      if (pass == 0) most = subtracted(accumulator);
    }
    out[i] = element_of<T>(accumulator.result(kind, reduced.count, most));
  }
}

template <class T>
__global__ void LECTERN_LAUNCH_BOUNDS(line_threads, 8) reduce_long(ReductionKind kind, Places<1> kept, Places<1> reduced, const T* in, T* out) {
  using Number = Counted<T>;
  LECTERN_SHARED Accumulator<Number> shared[line_threads];
  const int thread = thread_number();
  for (Count i = block_x(); i < kept.count; i += grid_x()) {
    Count begin[1];
    kept.find(i, begin);
    Number most = 0;
    for (int pass = kind == ReductionKind::log_sum_exp ? 0 : 1; pass < 2; ++pass) {
      const ReductionKind now = pass == 0 ? ReductionKind::maximum : kind;
      Accumulator<Number> own;
      own.begin(now);
      for (Count k = thread; k < reduced.count; k += line_threads) {
        Count at[1];
        reduced.find(k, at);
        own.add(now, value_of(in[begin[0] + at[0]]), most);
      }
      shared[thread] = own;
      for (int half = line_threads / 2; half > 0; half /= 2) {
        synchronise_block();
        if (thread < half) shared[thread].join(now, shared[thread + half]);
      }
      synchronise_block();
      if (pass == 0) most = subtracted(shared[0]);
      else if (thread == 0) out[i] = element_of<T>(shared[0].result(kind, reduced.count, most));
      synchronise_block();
    }
  }
}

/// Whether a comes before b: NaN comes before everything.
template <class T>
__device__ __forceinline__ bool beats(T a, T b, bool largest) {
  if (b != b) return false;
  if (a != a) return true;
  return largest ? a > b : a < b;
}

template <class T>
__global__ void find_short(Axis axis, bool largest, bool last, const T* in, std::int64_t* out) {
  for (Count i = first_element(); i < axis.outer * axis.inner; i += element_step()) {
    const T* line = in + i / axis.inner * axis.size * axis.inner + i % axis.inner;
    Count best = 0;
    Counted<T> holder = value_of(line[0]);
    for (Count k = 1; k < axis.size; ++k) {
      const Counted<T> candidate = value_of(line[k * axis.inner]);
      if (last ? beats(holder, candidate, largest) : !beats(candidate, holder, largest)) continue;
      best = k;
      holder = candidate;
    }
    out[i] = best;
  }
}

/// For contiguous lines, a block each.
template <class T>
__global__ void LECTERN_LAUNCH_BOUNDS(line_threads, 8) find_long(Axis axis, bool largest, bool last, const T* in, std::int64_t* out) {
  using Number = Counted<T>;
  LECTERN_SHARED Number values[line_threads];
  LECTERN_SHARED Count places[line_threads];
  const int thread = thread_number();
  for (Count row = block_x(); row < axis.outer; row += grid_x()) {
    const T* line = in + row * axis.size;
    Number best = value_of(line[thread]);
    Count place = thread;
    for (Count k = thread + line_threads; k < axis.size; k += line_threads) {
      const Number candidate = value_of(line[k]);
      if (last ? beats(best, candidate, largest) : !beats(candidate, best, largest)) continue;
      best = candidate;
      place = k;
    }
    values[thread] = best;
    places[thread] = place;
    for (int half = line_threads / 2; half > 0; half /= 2) {
      synchronise_block();
      if (thread < half) {
        const Number other = values[thread + half];
        const bool equal = !beats(other, values[thread], largest) && !beats(values[thread], other, largest);
        const bool wins = equal ? (places[thread + half] > places[thread]) == last : beats(other, values[thread], largest);
        if (wins) {
          values[thread] = other;
          places[thread] = places[thread + half];
        }
      }
    }
    synchronise_block();
    if (thread == 0) out[row] = places[0];
    synchronise_block();
  }
}

template <class T>
__global__ void cumulate_lines(Axis axis, bool exclusive, bool reverse, const T* in, T* out) {
  using Number = Counted<T>;
  using Wide = std::conditional_t<std::is_integral<Number>::value, std::uint64_t, double>;
  for (Count i = first_element(); i < axis.outer * axis.inner; i += element_step()) {
    const Count begin = i / axis.inner * axis.size * axis.inner + i % axis.inner;
    Wide sum = 0;
    for (Count k = 0; k < axis.size; ++k) {
      const Count at = begin + (reverse ? axis.size - 1 - k : k) * axis.inner;
      const auto x = static_cast<Wide>(value_of(in[at]));
      out[at] = element_of<T>(static_cast<Number>(exclusive ? sum : sum + x));
      sum += x;
    }
  }
}

/// NaN counts as the largest: first of the largest, last of the smallest; of equal elements the lower index comes first.
template <class T>
__device__ __forceinline__ bool comes_before(T x, Count a, T y, Count b, bool largest) {
  const bool x_none = x != x;
  const bool y_none = y != y;
  if (x_none != y_none) return x_none == largest;
  if (!x_none && x != y) return largest ? x > y : x < y;
  return a < b;
}

/// Every element counts those before it in its line, and stores itself at that place: size^2 comparisons per line, 0.6 G for the 24,000 candidates of a
/// detector, without synchronisation.
template <class T>
__global__ void rank_elements(Axis axis, Count k, bool largest, const T* in, T* values, std::int64_t* indices) {
  const Count count = axis.outer * axis.size * axis.inner;
  for (Count i = first_element(); i < count; i += element_step()) {
    // Neighbouring threads read the same line.
    const Count line_number = i / axis.size;
    const Count own = i % axis.size;
    const Count outer = line_number / axis.inner;
    const Count inner = line_number % axis.inner;
    const T* line = in + outer * axis.size * axis.inner + inner;
    const Counted<T> x = value_of(line[own * axis.inner]);
    Count rank = 0;
    for (Count other = 0; other < axis.size && rank < k; ++other) rank += comes_before(value_of(line[other * axis.inner]), other, x, own, largest);
    if (rank >= k) continue;
    const Count at = (outer * k + rank) * axis.inner + inner;
    values[at] = line[own * axis.inner];
    indices[at] = own;
  }
}

}  // namespace

void DeviceGraphOps::reduce(const Reduction& reduction, Element element, const void* in, void* out) {
  const Places<1> kept = places_of<1>(reduction.kept, {reduction.kept_strides});
  const Places<1> reduced = places_of<1>(reduction.reduced, {reduction.reduced_strides});
  if (kept.count == 0) return;
  with_numbers(halves_, element, [&](auto type) {
    using T = decltype(type);
    const T* from = static_cast<const T*>(in);
    T* to = static_cast<T*>(out);
    if (reduced.count < line_threads) return each(reduce_short<T>, kept.count, reduction.kind, kept, reduced, from, to);
    const Count most = Count{32} * multiprocessors_;
    blocks(reduce_long<T>, Grid{static_cast<int>(kept.count < most ? kept.count : most)}, line_threads, 0, reduction.kind, kept, reduced, from, to);
  });
}

void DeviceGraphOps::find_extreme(Axis axis, Element element, bool largest, bool last, const void* in, std::int64_t* out) {
  if (axis.outer * axis.inner == 0) return;
  if (axis.size == 0) return clear(stream_, out, static_cast<std::size_t>(axis.outer * axis.inner) * sizeof *out);
  with_numbers(halves_, element, [&](auto type) {
    using T = decltype(type);
    const T* from = static_cast<const T*>(in);
    if (axis.inner > 1 || axis.size < line_threads) return each(find_short<T>, axis.outer * axis.inner, axis, largest, last, from, out);
    const Count most = Count{32} * multiprocessors_;
    blocks(find_long<T>, Grid{static_cast<int>(axis.outer < most ? axis.outer : most)}, line_threads, 0, axis, largest, last, from, out);
  });
}

void DeviceGraphOps::cumulate(Axis axis, Element element, bool exclusive, bool reverse, const void* in, void* out) {
  with_numbers(halves_, element, [&](auto type) {
    using T = decltype(type);
    each(cumulate_lines<T>, axis.outer * axis.inner, axis, exclusive, reverse, static_cast<const T*>(in), static_cast<T*>(out));
  });
}

void DeviceGraphOps::top_k(Axis axis, Element element, std::int64_t k, bool largest, const void* in, void* values, std::int64_t* indices) {
  with_numbers(halves_, element, [&](auto type) {
    using T = decltype(type);
    each(rank_elements<T>, axis.outer * axis.size * axis.inner, axis, k, largest, static_cast<const T*>(in), static_cast<T*>(values), indices);
  });
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
