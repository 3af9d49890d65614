#include "vision/table.h"

#include <algorithm>
#include <cstddef>

#include "vision/ctc.h"

namespace lectern::vision {
namespace {

/// The convention of the reference implementation: if cells without spans are one token, the opened cell `<td>` is not in the dictionary.
void merge_cells(std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), "<td></td>") == words.end()) words.emplace_back("<td></td>");
  std::erase(words, "<td>");
}

}  // namespace

TableFinder::TableFinder(const TableOptions& options, const Place& place) : options_(options), network_(options.file, place, options.precision) {
  if (network_.width() > 0) options_.width = network_.width();
  if (network_.height() > 0) options_.height = network_.height();
  if (options_.outputs == TableOutputs::separators) {
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

std::vector<FoundTable> TableFinder::find(std::span<const Bitmap> bitmaps, const Cancel& cancel) {
  const auto size_of = [&](const Bitmap& bitmap) {
    const bool own = options_.outputs == TableOutputs::separators;
    return std::pair(own ? bitmap.width : options_.width, own ? bitmap.height : options_.height);
  };
  std::vector<FoundTable> found(bitmaps.size());
  std::vector<bool> done(bitmaps.size());
  for (std::size_t first = 0; first < bitmaps.size(); ++first) {
    if (done[first]) continue;
    const auto [width, height] = size_of(bitmaps[first]);
    std::vector<std::size_t> like;
    for (std::size_t i = first; i < bitmaps.size() && like.size() < batch(); ++i) {
      if (!done[i] && size_of(bitmaps[i]) == std::pair(width, height)) like.push_back(i);
    }
    const std::size_t each = 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    std::vector<float> pictures(like.size() * each);
    std::vector<Placement> places;
    for (std::size_t i = 0; i < like.size(); ++i) places.push_back(prepare(bitmaps[like[i]], width, height, options_.preparation, std::span(pictures).subspan(i * each, each), cancel));
    std::vector<FoundTable> tables = look(pictures, places, width, height, cancel);
    for (std::size_t i = 0; i < like.size(); ++i) {
      found[like[i]] = std::move(tables[i]);
      done[like[i]] = true;
    }
  }
  return found;
}

std::vector<FoundTable> TableFinder::look(std::span<const float> pictures, std::span<const Placement> places, int width, int height, const Cancel& cancel) {
  const std::size_t each = pictures.size() / places.size();
  const auto some = [&](std::size_t first, std::size_t count) {
    const int all = static_cast<int>(count);
    const auto outputs = network_.run(pictures.subspan(first * each, count * each), all, height, width, cancel);
    std::vector<FoundTable> tables;
    for (int i = 0; i < all; ++i) {
      tables.push_back(options_.outputs == TableOutputs::separators ? separators_of(outputs, width, height, i, all) : words_of(outputs, places[first + static_cast<std::size_t>(i)], i, all));
    }
    return tables;
  };
  if (places.size() == 1) return some(0, 1);
  try {
    return some(0, places.size());
  } catch (const Error& error) {
    cancel.check();
    // Exporters often leave the number of pictures open although the graph runs for one only.
    if (error.code() == ErrorCode::invalid_model) most_together_ = 1;
  }
  std::vector<FoundTable> tables;
  for (std::size_t i = 0; i < places.size(); ++i) tables.push_back(some(i, 1)[0]);
  return tables;
}

FoundTable TableFinder::separators_of(const std::vector<onnx::Output>& outputs, int width, int height, int index, int count) const {
  const auto output = [&](std::string_view name) -> const onnx::Output& { return outputs[static_cast<std::size_t>(network_.find(name))]; };
  const auto rows = network_.sizes(output("rows"), 3, count), columns = network_.sizes(output("columns"), 3, count), spans = network_.sizes(output("spans"), 4, count);
  if (rows[1] != 2 || columns[1] != 1 || spans[1] != 2) network_.refuse("its outputs are not of two rows, one column and two spans");
  const auto at = static_cast<std::size_t>(index), places = static_cast<std::size_t>(rows[2]), across = static_cast<std::size_t>(columns[2]);
  const auto plane = static_cast<std::size_t>(spans[2]) * static_cast<std::size_t>(spans[3]);
  const auto of_rows = output("rows").as<float>().subspan(at * 2 * places, 2 * places), of_spans = output("spans").as<float>().subspan(at * 2 * plane, 2 * plane);
  const auto of_columns = output("columns").as<float>().subspan(at * across, across);
  return cells_between({of_rows.first(places), of_rows.subspan(places), of_columns, of_spans.first(plane), of_spans.subspan(plane), spans[2], spans[3]}, width, height);
}

FoundTable TableFinder::words_of(const std::vector<onnx::Output>& outputs, const Placement& placement, int index, int count) const {
  // The order of these outputs differs between exporters.
  const auto first = network_.sizes(outputs[0], 3, count);
  const auto second = network_.sizes(outputs[1], 3, count);
  const bool boxes_first = first[2] == 8;
  const auto& shape = boxes_first ? second : first;
  if ((boxes_first ? first : second)[2] != 8 || first[1] != second[1]) network_.refuse("its boxes are not 8 numbers for each word");
  check_words(shape[2]);
  const auto steps = static_cast<std::size_t>(shape[1]), all_words = static_cast<std::size_t>(shape[2]), at = static_cast<std::size_t>(index) * steps;
  const auto boxes = outputs[boxes_first ? 0 : 1].as<float>().subspan(at * 8, steps * 8);
  const TableStructure structure = read_structure(outputs[boxes_first ? 1 : 0].as<float>().subspan(at * all_words, steps * all_words), shape[1], shape[2], shape[2] - 1);
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
