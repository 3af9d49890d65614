// Grammars as trees, written as GBNF, and matched by trying everything: what the quick matcher is held against.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lectern::test {

struct ReferenceCharacters {
  std::vector<std::pair<char32_t, char32_t>> ranges;
  bool negated = false;
  bool empty = true;
  std::set<std::string> beginnings{};  // of the characters' encodings, none of them whole

  bool holds(char32_t c) const;
};

struct ReferenceExpression {
  enum class Kind { bytes, characters, rule, sequence, alternatives, repeat };

  Kind kind;
  std::string bytes{};  // UTF-8
  std::shared_ptr<const ReferenceCharacters> characters{};
  std::size_t rule = 0;
  std::vector<ReferenceExpression> parts{};
  int least = 0;
  int most = -1;
};

ReferenceExpression text(std::string utf8);
ReferenceExpression characters(std::vector<std::pair<char32_t, char32_t>> ranges, bool negated = false);
ReferenceExpression rule(std::size_t number);
ReferenceExpression sequence(std::vector<ReferenceExpression> parts);
ReferenceExpression either(std::vector<ReferenceExpression> parts);
ReferenceExpression repeat(ReferenceExpression part, int least, int most);

struct ReferenceGrammar {
  std::vector<ReferenceExpression> rules;  // the first is the root

  /// With escapes or without, as `random` likes.
  std::string source(std::mt19937& random) const;
  bool left_recursive() const;
  /// Rules with a text that is complete.
  std::vector<bool> productive() const;
};

ReferenceGrammar random_grammar(std::mt19937& random);

/// All ways in which a text may be read, one by one.
class ReferenceMatcher {
 public:
  explicit ReferenceMatcher(const ReferenceGrammar& grammar);

  void accept(const std::string& bytes);
  bool viable() const { return !stacks_.empty(); }
  bool complete() const;
  bool finished() const { return complete() && stacks_.size() == 1; }
  /// More ways than it is reasonable to try: what is here is then not all.
  bool gave_up() const { return gave_up_; }

 private:
  struct Item {
    const ReferenceExpression* expression;
    int done;  // repetitions, or bytes
    std::string partial{};

    auto operator<=>(const Item&) const = default;
  };
  using Stack = std::vector<Item>;

  void expand(const Stack& stack, std::set<Stack>& seen, std::set<Stack>& out);
  bool productive(const ReferenceExpression& expression) const;

  const ReferenceGrammar& grammar_;
  std::vector<bool> productive_;
  std::set<Stack> stacks_;
  bool gave_up_ = false;
};

}  // namespace lectern::test
