// The rules of a grammar as states and edges, in the order in which they are found.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "llm/grammar/code_points.h"
#include "llm/grammar/gbnf.h"

namespace lectern::llm {

/// Tokens of at most so many bytes cannot tell two places of a counted repetition apart from which at least as many are left. Of
/// published vocabularies the first bound leaves out some per cent, the second some hundred tokens, mostly blanks.
inline constexpr std::array<int, 2> short_token_bytes = {16, 40};

struct RuleEdges {
  struct OnByte {
    std::int32_t from;
    std::int32_t to;
    Bytes bytes;
  };
  struct OnNothing {
    std::int32_t from;
    std::int32_t to;
  };
  /// Of a text of the rule with at least one byte.
  struct OnRule {
    std::int32_t from;
    std::int32_t to;
    std::int32_t rule;
  };
  struct Rule {
    std::int32_t start;
    std::int32_t end;   // nothing leads on from here
    std::size_t place;  // in the source
  };

  std::vector<OnByte> on_byte;
  std::vector<OnNothing> on_nothing;
  std::vector<OnRule> on_rule;
  std::vector<Rule> rules;
  std::int32_t root = 0;
  bool root_nullable = false;
  std::int32_t states = 0;
  /// By bound of short_token_bytes and state: one after which the same tokens of at most so many bytes may follow within its rule, and
  /// may leave it.
  std::array<std::vector<std::int32_t>, short_token_bytes.size()> alias;
};

/// Throws Error `invalid_request` for more than fits. `text` is what `source` was parsed from.
RuleEdges make_rule_edges(const gbnf::Source& source, std::string_view text);

}  // namespace lectern::llm
