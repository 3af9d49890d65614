// What an answer may be, as an automaton over bytes, and which tokens may come next.
#pragma once

#include <memory>
#include <string_view>

#include "llm/sampler.h"
#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

class Tokenizer;

/// The vocabulary laid out for the masks; made once a model, used by all of its answers.
class TokenTrie;
std::shared_ptr<const TokenTrie> make_token_trie(const Tokenizer& tokenizer);

/// A compiled grammar; immutable.
class Grammar {
 public:
  /// `source` is GBNF (rules `name ::= expression`, the first called `root`): literals, character classes, groups, alternatives,
  /// ? * + {m,n}, rule names, comments. Throws Error `invalid_request` with line and column, for a rule that is missing, for left
  /// recursion, and for a grammar beyond its bounds.
  static std::shared_ptr<const Grammar> compile(std::string_view source);
  virtual ~Grammar() = default;
};

/// Where one answer stands in its grammar.
class GrammarMatcher {
 public:
  virtual ~GrammarMatcher() = default;
  /// The tokens that leave the answer a prefix of the grammar's language; the vocabulary's end tokens exactly where it is complete.
  /// Valid until the next call. Exact.
  virtual const TokenMask& allowed() = 0;
  /// Throws Error `internal` for a token that is not allowed.
  virtual void accept(TokenId id) = 0;
  /// Nothing but the end may follow.
  virtual bool finished() const = 0;
};

std::unique_ptr<GrammarMatcher> match(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const TokenTrie> tokens);

}  // namespace lectern::llm
