#include "vision/layout.h"

#include <algorithm>
#include <cstddef>

namespace lectern::vision {

LayoutFinder::LayoutFinder(const LayoutOptions& options, const Place& place) : options_(options), network_(options.file, place, options.precision) {
  if (network_.width() > 0) options_.width = network_.width();
  if (network_.height() > 0) options_.height = network_.height();
  const auto needs = [&](std::string_view name, std::string_view other) {
    const int found = std::max(network_.find(name), network_.find(other));
    if (found < 0) network_.refuse("it has no output " + std::string(name));
    return static_cast<std::size_t>(found);
  };
  int labels = -1;
  switch (options_.outputs) {
    case LayoutOutputs::queries:
      labels = network_.declared(needs("logits", "logits"), 2);
      needs("boxes", "pred_boxes");
      break;
    case LayoutOutputs::finished_boxes:
      for (const std::string_view name : {"labels", "boxes", "scores"}) needs(name, name);
      break;
    case LayoutOutputs::places:
      if (network_.declared(0, 1) > 0) labels = std::max(0, network_.declared(0, 1) - 4);
      break;
    case LayoutOutputs::finished_rows:
      if (network_.declared(0, 2) > 0 && network_.declared(0, 2) != 6) network_.refuse("its rows have " + std::to_string(network_.declared(0, 2)) + " numbers, not 6");
      break;
    case LayoutOutputs::selected:
      for (const std::string_view name : {"boxes", "scores", "selected"}) needs(name, name);
      break;
  }
  if (labels >= 0) check_labels(labels);
}

void LayoutFinder::check_labels(int labels) const {
  if (static_cast<std::size_t>(labels) != options_.labels.size()) network_.refuse("it knows " + std::to_string(labels) + " labels, and its card names " + std::to_string(options_.labels.size()));
}

const onnx::Output& LayoutFinder::part(const std::vector<onnx::Output>& outputs, std::string_view name, std::string_view other) const {
  return outputs[static_cast<std::size_t>(std::max(network_.find(name), network_.find(other)))];
}

std::vector<Detection> LayoutFinder::queries_of(const std::vector<onnx::Output>& outputs, int index, int count) const {
  const onnx::Output& logits = part(outputs, "logits", "logits");
  const onnx::Output& boxes = part(outputs, "boxes", "pred_boxes");
  const auto shape = network_.sizes(logits, 3, count);
  const auto box_shape = network_.sizes(boxes, 3, count);
  check_labels(shape[2]);
  if (box_shape[1] != shape[1] || box_shape[2] != 4) network_.refuse("its boxes are not 4 numbers for each query");
  const auto each = static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(shape[2]);
  const auto each_box = static_cast<std::size_t>(shape[1]) * 4;
  const auto at = static_cast<std::size_t>(index);
  auto found = best_queries(logits.as<float>().subspan(at * each, each), boxes.as<float>().subspan(at * each_box, each_box), shape[1], shape[2], options_.threshold);
  for (Detection& one : found) {
    one.left *= static_cast<float>(options_.width);
    one.right *= static_cast<float>(options_.width);
    one.top *= static_cast<float>(options_.height);
    one.bottom *= static_cast<float>(options_.height);
  }
  return found;
}

std::vector<Detection> LayoutFinder::finished_of(const std::vector<onnx::Output>& outputs, int index, int count) const {
  const onnx::Output& labels = part(outputs, "labels", "labels");
  const onnx::Output& boxes = part(outputs, "boxes", "boxes");
  const onnx::Output& scores = part(outputs, "scores", "scores");
  const auto shape = network_.sizes(scores, 2, count);
  const auto box_shape = network_.sizes(boxes, 3, count);
  const bool fits = box_shape[1] == shape[1] && box_shape[2] == 4 && labels.element == Element::i64 && labels.shape == scores.shape;
  if (!fits) network_.refuse("its labels, boxes and scores do not belong together");
  std::vector<Detection> found;
  const auto first = static_cast<std::size_t>(index) * static_cast<std::size_t>(shape[1]);
  for (std::size_t i = first; i < first + static_cast<std::size_t>(shape[1]); ++i) {
    const float score = scores.as<float>()[i];
    if (score < options_.threshold) continue;
    const std::int64_t label = labels.as<std::int64_t>()[i];
    if (label < 0 || label >= static_cast<std::int64_t>(options_.labels.size())) network_.refuse("it names a label that its card does not");
    const float* box = boxes.as<float>().data() + i * 4;
    found.push_back({static_cast<int>(label), score, box[0], box[1], box[2], box[3]});
  }
  return found;
}

std::vector<Detection> LayoutFinder::selected_of(const std::vector<onnx::Output>& outputs, int index) const {
  const onnx::Output& boxes = part(outputs, "boxes", "boxes");
  const onnx::Output& scores = part(outputs, "scores", "scores");
  const onnx::Output& selected = part(outputs, "selected", "selected");
  const std::int64_t count = scores.shape.elements();
  const bool fits = boxes.element == Element::f32 && scores.element == Element::f32 && selected.element == Element::i64 && boxes.shape == Shape{count, 4} && selected.shape == Shape{count, 3};
  if (!fits) network_.refuse("its boxes, scores and selection do not belong together");
  std::vector<Detection> found;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto chosen = selected.as<std::int64_t>().subspan(i * 3, 3);
    const float score = scores.as<float>()[i];
    if (chosen[0] != index || score < options_.threshold) continue;
    if (chosen[1] < 0 || chosen[1] >= static_cast<std::int64_t>(options_.labels.size())) network_.refuse("it names a label that its card does not");
    const float* box = boxes.as<float>().data() + i * 4;
    found.push_back({static_cast<int>(chosen[1]), score, box[0], box[1], box[2], box[3]});
  }
  return found;
}

std::vector<Detection> LayoutFinder::detections_of(const std::vector<onnx::Output>& outputs, int index, int count) const {
  const int labels = static_cast<int>(options_.labels.size());
  if (options_.outputs == LayoutOutputs::queries) return queries_of(outputs, index, count);
  if (options_.outputs == LayoutOutputs::finished_boxes) return finished_of(outputs, index, count);
  if (options_.outputs == LayoutOutputs::selected) return selected_of(outputs, index);
  const auto shape = network_.sizes(outputs[0], 3, count);
  const auto each = static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(shape[2]);
  const auto values = outputs[0].as<float>().subspan(static_cast<std::size_t>(index) * each, each);
  if (options_.outputs == LayoutOutputs::places) {
    check_labels(std::max(0, shape[1] - 4));
    return without_overlaps(likely_places(values, labels, shape[2], options_.threshold), options_.overlap, options_.most_regions);
  }
  if (shape[2] != 6) network_.refuse("its rows have " + std::to_string(shape[2]) + " numbers, not 6");
  return finished_rows(values, shape[1], labels, options_.threshold);
}

std::vector<std::vector<Region>> LayoutFinder::find(std::span<const Bitmap> bitmaps, const Cancel& cancel) {
  std::vector<std::vector<Region>> pages;
  const std::size_t each = 3 * static_cast<std::size_t>(options_.width) * static_cast<std::size_t>(options_.height);
  while (pages.size() < bitmaps.size()) {
    const std::size_t first = pages.size();
    const std::size_t count = std::min(bitmaps.size() - first, static_cast<std::size_t>(batch()));
    std::vector<float> pictures(count * each);
    std::vector<Placement> placements;
    for (std::size_t i = 0; i < count; ++i) placements.push_back(prepare(bitmaps[first + i], options_.width, options_.height, options_.preparation, std::span(pictures).subspan(i * each, each), cancel));
    const auto outputs = network_.run(pictures, static_cast<int>(count), options_.height, options_.width, cancel);
    for (std::size_t i = 0; i < count; ++i) {
      auto found = detections_of(outputs, static_cast<int>(i), static_cast<int>(count));
      std::stable_sort(found.begin(), found.end(), [](const Detection& a, const Detection& b) { return a.score > b.score; });
      std::vector<Region> regions;
      for (const Detection& one : found) {
        const Placement& at = placements[i];
        const Region region{one.label, one.score, at.page_x(static_cast<double>(one.left)), at.page_y(static_cast<double>(one.top)), at.page_x(static_cast<double>(one.right)), at.page_y(static_cast<double>(one.bottom))};
        if (region.left < region.right && region.top < region.bottom && static_cast<int>(regions.size()) < options_.most_regions) regions.push_back(region);
      }
      pages.push_back(std::move(regions));
    }
  }
  return pages;
}

}  // namespace lectern::vision
