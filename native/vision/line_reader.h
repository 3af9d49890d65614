// Recognises pictures of text lines by an installed network with its dictionary (PP-OCR's recognition), and classifies which way up they stand.
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
  std::filesystem::path dictionary;  // empty: what the file holds in its metadata `character`
  bool space = true;                 // a space follows the dictionary as the last class
  bool logits = false;               // it gives logits, no probabilities
  Preparation preparation;           // its fit counts for nothing
  int height = 48;
  // A line is as wide as its proportions make it, squeezed beyond `most_width`; its picture ends at `least_width`, or at the multiple of 32 beyond the line.
  int least_width = 320;
  int most_width = 3200;
  Precision precision = Precision::f16x3;
};

/// The letters of one line; column c of `columns` begins at c / columns of its picture, of which the line fills the first `filled` columns.
struct LineLetters {
  std::vector<ReadLetter> letters;
  double filled = 0;
};

/// One thread at a time.
class LineReader {
 public:
  /// Throws as VisionNetwork and read_dictionary(), and Error `invalid_model` where the dictionary has another number of classes than the network declares.
  LineReader(const LineReaderOptions& options, const Place& place);

  /// Their letters, in their order. A line's letters are the same alone and beside others. Throws Error `cancelled`, as VisionNetwork::run(), and `invalid_model`
  /// where the output has not one class for each line of the dictionary.
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
  float threshold = 0.9F;  // the least confidence with which a line counts as upside down
  Precision precision = Precision::f16x3;
};

/// Whether lines stand on their heads. One thread at a time.
class AngleClassifier {
 public:
  /// Throws as VisionNetwork, and Error `invalid_model` where the network declares another number of classes than two.
  AngleClassifier(const AngleOptions& options, const Place& place);

  /// Throws Error `cancelled`, and as VisionNetwork::run().
  std::vector<bool> upside_down(const std::vector<Picture>& lines, const Cancel& cancel);

  std::size_t weight_bytes() const { return network_.weight_bytes(); }

 private:
  AngleOptions options_;
  VisionNetwork network_;
};

}  // namespace lectern::vision
