// Streams of tokens against the whole text: characters, spaces, stop strings, whatever lies across the borders of tokens.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "error.h"
#include "harness.h"
#include "json.h"
#include "llm/text_stream.h"
#include "made_vocabulary.h"
#include "sanitized.h"
#include "tokenizer_pack.h"

namespace lectern {
namespace {

using llm::TextStream;
using llm::TokenId;
using llm::TokenKind;
using test::check;
using test::MadeToken;
using test::OwnedTokenizer;

using Ids = std::vector<TokenId>;
using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t count) { return static_cast<std::size_t>(random() % count); }

/// Bytes of the longest beginning of a character at `at`, and whether it is whole: Table 3-7 of the Unicode Standard, row by row.
std::pair<std::size_t, bool> character_at(const std::string& bytes, std::size_t at) {
  struct Row {
    int first[2], second[2];
    std::size_t length;
  };
  static const Row rows[] = {{{0x00, 0x7F}, {}, 1},           {{0xC2, 0xDF}, {0x80, 0xBF}, 2}, {{0xE0, 0xE0}, {0xA0, 0xBF}, 3},
                             {{0xE1, 0xEC}, {0x80, 0xBF}, 3}, {{0xED, 0xED}, {0x80, 0x9F}, 3}, {{0xEE, 0xEF}, {0x80, 0xBF}, 3},
                             {{0xF0, 0xF0}, {0x90, 0xBF}, 4}, {{0xF1, 0xF3}, {0x80, 0xBF}, 4}, {{0xF4, 0xF4}, {0x80, 0x8F}, 4}};
  const auto within = [&](std::size_t i, int least, int most) {
    return i < bytes.size() && static_cast<std::uint8_t>(bytes[i]) >= least && static_cast<std::uint8_t>(bytes[i]) <= most;
  };
  for (const Row& row : rows) {
    if (!within(at, row.first[0], row.first[1])) continue;
    std::size_t length = 1;
    if (row.length > 1 && within(at + 1, row.second[0], row.second[1])) length = 2;
    while (length > 1 && length < row.length && within(at + length, 0x80, 0xBF)) length++;
    return {length, length == row.length};
  }
  return {1, false};
}

std::string reference_text(const std::string& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto [length, whole] = character_at(bytes, at);
    text += whole ? bytes.substr(at, length) : "\xEF\xBF\xBD";
    at += length;
  }
  return text;
}

bool is_valid(const std::string& text) { return reference_text(text) == text && text.find("\xEF\xBF\xBD") == std::string::npos; }

/// Ids 0 to 2 are <unk>, <s> and </s>, 3 to 258 the bytes; then `more`.
std::string vocabulary(const std::vector<MadeToken>& more) {
  std::vector<MadeToken> tokens = {{"<unk>", 0, TokenKind::unknown}, {"<s>", 0, TokenKind::control}, {"</s>", 0, TokenKind::control}};
  for (int byte = 0; byte < 256; byte++) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(byte));
    tokens.push_back({text, 0, TokenKind::byte});
  }
  tokens.insert(tokens.end(), more.begin(), more.end());
  test::GgufWriter file;
  file.key("tokenizer.ggml.model", "llama").key("tokenizer.ggml.bos_token_id", 1U).key("tokenizer.ggml.eos_token_id", 2U);
  return test::add_tokens(file, tokens).bytes();
}

constexpr TokenId first_word = 259;

Ids bytes_as_tokens(const std::string& bytes) {
  Ids ids;
  for (const char byte : bytes) ids.push_back(3 + static_cast<std::uint8_t>(byte));
  return ids;
}

/// What take() gives after each token, then what finish() gives.
std::vector<std::string> pieces(TextStream& stream, const Ids& ids) {
  std::vector<std::string> taken;
  for (const TokenId id : ids) {
    const bool stopped = stream.push(id);
    taken.push_back(stream.take());
    if (stopped) break;
  }
  taken.push_back(stream.finish());
  return taken;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string whole;
  for (const std::string& part : parts) whole += part;
  return whole;
}

LECTERN_TEST("text stream: characters come whole, spaces stay, control tokens are silent") {
  const std::string mark = "\xE2\x96\x81";
  const OwnedTokenizer tokenizer(vocabulary({{mark + "Hello"}, {mark + "a" + mark}, {"<tool>", 0, TokenKind::user_defined}, {"x\xE2\x96"}}));
  const TokenId hello = first_word, a = first_word + 1, tool = first_word + 2, broken = first_word + 3;
  using Texts = std::vector<std::string>;
  const auto check_pieces = [&](const Ids& ids, const Texts& expected, const std::string& what) {
    TextStream stream(*tokenizer, {});
    check(pieces(stream, ids) == expected, what);
  };
  check_pieces({hello, a, hello}, {" Hello", " a ", " Hello", ""}, "the space in front of an answer stays: it goes on after a prompt");
  check_pieces({1, hello, 0, 2, tool}, {"", " Hello", "", "", "<tool>", ""}, "control tokens and <unk>");
  check_pieces(bytes_as_tokens("\xC3\xA9"), {"", "\xC3\xA9", ""}, "a character of byte tokens");
  check_pieces(bytes_as_tokens("\xF0\x9F\x99\x82!"), {"", "", "", "\xF0\x9F\x99\x82", "!", ""}, "one of four");
  check_pieces(bytes_as_tokens("\xE4\xBD"), {"", "", "\xEF\xBF\xBD"}, "half a character at the end is one sign");
  check_pieces(bytes_as_tokens("\xE4\xBDz"), {"", "", "\xEF\xBF\xBDz", ""}, "half a character before another");
  check_pieces(bytes_as_tokens("\xE0\x80"), {"", "\xEF\xBF\xBD\xEF\xBF\xBD", ""}, "an overlong form is two");
  check_pieces({broken, 3 + 0x81}, {"x", mark, ""}, "a token that ends inside a character");
  TextStream silent(*tokenizer, {"<s>"});
  check(!silent.push(1) && silent.finish().empty(), "a control token is no stop string");
  test::check_throws(ErrorCode::invalid_request, [&] { silent.push(tokenizer->vocabulary().size()); }, "an id past the end");
  test::check_throws(ErrorCode::invalid_request, [&] { silent.push(-1); }, "a negative id");
}

LECTERN_TEST("text stream: what is no UTF-8 becomes U+FFFD as the standards say") {
  // The WHATWG's and Unicode's own examples.
  const std::pair<const char*, int> cases[] = {{"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", 8},
                                               {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", 8},
                                               {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", 7},
                                               {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 4}};
  const OwnedTokenizer tokenizer(vocabulary({}));
  for (const auto& [bytes, signs] : cases) {
    TextStream stream(*tokenizer, {});
    const std::string text = joined(pieces(stream, bytes_as_tokens(bytes)));
    check(text == reference_text(bytes), "as the plain rule has it");
    check(std::count(text.begin(), text.end(), '\xEF') == signs, std::to_string(signs) + " signs");
  }
  Random random(2);
  bool same = true;
  const std::string alphabet("\xE0\xED\xF0\xF4\xF1\xC3\x80\xA0\x90\xBF\xFF" "a", 12);
  for (int round = 0; round < 20000; round++) {
    std::string bytes;
    for (std::size_t i = below(random, 10); i > 0; i--) bytes.push_back(round % 2 == 0 ? alphabet[below(random, 12)] : static_cast<char>(random()));
    TextStream stream(*tokenizer, {});
    same = same && joined(pieces(stream, bytes_as_tokens(bytes))) == reference_text(bytes);
  }
  check(same, "20,000 random strings");
}

/// Where the text ends and by which string: the first to be complete, the longest of those that end there.
std::pair<std::string, std::string> plain_stop(const std::string& text, const std::vector<std::string>& stops) {
  for (std::size_t end = 1; end <= text.size(); end++) {
    std::string longest;
    for (const std::string& stop : stops) {
      if (stop.size() <= end && text.compare(end - stop.size(), stop.size(), stop) == 0 && stop.size() > longest.size()) longest = stop;
    }
    if (!longest.empty()) return {text.substr(0, end - longest.size()), longest};
  }
  return {text, ""};
}

/// Bytes at the end of `text` with which a stop string could begin.
std::size_t plain_held(const std::string& text, const std::vector<std::string>& stops) {
  for (std::size_t held = text.size(); held > 0; held--) {
    for (const std::string& stop : stops) {
      if (held < stop.size() && text.compare(text.size() - held, held, stop, 0, held) == 0) return held;
    }
  }
  return 0;
}

/// One sequence against the plain search over the whole text, and the text after each token against what must be held back.
bool stops_as_plain(const llm::Tokenizer& tokenizer, const Ids& ids, const std::vector<std::string>& stops) {
  TextStream stream(tokenizer, stops);
  std::string bytes;
  std::string text;
  bool ended = false;
  for (const TokenId id : ids) {
    tokenizer.append_bytes(id, false, bytes);
    ended = stream.push(id);
    text += stream.take();
    if (ended) break;
    // Whole characters so far, less what a stop string could begin with.
    std::string so_far;
    for (std::size_t at = 0; at < bytes.size();) {
      const auto [length, whole] = character_at(bytes, at);
      if (!whole && at + length == bytes.size() && static_cast<std::uint8_t>(bytes[at]) >= 0xC2 && static_cast<std::uint8_t>(bytes[at]) <= 0xF4) break;
      so_far += whole ? bytes.substr(at, length) : "\xEF\xBF\xBD";
      at += length;
    }
    if (text != so_far.substr(0, so_far.size() - plain_held(so_far, stops))) return false;
  }
  text += stream.finish();
  const auto [expected, stop] = plain_stop(reference_text(bytes), stops);
  return text == expected && stream.stopped_by().value_or("") == stop && (!ended || !stop.empty());
}

LECTERN_TEST("text stream: stop strings across the borders of tokens, as a search over the whole text finds them") {
  const OwnedTokenizer tokenizer(vocabulary({{"a"}, {"b"}, {"ab"}, {"ba"}, {"aab"}, {"bbab"}, {"\xC3\xA9"}, {"\xC3\xA9" "a"}}));
  Random random(4);
  int differ = 0;
  int ended = 0;
  const std::vector<std::string> letters = {"a", "b", "a", "\xC3\xA9"};
  for (int round = 0; round < 20000; round++) {
    // Every other round of two letters only and long: beginnings inside beginnings.
    const bool dense = round % 2 == 0;
    std::vector<std::string> stops(below(random, 4));
    for (std::string& stop : stops) {
      for (std::size_t i = 1 + below(random, dense ? 11 : 6); i > 0; i--) stop += letters[below(random, dense ? 2 : letters.size())];
    }
    Ids ids;
    for (std::size_t i = below(random, dense ? 40 : 14); i > 0; i--) {
      if (!dense && below(random, 8) == 0) ids.push_back(3 + (below(random, 2) == 0 ? 0xC3 : 0xA9));
      else ids.push_back(first_word + static_cast<TokenId>(below(random, dense ? 6 : 8)));
    }
    if (!stops_as_plain(*tokenizer, ids, stops)) differ++;
    TextStream stream(*tokenizer, stops);
    (void)pieces(stream, ids);
    if (stream.stopped_by()) ended++;
  }
  check(differ == 0, std::to_string(differ) + " of 20,000 differ");
  check(ended > 5000 && ended < 15000, std::to_string(ended) + " ended by a stop string");
}

LECTERN_TEST("text stream: the first stop string to be complete ends the text, and nothing comes after it") {
  const OwnedTokenizer tokenizer(vocabulary({{"one STOP two STOP"}, {"abc"}}));
  TextStream stream(*tokenizer, {"STOP"});
  check(stream.push(first_word) && stream.take() == "one " && stream.stopped_by() == "STOP", "inside one token");
  check(stream.push(first_word) && stream.take().empty() && stream.finish().empty(), "what is pushed after it is lost");
  TextStream longest(*tokenizer, {"c", "bc", "zabc"});
  check(longest.push(first_word + 1) && longest.stopped_by() == "bc" && longest.finish() == "a", "of those that end alike the longest");
  TextStream held(*tokenizer, {"abcd"});
  check(!held.push(first_word + 1) && held.take().empty() && held.finish() == "abc" && !held.stopped_by(), "a beginning that is all is text after all");
  TextStream broken(*tokenizer, {"\xFF!"});
  for (const TokenId id : bytes_as_tokens("a\xFE")) check(!broken.push(id), "not yet");
  check(broken.push(3 + '!') && broken.finish() == "a", "what is no UTF-8 in a stop string is the sign that it is in the text");
}

LECTERN_TEST("text stream: stop strings beyond the bounds are refused, the largest lists are quick") {
  const OwnedTokenizer tokenizer(vocabulary({{"aaaaaa"}}));
  const auto refused = [&](std::vector<std::string> stops, const std::string& what) {
    test::check_throws(ErrorCode::invalid_request, [&] { const TextStream stream(*tokenizer, std::move(stops)); }, what);
  };
  refused({"a", ""}, "an empty one");
  refused(std::vector<std::string>(1025, "a"), "1,025 of them");
  refused(std::vector<std::string>(10000, "a"), "10,000 of them");
  refused({std::string(4097, 'a')}, "one of 4,097 bytes");
  // The text falls back through every beginning again and again.
  std::vector<std::string> stops;
  for (int i = 0; i < 1024; i++) stops.push_back(std::string(4091, 'a') + std::to_string(10000 + i));
  TextStream stream(*tokenizer, stops);
  const std::clock_t start = std::clock();
  bool stopped = false;
  for (int i = 0; i < 1000; i++) stopped = stopped || stream.push(first_word);
  const double milliseconds = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  check(!stopped && stream.take().size() == 6000 - 4091, "as much as a stop string could begin with is held back");
  test::note("text stream: 1,024 stop strings of 4,096 bytes cost " + std::to_string(milliseconds / 1000) + " ms a token of 6 bytes");
  if (!test::sanitized) check(milliseconds < 1000, "1,000 tokens in " + std::to_string(milliseconds) + " ms");
}

/// Every case's text and random tokens, with stop strings cut out of their own text.
void check_vocabulary(const llm::Tokenizer& tokenizer, const std::vector<Ids>& texts, const std::string& name) {
  Random random(6);
  bool same = true;
  bool whole = true;
  int differ = 0;
  for (std::size_t round = 0; round < texts.size() + 200; round++) {
    Ids ids = round < texts.size() ? texts[round] : Ids();
    const auto size = static_cast<std::size_t>(tokenizer.vocabulary().size());
    while (round >= texts.size() && ids.size() < 30) ids.push_back(static_cast<TokenId>(below(random, size)));
    std::string bytes;
    for (const TokenId id : ids) tokenizer.append_bytes(id, false, bytes);
    const std::string text = reference_text(bytes);
    TextStream stream(tokenizer, {});
    const std::vector<std::string> taken = pieces(stream, ids);
    same = same && joined(taken) == text;
    for (const std::string& piece : taken) whole = whole && reference_text(piece) == piece;
    if (text.empty() || text.size() > 400) continue;
    const std::size_t from = below(random, text.size());
    const std::string stop = text.substr(from, 1 + below(random, 8));
    if (is_valid(stop) && !stops_as_plain(tokenizer, ids, {stop, "the", stop + "!"})) differ++;
  }
  check(same, name + ": the stream is the text of all bytes");
  check(whole, name + ": pieces are whole characters");
  check(differ == 0, name + ": " + std::to_string(differ) + " texts end elsewhere");
}

LECTERN_TEST("text stream: every vocabulary of a conformance pack streams the text of its tokens' bytes") {
  std::string skipped;
  for (const std::filesystem::path& file : test::tokenizer_pack_files()) {
    const test::Json pack = test::read_json(file);
    std::string bytes = test::read_vocabulary(file.parent_path() / pack["vocabulary"].string);
    if (bytes.empty()) {
      skipped += " " + file.stem().string();
      continue;
    }
    const OwnedTokenizer tokenizer(std::move(bytes));
    std::vector<Ids> texts;
    for (const test::Json& entry : pack["cases"].list) texts.push_back(entry["ids"].integers());
    check_vocabulary(*tokenizer, texts, file.stem().string());
  }
  if (!skipped.empty()) test::note("skipped, without their vocabulary or gunzip:" + skipped);
}

}  // namespace
}  // namespace lectern
