#include <array>
#include <string>
#include <utility>

#include "llm/tokenizer/segmenters.h"

namespace lectern::llm {
namespace {

std::string replace_all(const std::string& text, std::string_view what, std::string_view with) {
  std::string out;
  out.reserve(text.size());
  std::size_t from = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, from)) {
    out.append(text, from, at - from).append(with);
    from = at + what.size();
  }
  return out.append(text, from, std::string::npos);
}

}  // namespace

std::string join_contractions(std::string text) {
  // One after the other over the whole text, as the decoder that the vocabularies were published with does it.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> rules = {{
      {" ?", "?"}, {" !", "!"}, {" .", "."}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"}, {" 'm", "'m"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
  }};
  for (const auto& [what, with] : rules) text = replace_all(text, what, with);
  return text;
}

}  // namespace lectern::llm
