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
  finished_rows,   // YOLO with its selection inside: (n, k, 6)
  selected,        // with NonMaxSuppression inside: boxes (k, 4) as left, top, right, bottom, scores (k), selected (k, 3) as picture, label, place
};

struct LayoutOptions {
  std::filesystem::path file;
  LayoutOutputs outputs = LayoutOutputs::queries;
  Preparation preparation;
  int width = 640;
  int height = 640;
  std::vector<std::string> labels;
  float threshold = 0.3F;
  float overlap = 0.7F;    // for `places`: what shares more with a better box of its label goes
  int most_regions = 300;  // of a page
  Precision precision = Precision::f16x3;
};

struct Region {
  int label;    // index into the labels
  float score;  // 0..1
  double left, top, right, bottom;  // pixels of the bitmap
};

/// One thread at a time.
class LayoutFinder {
 public:
  /// Throws as VisionNetwork, and Error `invalid_model` where the network's outputs do not have the declared form, or for another number of labels.
  LayoutFinder(const LayoutOptions& options, const Place& place);

  const std::vector<std::string>& labels() const { return options_.labels; }
  /// The number of pages that are worth running as one batch.
  int batch() const { return network_.batch(4); }

  /// The regions of each bitmap, the most confident first; the same alone and in a batch. Regions without extent on the page are left out.
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
