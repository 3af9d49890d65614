// Functions of elements, alone and in pairs.
#include <algorithm>
#include <cmath>

#include "cpu/graph/fast_graph_ops.h"
#include "cpu/graph/strided_walk.h"

namespace lectern::cpu {
namespace {

/// Elements per kernel call; they stay in the first cache.
constexpr std::int64_t most_floats = 1 << 20;

bool combination_of(BinaryKind kind, Combination& combination) {
  switch (kind) {
    case BinaryKind::add: combination = Combination::add; return true;
    case BinaryKind::subtract: combination = Combination::subtract; return true;
    case BinaryKind::multiply: combination = Combination::multiply; return true;
    case BinaryKind::divide: combination = Combination::divide; return true;
    case BinaryKind::minimum: combination = Combination::minimum; return true;
    case BinaryKind::maximum: combination = Combination::maximum; return true;
    default: return false;
  }
}

}  // namespace

bool has_finish(Unary op, Finish& finish) {
  finish = {};
  finish.alpha = op.a;
  finish.beta = op.b;
  finish.scale = op.scale;
  finish.shift = op.shift;
  const auto as = [&](Activation activation) {
    finish.activation = activation;
    return true;
  };
  switch (op.kind) {
    case UnaryKind::identity: return true;
    case UnaryKind::negate: finish.scale = -op.scale; return true;
    case UnaryKind::relu: return as(Activation::relu);
    case UnaryKind::clip: return as(Activation::clip);
    case UnaryKind::leaky_relu: return as(Activation::leaky_relu);
    case UnaryKind::sigmoid: return as(Activation::sigmoid);
    case UnaryKind::silu: return op.a == 1.0F && as(Activation::silu);
    case UnaryKind::hard_sigmoid: return as(Activation::hard_sigmoid);
    case UnaryKind::hard_swish: return as(Activation::hard_swish);
    case UnaryKind::tanh: return as(Activation::tanh);
    case UnaryKind::gelu: return as(Activation::gelu);
    case UnaryKind::erf: return op.a == 1.0F && as(Activation::erf);
    case UnaryKind::exp: return as(Activation::exponential);
    case UnaryKind::sqrt: return as(Activation::square_root);
    case UnaryKind::reciprocal: return as(Activation::reciprocal);
    case UnaryKind::absolute: return as(Activation::absolute);
    default: return false;
  }
}

void FastGraphOps::finish_all(const Finish& finish, std::int64_t count, const float* in, float* out) {
  each_piece(count, 4, [&](std::int64_t first, std::int64_t length) {
    for (std::int64_t at = first; at < first + length; at += most_floats) {
      kernels_.finish(finish, in + at, 0, nullptr, nullptr, static_cast<int>(std::min(most_floats, first + length - at)), out + at);
    }
  });
}

void FastGraphOps::unary(Unary op, Element element, std::int64_t count, const void* in, void* out) {
  Finish finish;
  if (element != Element::f32 || !has_finish(op, finish)) return ReferenceGraphOps::unary(op, element, count, in, out);
  finish_all(finish, count, static_cast<const float*>(in), static_cast<float*>(out));
}

bool FastGraphOps::raise(const Broadcast& broadcast, const float* a, const float* exponent, float* out) {
  const Walk<2> walk(broadcast.shape, {broadcast.strides[0], broadcast.strides[1]});
  const bool one = walk.rows() == 1 && walk.inner_steps()[0] == 1 && (walk.inner_steps()[1] == 0 || walk.inner() == 1);
  const std::int64_t count = walk.inner();
  // Square roots are not included: pow(minus infinity, 0.5) is infinity.
  if (!one || (*exponent != 2.0F && *exponent != -1.0F)) return false;
  if (*exponent == -1.0F) {
    finish_all({Activation::reciprocal}, count, a, out);
    return true;
  }
  each_piece(count, 2, [&](std::int64_t first, std::int64_t length) {
    for (std::int64_t at = first; at < first + length; at += most_floats) {
      kernels_.combine(Combination::multiply, a + at, 1, a + at, 1, static_cast<int>(std::min(most_floats, first + length - at)), out + at);
    }
  });
  return true;
}

void FastGraphOps::binary(BinaryKind kind, Element element, const Broadcast& broadcast, const void* a, const void* b, void* out) {
  if (kind == BinaryKind::power && element == Element::f32 && broadcast.shape.elements() > 0 &&
      raise(broadcast, static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(out))) {
    return;
  }
  Combination combination{};
  const Walk<2> walk(broadcast.shape, {broadcast.strides[0], broadcast.strides[1]});
  const std::int64_t inner = walk.inner();
  const auto& steps = walk.inner_steps();
  const auto even = [](std::int64_t step) { return step == 0 || step == 1; };
  if (element != Element::f32 || !combination_of(kind, combination) || !even(steps[0]) || !even(steps[1]) || inner > most_floats * 1024) {
    return ReferenceGraphOps::binary(kind, element, broadcast, a, b, out);
  }
  const auto* left = static_cast<const float*>(a);
  const auto* right = static_cast<const float*>(b);
  auto* to = static_cast<float*>(out);
  const auto run = [&](const std::array<std::int64_t, 2>& at, std::int64_t first, std::int64_t length, std::int64_t out_at) {
    kernels_.combine(combination, left + at[0] + first * steps[0], static_cast<int>(steps[0]), right + at[1] + first * steps[1], static_cast<int>(steps[1]),
                     static_cast<int>(length), to + out_at + first);
  };
  // A single long row is divided; many rows are distributed.
  if (walk.rows() == 1) return each_piece(inner, 2, [&](std::int64_t first, std::int64_t length) { run({0, 0}, first, length, 0); });
  each_piece(walk.rows(), 2 * inner + 16, [&](std::int64_t first, std::int64_t count) {
    walk.each(first, count, [&](std::int64_t row, const std::array<std::int64_t, 2>& at) { run(at, 0, inner, row * inner); });
  });
}

void FastGraphOps::batch_normalise(Axis axis, float epsilon, const float* scale, const float* bias, const float* mean, const float* variance, Unary activation, const float* in,
                                   float* out) {
  Finish finish;
  if (!has_finish(activation, finish)) return ReferenceGraphOps::batch_normalise(axis, epsilon, scale, bias, mean, variance, activation, in, out);
  each_piece(axis.outer * axis.size, 4 * axis.inner, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t row = first; row < first + count; row++) {
      const std::int64_t channel = row % axis.size;
      const float factor = scale[channel] / std::sqrt(variance[channel] + epsilon);
      const float offset = bias[channel] - mean[channel] * factor;
      for (std::int64_t at = 0; at < axis.inner; at += most_floats) {
        const auto length = static_cast<int>(std::min(most_floats, axis.inner - at));
        float* to = out + row * axis.inner + at;
        Finish affine;
        affine.scale = factor;
        affine.shift = offset;
        kernels_.finish(affine, in + row * axis.inner + at, 0, nullptr, nullptr, length, to);
        if (activation.kind != UnaryKind::identity || activation.scale != 1.0F || activation.shift != 0.0F) kernels_.finish(finish, to, 0, nullptr, nullptr, length, to);
      }
    }
  });
}

}  // namespace lectern::cpu
