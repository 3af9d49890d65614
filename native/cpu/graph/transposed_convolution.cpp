#include "cpu/graph/transposed_convolution.h"

#include <algorithm>

#include "cpu/graph/bands.h"

namespace lectern::cpu {
namespace {

constexpr int panels_of(int rows) { return (rows + tile_height - 1) / tile_height; }
constexpr std::int64_t few_products = 64 * 1024;

/// No two inputs contribute to the same output.
bool apart(const Side& side) { return side.kernel == side.stride && side.dilation == 1; }

}  // namespace

struct PackedTransposed::Run {
  GraphContext& shop;
  const Picture& picture;
  int top;
  int left;
  const float* in;
  const Finish& finish;
  const float* bias;
  float* out;
  std::vector<std::int32_t> offsets;  // (group inputs)

  int in_plane() const { return picture.height * picture.width; }
  int out_plane() const { return picture.out_height * picture.out_width; }
  float bias_of(int output) const { return bias == nullptr ? 0.0F : bias[output]; }
};

PackedTransposed::PackedTransposed(const ConvolutionShape& shape, const float* weights)
    : shape_(shape),
      group_inputs_(shape.in_channels / shape.groups),
      group_outputs_(shape.out_channels / shape.groups),
      taps_(shape.vertical.kernel * shape.horizontal.kernel),
      unit_rows_(apart(shape.vertical) && apart(shape.horizontal) ? group_outputs_ * taps_ : taps_),
      units_(group_outputs_ * taps_ / unit_rows_),
      panels_(static_cast<std::size_t>(shape.groups * units_) * static_cast<std::size_t>(panels_of(unit_rows_)) * static_cast<std::size_t>(group_inputs_) * tile_height * sizeof(float)) {
  for (int c = 0; c < shape.in_channels; c++) {
    for (int r = 0; r < group_outputs_ * taps_; r++) {
      const std::ptrdiff_t unit = std::ptrdiff_t{c / group_inputs_} * units_ + r / unit_rows_;
      const int row = r % unit_rows_;
      const std::ptrdiff_t panel = unit * panels_of(unit_rows_) + row / tile_height;
      panels_.floats()[(panel * group_inputs_ + c % group_inputs_) * tile_height + row % tile_height] = weights[std::ptrdiff_t{c} * group_outputs_ * taps_ + r];
    }
  }
}

void PackedTransposed::run(GraphContext& shop, const Picture& picture, int top, int left, const float* in, const Finish& finish, const float* bias, float* out) const {
  Run run{shop, picture, top, left, in, finish, bias, out, {}};
  for (int c = 0; c < group_inputs_; c++) run.offsets.push_back(c * run.in_plane());
  const bool whole = top == 0 && left == 0 && picture.out_height == picture.height * shape_.vertical.kernel && picture.out_width == picture.width * shape_.horizontal.kernel;
  if (apart(shape_.vertical) && apart(shape_.horizontal) && whole) return run_tiles(run);
  run_sums(run);
}

/// Writes products to their outputs immediately.
void PackedTransposed::run_tiles(const Run& run) const {
  const int panels = panels_of(unit_rows_);
  const int across = shape_.horizontal.kernel;
  const int groups = run.picture.batch * shape_.groups;
  const std::int64_t products = std::int64_t{group_inputs_} * unit_rows_ * run.in_plane() * groups;
  const auto wanted = static_cast<int>(std::clamp<std::int64_t>(products / few_products / groups, 1, 4 * run.shop.threads.count()));
  const int columns = (run.in_plane() + wanted * tile_width - 1) / (wanted * tile_width) * tile_width;
  const int cuts = (run.in_plane() + columns - 1) / columns;
  auto work = [&](int part, int) {
    alignas(64) float sums[tile_height * tile_width];
    alignas(64) float neighbours[tile_width * tile_width];
    OutputRun runs[tile_width];
    const int group = part / cuts % shape_.groups;
    const float* in = run.in + std::ptrdiff_t{part / cuts} * group_inputs_ * run.in_plane();
    float* out = run.out + std::ptrdiff_t{part / cuts} * group_outputs_ * run.out_plane();
    const int end = std::min(run.in_plane(), part % cuts * columns + columns);
    for (int column = part % cuts * columns; column < end; column += tile_width) {
      const int taken = std::min(tile_width, end - column);
      const int run_count = output_runs(column, taken, run.picture.width, run.picture.width, runs);
      for (int panel = 0; panel < panels; panel++) {
        const int rows = std::min(tile_height, unit_rows_ - panel * tile_height);
        const float* weights = panels_.floats() + (std::ptrdiff_t{group} * panels + panel) * group_inputs_ * tile_height;
        run.shop.kernels.product({weights, 1, tile_height, in + column, run.offsets.data(), group_inputs_, rows, taken, sums});
        for (int r = 0; r < rows;) {
          const int row = panel * tile_height + r;
          const int output = row / taps_;
          const int dy = row % taps_ / across;
          const int dx = row % across;
          const float bias = run.bias_of(group * group_outputs_ + output);
          // Stores both columns of a pair at once if the panel has both.
          const bool pair = across == 2 && dx == 0 && r + 1 < rows;
          for (int i = 0; i < run_count; i++) {
            const float* from = sums + r * tile_width + runs[i].from;
            const std::ptrdiff_t y = runs[i].to / run.picture.width;
            const int x = runs[i].to % run.picture.width;
            float* to = out + std::ptrdiff_t{output} * run.out_plane() + (y * shape_.vertical.kernel + dy) * run.picture.out_width + x * across;
            if (pair) {
              run.shop.kernels.interleave(from, from + tile_width, runs[i].count, neighbours);
              run.shop.kernels.finish(run.finish, neighbours, bias, nullptr, nullptr, 2 * runs[i].count, to);
              continue;
            }
            run.shop.kernels.finish(run.finish, from, bias, nullptr, nullptr, runs[i].count, neighbours);
            for (int j = 0; j < runs[i].count; j++) to[j * across + dx] = neighbours[j];
          }
          r += pair ? 2 : 1;
        }
      }
    }
  };
  run.shop.threads.each(groups * cuts, work);
}

/// Sums up the plane of an output, one input's filter after the other.
void PackedTransposed::run_sums(const Run& run) const {
  run.shop.workspace.reserve(run.shop.threads.count(), static_cast<std::size_t>(run.out_plane()));
  auto work = [&](int part, int thread) {
    alignas(64) float sums[tile_height * tile_width];
    float* plane = run.shop.workspace.of(thread);
    const std::ptrdiff_t picture = part / shape_.out_channels;
    const int output = part % shape_.out_channels;
    const int group = output / group_outputs_;
    const float* in = run.in + (picture * shape_.in_channels + std::ptrdiff_t{group} * group_inputs_) * run.in_plane();
    std::fill(plane, plane + run.out_plane(), 0.0F);
    for (int column = 0; column < run.in_plane(); column += tile_width) {
      const int taken = std::min(tile_width, run.in_plane() - column);
      // A filter of a tiling whose output was cut is packed with those of the other outputs.
      const int first_row = units_ == 1 ? output % group_outputs_ * taps_ : 0;
      const int unit = group * units_ + (units_ == 1 ? 0 : output % group_outputs_);
      for (int tap = 0; tap < taps_;) {
        const int row = first_row + tap;
        const int rows = std::min({tile_height - row % tile_height, taps_ - tap});
        const float* weights = panels_.floats() + (std::ptrdiff_t{unit} * panels_of(unit_rows_) + row / tile_height) * group_inputs_ * tile_height + row % tile_height;
        run.shop.kernels.product({weights, 1, tile_height, in + column, run.offsets.data(), group_inputs_, rows, taken, sums});
        for (int r = 0; r < rows; r++) add_row(run, sums + r * tile_width, tap + r, column, taken, plane);
        tap += rows;
      }
    }
    const std::ptrdiff_t at = std::ptrdiff_t{part} * run.out_plane();
    run.shop.kernels.finish(run.finish, plane, run.bias_of(output), nullptr, nullptr, run.out_plane(), run.out + at);
  };
  run.shop.threads.each(run.picture.batch * shape_.out_channels, work);
}

void PackedTransposed::add_row(const Run& run, const float* sums, int tap, int first, int count, float* plane) const {
  const int down = tap / shape_.horizontal.kernel * shape_.vertical.dilation - run.top;
  const int right = tap % shape_.horizontal.kernel * shape_.horizontal.dilation - run.left;
  for (int i = 0; i < count; i++) {
    const int y = (first + i) / run.picture.width * shape_.vertical.stride + down;
    const int x = (first + i) % run.picture.width * shape_.horizontal.stride + right;
    if (y >= 0 && y < run.picture.out_height && x >= 0 && x < run.picture.out_width) plane[y * run.picture.out_width + x] += sums[i];
  }
}

}  // namespace lectern::cpu
