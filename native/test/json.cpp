#include "json.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lectern::test {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Json document() {
    Json value = any();
    space();
    if (at_ != text_.size()) fail("something after the value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error("JSON, byte " + std::to_string(at_) + ": " + what); }

  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) at_++;
  }
  char next() {
    if (at_ >= text_.size()) fail("the end");
    return text_[at_++];
  }
  void expect(char wanted) {
    space();
    if (next() != wanted) fail(std::string("no ") + wanted);
  }
  bool take(char wanted) {
    space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    at_++;
    return true;
  }
  void word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) fail("an unknown word");
    at_ += wanted.size();
  }

  Json any() {
    space();
    if (at_ >= text_.size()) fail("the end");
    Json value;
    switch (text_[at_]) {
      case '{': return object();
      case '[': return list();
      case '"':
        value.kind = Json::Kind::string;
        value.string = string();
        return value;
      case 't': word("true"); value.number = 1; value.kind = Json::Kind::boolean; return value;
      case 'f': word("false"); value.kind = Json::Kind::boolean; return value;
      case 'n': word("null"); return value;
      default: break;
    }
    value.kind = Json::Kind::number;
    const std::string digits(text_.substr(at_, 40));
    char* end = nullptr;
    value.number = std::strtod(digits.c_str(), &end);
    if (end == digits.c_str()) fail("no value");
    at_ += static_cast<std::size_t>(end - digits.c_str());
    return value;
  }

  Json object() {
    Json value;
    value.kind = Json::Kind::object;
    expect('{');
    if (take('}')) return value;
    do {
      space();
      std::string name = string();
      expect(':');
      value.object[std::move(name)] = any();
    } while (take(','));
    expect('}');
    return value;
  }

  Json list() {
    Json value;
    value.kind = Json::Kind::list;
    expect('[');
    if (take(']')) return value;
    do value.list.push_back(any());
    while (take(','));
    expect(']');
    return value;
  }

  std::string string() {
    std::string out;
    if (next() != '"') fail("no string");
    for (;;) {
      const char c = next();
      if (c == '"') return out;
      out += c == '\\' ? escape() : std::string(1, c);
    }
  }

  std::string escape() {
    switch (const char c = next()) {
      case 'n': return "\n";
      case 't': return "\t";
      case 'r': return "\r";
      case 'b': return "\b";
      case 'f': return "\f";
      case 'u': return utf8();
      default: return std::string(1, c);
    }
  }

  unsigned unit() {
    const std::string digits(text_.substr(at_, 4));
    at_ += 4;
    return static_cast<unsigned>(std::strtoul(digits.c_str(), nullptr, 16));
  }

  std::string utf8() {
    unsigned code = unit();
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      code = 0x10000 + ((code - 0xD800) << 10) + (unit() - 0xDC00);
    }
    const auto byte = [](unsigned value) { return static_cast<char>(value); };
    if (code < 0x80) return {byte(code)};
    if (code < 0x800) return {byte(0xC0 | code >> 6), byte(0x80 | (code & 63))};
    if (code < 0x10000) return {byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 63)), byte(0x80 | (code & 63))};
    return {byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 63)), byte(0x80 | (code >> 6 & 63)), byte(0x80 | (code & 63))};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

const Json* Json::find(std::string_view name) const {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &found->second;
}

const Json& Json::operator[](std::string_view name) const {
  if (const Json* value = find(name)) return *value;
  throw std::runtime_error("JSON: no member " + std::string(name));
}

std::vector<int> Json::integers() const {
  std::vector<int> numbers;
  for (const Json& entry : list) numbers.push_back(static_cast<int>(entry.number));
  return numbers;
}

Json parse_json(std::string_view text) { return Parser(text).document(); }

Json read_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return parse_json(text.str());
}

std::vector<float> floats_of(const Json& base64) {
  std::string bytes;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : base64.string) {
    const int value = sextet(c);
    if (value < 0) continue;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes += static_cast<char>(bits >> have & 255);
  }
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

}  // namespace lectern::test
