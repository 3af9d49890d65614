// The outputs of detection networks as boxes, in the forms that published networks give them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace lectern::vision {

/// A box in the picture that the network saw, in its pixels or relative to it: as the network speaks of it.
struct Detection {
  int label;
  float score;  // 0..1
  float left, top, right, bottom;
};

/// As RT-DETR is read (Zhao et al. 2023): of all pairs of a query and a label the `queries` most probable ones, their scores the sigmoid of the logit, down to `threshold`,
/// the best first, of equals the one that comes first. `logits` (queries, labels), `boxes` (queries, 4) as centre x, centre y, width, height.
std::vector<Detection> best_queries(std::span<const float> logits, std::span<const float> boxes, int queries, int labels, float threshold);

/// YOLO without selection: `values` (4 + labels, places), centre x, centre y, width, height and a probability a label. Each place with its most probable label.
std::vector<Detection> likely_places(std::span<const float> values, int labels, int places, float threshold);

/// YOLO that has selected: `rows` (count, 6), left, top, right, bottom, score, label. Throws Error `invalid_model` for a label that is none of `labels`.
std::vector<Detection> finished_rows(std::span<const float> rows, int count, int labels, float threshold);

/// Non-maximum suppression: the best first (of equals the first), without those that share more than `overlap` (intersection over union) with a better one of their label; at most `most`.
std::vector<Detection> without_overlaps(std::vector<Detection> found, float overlap, int most);

}  // namespace lectern::vision
