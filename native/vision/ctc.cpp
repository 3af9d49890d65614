#include "vision/ctc.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <system_error>

#include "error.h"
#include "tensor/quoted.h"

namespace lectern::vision {
namespace {

constexpr std::uintmax_t most_dictionary_bytes = std::uintmax_t{4} << 20;
constexpr std::size_t most_dictionary_lines = 200'000;

struct Best {
  std::vector<int> label;      // (columns)
  std::vector<float> highest;  // score of that class
};

Best best_of(const ClassScores& scores) {
  const auto columns = static_cast<std::size_t>(scores.columns);
  const auto classes = static_cast<std::size_t>(scores.classes);
  Best best{std::vector<int>(columns, 0), std::vector<float>(columns)};
  if (scores.by_column) {
    for (std::size_t x = 0; x < columns; ++x) {
      const float* row = scores.data + x * classes;
      const float* found = std::max_element(row, row + classes);
      best.label[x] = static_cast<int>(found - row);
      best.highest[x] = *found;
    }
    return best;
  }
  std::copy(scores.data, scores.data + columns, best.highest.begin());
  for (int label = 1; label < scores.classes; ++label) {
    const float* row = scores.data + static_cast<std::size_t>(label) * columns;
    for (std::size_t x = 0; x < columns; ++x) {
      if (row[x] > best.highest[x]) {
        best.highest[x] = row[x];
        best.label[x] = label;
      }
    }
  }
  return best;
}

float probability(const ClassScores& scores, std::size_t column, float highest) {
  if (scores.probabilities) return std::clamp(highest, 0.0F, 1.0F);
  const std::size_t first = scores.by_column ? column * static_cast<std::size_t>(scores.classes) : column;
  const std::size_t step = scores.by_column ? 1 : static_cast<std::size_t>(scores.columns);
  float sum = 0;
  for (std::size_t label = 0; label < static_cast<std::size_t>(scores.classes); ++label) sum += std::exp(scores.data[first + label * step] - highest);
  return 1 / sum;
}

}  // namespace

std::vector<ReadLetter> read_letters(const ClassScores& scores, const std::vector<std::string>& alphabet) {
  const Best best = best_of(scores);
  std::vector<ReadLetter> letters;
  int last = 0;
  for (std::size_t x = 0; x < best.label.size(); ++x) {
    const int label = best.label[x];
    if (label != 0) {
      const float sure = probability(scores, x, best.highest[x]);
      const auto column = static_cast<int>(x);
      if (label != last) letters.push_back({alphabet[static_cast<std::size_t>(label - 1)], column, column + 1, sure});
      letters.back().end = column + 1;
      letters.back().confidence = std::max(letters.back().confidence, sure);
    }
    last = label;
  }
  return letters;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> read_dictionary(const std::filesystem::path& file) {
  const std::string title = "The dictionary " + quoted_name(file.string());
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) throw Error(ErrorCode::model_not_found, title + " cannot be read.");
  if (size > most_dictionary_bytes) throw Error(ErrorCode::invalid_model, title + " is larger than 4 MiB.");
  std::string text(static_cast<std::size_t>(size), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (!is_utf8(text)) throw Error(ErrorCode::invalid_model, title + " is not UTF-8.");
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty() || lines.size() > most_dictionary_lines) throw Error(ErrorCode::invalid_model, title + " has " + std::to_string(lines.size()) + " lines.");
  return lines;
}

bool is_utf8(const std::string& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned first = byte(i);
    const std::size_t length = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xF0 && first < 0xF5 ? 4 : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0U) != 0x80U) return false;
    }
    const unsigned second = length > 1 ? byte(i + 1) : 0;
    const bool too_long = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool beyond = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
    if (too_long || beyond) return false;
    i += length;
  }
  return true;
}

}  // namespace lectern::vision
