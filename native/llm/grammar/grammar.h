// A grammar of the generated text as an automaton over bytes, and which tokens may come next.
#pragma once

#include <memory>
#include <string_view>

#include "llm/sampler.h"
#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

class Tokenizer;

/// The vocabulary laid out for the masks; made once per model, shared by all of its sequences.
class TokenTrie;
std::shared_ptr<const TokenTrie> make_token_trie(const Tokenizer& tokenizer);

/// A compiled grammar; immutable.
class Grammar {
 public:
  /// `source` is GBNF: rules `name ::= expression`, each beginning on a line of its own and spanning any number of lines, in any order; the generated text is
  /// a text of the rule `root`. Names are of letters, digits, - and _. An expression is made of literals "...", character classes [a-z]
  /// and [^...], `.` for any character, rule names, groups ( ), alternatives | of which one may be empty, ? * + {m} {m,} {m,n} behind
  /// what they repeat, and comments from # on. Characters are code points; in literals and classes there are the escapes
  /// \n \r \t \\ \" \[ \] \- \^ \xHH \uHHHH \UHHHHHHHH.
  ///
  /// Throws Error `invalid_request` with line and column, for a rule that is missing, for left recursion (also behind what may be
  /// empty), for a root of which no text is ever complete, and beyond 1 MiB, 10,000 rules, groups 200 deep, 100,000 repetitions or
  /// 400,000 states.
  static std::shared_ptr<const Grammar> compile(std::string_view source);
  virtual ~Grammar() = default;
};

/// The state of one sequence in its grammar.
class GrammarMatcher {
 public:
  virtual ~GrammarMatcher() = default;
  /// The tokens that leave the text a prefix of the grammar's language; the vocabulary's end tokens exactly where it is complete.
  /// Valid until the next call. Exact. Throws Error `invalid_request` for a grammar so ambiguous that its ways are too many to follow.
  virtual const TokenMask& allowed() = 0;
  /// Throws Error `internal` for a token that is not allowed, `invalid_request` as allowed() does.
  virtual void accept(TokenId id) = 0;
  /// Nothing but the end may follow.
  virtual bool finished() const = 0;
};

std::unique_ptr<GrammarMatcher> match(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const TokenTrie> tokens);

}  // namespace lectern::llm
