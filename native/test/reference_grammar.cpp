#include "reference_grammar.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace lectern::test {
namespace {

using Kind = ReferenceExpression::Kind;

std::string encode(char32_t c) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 + c / 64), byte(0x80 + c % 64)};
  if (c < 0x10000) return {byte(0xE0 + c / 4096), byte(0x80 + c / 64 % 64), byte(0x80 + c % 64)};
  return {byte(0xF0 + c / 262144), byte(0x80 + c / 4096 % 64), byte(0x80 + c / 64 % 64), byte(0x80 + c % 64)};
}

/// Of one character; of anything else some number.
char32_t decode_one(const std::string& utf8) {
  const auto head = static_cast<unsigned char>(utf8[0]);
  char32_t c = utf8.size() == 1 ? head : head % (1U << (7 - utf8.size()));
  for (std::size_t k = 1; k < utf8.size(); k++) c = c * 64 + static_cast<unsigned char>(utf8[k]) % 64;
  return c;
}

std::vector<char32_t> decode(const std::string& utf8) {
  std::vector<char32_t> all;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto head = static_cast<unsigned char>(utf8[i]);
    const std::size_t length = head < 0x80 ? 1 : head < 0xE0 ? 2 : head < 0xF0 ? 3 : 4;
    all.push_back(decode_one(utf8.substr(i, length)));
    i += length;
  }
  return all;
}

std::string written(char32_t c, std::mt19937& random) {
  char text[16];
  switch (c == '"' || c == '\\' || c == '[' || c == ']' || c == '^' || c == '-' ? 1 + random() % 3 : random() % 5) {
    case 1:
      if (c < 0x100) return std::snprintf(text, sizeof text, "\\x%02X", static_cast<unsigned>(c)), text;
      [[fallthrough]];
    case 2:
      if (c < 0x10000) return std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(c)), text;
      [[fallthrough]];
    case 3: return std::snprintf(text, sizeof text, "\\U%08X", static_cast<unsigned>(c)), text;
    default: return c == '\n' ? "\\n" : encode(c);
  }
}

std::string blank(std::mt19937& random) {
  static const char* const all[] = {" ", " ", "  ", "\n  ", " # a comment \" ( \n\t", "\r\n "};
  return all[random() % 6];
}

std::string name(std::size_t rule) { return rule == 0 ? "root" : "r-" + std::to_string(rule); }

std::string write(const ReferenceExpression& e, std::mt19937& random) {
  std::string out;
  switch (e.kind) {
    case Kind::bytes:
      for (const char32_t c : decode(e.bytes)) out += written(c, random);
      return '"' + out + '"';
    case Kind::characters:
      for (const auto& [first, last] : e.characters->ranges) {
        out += written(first, random);
        if (last > first || random() % 4 == 0) out += '-' + written(last, random);
      }
      return (e.characters->negated ? "[^" : "[") + out + ']';
    case Kind::rule: return name(e.rule);
    case Kind::sequence:
      for (const ReferenceExpression& part : e.parts) out += (out.empty() ? "" : blank(random)) + write(part, random);
      return '(' + out + ')';
    case Kind::alternatives:
      for (std::size_t i = 0; i < e.parts.size(); i++) out += (i == 0 ? "" : blank(random) + '|' + blank(random)) + write(e.parts[i], random);
      return '(' + out + ')';
    case Kind::repeat: break;
  }
  out = write(e.parts.front(), random);
  if (e.least == 0 && e.most == 1 && random() % 3 > 0) return out + '?';
  if (e.least == 0 && e.most < 0 && random() % 3 > 0) return out + '*';
  if (e.least == 1 && e.most < 0 && random() % 3 > 0) return out + '+';
  out += '{' + std::to_string(e.least);
  if (e.most == e.least) return out + '}';
  return out + ',' + (e.most < 0 ? "" : std::to_string(e.most)) + '}';
}

bool nullable(const ReferenceExpression& e, const std::vector<bool>& rules) {
  const auto part_is = [&](const ReferenceExpression& part) { return nullable(part, rules); };
  switch (e.kind) {
    case Kind::bytes: return e.bytes.empty();
    case Kind::characters: return false;
    case Kind::rule: return rules[e.rule];
    case Kind::sequence: return std::all_of(e.parts.begin(), e.parts.end(), part_is);
    case Kind::alternatives: return std::any_of(e.parts.begin(), e.parts.end(), part_is);
    case Kind::repeat: return e.least == 0 || part_is(e.parts.front());
  }
  return false;
}

void add_first(const ReferenceExpression& e, const std::vector<bool>& empty, std::set<std::size_t>& out) {
  if (e.kind == Kind::rule) out.insert(e.rule);
  if (e.kind == Kind::repeat && e.most == 0) return;
  for (const ReferenceExpression& part : e.parts) {
    add_first(part, empty, out);
    if (e.kind == Kind::sequence && !nullable(part, empty)) return;
  }
}

bool ends(const ReferenceExpression& e, const std::vector<bool>& rules) {
  const auto part_does = [&](const ReferenceExpression& part) { return ends(part, rules); };
  switch (e.kind) {
    case Kind::bytes: return true;
    case Kind::characters: return !e.characters->empty;
    case Kind::rule: return rules[e.rule];
    case Kind::sequence: return std::all_of(e.parts.begin(), e.parts.end(), part_does);
    case Kind::alternatives: return std::any_of(e.parts.begin(), e.parts.end(), part_does);
    case Kind::repeat: return e.least == 0 || part_does(e.parts.front());
  }
  return false;
}

template <class Holds>
std::vector<bool> least_fixpoint(std::size_t count, Holds holds) {
  std::vector<bool> all(count);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < count; i++) {
      if (all[i] || !holds(i, all)) continue;
      all[i] = changed = true;
    }
  }
  return all;
}

}  // namespace

bool ReferenceCharacters::holds(char32_t c) const {
  const auto within = [c](const auto& range) { return range.first <= c && c <= range.second; };
  return std::any_of(ranges.begin(), ranges.end(), within) != negated;
}

ReferenceExpression text(std::string utf8) { return {Kind::bytes, std::move(utf8)}; }

ReferenceExpression characters(std::vector<std::pair<char32_t, char32_t>> ranges, bool negated) {
  // Going through all characters takes a while: a class is made once.
  static std::map<std::pair<std::vector<std::pair<char32_t, char32_t>>, bool>, std::shared_ptr<const ReferenceCharacters>> made;
  std::shared_ptr<const ReferenceCharacters>& known = made[{ranges, negated}];
  if (!known) {
    ReferenceCharacters all{std::move(ranges), negated};
    for (char32_t c = 0; c <= 0x10FFFF; c++) {
      if ((c >= 0xD800 && c <= 0xDFFF) || !all.holds(c)) continue;
      all.empty = false;
      // Neighbours differ in their last byte.
      if (c % 64 != 0 && all.holds(c - 1)) continue;
      const std::string bytes = encode(c);
      for (std::size_t length = 1; length < bytes.size(); length++) all.beginnings.insert(bytes.substr(0, length));
    }
    known = std::make_shared<const ReferenceCharacters>(std::move(all));
  }
  ReferenceExpression e{Kind::characters};
  e.characters = known;
  return e;
}

ReferenceExpression rule(std::size_t number) {
  ReferenceExpression e{Kind::rule};
  e.rule = number;
  return e;
}

ReferenceExpression sequence(std::vector<ReferenceExpression> parts) {
  ReferenceExpression e{Kind::sequence};
  e.parts = std::move(parts);
  return e;
}

ReferenceExpression either(std::vector<ReferenceExpression> parts) {
  ReferenceExpression e{Kind::alternatives};
  e.parts = std::move(parts);
  return e;
}

ReferenceExpression repeat(ReferenceExpression part, int least, int most) {
  ReferenceExpression e{Kind::repeat};
  e.parts.push_back(std::move(part));
  e.least = least;
  e.most = most;
  return e;
}

std::string ReferenceGrammar::source(std::mt19937& random) const {
  std::string out;
  for (std::size_t i = 0; i < rules.size(); i++) out += name(i) + " ::=" + blank(random) + write(rules[i], random) + "\n";
  return out;
}

bool ReferenceGrammar::left_recursive() const {
  const std::vector<bool> empty = least_fixpoint(rules.size(), [&](std::size_t i, const std::vector<bool>& known) { return nullable(rules[i], known); });
  std::vector<std::set<std::size_t>> first(rules.size());
  for (std::size_t i = 0; i < rules.size(); i++) add_first(rules[i], empty, first[i]);
  for (std::size_t round = 0; round < rules.size(); round++) {
    for (std::set<std::size_t>& calls : first) {
      for (const std::size_t called : std::set<std::size_t>(calls)) calls.insert(first[called].begin(), first[called].end());
    }
  }
  for (std::size_t i = 0; i < rules.size(); i++) {
    if (first[i].contains(i)) return true;
  }
  return false;
}

std::vector<bool> ReferenceGrammar::productive() const {
  return least_fixpoint(rules.size(), [&](std::size_t i, const std::vector<bool>& known) { return ends(rules[i], known); });
}

ReferenceMatcher::ReferenceMatcher(const ReferenceGrammar& grammar) : grammar_(grammar), productive_(grammar.productive()) {
  std::set<Stack> seen;
  if (productive(grammar.rules.front())) expand({{&grammar.rules.front(), 0}}, seen, stacks_);
}

bool ReferenceMatcher::productive(const ReferenceExpression& expression) const { return ends(expression, productive_); }

bool ReferenceMatcher::complete() const { return stacks_.contains({}); }

void ReferenceMatcher::accept(const std::string& bytes) {
  for (const char byte : bytes) {
    std::set<Stack> next;
    std::set<Stack> seen;
    for (Stack stack : stacks_) {
      if (stack.empty()) continue;
      Item& top = stack.back();
      const ReferenceExpression& e = *top.expression;
      if (e.kind == Kind::bytes) {
        if (e.bytes[static_cast<std::size_t>(top.done)] != byte) continue;
        top.done++;
      } else {
        top.partial += byte;
        if (!e.characters->beginnings.contains(top.partial)) {
          // A character is what encodes to the same bytes.
          const char32_t c = decode_one(top.partial);
          if (encode(c) != top.partial || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) || !e.characters->holds(c)) continue;
          stack.pop_back();
        }
      }
      expand(stack, seen, next);
    }
    stacks_ = std::move(next);
  }
}

void ReferenceMatcher::expand(const Stack& stack, std::set<Stack>& seen, std::set<Stack>& out) {
  gave_up_ = gave_up_ || seen.size() > 3000 || stack.size() > 300;
  if (gave_up_ || !seen.insert(stack).second) return;
  if (stack.empty()) {
    out.insert(stack);
    return;
  }
  const Item top = stack.back();
  const ReferenceExpression& e = *top.expression;
  Stack rest(stack.begin(), stack.end() - 1);
  const auto with = [&](const ReferenceExpression& part) {
    if (!productive(part)) return;
    Stack longer = rest;
    longer.push_back({&part, 0});
    expand(longer, seen, out);
  };
  switch (e.kind) {
    case Kind::characters: out.insert(stack); return;
    case Kind::bytes:
      if (static_cast<std::size_t>(top.done) < e.bytes.size()) out.insert(stack);
      else expand(rest, seen, out);
      return;
    case Kind::rule: return with(grammar_.rules[e.rule]);
    case Kind::alternatives:
      for (const ReferenceExpression& part : e.parts) with(part);
      return;
    case Kind::sequence:
      for (std::size_t i = e.parts.size(); i-- > 0;) rest.push_back({&e.parts[i], 0});
      return expand(rest, seen, out);
    case Kind::repeat: break;
  }
  if (top.done >= e.least) expand(rest, seen, out);
  if (e.most >= 0 && top.done >= e.most) return;
  rest.push_back({&e, e.most < 0 ? std::min(top.done + 1, e.least) : top.done + 1});
  with(e.parts.front());
}

}  // namespace lectern::test
