// Random grammars, most of them unlike any that a person would write.
#include "reference_grammar.h"

namespace lectern::test {
namespace {

struct Maker {
  std::mt19937& random;
  std::size_t rules;

  std::size_t below(std::size_t count) { return random() % count; }

  ReferenceExpression leaf() {
    static const char* const pieces[] = {"a", "b", "ab", "aaa", "c", "\"", "\n", "\xC3\xA9", "\xE6\xBC\xA2", "a\xF0\x9F\x99\x82", "", "bca", "aaaaaaaaaaaaaaaaaa"};
    switch (below(7)) {
      case 0: case 1: case 2: return text(pieces[below(std::size(pieces))]);
      case 3: {
        static const std::vector<std::pair<std::vector<std::pair<char32_t, char32_t>>, bool>> sets = {
            {{{'a', 'b'}}, false},
            {{{'a', 'a'}, {0x80, 0x900}}, false},
            {{{'"', '"'}, {'\\', '\\'}, {0, 31}}, true},
            {{{0x6F22, 0x1F642}}, false},
            {{{0xD7F0, 0xE010}, {']', '^'}, {'-', '-'}}, false},
            {{{0, 0x10FFFF}}, true},
            {{{0x10FFFF, 0x10FFFF}, {'b', 'c'}, {'a', 'b'}}, false},
        };
        const auto& [ranges, negated] = sets[below(sets.size())];
        return characters(ranges, negated);
      }
      default: return rule(below(rules));
    }
  }

  ReferenceExpression expression(int depth) {
    if (depth == 0) return leaf();
    std::vector<ReferenceExpression> parts;
    switch (below(6)) {
      case 0: return leaf();
      case 1: case 2:
        for (std::size_t i = below(4); i > 0; i--) parts.push_back(expression(depth - 1));
        return sequence(parts);
      case 3: case 4:
        for (std::size_t i = 1 + below(3); i > 0; i--) parts.push_back(expression(depth - 1));
        return either(parts);
      default: break;
    }
    static const std::pair<int, int> bounds[] = {{0, 1}, {0, -1}, {1, -1}, {2, 2}, {0, 3}, {1, 4}, {2, -1}, {0, 0}, {0, 40}, {18, 40}, {20, -1}, {1, 1}};
    const auto [least, most] = bounds[below(std::size(bounds))];
    return repeat(expression(depth - 1), least, most);
  }
};

}  // namespace

ReferenceGrammar random_grammar(std::mt19937& random) {
  Maker maker{random, 1 + random() % 4};
  ReferenceGrammar grammar;
  for (std::size_t i = 0; i < maker.rules; i++) {
    // What begins with a byte is left-recursive less often.
    ReferenceExpression body = maker.expression(3);
    grammar.rules.push_back(random() % 2 == 0 ? body : sequence({text(random() % 2 == 0 ? "a" : "b"), body}));
  }
  return grammar;
}

}  // namespace lectern::test
