#include "llm/tokenizer/trie.h"

#include <algorithm>

namespace lectern::llm {

void Trie::insert(std::string_view word, std::int32_t value) {
  std::size_t node = 0;
  for (const char letter : word) {
    const auto byte = static_cast<std::uint8_t>(letter);
    auto& children = nodes_[node].children;
    auto place = std::lower_bound(children.begin(), children.end(), byte, [](const auto& child, std::uint8_t b) { return child.first < b; });
    if (place == children.end() || place->first != byte) {
      const auto next = static_cast<std::int32_t>(nodes_.size());
      children.emplace(place, byte, next);
      nodes_.emplace_back();  // moves the nodes: `children` is stale from here
      node = static_cast<std::size_t>(next);
    } else {
      node = static_cast<std::size_t>(place->second);
    }
  }
  if (nodes_[node].value == none) nodes_[node].value = value;
}

std::int32_t Trie::step(std::int32_t node, char byte) const {
  const auto& children = nodes_[static_cast<std::size_t>(node)].children;
  const auto wanted = static_cast<std::uint8_t>(byte);
  if (children.size() == 1) return children.front().first == wanted ? children.front().second : none;
  const auto place = std::lower_bound(children.begin(), children.end(), wanted, [](const auto& child, std::uint8_t b) { return child.first < b; });
  return place == children.end() || place->first != wanted ? none : place->second;
}

}  // namespace lectern::llm
