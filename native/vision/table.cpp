#include "vision/table.h"

#include <algorithm>
#include <cstddef>

#include "vision/ctc.h"

namespace lectern::vision {
namespace {

/// The makers' own: where cells without spans are one word, the opened cell `<td>` is not among the words.
void merge_cells(std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), "<td></td>") == words.end()) words.emplace_back("<td></td>");
  std::erase(words, "<td>");
}

}  // namespace

TableFinder::TableFinder(const TableOptions& options, const Place& place) : options_(options), network_(options.file, place, options.halves) {
  if (network_.width() > 0) options_.width = network_.width();
  if (network_.height() > 0) options_.height = network_.height();
  if (options_.answer == TableAnswer::separators) {
    for (const std::string_view name : {"rows", "columns", "spans"}) {
      if (network_.find(name) < 0) network_.refuse("it has no output " + std::string(name));
    }
    if (network_.width() > 0 || network_.height() > 0) network_.refuse("it takes pictures of one size alone");
    return;
  }
  words_ = read_dictionary(options.dictionary);
  if (options_.merged_cells) merge_cells(words_);
  words_.insert(words_.begin(), "sos");
  words_.emplace_back("eos");
  if (network_.network().outputs().size() != 2) network_.refuse("it has not two outputs, boxes and words");
}

void TableFinder::check_words(int words) const {
  if (static_cast<std::size_t>(words) != words_.size()) network_.refuse("it writes " + std::to_string(words) + " words, and its dictionary with begin and end has " + std::to_string(words_.size()));
}

FoundTable TableFinder::find(const Bitmap& bitmap, const Cancel& cancel) { return options_.answer == TableAnswer::separators ? find_separators(bitmap, cancel) : find_words(bitmap, cancel); }

FoundTable TableFinder::find_separators(const Bitmap& bitmap, const Cancel& cancel) {
  std::vector<float> picture(3 * static_cast<std::size_t>(bitmap.width) * static_cast<std::size_t>(bitmap.height));
  prepare(bitmap, bitmap.width, bitmap.height, options_.preparation, picture, cancel);
  const auto outputs = network_.run(picture, 1, bitmap.height, bitmap.width, cancel);
  const auto output = [&](std::string_view name) -> const onnx::Output& { return outputs[static_cast<std::size_t>(network_.find(name))]; };
  const auto rows = network_.sizes(output("rows"), 3, 1), columns = network_.sizes(output("columns"), 3, 1), spans = network_.sizes(output("spans"), 4, 1);
  if (rows[1] != 2 || columns[1] != 1 || spans[1] != 2) network_.refuse("its answers are not of two rows, one column and two spans");
  const auto places = static_cast<std::size_t>(rows[2]), plane = static_cast<std::size_t>(spans[2]) * static_cast<std::size_t>(spans[3]);
  const auto of_rows = output("rows").as<float>(), of_spans = output("spans").as<float>();
  return cells_between({of_rows.first(places), of_rows.subspan(places), output("columns").as<float>(), of_spans.first(plane), of_spans.subspan(plane), spans[2], spans[3]}, bitmap.width, bitmap.height);
}

FoundTable TableFinder::find_words(const Bitmap& bitmap, const Cancel& cancel) {
  std::vector<float> picture(3 * static_cast<std::size_t>(options_.width) * static_cast<std::size_t>(options_.height));
  const Placement placement = prepare(bitmap, options_.width, options_.height, options_.preparation, picture, cancel);
  const auto outputs = network_.run(picture, 1, options_.height, options_.width, cancel);
  // Exporters do not agree which comes first.
  const auto first = network_.sizes(outputs[0], 3, 1);
  const auto second = network_.sizes(outputs[1], 3, 1);
  const bool boxes_first = first[2] == 8;
  const auto& shape = boxes_first ? second : first;
  if ((boxes_first ? first : second)[2] != 8 || first[1] != second[1]) network_.refuse("its boxes are not 8 numbers for each word");
  check_words(shape[2]);
  const auto boxes = outputs[boxes_first ? 0 : 1].as<float>();
  const TableStructure structure = read_structure(outputs[boxes_first ? 1 : 0].as<float>(), shape[1], shape[2], shape[2] - 1);
  std::vector<std::string> words;
  FoundTable table;
  for (std::size_t i = 0; i < structure.tokens.size(); ++i) {
    words.push_back(words_[static_cast<std::size_t>(structure.tokens[i])]);
    table.score += structure.certainty[i] / static_cast<float>(structure.tokens.size());
  }
  const std::vector<TableCell> cells = cells_of(words);
  const double inner_width = placement.scale_x * placement.width, inner_height = placement.scale_y * placement.height;
  for (const TableCell& cell : cells) {
    FoundCell found{cell, {}};
    for (std::size_t corner = 0; corner < 4; ++corner) {
      const auto x = static_cast<double>(boxes[cell.step * 8 + corner * 2]), y = static_cast<double>(boxes[cell.step * 8 + corner * 2 + 1]);
      found.box[corner] = options_.padded_boxes ? Point{placement.page_x(x * options_.width), placement.page_y(y * options_.height)}
                                                : Point{placement.page_x(placement.left + x * inner_width), placement.page_y(placement.top + y * inner_height)};
    }
    table.cells.push_back(found);
  }
  table.grid = grid_of(cells);
  return table;
}

}  // namespace lectern::vision
