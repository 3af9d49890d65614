// Decodes the outputs of detection networks to boxes, in the forms that published networks have.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace lectern::vision {

/// A box in the network's input picture, in its pixels or relative to its size, as the network's form defines.
struct Detection {
  int label;
  float score;  // 0..1
  float left, top, right, bottom;
};

/// Decodes RT-DETR (Zhao et al. 2023): of all pairs of a query and a label the `queries` most probable ones. A score is the sigmoid of the logit; pairs below `threshold` are left out.
/// The best comes first; of equal ones the first. `logits` (queries, labels), `boxes` (queries, 4) as centre x, centre y, width, height.
std::vector<Detection> best_queries(std::span<const float> logits, std::span<const float> boxes, int queries, int labels, float threshold);

/// Decodes YOLO without selection: `values` (4 + labels, places) hold centre x, centre y, width, height and a probability for each label. Each place gets its most probable label.
std::vector<Detection> likely_places(std::span<const float> values, int labels, int places, float threshold);

/// Decodes YOLO with selection: `rows` (count, 6) hold left, top, right, bottom, score, label. Throws Error `invalid_model` for a label outside `labels`.
std::vector<Detection> finished_rows(std::span<const float> rows, int count, int labels, float threshold);

/// Non-maximum suppression. Keeps the best boxes first (the first of equal ones) and drops those whose intersection over union with a better box of their label exceeds `overlap`; returns `most` at most.
std::vector<Detection> without_overlaps(std::vector<Detection> found, float overlap, int most);

}  // namespace lectern::vision
