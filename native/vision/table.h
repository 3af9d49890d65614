// The cells of a table that a bitmap shows, by a network that writes its HTML step by step (SLANet) or one that tells what parts rows and columns.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vision/preparation.h"
#include "vision/quad.h"
#include "vision/separators.h"
#include "vision/table_tokens.h"
#include "vision/vision_network.h"

namespace lectern::vision {

enum class TableAnswer {
  words,       // boxes (n, steps, 8) and the words of its HTML (n, steps, dictionary + begin and end)
  separators,  // logits `rows` (n, 2, rows): what parts rows, what is the head; `columns` (n, 1, columns); `spans` (n, 2, h, w): one cell with what is right of it, below it. Takes a bitmap as it is
};

struct TableOptions {
  std::filesystem::path file;
  TableAnswer answer = TableAnswer::words;
  std::filesystem::path dictionary;  // a word a line, without begin and end; none for separators
  bool merged_cells = true;          // `<td>` in the dictionary stands for `<td></td>`, as the makers' own reader has it
  bool padded_boxes = false;         // boxes are relative to the padded picture, not to the table in it
  Preparation preparation;
  int width = 488;
  int height = 488;
  bool halves = false;  // as VisionNetwork
};

/// One thread at a time.
class TableFinder {
 public:
  /// Throws as VisionNetwork and read_dictionary(), and Error `invalid_model` where the network has not the outputs of its answer.
  TableFinder(const TableOptions& options, const Place& place);

  /// `bitmap` shows the table and little else. Throws Error `cancelled`, and as VisionNetwork::run().
  FoundTable find(const Bitmap& bitmap, const Cancel& cancel);

  std::size_t weight_bytes() const { return network_.weight_bytes(); }

 private:
  void check_words(int words) const;
  FoundTable find_words(const Bitmap& bitmap, const Cancel& cancel);
  FoundTable find_separators(const Bitmap& bitmap, const Cancel& cancel);

  TableOptions options_;
  VisionNetwork network_;
  std::vector<std::string> words_;  // begin first, end last
};

}  // namespace lectern::vision
