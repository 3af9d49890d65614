// A compiled grammar: one automaton a rule, over bytes and over the rules that it calls.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "llm/grammar/rule_edges.h"

namespace lectern::llm {

/// Immutable. From every state the end of its rule can be reached: who follows its edges is always at the beginning of some text of
/// the language. A rule calls, before it has read a byte, only rules of higher numbers.
class RuleAutomaton {
 public:
  struct ByteEdge {
    Bytes bytes;
    std::int32_t target;
  };
  /// Of a text of the rule with at least one byte.
  struct CallEdge {
    std::int32_t rule;
    std::int32_t target;
  };

  /// Throws Error `invalid_request`, as Grammar::compile.
  explicit RuleAutomaton(std::string_view source);

  std::int32_t states() const { return static_cast<std::int32_t>(ends_.size()); }
  std::int32_t rules() const { return static_cast<std::int32_t>(starts_.size()); }
  std::int32_t root() const { return root_; }
  bool root_nullable() const { return root_nullable_; }
  std::int32_t start(std::int32_t rule) const { return starts_[static_cast<std::size_t>(rule)]; }

  std::span<const ByteEdge> byte_edges(std::int32_t state) const { return row(byte_edges_, byte_rows_, state); }
  std::span<const std::int32_t> empty_edges(std::int32_t state) const { return row(empty_edges_, empty_rows_, state); }
  std::span<const CallEdge> call_edges(std::int32_t state) const { return row(call_edges_, call_rows_, state); }
  /// The rule may end here.
  bool ends(std::int32_t state) const { return ends_[static_cast<std::size_t>(state)] != 0; }
  /// It must.
  bool only_ends(std::int32_t state) const { return only_ends_[static_cast<std::size_t>(state)] != 0; }
  /// One that may stand for it where tokens are short, as in RuleEdges.
  std::int32_t alias(std::size_t bound, std::int32_t state) const { return alias_[bound][static_cast<std::size_t>(state)]; }

  /// Bytes of one class lead to the same states, from wherever.
  int classes() const { return classes_; }
  int class_of(std::uint8_t byte) const { return class_of_[byte]; }

 private:
  template <class Edge>
  static std::span<const Edge> row(const std::vector<Edge>& edges, const std::vector<std::int32_t>& rows, std::int32_t state) {
    const auto i = static_cast<std::size_t>(state);
    return {edges.data() + rows[i], edges.data() + rows[i + 1]};
  }

  void number_rules(RuleEdges& edges, std::string_view source);
  void trim(RuleEdges& edges, std::string_view source) const;
  void lay_out(RuleEdges& edges);
  void classify();

  std::int32_t root_ = 0;
  bool root_nullable_ = false;
  std::vector<std::int32_t> starts_;
  std::vector<std::uint8_t> ends_;
  std::vector<std::uint8_t> only_ends_;
  std::array<std::vector<std::int32_t>, short_token_bytes.size()> alias_;
  std::vector<ByteEdge> byte_edges_;
  std::vector<std::int32_t> empty_edges_;
  std::vector<CallEdge> call_edges_;
  std::vector<std::int32_t> byte_rows_, empty_rows_, call_rows_;
  int classes_ = 1;
  std::array<std::uint8_t, 256> class_of_{};
};

}  // namespace lectern::llm
