#include "cpu/matrix_product.h"

#include <algorithm>

namespace lectern::cpu {
namespace {

constexpr int panels_of(int columns) { return (columns + tile_width - 1) / tile_width; }

/// One panel of columns times all the rows of [first, last).
struct Panel {
  ProductTile tile;  // left, rows and sums are set here
  const float* left;
  const float* biases;  // of the panel
  const float* addend;  // of the panel, as out
  float* out;
  std::ptrdiff_t stride;  // of addend and out
};

void run_panel(const NetworkKernels& kernels, const Finish& finish, Panel panel, int first, int last) {
  alignas(64) float sums[tile_height * tile_width];
  panel.tile.sums = sums;
  for (int row = first; row < last; row += tile_height) {
    panel.tile.rows = std::min(tile_height, last - row);
    panel.tile.left = panel.left + row * panel.tile.left_row;
    kernels.product(panel.tile);
    for (int r = 0; r < panel.tile.rows; r++) {
      const std::ptrdiff_t at = (row + r) * panel.stride;
      kernels.finish(finish, sums + r * tile_width, 0, panel.biases, panel.addend == nullptr ? nullptr : panel.addend + at, panel.tile.columns, panel.out + at);
    }
  }
}

/// Rows to a part: whole tiles, enough parts for the threads to share, none too small for the way to another thread.
int part_rows(int threads, int rows, int panels, std::int64_t products_per_row) {
  constexpr std::int64_t fewest = 64 * 1024;
  const std::int64_t worth = std::max<std::int64_t>(1, products_per_row * rows / fewest);
  const auto parts = static_cast<int>(std::min<std::int64_t>(worth, 4 * threads));
  const int slices = std::clamp(parts / std::max(1, panels), 1, (rows + tile_height - 1) / tile_height);
  const int each = (rows + slices - 1) / slices;
  return (each + tile_height - 1) / tile_height * tile_height;
}

}  // namespace

PackedProduct::PackedProduct(const float* weights, int depth, int columns, bool transposed)
    : depth_(depth), columns_(columns), panels_(static_cast<std::size_t>(panels_of(columns)) * static_cast<std::size_t>(depth) * tile_width * sizeof(float)) {
  for (int k = 0; k < depth; k++) {
    offsets_.push_back(k * tile_width);
    for (int c = 0; c < columns; c++) {
      const std::ptrdiff_t from = transposed ? std::ptrdiff_t{c} * depth + k : std::ptrdiff_t{k} * columns + c;
      panels_.floats()[(std::ptrdiff_t{c / tile_width} * depth + k) * tile_width + c % tile_width] = weights[from];
    }
  }
}

void PackedProduct::run(Workshop& shop, const float* left, std::ptrdiff_t left_stride, int rows, const Finish& finish, const float* biases, const float* addend,
                        float* out) const {
  const int panels = panels_of(columns_);
  const std::int64_t per_row = std::int64_t{depth_} * columns_;
  const int taken = part_rows(shop.threads.count(), rows, panels, per_row);
  const int slices = (rows + taken - 1) / taken;
  auto work = [&](int part, int) {
    const int column = part / slices * tile_width;
    const int row = part % slices * taken;
    const Panel panel{{nullptr, left_stride, 1, panels_.floats() + std::ptrdiff_t{column} * depth_, offsets_.data(), depth_, 0, std::min(tile_width, columns_ - column), nullptr},
                left, biases == nullptr ? nullptr : biases + column, addend == nullptr ? nullptr : addend + column, out + column, columns_};
    run_panel(shop.kernels, finish, panel, row, std::min(rows, row + taken));
  };
  if (per_row * rows < 64 * 1024) {
    for (int part = 0; part < panels * slices; part++) work(part, 0);
  } else {
    shop.threads.each(panels * slices, work);
  }
}

void multiply_batch(Workshop& shop, const ProductShape& shape, int batch, const float* left, std::ptrdiff_t left_batch, const float* right,
                    std::ptrdiff_t right_batch, const Finish& finish, float* out) {
  std::vector<std::int32_t> offsets;
  for (int k = 0; k < shape.depth; k++) offsets.push_back(k * shape.columns);
  const int panels = panels_of(shape.columns);
  const std::int64_t per_row = std::int64_t{shape.depth} * shape.columns;
  const int taken = part_rows(shop.threads.count(), shape.rows, panels * batch, per_row * batch);
  const int slices = (shape.rows + taken - 1) / taken;
  auto work = [&](int part, int) {
    const int which = part / (panels * slices);
    const int column = part / slices % panels * tile_width;
    const int row = part % slices * taken;
    const Panel panel{{nullptr, shape.left_stride, 1, right + which * right_batch + column, offsets.data(), shape.depth, 0, std::min(tile_width, shape.columns - column), nullptr},
                left + which * left_batch, nullptr, nullptr, out + std::ptrdiff_t{which} * shape.rows * shape.columns + column, shape.columns};
    run_panel(shop.kernels, finish, panel, row, std::min(shape.rows, row + taken));
  };
  if (per_row * shape.rows * batch < 64 * 1024) {
    for (int part = 0; part < batch * panels * slices; part++) work(part, 0);
  } else {
    shop.threads.each(batch * panels * slices, work);
  }
}

}  // namespace lectern::cpu
