// Recognises pictures of text lines by an installed network with its dictionary (PP-OCR's recognition), and detects lines that are upside down.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vision/ctc.h"
#include "vision/preparation.h"
#include "vision/quad.h"
#include "vision/vision_network.h"

namespace lectern::vision {

struct LineReaderOptions {
  std::filesystem::path file;
  std::filesystem::path dictionary;  // empty: the dictionary in the file's metadata entry `character`
  bool space = true;                 // a space follows the dictionary as the last class
  bool logits = false;               // the outputs are logits instead of probabilities
  Preparation preparation;           // its fit is not used
  int height = 48;
  // The width of a line follows from its proportions, up to `most_width`. Its picture is at least `least_width` wide, or ends at the next multiple of 32 after the line.
  int least_width = 320;
  int most_width = 3200;
  Precision precision = Precision::f16x3;
};

/// The letters of one line. Column c of `columns` begins at c / columns of the picture; the line fills the first `filled` columns.
struct LineLetters {
  std::vector<ReadLetter> letters;
  double filled = 0;
};

/// Not safe for concurrent use.
class LineReader {
 public:
  /// Throws as VisionNetwork and read_dictionary(), and Error `invalid_model` if the dictionary has another number of classes than the network declares.
  LineReader(const LineReaderOptions& options, const Place& place);

  /// The letters of each line, in the order of the lines. The letters of a line do not depend on the other lines. Throws Error `cancelled`, as VisionNetwork::run(), and `invalid_model`
  /// if the output does not have one class for each line of the dictionary.
  std::vector<LineLetters> read(const std::vector<Picture>& lines, const Cancel& cancel);

  const std::vector<std::string>& alphabet() const { return alphabet_; }

  std::size_t weight_bytes() const { return network_.weight_bytes(); }

 private:
  struct Widths {
    int filled, whole;
  };
  Widths widths_of(const Picture& line) const;
  void check_classes(int classes) const;

  LineReaderOptions options_;
  VisionNetwork network_;
  std::vector<std::string> alphabet_;  // of class i + 1
};

struct AngleOptions {
  std::filesystem::path file;
  Preparation preparation;
  int width = 192;
  int height = 48;
  float threshold = 0.9F;  // the least confidence of a line that counts as upside down
  Precision precision = Precision::f16x3;
};

/// Detects lines that are upside down. Not safe for concurrent use.
class AngleClassifier {
 public:
  /// Throws as VisionNetwork, and Error `invalid_model` if the network declares another number of classes than two.
  AngleClassifier(const AngleOptions& options, const Place& place);

  /// Throws Error `cancelled`, and as VisionNetwork::run().
  std::vector<bool> upside_down(const std::vector<Picture>& lines, const Cancel& cancel);

  std::size_t weight_bytes() const { return network_.weight_bytes(); }

 private:
  AngleOptions options_;
  VisionNetwork network_;
};

}  // namespace lectern::vision
