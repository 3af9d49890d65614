#include "llm/grammar/gbnf.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "error.h"

namespace lectern::llm::gbnf {
namespace {

constexpr std::size_t max_bytes = 1 << 20;
constexpr std::size_t max_rules = 10'000;
constexpr std::size_t max_expressions = 200'000;
constexpr int max_depth = 200;
constexpr int max_repetitions = 100'000;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Source parse() {
    if (text_.size() > max_bytes) {
      throw Error(ErrorCode::invalid_request, "The grammar has " + std::to_string(text_.size()) + " bytes, of at most " + std::to_string(max_bytes) + ".");
    }
    for (skip_blank(); !at_end(); skip_blank()) parse_rule();
    const auto root = names_.find("root");
    if (root == names_.end()) fail(0, "there is no rule \"root\"");
    source_.root = root->second;
    for (const Expression& expression : source_.expressions) {
      if (expression.kind != Expression::Kind::rule) continue;
      const Rule& rule = source_.rules[static_cast<std::size_t>(expression.rule)];
      if (rule.expression < 0) fail(expression.place, "there is no rule \"" + rule.name.substr(0, 100) + "\"");
    }
    return std::move(source_);
  }

 private:
  using Kind = Expression::Kind;

  [[noreturn]] void fail(std::size_t place, const std::string& what) const { refuse(text_, place, what); }

  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return text_[at_]; }
  bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void skip_blank() {
    while (!at_end()) {
      if (peek() == '#') {
        while (!at_end() && peek() != '\n') at_++;
      } else if (is_blank(peek())) {
        at_++;
      } else {
        return;
      }
    }
  }

  std::string_view take_name() {
    const std::size_t from = at_;
    while (!at_end() && is_name(peek())) at_++;
    return text_.substr(from, at_ - from);
  }

  /// Whether a rule begins here: a name and the sign of definition.
  bool at_rule() const {
    std::size_t i = at_;
    while (i < text_.size() && is_name(text_[i])) i++;
    if (i == at_) return false;
    while (i < text_.size() && (text_[i] == ' ' || text_[i] == '\t')) i++;
    return text_.substr(i).starts_with("::=");
  }

  bool begins_line() const {
    std::size_t i = at_;
    while (i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\t' || text_[i - 1] == '\r')) i--;
    return i == 0 || text_[i - 1] == '\n';
  }

  void parse_rule() {
    const std::size_t place = at_;
    if (!at_rule()) fail(place, "a rule must begin here: name ::= expression");
    if (!begins_line()) fail(place, "a rule begins on a line of its own");
    const int rule = rule_named(take_name());
    while (peek() != ':') at_++;
    at_ += 3;
    if (source_.rules[static_cast<std::size_t>(rule)].expression >= 0) fail(place, "this rule was already defined");
    const int expression = parse_alternatives(1);
    source_.rules[static_cast<std::size_t>(rule)].expression = expression;
    source_.rules[static_cast<std::size_t>(rule)].place = place;
    if (!at_end() && !at_rule()) fail(at_, "this was not expected here");
  }

  int rule_named(std::string_view name) {
    const auto [found, added] = names_.try_emplace(std::string(name), static_cast<int>(source_.rules.size()));
    if (added) {
      if (source_.rules.size() == max_rules) fail(at_, "there are more than " + std::to_string(max_rules) + " rules");
      source_.rules.push_back({std::string(name)});
    }
    return found->second;
  }

  int add(Expression expression) {
    if (source_.expressions.size() == max_expressions) fail(at_, "the grammar is too large");
    for (const int part : expression.parts) expression.depth = std::max(expression.depth, source_.expressions[static_cast<std::size_t>(part)].depth + 1);
    if (expression.depth > max_depth) fail(expression.place, "this is nested too deeply");
    source_.expressions.push_back(std::move(expression));
    return static_cast<int>(source_.expressions.size()) - 1;
  }

  int parse_alternatives(int depth) {
    Expression all{Kind::alternatives, at_};
    all.parts.push_back(parse_sequence(depth));
    while (!at_end() && peek() == '|') {
      at_++;
      all.parts.push_back(parse_sequence(depth));
    }
    return all.parts.size() == 1 ? all.parts.front() : add(std::move(all));
  }

  int parse_sequence(int depth) {
    Expression all{Kind::sequence, at_};
    for (skip_blank(); !at_end() && peek() != '|' && peek() != ')' && !at_rule(); skip_blank()) {
      all.parts.push_back(parse_repetitions(parse_one(depth)));
    }
    return all.parts.size() == 1 ? all.parts.front() : add(std::move(all));
  }

  int parse_one(int depth) {
    const std::size_t place = at_;
    if (peek() == '"') return add(parse_literal());
    if (peek() == '[') return add(parse_class());
    if (peek() == '.') {
      at_++;
      Expression any{Kind::characters, place};
      any.ranges = without_surrogates({{0, last_code_point}});
      return add(std::move(any));
    }
    if (is_name(peek())) {
      Expression call{Kind::rule, place};
      call.rule = rule_named(take_name());
      return add(std::move(call));
    }
    if (peek() != '(') fail(place, "this was not expected here");
    if (depth == max_depth) fail(place, "this is nested too deeply");
    at_++;
    const int inner = parse_alternatives(depth + 1);
    if (at_end() || peek() != ')') fail(place, "this group is not closed");
    at_++;
    return inner;
  }

  int parse_repetitions(int part) {
    for (skip_blank(); !at_end(); skip_blank()) {
      Expression repeat{Kind::repeat, at_};
      switch (peek()) {
        case '?': repeat.most = 1; break;
        case '*': break;
        case '+': repeat.least = 1; break;
        case '{': read_bounds(repeat); break;
        default: return part;
      }
      at_++;
      repeat.parts.push_back(part);
      part = add(std::move(repeat));
    }
    return part;
  }

  /// From the opening brace to the closing one, which it leaves.
  void read_bounds(Expression& repeat) {
    at_++;
    repeat.least = repeat.most = read_number();
    skip_blank();
    if (!at_end() && peek() == ',') {
      at_++;
      skip_blank();
      repeat.most = !at_end() && is_digit(peek()) ? read_number() : -1;
      skip_blank();
    }
    if (at_end() || peek() != '}') fail(repeat.place, "this repetition is not closed");
    if (repeat.most >= 0 && repeat.most < repeat.least) fail(repeat.place, "this repetition ends before it begins");
  }

  int read_number() {
    skip_blank();
    const std::size_t place = at_;
    int number = 0;
    for (; !at_end() && is_digit(peek()); at_++) {
      number = 10 * number + (peek() - '0');
      if (number > max_repetitions) fail(place, "there are at most " + std::to_string(max_repetitions) + " repetitions");
    }
    if (at_ == place) fail(place, "a number was expected here");
    return number;
  }

  Expression parse_literal() {
    Expression literal{Kind::literal, at_++};
    while (!at_end() && peek() != '"') append_utf8(take_character(), literal.bytes);
    if (at_end()) fail(literal.place, "this literal is not closed");
    at_++;
    return literal;
  }

  Expression parse_class() {
    Expression all{Kind::characters, at_++};
    const bool negated = !at_end() && peek() == '^';
    if (negated) at_++;
    if (!at_end() && peek() == ']') fail(all.place, "this class has no characters");
    std::vector<CodePoints> ranges;
    while (!at_end() && peek() != ']') {
      const std::size_t place = at_;
      const char32_t first = take_character();
      char32_t last = first;
      if (sees("-") && !sees("-]")) {
        at_++;
        if (at_end()) break;
        last = take_character();
      }
      if (last < first) fail(place, "this range ends before it begins");
      ranges.push_back({first, last});
    }
    if (at_end()) fail(all.place, "this class is not closed");
    at_++;
    ranges = tidy(std::move(ranges));
    all.ranges = without_surrogates(negated ? complement(ranges) : ranges);
    return all;
  }

  /// One character of a literal or class, with its escapes.
  char32_t take_character() {
    if (peek() != '\\') return take_code_point();
    const std::size_t place = at_++;
    if (at_end()) fail(place, "this escape is not complete");
    const char kind = text_[at_++];
    switch (kind) {
      case 'x': return take_hex(place, 2);
      case 'u': return take_hex(place, 4);
      case 'U': return take_hex(place, 8);
      case 't': return '\t';
      case 'r': return '\r';
      case 'n': return '\n';
      case '\\': case '"': case '[': case ']': case '-': case '^': return static_cast<char32_t>(kind);
      default: fail(place, "this escape is not known");
    }
  }

  char32_t take_hex(std::size_t place, int digits) {
    char32_t value = 0;
    for (int i = 0; i < digits; i++, at_++) {
      const int digit = at_end() ? -1 : hex_value(peek());
      if (digit < 0) fail(place, "this escape is not complete");
      value = value << 4 | static_cast<char32_t>(digit);
    }
    if (value > last_code_point || is_surrogate(value)) fail(place, "this escape is no character");
    return value;
  }

  char32_t take_code_point() {
    const auto head = static_cast<unsigned char>(peek());
    const std::size_t length = head < 0x80 ? 1 : head < 0xC2 ? 0 : head < 0xE0 ? 2 : head < 0xF0 ? 3 : head < 0xF5 ? 4 : 0;
    if (length == 0 || at_ + length > text_.size()) fail(at_, "this is not UTF-8");
    char32_t value = length == 1 ? head : head & (0x7FU >> length);
    for (std::size_t i = 1; i < length; i++) {
      if (!continues(text_[at_ + i])) fail(at_, "this is not UTF-8");
      value = value << 6 | (static_cast<unsigned char>(text_[at_ + i]) & 0x3FU);
    }
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < least[length] || value > last_code_point || is_surrogate(value)) fail(at_, "this is not UTF-8");
    at_ += length;
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Source source_;
  std::unordered_map<std::string, int> names_;
};

/// Marks the expressions that match the empty text; each expression is visited once for each of its parts.
class Nullability {
 public:
  explicit Nullability(Source& source) : source_(source), parents_(source.expressions.size(), -1), waiting_(source.expressions.size()), calls_(source.rules.size()), owners_(source.expressions.size()) {
    for (std::size_t i = 0; i < source.expressions.size(); i++) {
      const Expression& expression = source.expressions[i];
      for (const int part : expression.parts) parents_[static_cast<std::size_t>(part)] = static_cast<int>(i);
      waiting_[i] = expression.kind == Expression::Kind::sequence ? expression.parts.size() : 1;
      if (expression.kind == Expression::Kind::rule) calls_[static_cast<std::size_t>(expression.rule)].push_back(static_cast<int>(i));
    }
    for (std::size_t rule = 0; rule < source.rules.size(); rule++) owners_[static_cast<std::size_t>(source.rules[rule].expression)].push_back(static_cast<int>(rule));
  }

  void mark() {
    for (std::size_t i = 0; i < source_.expressions.size(); i++) {
      const Expression& expression = source_.expressions[i];
      const bool empty = (expression.kind == Expression::Kind::literal && expression.bytes.empty()) ||
                         (expression.kind == Expression::Kind::sequence && expression.parts.empty()) ||
                         (expression.kind == Expression::Kind::repeat && expression.least == 0);
      if (empty) found_.push_back(static_cast<int>(i));
    }
    while (!found_.empty()) {
      const auto i = static_cast<std::size_t>(found_.back());
      found_.pop_back();
      if (std::exchange(source_.expressions[i].nullable, true)) continue;
      if (parents_[i] >= 0 && --waiting_[static_cast<std::size_t>(parents_[i])] == 0) found_.push_back(parents_[i]);
      for (const int rule : owners_[i]) {
        const std::vector<int>& calls = calls_[static_cast<std::size_t>(rule)];
        found_.insert(found_.end(), calls.begin(), calls.end());
      }
    }
  }

 private:
  Source& source_;
  std::vector<int> parents_;
  std::vector<std::size_t> waiting_;     // parts to go before it is nullable
  std::vector<std::vector<int>> calls_;  // rule -> expressions
  std::vector<std::vector<int>> owners_; // expression -> the rules it is the whole of
  std::vector<int> found_;
};

}  // namespace

Source parse(std::string_view text) {
  Source source = Parser(text).parse();
  Nullability(source).mark();
  return source;
}

void refuse(std::string_view text, std::size_t place, const std::string& what) {
  const std::string_view before = text.substr(0, std::min(place, text.size()));
  const std::size_t line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto column = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(begin), before.end(), [](char c) { return !continues(c); }) + 1;
  throw Error(ErrorCode::invalid_request, "The grammar, line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what + ".");
}

}  // namespace lectern::llm::gbnf
