#include "cpu/graph/convolution.h"

#include <algorithm>
#include <cstring>

#include "cpu/graph/bands.h"

namespace lectern::cpu {
namespace {

constexpr int panels_of(int outputs) { return (outputs + tile_height - 1) / tile_height; }

/// The number of products that justifies another thread.
constexpr std::int64_t few_products = 64 * 1024;
/// Floats of a band that are read repeatedly; they should stay in the second cache.
constexpr int band_floats = 96 * 1024;
/// The same for one channel and the first cache.
constexpr int channel_floats = 4 * 1024;

/// Each output reads only the input at its own place.
bool plain(const Side& side, int in, int out) { return side.kernel == 1 && side.stride == 1 && side.pad_before == 0 && in == out; }
/// A single output, which reads exactly the whole input.
bool whole(const Side& side, int in, int out) { return side.kernel == in && side.dilation == 1 && side.pad_before == 0 && out == 1; }

int parts_for(const GraphContext& shop, std::int64_t products) {
  return static_cast<int>(std::clamp<std::int64_t>(products / few_products, 1, shop.threads.count() == 1 ? 1 : 4 * shop.threads.count()));
}

template <class Work>
void share(GraphContext& shop, int parts, bool alone, Work& work) {
  if (!alone) return shop.threads.each(parts, work);
  for (int part = 0; part < parts; part++) work(part, 0);
}

constexpr int divided_up(int a, int b) { return (a + b - 1) / b; }

}  // namespace

struct PackedConvolution::Run {
  GraphContext& shop;
  const Picture& picture;
  Side vertical;
  Side horizontal;
  const float* in;
  const Finish& finish;
  const float* bias;
  const float* addend;
  float* out;

  std::ptrdiff_t in_plane() const { return std::ptrdiff_t{picture.height} * picture.width; }
  std::ptrdiff_t out_plane() const { return std::ptrdiff_t{picture.out_height} * picture.out_width; }
  float bias_of(int output) const { return bias == nullptr ? 0.0F : bias[output]; }
};

PackedConvolution::PackedConvolution(const ConvolutionShape& shape, const float* weights)
    : shape_(shape),
      group_inputs_(shape.in_channels / shape.groups),
      group_outputs_(shape.out_channels / shape.groups),
      depth_(group_inputs_ * shape.vertical.kernel * shape.horizontal.kernel),
      panels_(group_inputs_ == 1 && shape.groups > 1 ? 0
                                                      : static_cast<std::size_t>(shape.groups) * static_cast<std::size_t>(panels_of(group_outputs_)) *
                                                            static_cast<std::size_t>(depth_) * tile_height * sizeof(float)) {
  if (group_inputs_ == 1 && shape.groups > 1) {
    taps_.assign(weights, weights + std::ptrdiff_t{shape.out_channels} * depth_);
    return;
  }
  for (int o = 0; o < shape.out_channels; o++) {
    const int group = o / group_outputs_;
    const int row = o % group_outputs_;
    float* panel = panels_.floats() + (std::ptrdiff_t{group} * panels_of(group_outputs_) + row / tile_height) * depth_ * tile_height + row % tile_height;
    for (int k = 0; k < depth_; k++) panel[std::ptrdiff_t{k} * tile_height] = weights[std::ptrdiff_t{o} * depth_ + k];
  }
}

void PackedConvolution::run(GraphContext& shop, const Picture& picture, int top, int left, const float* in, const Finish& finish, const float* bias, const float* addend, float* out) {
  Run run{shop, picture, shape_.vertical, shape_.horizontal, in, finish, bias, addend, out};
  run.vertical.pad_before = top;
  run.horizontal.pad_before = left;
  if (!taps_.empty()) return run_channels(run);
  if (shape_.groups == 1 && whole(run.vertical, picture.height, picture.out_height) && whole(run.horizontal, picture.width, picture.out_width)) return run_points(run);
  run_products(run);
}

/// With one output per channel, only the channels can fill vectors.
void PackedConvolution::run_points(const Run& run) {
  if (points_ == nullptr) {
    std::vector<float> weights(static_cast<std::size_t>(shape_.out_channels) * static_cast<std::size_t>(depth_));
    for (int o = 0; o < shape_.out_channels; o++) {
      const float* panel = panels_.floats() + std::ptrdiff_t{o / tile_height} * depth_ * tile_height + o % tile_height;
      for (int k = 0; k < depth_; k++) weights[static_cast<std::size_t>(std::ptrdiff_t{o} * depth_ + k)] = panel[std::ptrdiff_t{k} * tile_height];
    }
    points_ = std::make_unique<PackedProduct>(weights.data(), depth_, shape_.out_channels, true);
  }
  points_->run(run.shop, {run.picture.batch, depth_, shape_.out_channels, depth_, 1}, run.in, run.finish, {run.bias, run.addend}, run.out);
}

/// Each output reads one input channel: taps over a band of the channel.
void PackedConvolution::run_channels(const Run& run) const {
  const Bands bands(run.vertical, run.horizontal, run.picture.out_width, run.picture.height, run.picture.width);
  int rows = run.picture.out_height;
  while (rows > 1 && bands.floats(rows) > channel_floats) rows = divided_up(rows, 2);
  const int bands_each = divided_up(run.picture.out_height, rows);
  const int units = run.picture.batch * shape_.out_channels * bands_each;
  const int parts = std::min(units, parts_for(run.shop, 4 * std::int64_t{depth_} * run.out_plane() * run.picture.batch * shape_.out_channels));
  const int in_floats = bands.floats(rows);
  run.shop.workspace.reserve(run.shop.threads.count(), static_cast<std::size_t>(in_floats) + static_cast<std::size_t>(bands.columns(rows)));
  std::vector<std::int32_t> offsets;
  bands.append_offsets(rows, 0, offsets);
  auto work = [&](int part, int thread) {
    float* copied = run.shop.workspace.of(thread);
    float* sums = copied + in_floats;
    const auto begin = static_cast<int>(std::int64_t{units} * part / parts);
    const auto end = static_cast<int>(std::int64_t{units} * (part + 1) / parts);
    for (int unit = begin; unit < end; unit++) {
      const int first = unit % bands_each * rows;
      const int channel = unit / bands_each % shape_.out_channels;
      const std::ptrdiff_t picture = unit / bands_each / shape_.out_channels;
      const int taken = std::min(rows, run.picture.out_height - first);
      const float* in = run.in + (picture * shape_.in_channels + channel / group_outputs_) * run.in_plane();
      bands.copy(run.shop.kernels, in, first, rows, 0, copied);
      const std::ptrdiff_t at = (picture * shape_.out_channels + channel) * run.out_plane() + std::ptrdiff_t{first} * run.picture.out_width;
      run.shop.kernels.weigh({copied, offsets.data(), taps_.data() + std::ptrdiff_t{channel} * depth_, depth_, bands.columns(taken), sums});
      const float bias = run.bias_of(channel);
      for (int y = 0; y < taken; y++) {
        const std::ptrdiff_t row = at + std::ptrdiff_t{y} * run.picture.out_width;
        run.shop.kernels.finish(run.finish, sums + y * bands.pitch(), bias, nullptr, run.addend == nullptr ? nullptr : run.addend + row, run.picture.out_width, run.out + row);
      }
    }
  };
  share(run.shop, parts, parts == 1, work);
}

void PackedConvolution::run_products(const Run& run) const {
  // Without a border and with all points a picture is one row.
  const bool direct = plain(run.vertical, run.picture.height, run.picture.out_height) && plain(run.horizontal, run.picture.width, run.picture.out_width);
  const int height = direct ? 1 : run.picture.out_height;
  const int width = direct ? run.picture.out_height * run.picture.out_width : run.picture.out_width;
  const Bands bands(run.vertical, run.horizontal, width, direct ? 1 : run.picture.height, direct ? width : run.picture.width);
  const int panels = panels_of(group_outputs_);
  const int pictures = run.picture.batch * shape_.groups;
  const int wanted = divided_up(parts_for(run.shop, std::int64_t{depth_} * group_outputs_ * run.out_plane() * pictures), pictures);

  // A direct picture is divided into columns, another into rows; if those are few, the outputs are divided.
  int columns = width;
  int rows = height;
  if (direct) {
    columns = divided_up(divided_up(width, wanted), tile_width) * tile_width;
  } else {
    rows = divided_up(height, std::min(wanted, height));
    while (rows > 1 && std::int64_t{bands.floats(rows)} * group_inputs_ > band_floats) rows = divided_up(rows, 2);
  }
  const int bands_each = direct ? divided_up(width, columns) : divided_up(height, rows);
  const int cuts = std::clamp(wanted / bands_each, 1, std::min(panels, run.shop.threads.count()));
  const int cut_panels = divided_up(panels, cuts);
  const int cuts_each = divided_up(panels, cut_panels);
  const int parts = pictures * bands_each * cuts_each;

  std::vector<std::int32_t> offsets;
  for (int c = 0; c < group_inputs_; c++) {
    if (direct) {
      offsets.push_back(c * width);
    } else {
      bands.append_offsets(rows, c * bands.floats(rows), offsets);
    }
  }
  // Inputs of many outputs are copied together first: rows a picture apart come from as many pages and map to the same cache sets.
  constexpr int far_apart = 1024;
  const bool gathers = direct && cut_panels >= 8 && width >= far_apart;
  std::vector<std::int32_t> gathered_offsets;
  for (int c = 0; gathers && c < group_inputs_; c++) gathered_offsets.push_back(c * tile_width);
  if (gathers) run.shop.workspace.reserve(run.shop.threads.count(), static_cast<std::size_t>(group_inputs_) * tile_width);
  if (!direct) run.shop.workspace.reserve(run.shop.threads.count(), static_cast<std::size_t>(bands.floats(rows)) * static_cast<std::size_t>(group_inputs_));

  auto work = [&](int part, int thread) {
    const int picture = part / (bands_each * cuts_each);
    const int group = picture % shape_.groups;
    const int band = part / cuts_each % bands_each;
    const int first_panel = part % cuts_each * cut_panels;
    const float* in = run.in + std::ptrdiff_t{picture} * group_inputs_ * run.in_plane();
    const std::ptrdiff_t out_at = std::ptrdiff_t{picture} * group_outputs_ * run.out_plane() + (direct ? std::ptrdiff_t{band} * columns : std::ptrdiff_t{band} * rows * width);
    int count = std::min(columns, width - band * columns);
    if (direct) {
      in += std::ptrdiff_t{band} * columns;
    } else {
      float* copied = run.shop.workspace.of(thread);
      const int taken = std::min(rows, height - band * rows);
      for (int c = 0; c < group_inputs_; c++) bands.copy(run.shop.kernels, in + c * run.in_plane(), band * rows, rows, 0, copied + std::ptrdiff_t{c} * bands.floats(rows));
      in = copied;
      count = bands.columns(taken);
    }
    alignas(64) float sums[tile_height * tile_width];
    OutputRun runs[tile_width];
    for (int column = 0; column < count; column += tile_width) {
      const int taken = std::min(tile_width, count - column);
      const int run_count = output_runs(column, taken, direct ? count : bands.pitch(), direct ? count : width, runs);
      const float* right = in + column;
      if (gathers) {
        float* gathered = run.shop.workspace.of(thread);
        for (int c = 0; c < group_inputs_; c++) run.shop.kernels.gather(right + std::ptrdiff_t{c} * width, 1, taken, gathered + std::ptrdiff_t{c} * tile_width);
        right = gathered;
      }
      for (int panel = first_panel; panel < std::min(panels, first_panel + cut_panels); panel++) {
        const int outputs = std::min(tile_height, group_outputs_ - panel * tile_height);
        const float* weights = panels_.floats() + (std::ptrdiff_t{group} * panels + panel) * depth_ * tile_height;
        run.shop.kernels.product({weights, 1, tile_height, right, (gathers ? gathered_offsets : offsets).data(), depth_, outputs, taken, sums});
        for (int r = 0; r < outputs; r++) {
          const int output = panel * tile_height + r;
          const float bias = run.bias_of(group * group_outputs_ + output);
          const std::ptrdiff_t at = out_at + output * run.out_plane();
          for (int i = 0; i < run_count; i++) {
            const std::ptrdiff_t to = at + runs[i].to;
            run.shop.kernels.finish(run.finish, sums + r * tile_width + runs[i].from, bias, nullptr, run.addend == nullptr ? nullptr : run.addend + to, runs[i].count, run.out + to);
          }
        }
      }
    }
  };
  share(run.shop, parts, parts == 1, work);
}

}  // namespace lectern::cpu
