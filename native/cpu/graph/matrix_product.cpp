#include "cpu/graph/matrix_product.h"

#include <algorithm>

namespace lectern::cpu {
namespace {

/// The number of products that justifies another thread.
constexpr std::int64_t few_products = 64 * 1024;

constexpr int panels_of(int columns) { return (columns + tile_width - 1) / tile_width; }

/// One panel of columns times all the rows of [first, last).
struct Panel {
  ProductTile tile;  // the loop sets left, rows and sums
  const float* left;
  const float* biases;  // of the panel
  const float* addend;  // of the panel, like out
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

/// Rows per part: whole tiles, enough parts for all threads, none too small to justify a thread.
int part_rows(int threads, int rows, int panels, std::int64_t products_per_row) {
  const std::int64_t worth = std::max<std::int64_t>(1, products_per_row * rows / few_products);
  const auto parts = static_cast<int>(std::min<std::int64_t>(worth, 4 * threads));
  const int slices = std::clamp(parts / std::max(1, panels), 1, (rows + tile_height - 1) / tile_height);
  const int each = (rows + slices - 1) / slices;
  return (each + tile_height - 1) / tile_height * tile_height;
}

/// The panel from column c on begins at right + c * column_step.
void run_all(GraphContext& shop, const ProductShape& shape, int batch, const float* left, std::ptrdiff_t left_batch, const float* right, std::ptrdiff_t column_step,
             std::ptrdiff_t right_batch, const std::int32_t* offsets, const Finish& finish, const Addends& addends, float* out) {
  const int panels = panels_of(shape.columns);
  const std::int64_t per_row = std::int64_t{shape.depth} * shape.columns * batch;
  const int taken = part_rows(shop.threads.count(), shape.rows, panels * batch, per_row);
  const int slices = (shape.rows + taken - 1) / taken;
  auto work = [&](int part, int) {
    const int which = part / (panels * slices);
    const int column = part / slices % panels * tile_width;
    const int row = part % slices * taken;
    const float* of_panel = right + which * right_batch + column * column_step;
    const ProductTile tile{nullptr, shape.left_row, shape.left_depth, of_panel, offsets, shape.depth, 0, std::min(tile_width, shape.columns - column), nullptr};
    const Panel panel{tile, left + which * left_batch, addends.biases == nullptr ? nullptr : addends.biases + column,
                      addends.addend == nullptr ? nullptr : addends.addend + column, out + std::ptrdiff_t{which} * shape.rows * shape.columns + column, shape.columns};
    run_panel(shop.kernels, finish, panel, row, std::min(shape.rows, row + taken));
  };
  const int parts = batch * panels * slices;
  if (per_row * shape.rows >= few_products) return shop.threads.each(parts, work);
  for (int part = 0; part < parts; part++) work(part, 0);
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

void PackedProduct::run(GraphContext& shop, const ProductShape& shape, const float* left, const Finish& finish, const Addends& addends, float* out) const {
  run_all(shop, shape, 1, left, 0, panels_.floats(), depth_, 0, offsets_.data(), finish, addends, out);
}

void multiply_batch(GraphContext& shop, const ProductShape& shape, int batch, const float* left, std::ptrdiff_t left_batch, const float* right,
                    std::ptrdiff_t right_batch, const Finish& finish, const Addends& addends, float* out) {
  std::vector<std::int32_t> offsets;
  for (int k = 0; k < shape.depth; k++) offsets.push_back(k * shape.columns);
  run_all(shop, shape, batch, left, left_batch, right, 1, right_batch, offsets.data(), finish, addends, out);
}

}  // namespace lectern::cpu
