// Three installed networks detect lines, turn them upright and recognise them: the bitmap of a page becomes lines of words.
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

/// Not safe for concurrent use.
class PageReader {
 public:
  /// Throws as its three parts. The detector runs at `place`, the networks for single lines at `small_place`.
  PageReader(const PageReaderOptions& options, const Place& place, const Place& small_place);

  /// The bytes of the weights of all its networks in their files.
  std::size_t weight_bytes() const;

  /// The number of pages that are recognised efficiently together.
  std::size_t batch() const { return 4; }

  /// For an upright page all its text, lines from the top, and its ruled lines; for a bitmap of one line that line, or none. Lines of several pages run together; the result of a page
  /// does not depend on the others. Throws Error `cancelled`, and as its parts.
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

/// The words of a line that was recognised in the rectangle `box` of a page of that size. Spaces separate words; the box of a word reaches from its first column to its last.
/// Returns no words where nothing was recognised.
ReadLine line_in(const Quad& box, const LineLetters& line, int width, int height);

}  // namespace lectern::vision
