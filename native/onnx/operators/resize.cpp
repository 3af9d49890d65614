// Resizes pictures, or samples them at given places.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "onnx/operator.h"
#include "onnx/operators/resize_taps.h"

namespace lectern::onnx {
namespace {

template <std::size_t count>
int choice(Attributes& a, const char* attribute, const char* otherwise, const char* const (&names)[count]) {
  const std::string name = a.text(attribute, otherwise);
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) a.unsupported(std::string(attribute) + " " + name);
  return static_cast<int>(found - std::begin(names));
}

/// All attributes except the sizes.
struct Settings {
  ResizeMode mode;
  float fill = 0;
  std::vector<std::int64_t> axes;
  int keep_aspect = 0;  // 0: ignore it; 1: not larger; 2: not smaller
};

void check_size(NodePlan& plan, double size) {
  if (!(size >= 0 && size <= (1 << 26))) plan.refuse("a size of " + std::to_string(size) + " is impossible");
}

/// axes: one for each axis of the input.
void plan_resize(NodePlan& plan, const Settings& settings, const std::vector<ResizeAxis>& axes) {
  const Shape& x = plan.shape(0);
  Shape shape;
  for (const ResizeAxis& axis : axes) shape.push(axis.out);
  plan.bound(plan.element(0), shape);
  std::vector<TapList> lists(axes.size());
  const bool crops = settings.mode.coordinates == Coordinates::tf_crop_and_resize;
  bool still = true;
  for (std::size_t i = 0; i < axes.size(); i++) {
    const ResizeAxis& axis = axes[i];
    if (axis.in > std::numeric_limits<std::int32_t>::max() / 4) plan.refuse("its input " + x.text() + " is too large");
    if (axis.in == 0 && axis.out != 0) plan.refuse("it makes something of an empty axis");
    const bool as_it_is = axis.in == axis.out && (crops ? axis.start == 0 && axis.end == 1 : axis.scale == 1);
    if (as_it_is || shape.elements() == 0) continue;
    still = false;
    lists[i] = resize_taps(settings.mode, axis);
  }
  if (still) return plan.same(0, 0, shape);
  const auto kept = NodePlan::keep(std::move(lists));
  const Element element = plan.element(0);
  const Operand in = plan.in(0);
  if (settings.mode.interpolation == Interpolation::nearest) {
    Take take;
    take.in = x;
    take.out = shape;
    for (std::size_t i = 0; i < kept->size(); i++) take.tables[i] = (*kept)[i].count == 0 ? nullptr : (*kept)[i].indices.data();
    if (element == Element::f32) std::memcpy(take.fill.data(), &settings.fill, sizeof settings.fill);
    const Operand out = plan.out(0, element, shape);
    return plan.step([take, element, in, out, kept](const Call& call) { call.ops.take(take, element, call.at<void>(in), call.at<void>(out)); });
  }
  plan.demand(0, {Element::f32});
  Resample resample;
  resample.in = x;
  resample.out = shape;
  resample.fill = settings.fill;
  for (std::size_t i = 0; i < kept->size(); i++) resample.axes[i] = {(*kept)[i].count, (*kept)[i].indices.data(), (*kept)[i].weights.data()};
  const Operand out = plan.out(0, Element::f32, shape);
  plan.step([resample, in, out, kept](const Call& call) { call.ops.resample(resample, call.at(in), call.at(out)); });
}

bool is_given(NodePlan& plan, int input) { return plan.has(input) && plan.shape(input).elements() > 0; }

std::vector<float> need_floats(NodePlan& plan, int input) {
  plan.demand(input, {Element::f32});
  const Array& array = plan.need(input);
  return {array.as<float>().begin(), array.as<float>().end()};
}

void scale_axis(NodePlan& plan, ResizeAxis& axis, float scale) {
  if (!(scale > 0)) plan.refuse("a scale is not above 0");
  const double size = std::floor(static_cast<double>(static_cast<float>(axis.in) * scale));
  check_size(plan, size);
  axis.scale = scale;
  axis.out = static_cast<std::int64_t>(size);
}

void size_axes(NodePlan& plan, const Settings& settings, const std::vector<int>& chosen, const std::vector<std::int64_t>& sizes, std::vector<ResizeAxis>& axes) {
  float common = 0;
  for (std::size_t i = 0; i < chosen.size(); i++) {
    check_size(plan, static_cast<double>(sizes[i]));
    const auto in = static_cast<float>(axes[static_cast<std::size_t>(chosen[i])].in);
    const float scale = static_cast<float>(sizes[i]) / in;
    if (i == 0 || (settings.keep_aspect == 1 ? scale < common : scale > common)) common = scale;
  }
  for (std::size_t i = 0; i < chosen.size(); i++) {
    ResizeAxis& axis = axes[static_cast<std::size_t>(chosen[i])];
    if (axis.in == 0) {
      axis.out = sizes[i];
    } else if (settings.keep_aspect == 0) {
      axis.out = sizes[i];
      axis.scale = static_cast<float>(sizes[i]) / static_cast<float>(axis.in);
    } else {
      const double size = std::floor(static_cast<double>(common) * static_cast<double>(axis.in) + 0.5);
      check_size(plan, size);
      axis.out = static_cast<std::int64_t>(size);
      axis.scale = common;
    }
  }
}

std::vector<ResizeAxis> unchanged(const Shape& shape) {
  std::vector<ResizeAxis> axes;
  for (int axis = 0; axis < shape.rank; axis++) axes.push_back({shape[axis], shape[axis], 1});
  return axes;
}

/// Inputs x, region, scales, sizes; in opset 10 x, scales.
void plan_resize_inputs(NodePlan& plan, const Settings& settings, int scales_input, int sizes_input) {
  const Shape& x = plan.shape(0);
  std::vector<ResizeAxis> axes = unchanged(x);
  std::vector<int> chosen;
  for (int axis = 0; settings.axes.empty() && axis < x.rank; axis++) chosen.push_back(axis);
  for (const std::int64_t axis : settings.axes) {
    chosen.push_back(plan.axis_of(axis, x.rank));
    if (std::count(chosen.begin(), chosen.end(), chosen.back()) > 1) plan.refuse("an axis stands twice");
  }
  if (is_given(plan, scales_input)) {
    const std::vector<float> scales = need_floats(plan, scales_input);
    if (scales.size() != chosen.size()) plan.refuse("it has not one scale for each axis");
    for (std::size_t i = 0; i < chosen.size(); i++) scale_axis(plan, axes[static_cast<std::size_t>(chosen[i])], scales[i]);
  } else if (sizes_input > 0 && is_given(plan, sizes_input)) {
    const std::vector<std::int64_t> sizes = plan.need_integers(sizes_input);
    if (sizes.size() != chosen.size()) plan.refuse("it has not one size for each axis");
    size_axes(plan, settings, chosen, sizes, axes);
  } else {
    plan.refuse("it has neither scales nor sizes");
  }
  if (settings.mode.coordinates == Coordinates::tf_crop_and_resize) {
    const std::vector<float> region = is_given(plan, 1) ? need_floats(plan, 1) : std::vector<float>();
    if (region.size() != 2 * chosen.size()) plan.refuse("its region has not two numbers for each axis");
    for (std::size_t i = 0; i < chosen.size(); i++) {
      axes[static_cast<std::size_t>(chosen[i])].start = region[i];
      axes[static_cast<std::size_t>(chosen[i])].end = region[i + chosen.size()];
    }
  }
  plan_resize(plan, settings, axes);
}

constexpr const char* interpolations[] = {"nearest", "linear", "cubic"};

Operator make_resize(Attributes& a) {
  Settings settings;
  settings.mode.interpolation = static_cast<Interpolation>(choice(a, "mode", "nearest", interpolations));
  if (a.opset() < 11) {
    settings.mode.coordinates = Coordinates::asymmetric;
    settings.mode.nearest = Nearest::simple;
    if (settings.mode.interpolation == Interpolation::cubic) a.unsupported("mode cubic");
    return [=](NodePlan& plan) { plan_resize_inputs(plan, settings, 1, 0); };
  }
  constexpr const char* coordinates[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"};
  settings.mode.coordinates = static_cast<Coordinates>(choice(a, "coordinate_transformation_mode", "half_pixel", coordinates));
  constexpr const char* roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  settings.mode.nearest = static_cast<Nearest>(choice(a, "nearest_mode", "round_prefer_floor", roundings));
  settings.mode.cubic_a = a.number("cubic_coeff_a", -0.75F);
  settings.mode.exclude_outside = a.flag("exclude_outside", false);
  settings.fill = a.number("extrapolation_value", 0);
  if (a.opset() >= 18) {
    settings.mode.antialias = a.flag("antialias", false);
    settings.axes = a.integers("axes");
    constexpr const char* policies[] = {"stretch", "not_larger", "not_smaller"};
    settings.keep_aspect = choice(a, "keep_aspect_ratio_policy", "stretch", policies);
  }
  return [=](NodePlan& plan) { plan_resize_inputs(plan, settings, 2, 3); };
}

Operator make_upsample(Attributes& a) {
  Settings settings;
  constexpr const char* modes[] = {"nearest", "linear"};
  settings.mode.interpolation = static_cast<Interpolation>(choice(a, "mode", "nearest", modes));
  settings.mode.coordinates = Coordinates::asymmetric;
  settings.mode.nearest = Nearest::floor;
  if (a.opset() >= 10) a.unsupported("the operator itself, since opset 10");
  if (a.opset() >= 9) return [=](NodePlan& plan) { plan_resize_inputs(plan, settings, 1, 0); };
  const std::vector<float> scales = a.numbers("scales");
  return [=](NodePlan& plan) {
    std::vector<ResizeAxis> axes = unchanged(plan.shape(0));
    if (scales.size() != axes.size()) plan.refuse("it has not one scale for each axis");
    for (std::size_t i = 0; i < axes.size(); i++) scale_axis(plan, axes[i], scales[i]);
    plan_resize(plan, settings, axes);
  };
}

Operator make_grid_sample(Attributes& a) {
  GridSample settled{};
  constexpr const char* modes[] = {"nearest", "linear", "cubic", "bilinear", "bicubic"};
  const int mode = choice(a, "mode", a.opset() < 20 ? "bilinear" : "linear", modes);
  settled.mode = static_cast<SampleMode>(mode > 2 ? mode - 2 : mode);
  constexpr const char* paddings[] = {"zeros", "border", "reflection"};
  settled.padding = static_cast<SamplePadding>(choice(a, "padding_mode", "zeros", paddings));
  settled.align_corners = a.flag("align_corners", false);
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32});
    plan.demand(1, {Element::f32});
    const Shape& x = plan.shape(0);
    const Shape& grid = plan.shape(1);
    GridSample sample = settled;
    sample.axes = x.rank - 2;
    if ((sample.axes != 2 && sample.axes != 3) || grid.rank != x.rank || grid[grid.rank - 1] != sample.axes || grid[0] != x[0]) {
      plan.refuse("its grid " + grid.text() + " does not fit its input " + x.text());
    }
    if (sample.axes == 3 && sample.mode == SampleMode::cubic) plan.refuse("cubic sampling of three axes is not supported");
    sample.batch = x[0];
    sample.channels = x[1];
    Shape shape{x[0], x[1]};
    for (int i = 0; i < sample.axes; i++) {
      const auto at = static_cast<std::size_t>(3 - sample.axes + i);
      sample.in[at] = x[2 + i];
      sample.out[at] = grid[1 + i];
      shape.push(grid[1 + i]);
      if (x[2 + i] == 0) plan.refuse("its input " + x.text() + " is empty");
    }
    const Operand in = plan.in(0);
    const Operand where = plan.in(1);
    const Operand out = plan.out(0, Element::f32, shape);
    plan.step([=](const Call& call) { call.ops.grid_sample(sample, call.at(in), call.at(where), call.at(out)); });
  };
}

}  // namespace

void add_resize_operators(OperatorTable& table) { table.insert({{"Resize", make_resize}, {"Upsample", make_upsample}, {"GridSample", make_grid_sample}}); }

}  // namespace lectern::onnx
