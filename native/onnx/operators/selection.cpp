// Operators that select: the top k, non-zero elements, boxes that do not overlap. If the number of results depends on the contents, they are
// computed at planning, when the contents are known.
#include <algorithm>
#include <cmath>
#include <vector>

#include "error.h"
#include "onnx/operator.h"

namespace lectern::onnx {
namespace {

void plan_top_k(NodePlan& plan, std::int64_t along, std::int64_t k, bool largest) {
  plan.demand(0, {Element::f32, Element::f64, Element::i64, Element::i32});
  const Shape& x = plan.shape(0);
  const int at = plan.axis_of(along, x.rank);
  if (k < 0 || k > x[at]) plan.refuse("it looks for " + std::to_string(k) + " of " + std::to_string(x[at]));
  Shape shape = x;
  shape[at] = k;
  const Axis axis = NodePlan::along(x, at);
  const Element element = plan.element(0);
  const Operand in = plan.in(0);
  const Operand values = plan.out(0, element, shape);
  const Operand indices = plan.out(1, Element::i64, shape);
  plan.step([=](const Call& call) { call.ops.top_k(axis, element, k, largest, call.at<void>(in), call.at<void>(values), call.at<std::int64_t>(indices)); });
}

Operator make_top_k(Attributes& a) {
  const std::int64_t along = a.integer("axis", -1);
  if (a.opset() < 10) {
    const std::int64_t k = a.integer("k", 0);
    return [=](NodePlan& plan) { plan_top_k(plan, along, k, true); };
  }
  bool largest = true;
  if (a.opset() >= 11) {
    largest = a.flag("largest", true);
    a.ignore("sorted");  // unsorted results may have any order, also the sorted one
  }
  return [=](NodePlan& plan) { plan_top_k(plan, along, plan.need_integer(1), largest); };
}

template <class T>
std::vector<std::int64_t> places_of(const Array& array) {
  std::vector<std::int64_t> places;
  std::int64_t place = 0;
  for (const T value : array.as<T>()) {
    if (value != 0) places.push_back(place);
    place++;
  }
  return places;
}

Operator make_non_zero(Attributes&) {
  return [](NodePlan& plan) {
    plan.demand(0, {Element::f32, Element::i64, Element::i32, Element::i8, Element::u8, Element::boolean});
    const Array& x = plan.need(0);
    const std::vector<std::int64_t> places = x.element == Element::f32   ? places_of<float>(x)
                                             : x.element == Element::i64 ? places_of<std::int64_t>(x)
                                             : x.element == Element::i32 ? places_of<std::int32_t>(x)
                                                                         : places_of<std::uint8_t>(x);
    const auto count = static_cast<std::int64_t>(places.size());
    const Strides strides = strides_of(x.shape);
    std::vector<std::int64_t> indices;
    for (int axis = 0; axis < x.shape.rank; axis++) {
      for (const std::int64_t place : places) indices.push_back(place / strides[static_cast<std::size_t>(axis)] % x.shape[axis]);
    }
    plan.result(0, make_array(Element::i64, Shape{x.shape.rank, count}, indices.data()));
  };
}

struct Box {
  float left, top, right, bottom;
};

/// Corners in any order, or centre and size.
Box box_of(const float* numbers, bool centred) {
  if (centred) return {numbers[0] - numbers[2] / 2, numbers[1] - numbers[3] / 2, numbers[0] + numbers[2] / 2, numbers[1] + numbers[3] / 2};
  return {std::min(numbers[1], numbers[3]), std::min(numbers[0], numbers[2]), std::max(numbers[1], numbers[3]), std::max(numbers[0], numbers[2])};
}

/// Whether the intersection over union exceeds the threshold. Boxes without area overlap with none.
bool overlaps(const Box& a, const Box& b, float threshold) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (!(width > 0 && height > 0)) return false;
  const float area_a = (a.right - a.left) * (a.bottom - a.top);
  const float area_b = (b.right - b.left) * (b.bottom - b.top);
  const float common = width * height;
  if (!(area_a > 0 && area_b > 0)) return false;
  return common / (area_a + area_b - common) > threshold;
}

float limit_of(NodePlan& plan, int input, float otherwise) {
  if (!plan.has(input)) return otherwise;
  plan.demand(input, {Element::f32});
  const Array& array = plan.need(input);
  if (array.elements() != 1) plan.refuse("a threshold is no single number");
  return array.as<float>()[0];
}

/// The limit of comparisons of one node: a minute's work at most, and far more than pages of 8,400 boxes and 80 classes need.
constexpr std::int64_t most_comparisons = std::int64_t{1} << 34;
/// Work between two checks of the caller's flag: about a millisecond.
constexpr std::int64_t comparisons_at_once = std::int64_t{1} << 18;

/// Counts the comparisons of a node, and ends it after cancellation or above the limit.
class Comparisons {
 public:
  explicit Comparisons(const NodePlan& plan) : plan_(plan) {}

  void add(std::int64_t count) {
    count_ += count;
    if (count_ < next_) return;
    plan_.check_cancel();
    if (count_ > most_comparisons) throw Error(ErrorCode::too_large, "The network compares more boxes with each other than " + std::to_string(most_comparisons) + " times.");
    next_ = count_ + comparisons_at_once;
  }

 private:
  const NodePlan& plan_;
  std::int64_t count_ = 0, next_ = comparisons_at_once;
};

/// The boxes of one class that are kept, the best first. NaN is not a score.
std::vector<std::int64_t> suppress(Comparisons& comparisons, const float* boxes, const float* scores, std::int64_t count, bool centred, std::int64_t most, float overlap, float least, bool has_least) {
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < count; i++) {
    if (!std::isnan(scores[i]) && (!has_least || scores[i] > least)) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return scores[a] > scores[b]; });
  std::vector<std::int64_t> kept;
  std::vector<Box> kept_boxes;
  for (const std::int64_t candidate : order) {
    if (static_cast<std::int64_t>(kept.size()) >= most) break;
    const Box box = box_of(boxes + candidate * 4, centred);
    comparisons.add(static_cast<std::int64_t>(kept.size()) + 1);
    if (std::any_of(kept_boxes.begin(), kept_boxes.end(), [&](const Box& other) { return overlaps(box, other, overlap); })) continue;
    kept.push_back(candidate);
    kept_boxes.push_back(box);
  }
  return kept;
}

Operator make_non_max_suppression(Attributes& a) {
  const bool centred = a.flag("center_point_box", false);
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32});
    plan.demand(1, {Element::f32});
    const Shape& boxes = plan.shape(0);
    const Shape& scores = plan.shape(1);
    if (boxes.rank != 3 || scores.rank != 3 || boxes[2] != 4 || boxes[0] != scores[0] || boxes[1] != scores[2]) plan.refuse("its boxes " + boxes.text() + " do not fit its scores " + scores.text());
    const std::int64_t most = plan.has(2) ? plan.need_integer(2) : 0;
    const float overlap = limit_of(plan, 3, 0);
    const float least = limit_of(plan, 4, 0);
    const float* box_data = plan.need(0).as<float>().data();
    const float* score_data = plan.need(1).as<float>().data();
    // For one class: the order, scratch memory of the sort, the kept boxes, and their corners.
    const auto of_kind = plan.hold(static_cast<std::size_t>(boxes[1]) * (3 * sizeof(std::int64_t) + sizeof(Box)));
    std::vector<std::int64_t> selected;
    std::shared_ptr<void> of_selected;
    Comparisons comparisons(plan);
    for (std::int64_t batch = 0; batch < scores[0]; batch++) {
      for (std::int64_t kind = 0; kind < scores[1]; kind++) {
        comparisons.add(boxes[1]);
        const float* own_scores = score_data + (batch * scores[1] + kind) * scores[2];
        for (const std::int64_t box : suppress(comparisons, box_data + batch * boxes[1] * 4, own_scores, boxes[1], centred, most, overlap, least, plan.has(4))) {
          selected.insert(selected.end(), {batch, kind, box});
        }
        // Counted twice: the result is a copy.
        of_selected.reset();
        of_selected = plan.hold(2 * selected.capacity() * sizeof(std::int64_t));
      }
    }
    plan.result(0, make_array(Element::i64, Shape{static_cast<std::int64_t>(selected.size() / 3), 3}, selected.data()));
  };
}

}  // namespace

void add_selection_operators(OperatorTable& table) {
  table.insert({{"TopK", make_top_k}, {"NonZero", make_non_zero}, {"NonMaxSuppression", make_non_max_suppression}});
}

}  // namespace lectern::onnx
