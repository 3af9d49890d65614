// Lines found, turned the right way up and read by three networks from elsewhere: a page's bitmap becomes lines of words.
#pragma once

#include <optional>
#include <vector>

#include "vision/line_reader.h"
#include "vision/text_detector.h"
#include "vision/text_lines.h"

namespace lectern::vision {

struct PageReaderOptions {
  DetectorOptions detector;
  std::optional<AngleOptions> angle;
  LineReaderOptions reader;
};

/// One thread at a time.
class PageReader {
 public:
  /// Throws as its three parts. `place` is the detector's, `small_place` that of the others, which see lines alone.
  PageReader(const PageReaderOptions& options, const Place& place, const Place& small_place);

  /// Of all its networks, as they lie in the files.
  std::size_t weight_bytes() const;

  /// All text of an upright page, lines from the top, and its ruled lines. `dpi` of the bitmap, 70..2400. Throws Error `cancelled`, and as its parts.
  ReadPage read(const Bitmap& bitmap, int dpi, const Cancel& cancel);

  /// What a bitmap says that is one line of text from edge to edge: one line, or none.
  ReadPage read_line(const Bitmap& bitmap, const Cancel& cancel);

 private:
  ReadPage read_boxes(const Bitmap& bitmap, std::vector<Quad> boxes, const Cancel& cancel);

  TextDetector detector_;
  std::optional<AngleClassifier> angle_;
  LineReader reader_;
};

/// The words of a line that was read from the rectangle `box` of a page of that size: what stands between spaces, each box reaching from the first of its columns to the last.
/// Empty words where nothing was read.
ReadLine line_in(const Quad& box, const LineLetters& line, int width, int height);

}  // namespace lectern::vision
