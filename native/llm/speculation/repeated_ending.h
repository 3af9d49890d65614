// Where the ending of a growing text stood before, and what followed it there: the draft of text that repeats itself or its prompt.
#pragma once

#include <cstdint>
#include <vector>

#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

/// The suffix automaton of a text that grows by one token at a time (Blumer et al., 1985), with the longest ending that occurred earlier. A token costs constant time in the mean over the text, and
/// at most 200 bytes.
class RepeatedEnding {
 public:
  RepeatedEnding();

  void add(TokenId token);
  /// Tokens of the longest ending that also ends at an earlier token; 0: none does.
  int length() const { return length_; }
  /// Writes to `out` the `count` tokens that followed that ending where it stood before, the most recent place that is known; where they reach the end of the text, they go on with themselves. None
  /// where length() is 0.
  void continuation(int count, std::vector<TokenId>& out) const;

 private:
  struct State {
    std::int32_t length;      // of its longest string
    std::int32_t link;        // the state of its longest suffix in another state; -1: none
    std::int32_t end;         // an index in the text at which its strings end
    std::int32_t first_edge;  // -1: none
  };
  struct Edge {
    TokenId token;
    std::int32_t target;
    std::int32_t next;  // of the same state; -1: none
    std::int32_t from;
  };

  Edge* find(std::int32_t state, TokenId token);
  void insert(std::int32_t state, TokenId token, std::int32_t target);
  void grow();
  std::size_t place(std::int32_t state, TokenId token) const;
  std::int32_t add_state(std::int32_t length, std::int32_t link, std::int32_t end);
  std::int32_t clone(std::int32_t state, std::int32_t length);
  void match(TokenId token);
  void extend(TokenId token);

  State& at(std::int32_t state) { return states_[static_cast<std::size_t>(state)]; }

  std::vector<TokenId> text_;
  std::vector<State> states_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> table_;  // of edges by state and token, open addressing; -1: free
  std::int32_t last_ = 0;            // the state of the whole text
  std::int32_t matched_ = 0;         // the state of the repeated ending
  int length_ = 0;
};

}  // namespace lectern::llm
