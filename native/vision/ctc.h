// Decodes the output of a text recogniser, column by column, to letters: connectionist temporal classification (CTC), and its alphabets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern::vision {

/// A letter with the columns of the network's output that show it.
struct ReadLetter {
  std::string text;  // UTF-8
  int begin;
  int end;
  float confidence;  // 0..1
};

/// One line's output, without NaN. Class 0 is none.
struct ClassScores {
  const float* data;
  int classes;
  int columns;
  bool by_column;      // (columns, classes), else (classes, columns)
  bool probabilities;  // else logits
};

/// The likeliest class of each column (the lower one of equals): repeats count once, class 0 separates. `alphabet` has the text of class i + 1.
/// The confidence of a letter is that of its best column.
std::vector<ReadLetter> read_letters(const ClassScores& scores, const std::vector<std::string>& alphabet);

/// The lines of a text, a last one without its end too; `\r` before an end is none of it. A line may be a space.
std::vector<std::string> lines_of(const std::string& text);

/// The lines of a file of at most 4 MiB and 200,000 lines. Throws Error `model_not_found` where it cannot be read and `invalid_model`
/// for one that is larger, empty, or not UTF-8.
std::vector<std::string> read_dictionary(const std::filesystem::path& file);

/// UTF-8 in its shortest form, without surrogates.
bool is_utf8(const std::string& text);

}  // namespace lectern::vision
