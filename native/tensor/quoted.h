// Quotes names from untrusted files for error sentences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lectern {

/// In quotation marks, at most 80 characters, nothing but printable ASCII.
inline std::string quoted_name(std::string_view name) {
  constexpr std::size_t most = 80;
  std::string shown(name.substr(0, most));
  for (char& letter : shown) {
    if (letter < ' ' || letter > '~') letter = '?';
  }
  return "\"" + shown + (name.size() > most ? "..." : "") + "\"";
}

}  // namespace lectern
