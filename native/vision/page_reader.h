// Three installed networks detect lines, turn them upright and recognise them: a page's bitmap becomes lines of words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
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

/// The arguments of a page's reader.
struct PageRequest {
  Bitmap bitmap;
  int dpi = 0;            // of the bitmap, 70..2400
  bool one_line = false;  // the bitmap is one line of text from edge to edge
};

/// One thread at a time.
class PageReader {
 public:
  /// Throws as its three parts. `place` is the detector's, `small_place` that of the others, which see lines alone.
  PageReader(const PageReaderOptions& options, const Place& place, const Place& small_place);

  /// Of all its networks, as they lie in the files.
  std::size_t weight_bytes() const;

  /// Pages that are worth being read together.
  std::size_t batch() const { return 4; }

  /// Of each upright page all text, lines from the top, and its ruled lines; of what is one line that line, or none. Lines are read beside those of other pages; what a page says
  /// is the same alone. Throws Error `cancelled`, and as its parts.
  std::vector<ReadPage> read(std::span<const PageRequest> pages, const Cancel& cancel);

 private:
  /// A box of text on one of the pages.
  struct PageBox {
    std::size_t page;
    Quad corners;
  };
  void read_boxes(std::span<const PageRequest> pages, std::span<PageBox> boxes, const Cancel& cancel, std::vector<ReadPage>& read);

  TextDetector detector_;
  std::optional<AngleClassifier> angle_;
  LineReader reader_;
};

/// The words of a line that was read from the rectangle `box` of a page of that size: what stands between spaces, each box reaching from the first of its columns to the last.
/// Empty words where nothing was read.
ReadLine line_in(const Quad& box, const LineLetters& line, int width, int height);

}  // namespace lectern::vision
