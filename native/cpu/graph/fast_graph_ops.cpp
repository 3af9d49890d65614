// Matrices and pictures: converts the shapes of the interface to those of the kernels.
#include "cpu/graph/fast_graph_ops.h"

#include <algorithm>
#include <limits>

#include "cpu/graph/pooling.h"
#include "cpu/graph/strided_walk.h"

namespace lectern::cpu {
namespace {

/// Kernels count in int. Larger operands than networks have go to the reference operations.
constexpr std::int64_t most_side = 1 << 12;
constexpr std::int64_t most_elements = std::numeric_limits<int>::max() / 4;

bool fits(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor < 1 || factor > most_elements || product > most_elements / factor) return false;
    product *= factor;
  }
  return true;
}

bool fits(const Filter& f) {
  for (std::size_t i = 0; i < 2; i++) {
    if (f.kernel[i] > most_side || f.strides[i] > most_side || f.dilations[i] > most_side) return false;
  }
  return f.groups > 0 && fits({f.outputs, std::max<std::int64_t>(1, f.inputs / f.groups), f.kernel[0], f.kernel[1]}) && f.inputs > 0;
}

/// The input of one row of outputs with its border, in `channels` planes: wide dilations read far.
bool band_fits(const std::array<std::int64_t, 2>& kernel, const std::array<std::int64_t, 2>& strides, const std::array<std::int64_t, 2>& dilations, std::int64_t out_width,
               std::int64_t channels) {
  constexpr std::int64_t most_floats = 1 << 25;
  const auto reach = [&](std::size_t i) { return (kernel[i] - 1) * dilations[i] / strides[i]; };
  const std::int64_t planes = std::min(kernel[0], strides[0]) * std::min(kernel[1], strides[1]) * channels;
  return fits({planes, 1 + reach(0), out_width + reach(1)}) && planes * (1 + reach(0)) * (out_width + reach(1)) <= most_floats;
}

bool fits(const Convolution& c, bool transposed) {
  for (std::size_t i = 0; i < 2; i++) {
    if (c.pads[i] > most_side) return false;
  }
  const Filter& f = c.filter;
  return fits(f) && fits({c.batch, f.inputs, c.in[0], c.in[1]}) && fits({c.batch, f.outputs, c.out[0], c.out[1]}) &&
         (transposed || band_fits(f.kernel, f.strides, f.dilations, c.out[1], f.inputs / f.groups));
}

Side side_of(const Filter& f, std::size_t axis) {
  return {static_cast<int>(f.kernel[axis]), static_cast<int>(f.strides[axis]), static_cast<int>(f.dilations[axis]), 0, 0};
}

ConvolutionShape shape_of(const Filter& f) {
  return {static_cast<int>(f.inputs), static_cast<int>(f.outputs), static_cast<int>(f.groups), side_of(f, 0), side_of(f, 1)};
}

Picture picture_of(const Convolution& c) {
  return {static_cast<int>(c.batch), static_cast<int>(c.in[0]), static_cast<int>(c.in[1]), static_cast<int>(c.out[0]), static_cast<int>(c.out[1])};
}

}  // namespace

FastGraphOps::FastGraphOps(Instructions level, int threads)
    : kernels_(network_kernels_of(level) == nullptr ? baseline_network_kernels() : *network_kernels_of(level)), threads_(threads), shop_{kernels_, threads_} {}

const void* FastGraphOps::pack_filter(const Filter& filter, const float* weights, bool transposed) {
  if (!fits(filter)) return nullptr;
  if (transposed) return transposed_filters_.emplace_back(std::make_unique<PackedTransposed>(shape_of(filter), weights)).get();
  return filters_.emplace_back(std::make_unique<PackedConvolution>(shape_of(filter), weights)).get();
}

const void* FastGraphOps::pack_matrix(std::int64_t inner, std::int64_t columns, bool transposed, const float* weights) {
  if (!fits({inner, columns + tile_width})) return nullptr;
  return matrices_.emplace_back(std::make_unique<PackedProduct>(weights, static_cast<int>(inner), static_cast<int>(columns), transposed)).get();
}

void FastGraphOps::convolve(const Convolution& c, const float* in, const float* weights, const void* packed, const float* bias, const float* residual, float* out) {
  if (!fits(c, false)) return ReferenceGraphOps::convolve(c, in, weights, packed, bias, residual, out);
  Finish finish;
  const bool at_once = has_finish(c.activation, finish);
  const Picture picture = picture_of(c);
  const auto run = [&](PackedConvolution& filter) {
    filter.run(shop_, picture, static_cast<int>(c.pads[0]), static_cast<int>(c.pads[1]), in, finish, bias, residual, out);
  };
  if (packed != nullptr) {
    // Packs filters and lends them as constants. The object also keeps the form for pictures of single points.
    run(*const_cast<PackedConvolution*>(static_cast<const PackedConvolution*>(packed)));
  } else {
    PackedConvolution filter(shape_of(c.filter), weights);
    run(filter);
  }
  if (!at_once) ReferenceGraphOps::unary(c.activation, Element::f32, c.batch * c.filter.outputs * c.out[0] * c.out[1], out, out);
}

void FastGraphOps::convolve_transposed(const Convolution& c, const float* in, const float* weights, const void* packed, const float* bias, float* out) {
  if (!fits(c, true)) return ReferenceGraphOps::convolve_transposed(c, in, weights, packed, bias, out);
  Finish finish;
  const bool at_once = has_finish(c.activation, finish);
  const auto run = [&](const PackedTransposed& filter) {
    filter.run(shop_, picture_of(c), static_cast<int>(c.pads[0]), static_cast<int>(c.pads[1]), in, finish, bias, out);
  };
  if (packed != nullptr) {
    run(*static_cast<const PackedTransposed*>(packed));
  } else {
    run(PackedTransposed(shape_of(c.filter), weights));
  }
  if (!at_once) ReferenceGraphOps::unary(c.activation, Element::f32, c.batch * c.filter.outputs * c.out[0] * c.out[1], out, out);
}

void FastGraphOps::multiply(const Product& p, const float* a, const float* b, const void* packed, const float* bias, float* out) {
  const std::int64_t batches = p.batches.elements();
  const Walk<2> walk(p.batches, {p.a_strides, p.b_strides});
  if (!fits({p.rows, p.inner}) || !fits({p.inner, p.columns + tile_width}) || !fits({batches, p.rows, p.columns}) || p.alpha != 1.0F || (bias != nullptr && p.beta != 1.0F)) {
    return ReferenceGraphOps::multiply(p, a, b, packed, bias, out);
  }
  Finish finish;
  const bool at_once = has_finish(p.activation, finish);
  ProductShape shape{static_cast<int>(p.rows), static_cast<int>(p.inner), static_cast<int>(p.columns), p.a_transposed ? 1 : p.inner, p.a_transposed ? p.rows : 1};
  Addends addends;
  const std::int64_t matrix = p.inner * p.columns;
  std::size_t expanded = 0;
  const bool turns = packed == nullptr && p.b_transposed;
  const bool expands = bias != nullptr && !(p.bias_row_stride == 0 && p.bias_column_stride == 1) && !(p.bias_row_stride == p.columns && p.bias_column_stride == 1);
  if (turns) expanded += static_cast<std::size_t>(matrix);
  if (expands) expanded += static_cast<std::size_t>(p.rows * p.columns);
  if (expanded_.size() < expanded) expanded_.resize(expanded);
  if (bias != nullptr && p.bias_row_stride == 0 && p.bias_column_stride == 1) {
    addends.biases = bias;
  } else if (bias != nullptr && !expands) {
    addends.addend = bias;
  } else if (bias != nullptr) {
    float* to = expanded_.data() + (turns ? matrix : 0);
    addends.addend = to;
    for (std::int64_t row = 0; row < p.rows; row++) {
      for (std::int64_t column = 0; column < p.columns; column++) *to++ = bias[row * p.bias_row_stride + column * p.bias_column_stride];
    }
  }

  const auto* weights = static_cast<const PackedProduct*>(packed);
  // If all matrices share the weights, successive ones are the rows of one matrix.
  const bool one = weights != nullptr && !p.a_transposed && addends.addend == nullptr && walk.rows() == 1 && (batches == 1 || walk.inner_steps()[0] == p.rows * p.inner);
  if (one && fits({batches, p.rows, p.inner})) {
    shape.rows *= static_cast<int>(batches);
    weights->run(shop_, shape, a, finish, addends, out);
  } else {
    const auto inner = static_cast<int>(walk.inner());
    walk.each(0, walk.rows(), [&](std::int64_t row, const std::array<std::int64_t, 2>& at) {
      float* to = out + row * inner * p.rows * p.columns;
      if (weights == nullptr && !turns) return multiply_batch(shop_, shape, inner, a + at[0], walk.inner_steps()[0], b + at[1], walk.inner_steps()[1], finish, addends, to);
      for (int i = 0; i < inner; i++, to += p.rows * p.columns) {
        const float* left = a + at[0] + i * walk.inner_steps()[0];
        if (weights != nullptr) {
          weights->run(shop_, shape, left, finish, addends, to);
          continue;
        }
        const float* right = b + at[1] + i * walk.inner_steps()[1];
        for (std::int64_t column = 0; column < p.columns; column++) {
          for (std::int64_t k = 0; k < p.inner; k++) expanded_[static_cast<std::size_t>(k * p.columns + column)] = right[column * p.inner + k];
        }
        multiply_batch(shop_, shape, 1, left, 0, expanded_.data(), 0, finish, addends, to);
      }
    });
  }
  if (!at_once) ReferenceGraphOps::unary(p.activation, Element::f32, batches * p.rows * p.columns, out, out);
}

void FastGraphOps::pool(const Pool& p, Element element, const void* in, void* out, std::int64_t* indices) {
  bool known = element == Element::f32 && indices == nullptr && fits({p.planes, p.in[0], p.in[1]}) && fits({p.planes, p.out[0], p.out[1]});
  for (std::size_t i = 0; i < 2; i++) {
    for (const std::int64_t size : {p.kernel[i], p.strides[i], p.dilations[i], p.pads[i], p.pads_after[i]}) known = known && size <= most_side;
  }
  if (!known || !band_fits(p.kernel, p.strides, p.dilations, p.out[1], 1)) return ReferenceGraphOps::pool(p, element, in, out, indices);
  const auto side = [&](std::size_t i) {
    return Side{static_cast<int>(p.kernel[i]), static_cast<int>(p.strides[i]), static_cast<int>(p.dilations[i]), static_cast<int>(p.pads[i]), static_cast<int>(p.pads_after[i])};
  };
  cpu::pool(shop_, {p.average, p.count_padding, side(0), side(1)}, static_cast<int>(p.planes), static_cast<int>(p.in[0]), static_cast<int>(p.in[1]),
            static_cast<int>(p.out[0]), static_cast<int>(p.out[1]), static_cast<const float*>(in), static_cast<float*>(out));
}

}  // namespace lectern::cpu
