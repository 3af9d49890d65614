#include "llm/stop_strings.h"

#include <algorithm>

#include "error.h"
#include "llm/utf8_repair.h"

namespace lectern::llm {
namespace {

constexpr std::size_t most_strings = 1024;
constexpr std::size_t most_bytes = 4096;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_request, sentence); }

std::string repaired(const std::string& bytes) {
  std::string text;
  Utf8Repair repair;
  repair.push(bytes, text);
  repair.finish(text);
  return text;
}

/// The longest proper beginning of `string` that its first `i` bytes also end with, for each i.
std::vector<std::uint16_t> failure_table(const std::string& string) {
  std::vector<std::uint16_t> table(string.size());
  std::size_t length = 0;
  for (std::size_t i = 1; i + 1 < string.size(); i++) {
    while (length > 0 && string[i] != string[length]) length = table[length];
    if (string[i] == string[length]) length++;
    table[i + 1] = static_cast<std::uint16_t>(length);
  }
  return table;
}

}  // namespace

StopStrings::StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {
  if (strings_.size() > most_strings) {
    refuse("There are " + std::to_string(strings_.size()) + " stop strings, more than the " + std::to_string(most_strings) + " that are possible.");
  }
  for (std::string& string : strings_) {
    if (string.empty()) refuse("A stop string must not be empty.");
    if (string.size() > most_bytes) {
      refuse("A stop string has " + std::to_string(string.size()) + " bytes, more than the " + std::to_string(most_bytes) + " that are possible.");
    }
    string = repaired(string);
  }
}

void StopStrings::make_tables() {
  matched_.resize(strings_.size());
  for (const std::string& string : strings_) shorter_.push_back(failure_table(string));
}

std::size_t StopStrings::push(char byte) {
  // Only now: many are made just to see that they are good.
  if (shorter_.size() < strings_.size()) make_tables();
  std::size_t found = none;
  begun_ = 0;
  for (std::size_t i = 0; i < strings_.size(); i++) {
    const std::string& string = strings_[i];
    std::size_t length = matched_[i];
    while (length > 0 && string[length] != byte) length = shorter_[i][length];
    if (string[length] == byte) length++;
    matched_[i] = static_cast<std::uint16_t>(length);
    if (length == string.size() && (found == none || length > strings_[found].size())) found = i;
    begun_ = std::max(begun_, length);
  }
  return found;
}

}  // namespace lectern::llm
