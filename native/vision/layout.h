// Regions of a page (paragraphs, tables, pictures, ...) by an installed detection network.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "vision/detections.h"
#include "vision/preparation.h"
#include "vision/vision_network.h"

namespace lectern::vision {

/// The form of a detector's outputs.
enum class LayoutOutputs {
  queries,         // RT-DETR: logits (n, q, labels) and boxes (n, q, 4), relative
  finished_boxes,  // the official export of RT-DETR: labels (n, k), boxes (n, k, 4) in pixels of the picture, scores (n, k)
  places,          // YOLO: (n, 4 + labels, places)
  finished_rows,   // YOLO with selection inside the network: (n, k, 6)
  selected,        // with NonMaxSuppression inside the network: boxes (k, 4) as left, top, right, bottom, scores (k), selected (k, 3) as picture, label, place
};

struct LayoutOptions {
  std::filesystem::path file;
  LayoutOutputs outputs = LayoutOutputs::queries;
  Preparation preparation;
  int width = 640;
  int height = 640;
  std::vector<std::string> labels;
  float threshold = 0.3F;
  float overlap = 0.7F;    // for `places`: a box that overlaps a better box of its label by more is dropped
  int most_regions = 300;  // for each page
  Precision precision = Precision::f16x3;
};

struct Region {
  int label;    // index into the labels
  float score;  // 0..1
  double left, top, right, bottom;  // pixels of the bitmap
};

/// Not safe for concurrent use.
class LayoutFinder {
 public:
  /// Throws as VisionNetwork does, and Error `invalid_model` if the outputs do not have the declared form or the number of labels differs.
  LayoutFinder(const LayoutOptions& options, const Place& place);

  const std::vector<std::string>& labels() const { return options_.labels; }
  /// The number of pages that run efficiently as one batch.
  int batch() const { return network_.batch(4); }

  /// The regions of each bitmap, the most confident first. A page's result does not depend on the batch. Regions without area on the page are left out.
  /// Throws Error `cancelled`, and as VisionNetwork::run().
  std::vector<std::vector<Region>> find(std::span<const Bitmap> bitmaps, const Cancel& cancel);

  std::size_t weight_bytes() const { return network_.weight_bytes(); }

 private:
  std::vector<Detection> detections_of(const std::vector<onnx::Output>& outputs, int index, int count) const;
  std::vector<Detection> queries_of(const std::vector<onnx::Output>& outputs, int index, int count) const;
  std::vector<Detection> finished_of(const std::vector<onnx::Output>& outputs, int index, int count) const;
  std::vector<Detection> selected_of(const std::vector<onnx::Output>& outputs, int index) const;
  const onnx::Output& part(const std::vector<onnx::Output>& outputs, std::string_view name, std::string_view other) const;
  void check_labels(int labels) const;

  LayoutOptions options_;
  VisionNetwork network_;
};

}  // namespace lectern::vision
