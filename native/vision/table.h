// The cells of a table that a bitmap shows, by a network that writes its HTML step by step (SLANet).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vision/preparation.h"
#include "vision/quad.h"
#include "vision/table_tokens.h"
#include "vision/vision_network.h"

namespace lectern::vision {

struct TableOptions {
  std::filesystem::path file;
  std::filesystem::path dictionary;  // a word a line, without begin and end
  bool merged_cells = true;          // `<td>` in the dictionary stands for `<td></td>`, as the makers' own reader has it
  bool padded_boxes = false;         // boxes are relative to the padded picture, not to the table in it
  Preparation preparation;
  int width = 488;
  int height = 488;
  bool halves = false;  // as VisionNetwork
};

struct FoundCell {
  TableCell cell;
  Quad box;  // pixels of the bitmap
};

struct FoundTable {
  std::vector<FoundCell> cells;
  Grid grid{0, 0};
  float score = 0;  // mean certainty of its words, 0 without any
};

/// One thread at a time.
class TableFinder {
 public:
  /// Throws as VisionNetwork and read_dictionary(), and Error `invalid_model` where the network has no output of boxes (n, steps, 8) and of words (n, steps, dictionary + begin and end), as far as it declares them.
  TableFinder(const TableOptions& options, const Place& place);

  /// `bitmap` shows the table and little else. Throws Error `cancelled`, and as VisionNetwork::run().
  FoundTable find(const Bitmap& bitmap, const Cancel& cancel);

  std::size_t weight_bytes() const { return network_.weight_bytes(); }

 private:
  void check_words(int words) const;

  TableOptions options_;
  VisionNetwork network_;
  std::vector<std::string> words_;  // begin first, end last
};

}  // namespace lectern::vision
