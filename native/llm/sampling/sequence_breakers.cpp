#include "llm/sampling/sequence_breakers.h"

#include <algorithm>
#include <utility>

#include "error.h"

namespace lectern::llm {
namespace {

constexpr std::size_t most_texts = 16;
constexpr std::size_t most_bytes = 40;

std::uint64_t key(std::uint32_t node, TokenId next) { return (std::uint64_t{node} << 32) | static_cast<std::uint32_t>(next); }

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::invalid_request, "The option \"dry_sequence_breakers\" " + what + "."); }

}  // namespace

void SequenceBreakers::check(const std::vector<std::string>& texts) {
  if (texts.size() > most_texts) refuse("may hold " + std::to_string(most_texts) + " texts, not " + std::to_string(texts.size()));
  for (const std::string& text : texts) {
    if (text.empty()) refuse("must not hold an empty text");
    if (text.size() > most_bytes) refuse("may hold texts of up to " + std::to_string(most_bytes) + " bytes");
  }
}

SequenceBreakers::SequenceBreakers(std::vector<std::string> texts, const Tokenizer& tokenizer) : texts_(std::move(texts)), by_first_byte_(256) {
  check(texts_);
  for (std::size_t i = 0; i < texts_.size(); i++) by_first_byte_[static_cast<unsigned char>(texts_[i].front())].push_back(i);
  std::string text;
  for (TokenId id = 0; id < tokenizer.vocabulary().size(); id++) {
    text.clear();
    tokenizer.append_bytes(id, true, text);
    add_token(id, text, tokenizer);
  }
}

void SequenceBreakers::add_token(TokenId id, const std::string& text, const Tokenizer& tokenizer) {
  for (std::size_t at = 0; at < text.size(); at++) {
    for (const std::size_t index : by_first_byte_[static_cast<unsigned char>(text[at])]) {
      const std::string& breaker = texts_[index];
      const std::size_t common = std::min(breaker.size(), text.size() - at);
      if (text.compare(at, common, breaker, 0, common) != 0) continue;
      if (common == breaker.size()) {
        add(id, {});
        continue;
      }
      const std::string rest = breaker.substr(common);
      const auto [known, is_new] = remainders_.try_emplace(rest);
      if (is_new) known->second = tokenizer.encode(rest, {.add_special = false, .parse_special = false});
      if (!known->second.empty()) add(id, known->second);
    }
  }
}

void SequenceBreakers::add(TokenId id, const std::vector<TokenId>& tail) {
  Node node = child(root, id);
  for (const TokenId next : tail) node = child(node, next);
  ends_[node] = true;
}

SequenceBreakers::Node SequenceBreakers::child(Node node, TokenId next) {
  const auto [found, is_new] = children_.try_emplace(key(node, next), static_cast<Node>(ends_.size()));
  if (is_new) {
    ends_.push_back(false);
    continued_.push_back(false);
    continued_[node] = true;
  }
  return found->second;
}

std::optional<SequenceBreakers::Node> SequenceBreakers::step(Node node, TokenId next) const {
  const auto found = children_.find(key(node, next));
  return found == children_.end() ? std::nullopt : std::optional(found->second);
}

bool SequenceBreakers::breaks_alone(TokenId id) const {
  const std::optional<Node> node = begin(id);
  return node && breaks(*node);
}

}  // namespace lectern::llm
