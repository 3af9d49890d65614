// The recogniser that ships with the program: it converts the bitmap of an upright page to lines of words.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cancel.h"
#include "onnx/network.h"
#include "vision/ctc.h"
#include "vision/image.h"
#include "vision/line_image.h"
#include "vision/line_orientation.h"
#include "vision/page_detector.h"
#include "vision/text_lines.h"

namespace lectern {
class Backend;
}

namespace lectern::vision {

/// Suffices for the longest line that is allowed.
inline constexpr std::size_t default_work_bytes = std::size_t{256} << 20;

struct PageLines;

/// The networks and options of a recognition.
struct RecogniseOptions {
  std::string network;  // path of an ONNX file that TextRecognizer takes
  int dpi;              // of the bitmap, 70..2400
  bool one_line;        // the bitmap is one line of text from edge to edge
  std::string orientation;  // path of an ONNX file that LineOrientation takes: a page that is not upright is not recognised; empty: every page is
  std::string detector;     // path of an ONNX file that PageDetector takes, for pages that are hard to recognise; empty: geometry alone finds lines
  std::size_t work_bytes = default_work_bytes;  // that runs of the network may hold beside its weights
};

/// The networks that may support the recogniser; null: absent.
struct PageNetworks {
  LineOrientation* orientation = nullptr;  // a page whose lines are not upright is not recognised
  PageDetector* detector = nullptr;        // finds lines where a sample of the lines from geometry is recognised with low confidence
};

/// One network in memory. Not safe for concurrent use.
class TextRecognizer {
 public:
  /// `file` is an ONNX network with one input (n, 1, 32, w), ink 1 and paper 0, and one output (n, classes, 1, w / 4). Its metadata entry `alphabet` holds one code point
  /// for each class from class 1 on; class 0 is the blank of CTC. Throws Error `model_not_found`, and `invalid_model` for another network.
  /// Runs hold at most `work_bytes` beside the weights: a line that needs more is an Error `too_large`.
  TextRecognizer(const std::filesystem::path& file, Backend& backend, int threads, std::size_t work_bytes = default_work_bytes);

  /// All text of an upright page outside pictures, lines from the top, its ruled lines and its tick boxes. With `orientation` its lines are classified first; if they are not
  /// upright, none is recognised and the page is `turned`. `dpi` of the bitmap, 70..2400. Throws Error `cancelled`.
  ReadPage read(const Bitmap& bitmap, int dpi, const Cancel& cancel, const PageNetworks& networks = {});

  /// The text of a bitmap that is one line from edge to edge: one line, or none.
  ReadPage read_line(const Bitmap& bitmap, const Cancel& cancel);

  /// The letters of pictures of lines, in their order. The letters of a line do not depend on the others. Throws Error `cancelled`.
  std::vector<std::vector<ReadLetter>> read_lines(const std::vector<LineImage>& lines, const Cancel& cancel);

 private:
  std::vector<TickBox> take_out_tick_boxes(Gray& page, Ink& ink, int dpi, const Cancel& cancel);
  void read_unread(PageLines& reading, const Cancel& cancel);
  void add_detected(PageLines& reading, const Gray& page, const Ink& ink, int dpi, PageDetector& detector, const Cancel& cancel);
  void read_some(const std::vector<LineImage>& lines, std::vector<std::size_t> order, std::vector<std::vector<ReadLetter>>& letters, const Cancel& cancel);
  void read_batch(const std::vector<LineImage>& lines, const std::vector<std::size_t>& batch, int width, const Cancel& cancel, std::vector<std::vector<ReadLetter>>& letters);

  onnx::Network network_;
  std::vector<std::string> alphabet_;  // of class i + 1
};

}  // namespace lectern::vision
