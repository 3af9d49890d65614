// Convolutions as implicit GEMM.
#include "cuda/graph/gemm_launch.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

void DeviceGraphOps::convolve(const Convolution& c, const float* in, const float* weights, const void* packed, const float* bias, const float* residual, float* out) {
  const Filter& f = c.filter;
  const std::int64_t group_outputs = f.outputs / f.groups;
  const std::int64_t group_inputs = f.inputs / f.groups;
  const std::int64_t plane = c.out[0] * c.out[1];
  if (c.batch * plane * f.outputs == 0) return;
  // A filter of one channel is no matrix: most rows of a tile would be empty.
  constexpr std::int64_t few_outputs = 8;
  if (group_outputs < few_outputs) return convolve_directly(c, in, weights, bias, residual, out);
  const std::int64_t depth = group_inputs * f.kernel[0] * f.kernel[1];
  const bool ends = ends_products(c.activation.kind);
  const Way way{splits_, multiprocessors_, packed == nullptr ? Factors() : *static_cast<const Factors*>(packed), {}};
  const auto queue = [&](auto kernel, Grid grid, int threads, const auto& product) { blocks(kernel, grid, threads, 0, product); };
  const Places<2> groups = places_of<2>(Shape{f.groups}, {Strides{group_outputs * depth}, Strides{group_inputs * c.in[0] * c.in[1]}});
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const T* filter = reinterpret_cast<const T*>(weights);
    const T* pictures = reinterpret_cast<const T*>(in);
    const auto same = [&](const std::array<std::int64_t, 2>& pair, std::int64_t value) { return pair[0] == value && pair[1] == value; };
    const bool as_it_lies = same(f.kernel, 1) && same(f.strides, 1) && same(c.pads, 0) && c.in == c.out && plane % 8 == 0 && in_vectors(pictures, plane, groups, 1);
    (void)counted(c.in[0] * c.in[1]);  // offsets in an image are int
    const PixelLines<T> pixels{pictures, counted(c.batch * plane), counted(depth), as_it_lies, counted(c.out[0]), counted(c.out[1]), counted(c.in[0]), counted(c.in[1]), counted(f.kernel[0]),
                               counted(f.kernel[1]), counted(f.strides[0]), counted(f.strides[1]), counted(f.dilations[0]), counted(f.dilations[1]), static_cast<int>(c.pads[0]),
                               static_cast<int>(c.pads[1]), f.inputs * c.in[0] * c.in[1]};
    const DenseLines<T> channels{filter, counted(group_outputs), counted(depth), in_vectors(filter, depth, groups, 0)};
    const PictureEnd<T> end{reinterpret_cast<T*>(out), reinterpret_cast<const T*>(bias), reinterpret_cast<const T*>(residual), channels.lines, pixels.lines, counted(f.outputs), counted(plane),
                            ends ? c.activation : Unary{}, plane % 2 == 0};
    multiply_sides(way, channels, pixels, end, groups, queue);
  });
  if (!ends) unary(c.activation, Element::f32, c.batch * f.outputs * plane, out, out);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
