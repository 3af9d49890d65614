#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "cpu/graph/reference_graph_ops.h"
#include "cpu/graph/walk.h"
#include "error.h"

namespace lectern::cpu {
namespace {

/// A running reduction; integers wrap.
template <class T>
class Accumulator {
 public:
  explicit Accumulator(ReductionKind kind) : kind_(kind) {
    if (kind == ReductionKind::product) sum_ = 1;
    constexpr bool infinite = std::numeric_limits<T>::has_infinity;
    if (kind == ReductionKind::maximum) extreme_ = infinite ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    if (kind == ReductionKind::minimum) extreme_ = infinite ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }

  void add(T x) {
    const auto wide = static_cast<Wide>(x);
    switch (kind_) {
      case ReductionKind::sum:
      case ReductionKind::mean:
      case ReductionKind::log_sum: sum_ += wide; break;
      case ReductionKind::log_sum_exp: exponents_.push_back(static_cast<double>(x)); break;
      case ReductionKind::product: sum_ *= wide; break;
      case ReductionKind::l1: sum_ += x < 0 ? Wide{0} - wide : wide; break;
      case ReductionKind::l2:
        if constexpr (is_integer) squares_ += static_cast<double>(x) * static_cast<double>(x);
        else sum_ += wide * wide;
        break;
      case ReductionKind::sum_of_squares: sum_ += wide * wide; break;
      case ReductionKind::maximum:
        if (x > extreme_ || x != x) extreme_ = extreme_ != extreme_ ? extreme_ : x;
        break;
      case ReductionKind::minimum:
        if (x < extreme_ || x != x) extreme_ = extreme_ != extreme_ ? extreme_ : x;
        break;
    }
    count_++;
  }

  T result() const {
    switch (kind_) {
      case ReductionKind::mean:
        if constexpr (is_integer) return count_ == 0 ? T{0} : static_cast<T>(static_cast<std::int64_t>(sum_) / count_);
        else return static_cast<T>(sum_ / static_cast<Wide>(count_));
      case ReductionKind::l2:
        if constexpr (is_integer) return whole(std::sqrt(squares_));
        else return static_cast<T>(std::sqrt(sum_));
      case ReductionKind::log_sum:
        if constexpr (is_integer) return whole(std::log(static_cast<double>(static_cast<std::int64_t>(sum_))));
        else return static_cast<T>(std::log(sum_));
      case ReductionKind::log_sum_exp: {
        double most = -std::numeric_limits<double>::infinity();
        for (const double x : exponents_) most = std::max(most, x);
        if (!std::isfinite(most)) most = 0;
        double sum = 0;
        for (const double x : exponents_) sum += std::exp(x - most);
        if constexpr (is_integer) return whole(most + std::log(sum));
        else return static_cast<T>(most + std::log(sum));
      }
      case ReductionKind::maximum:
      case ReductionKind::minimum: return extreme_;
      default: return static_cast<T>(sum_);
    }
  }

 private:
  static constexpr bool is_integer = std::is_integral_v<T>;
  using Wide = std::conditional_t<is_integer, std::uint64_t, double>;

  static T whole(double value) {
    const double most = static_cast<double>(std::numeric_limits<T>::max());
    return std::isnan(value) || value <= -most ? std::numeric_limits<T>::min() : value >= most ? std::numeric_limits<T>::max() : static_cast<T>(value);
  }

  ReductionKind kind_;
  Wide sum_ = 0;
  double squares_ = 0;
  T extreme_ = 0;
  std::int64_t count_ = 0;
  std::vector<double> exponents_;
};

template <class T>
void reduce_all(const Reduction& reduction, const void* in, void* out) {
  const T* from = static_cast<const T*>(in);
  T* to = static_cast<T*>(out);
  each_row<1>(reduction.kept, {reduction.kept_strides}, {0}, [&](auto at, std::int64_t length, auto step) {
    for (std::int64_t i = 0; i < length; i++) {
      Accumulator<T> accumulator(reduction.kind);
      each_row<1>(reduction.reduced, {reduction.reduced_strides}, {at[0] + i * step[0]}, [&](auto inner, std::int64_t count, auto stride) {
        for (std::int64_t k = 0; k < count; k++) accumulator.add(from[inner[0] + k * stride[0]]);
      });
      *to++ = accumulator.result();
    }
  });
}

/// Calls with(T()) for the four types that reductions support.
template <class With>
void with_number(Element element, With&& with) {
  switch (element) {
    case Element::f32: return with(float());
    case Element::f64: return with(double());
    case Element::i64: return with(std::int64_t());
    case Element::i32: return with(std::int32_t());
    default: throw Error(ErrorCode::internal, "An operation along an axis of " + std::string(name_of(element)) + " was planned and does not exist.");
  }
}

/// Calls line(offset) with the first element of each line along the axis; the elements of a line are axis.inner apart.
template <class Line>
void each_line(Axis axis, Line&& line) {
  for (std::int64_t o = 0; o < axis.outer; o++) {
    for (std::int64_t i = 0; i < axis.inner; i++) line(o * axis.size * axis.inner + i);
  }
}

/// NaN comes before all numbers.
template <class T>
bool beats(T a, T b, bool largest) {
  if (b != b) return false;
  if (a != a) return true;
  return largest ? a > b : a < b;
}

struct Moments {
  double mean, inverse_deviation;  // 1 / sqrt(variance + epsilon)
};

Moments moments_of(const float* x, std::int64_t count, float epsilon) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; i++) sum += static_cast<double>(x[i]);
  const double mean = sum / static_cast<double>(count);
  double squares = 0;
  for (std::int64_t i = 0; i < count; i++) squares += (static_cast<double>(x[i]) - mean) * (static_cast<double>(x[i]) - mean);
  return {mean, 1 / std::sqrt(squares / static_cast<double>(count) + static_cast<double>(epsilon))};
}

}  // namespace

void ReferenceGraphOps::reduce(const Reduction& reduction, Element element, const void* in, void* out) {
  with_number(element, [&](auto type) { reduce_all<decltype(type)>(reduction, in, out); });
}

void ReferenceGraphOps::find_extreme(Axis axis, Element element, bool largest, bool last, const void* in, std::int64_t* out) {
  with_number(element, [&](auto type) {
    const auto* from = static_cast<const decltype(type)*>(in);
    each_line(axis, [&](std::int64_t offset) {
      std::int64_t best = 0;
      for (std::int64_t k = 1; k < axis.size; k++) {
        const auto candidate = from[offset + k * axis.inner];
        const auto holder = from[offset + best * axis.inner];
        if (last ? !beats(holder, candidate, largest) : beats(candidate, holder, largest)) best = k;
      }
      *out++ = best;
    });
  });
}

void ReferenceGraphOps::softmax(Axis axis, bool logarithm, const float* in, float* out) {
  each_line(axis, [&](std::int64_t offset) {
    float most = -std::numeric_limits<float>::infinity();
    for (std::int64_t k = 0; k < axis.size; k++) most = std::max(most, in[offset + k * axis.inner]);
    double sum = 0;
    for (std::int64_t k = 0; k < axis.size; k++) sum += std::exp(static_cast<double>(in[offset + k * axis.inner] - most));
    for (std::int64_t k = 0; k < axis.size; k++) {
      const std::int64_t at = offset + k * axis.inner;
      const auto x = static_cast<double>(in[at] - most);
      out[at] = static_cast<float>(logarithm ? x - std::log(sum) : std::exp(x) / sum);
    }
  });
}

void ReferenceGraphOps::layer_normalise(std::int64_t rows, std::int64_t columns, float epsilon, const float* scale, const float* bias, const float* in, float* out, float* mean,
                                    float* inverse_deviation) {
  for (std::int64_t row = 0; row < rows; row++) {
    const float* from = in + row * columns;
    float* to = out + row * columns;
    const Moments moments = moments_of(from, columns, epsilon);
    for (std::int64_t i = 0; i < columns; i++) {
      const double normal = (static_cast<double>(from[i]) - moments.mean) * moments.inverse_deviation;
      to[i] = static_cast<float>(normal * static_cast<double>(scale[i]) + (bias != nullptr ? static_cast<double>(bias[i]) : 0));
    }
    if (mean != nullptr) mean[row] = static_cast<float>(moments.mean);
    if (inverse_deviation != nullptr) inverse_deviation[row] = static_cast<float>(moments.inverse_deviation);
  }
}

void ReferenceGraphOps::group_normalise(Axis axis, std::int64_t groups, float epsilon, const float* scale, const float* bias, const float* in, float* out) {
  const std::int64_t channels = axis.size / groups;
  const std::int64_t count = channels * axis.inner;
  for (std::int64_t group = 0; group < axis.outer * groups; group++) {
    const float* from = in + group * count;
    float* to = out + group * count;
    const Moments moments = moments_of(from, count, epsilon);
    for (std::int64_t i = 0; i < count; i++) {
      const std::int64_t channel = group % groups * channels + i / axis.inner;
      to[i] = static_cast<float>((static_cast<double>(from[i]) - moments.mean) * moments.inverse_deviation * static_cast<double>(scale[channel]) + static_cast<double>(bias[channel]));
    }
  }
}

void ReferenceGraphOps::cumulate(Axis axis, Element element, bool exclusive, bool reverse, const void* in, void* out) {
  with_number(element, [&](auto type) {
    using T = decltype(type);
    using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
    const T* from = static_cast<const T*>(in);
    T* to = static_cast<T*>(out);
    each_line(axis, [&](std::int64_t offset) {
      Wide sum = 0;
      for (std::int64_t k = 0; k < axis.size; k++) {
        const std::int64_t at = offset + (reverse ? axis.size - 1 - k : k) * axis.inner;
        const auto x = static_cast<Wide>(from[at]);
        to[at] = static_cast<T>(exclusive ? sum : sum + x);
        sum += x;
      }
    });
  });
}

void ReferenceGraphOps::top_k(Axis axis, Element element, std::int64_t k, bool largest, const void* in, void* values, std::int64_t* indices) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(axis.size));
  with_number(element, [&](auto type) {
    using T = decltype(type);
    const T* from = static_cast<const T*>(in);
    T* to = static_cast<T*>(values);
    for (std::int64_t o = 0; o < axis.outer; o++) {
      for (std::int64_t i = 0; i < axis.inner; i++) {
        const T* line = from + o * axis.size * axis.inner + i;
        std::iota(order.begin(), order.end(), std::int64_t{0});
        // NaN is the largest: the first of the largest, the last of the smallest.
        const auto before = [&](std::int64_t a, std::int64_t b) {
          const T x = line[a * axis.inner];
          const T y = line[b * axis.inner];
          const bool x_nan = x != x;
          const bool y_nan = y != y;
          if (x_nan != y_nan) return x_nan == largest;
          if (!x_nan && x != y) return largest ? x > y : x < y;
          return a < b;
        };
        std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
        for (std::int64_t rank = 0; rank < k; rank++) {
          const std::int64_t at = (o * k + rank) * axis.inner + i;
          indices[at] = order[static_cast<std::size_t>(rank)];
          to[at] = line[order[static_cast<std::size_t>(rank)] * axis.inner];
        }
      }
    }
  });
}

}  // namespace lectern::cpu
