// Decodes the output of a text recogniser, column by column, to letters: connectionist temporal classification (CTC), and its alphabets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern::vision {

/// A letter, with the columns of the network's output that show it.
struct ReadLetter {
  std::string text;  // UTF-8
  int begin;
  int end;
  float confidence;  // 0..1
};

/// The output for one line, without NaN. Class 0 is the blank.
struct ClassScores {
  const float* data;
  int classes;
  int columns;
  bool by_column;      // (columns, classes), else (classes, columns)
  bool probabilities;  // else logits
};

/// The likeliest class of each column (the lower of equal ones). Repetitions count once, and class 0 separates. `alphabet` holds the text of class i + 1.
/// The confidence of a letter is that of its best column.
std::vector<ReadLetter> read_letters(const ClassScores& scores, const std::vector<std::string>& alphabet);

/// Splits a text into lines. The last line may lack its end; a `\r` before an end is removed. A line may be a space.
std::vector<std::string> lines_of(const std::string& text);

/// Reads the lines of a file of at most 4 MiB and 200,000 lines. Throws Error `model_not_found` if the file cannot be read, and `invalid_model`
/// if it is larger, empty, or not UTF-8.
std::vector<std::string> read_dictionary(const std::filesystem::path& file);

/// Whether the text is UTF-8 in its shortest form, without surrogates.
bool is_utf8(const std::string& text);

}  // namespace lectern::vision
