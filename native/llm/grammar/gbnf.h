// GBNF text as expressions: what a grammar says, nothing of how it is matched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llm/grammar/code_points.h"

namespace lectern::llm::gbnf {

struct Expression {
  enum class Kind { literal, characters, rule, sequence, alternatives, repeat };

  Kind kind;
  std::size_t place = 0;            // byte of the source where it begins
  int depth = 1;                    // of the tree below it
  bool nullable = false;            // matches the empty text
  std::string bytes{};              // literal: UTF-8
  std::vector<CodePoints> ranges{}; // characters: sorted, apart from each other, without surrogates; may be empty
  int rule = -1;                    // rule
  std::vector<int> parts{};         // sequence, alternatives; repeat: one
  int least = 0;                    // repeat
  int most = -1;                    // repeat; -1: without end
};

struct Rule {
  std::string name;
  int expression = -1;
  std::size_t place = 0;
};

struct Source {
  std::vector<Expression> expressions;  // parts come before the whole
  std::vector<Rule> rules;
  int root = -1;
};

/// Throws Error `invalid_request` with line and column.
Source parse(std::string_view text);

/// The same error for what turns out later to be wrong.
[[noreturn]] void refuse(std::string_view text, std::size_t place, const std::string& what);

}  // namespace lectern::llm::gbnf
