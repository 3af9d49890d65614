// Finds the cells of a table in a bitmap by a network that writes its HTML step by step (SLANet) or by one that detects separators of rows and columns.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "vision/preparation.h"
#include "vision/quad.h"
#include "vision/separators.h"
#include "vision/table_tokens.h"
#include "vision/vision_network.h"

namespace lectern::vision {

enum class TableOutputs {
  words,       // boxes (n, steps, 8) and tokens of the HTML (n, steps, dictionary + begin and end)
  separators,  // logits `rows` (n, 2, rows): separator, header; `columns` (n, 1, columns); `spans` (n, 2, h, w): joined with the cell at the right, with the cell below. Takes a bitmap without preparation
};

struct TableOptions {
  std::filesystem::path file;
  TableOutputs outputs = TableOutputs::words;
  std::filesystem::path dictionary;  // one token a line, without begin and end; none for separators
  bool merged_cells = true;          // `<td>` in the dictionary stands for `<td></td>`, as in the reference implementation
  bool padded_boxes = false;         // boxes are relative to the padded picture, not to the table in it
  Preparation preparation;
  int width = 488;
  int height = 488;
  Precision precision = Precision::f16x3;
};

/// Not safe for concurrent use.
class TableFinder {
 public:
  /// Throws as VisionNetwork and read_dictionary(), and Error `invalid_model` if the network lacks the declared outputs.
  TableFinder(const TableOptions& options, const Place& place);

  /// The number of tables that run efficiently as one batch.
  std::size_t batch() const { return static_cast<std::size_t>(network_.batch(most_together_)); }

  /// Each bitmap shows one table; the result does not depend on the other bitmaps. Bitmaps whose pictures have one size run through the network together. Throws Error `cancelled`, and as
  /// VisionNetwork::run().
  std::vector<FoundTable> find(std::span<const Bitmap> bitmaps, const Cancel& cancel);

  std::size_t weight_bytes() const { return network_.weight_bytes(); }

 private:
  void check_words(int words) const;
  /// Runs pictures of one size, (places.size(), 3, height, width).
  std::vector<FoundTable> look(std::span<const float> pictures, std::span<const Placement> places, int width, int height, const Cancel& cancel);
  FoundTable words_of(const std::vector<onnx::Output>& outputs, const Placement& placement, int index, int count) const;
  FoundTable separators_of(const std::vector<onnx::Output>& outputs, int width, int height, int index, int count) const;

  TableOptions options_;
  VisionNetwork network_;
  std::vector<std::string> words_;  // begin first, end last
  int most_together_ = 4;           // 1 once the network has failed with more
};

}  // namespace lectern::vision
