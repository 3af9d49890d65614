#include "vision/detections.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "error.h"

namespace lectern::vision {
namespace {

Detection around_centre(int label, float score, float x, float y, float width, float height) {
  return {label, score, x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

float area_of(const Detection& box) { return std::max(0.0F, box.right - box.left) * std::max(0.0F, box.bottom - box.top); }

bool overlap_more(const Detection& a, const Detection& b, float overlap) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (width <= 0 || height <= 0) return false;
  const float shared = width * height;
  return shared > overlap * (area_of(a) + area_of(b) - shared);
}

}  // namespace

std::vector<Detection> best_queries(std::span<const float> logits, std::span<const float> boxes, int queries, int labels, float threshold) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (1 / (1 + std::exp(-logits[i])) >= threshold) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(queries)));
  std::vector<Detection> found;
  for (const std::size_t i : order) {
    const float* box = boxes.data() + i / static_cast<std::size_t>(labels) * 4;
    found.push_back(around_centre(static_cast<int>(i % static_cast<std::size_t>(labels)), 1 / (1 + std::exp(-logits[i])), box[0], box[1], box[2], box[3]));
  }
  return found;
}

std::vector<Detection> likely_places(std::span<const float> values, int labels, int places, float threshold) {
  const auto step = static_cast<std::size_t>(places);
  std::vector<Detection> found;
  for (std::size_t place = 0; place < step; ++place) {
    int best = 0;
    for (int label = 1; label < labels; ++label) {
      if (values[static_cast<std::size_t>(4 + label) * step + place] > values[static_cast<std::size_t>(4 + best) * step + place]) best = label;
    }
    const float score = values[static_cast<std::size_t>(4 + best) * step + place];
    if (score >= threshold) found.push_back(around_centre(best, score, values[place], values[step + place], values[2 * step + place], values[3 * step + place]));
  }
  return found;
}

std::vector<Detection> finished_rows(std::span<const float> rows, int count, int labels, float threshold) {
  std::vector<Detection> found;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const float* row = rows.data() + i * 6;
    if (row[4] < threshold) continue;
    if (!(row[5] > -0.5F && row[5] < static_cast<float>(labels) - 0.5F)) throw Error(ErrorCode::invalid_model, "The network names a label that is none of the " + std::to_string(labels) + " of its card.");
    found.push_back({static_cast<int>(std::lround(row[5])), row[4], row[0], row[1], row[2], row[3]});
  }
  return found;
}

std::vector<Detection> without_overlaps(std::vector<Detection> found, float overlap, int most) {
  std::stable_sort(found.begin(), found.end(), [](const Detection& a, const Detection& b) { return a.score > b.score; });
  std::vector<Detection> kept;
  for (const Detection& one : found) {
    if (static_cast<int>(kept.size()) >= most) break;
    const bool covered = std::any_of(kept.begin(), kept.end(), [&](const Detection& better) { return better.label == one.label && overlap_more(better, one, overlap); });
    if (!covered) kept.push_back(one);
  }
  return kept;
}

}  // namespace lectern::vision
