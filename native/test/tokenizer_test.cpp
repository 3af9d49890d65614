// The four algorithms on vocabularies small enough to work out by hand, and what is refused of a vocabulary.
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "error.h"
#include "harness.h"
#include "made_vocabulary.h"

namespace lectern {
namespace {

using llm::TokenId;
using llm::TokenKind;
using test::add_tokens;
using test::check;
using test::GgufWriter;
using test::MadeToken;
using test::OwnedTokenizer;

using Ids = std::vector<TokenId>;

std::string shown(const Ids& ids) {
  std::string text = "[";
  for (const TokenId id : ids) text += " " + std::to_string(id);
  return text + " ]";
}

void check_ids(const OwnedTokenizer& tokenizer, const std::string& text, const Ids& expected, llm::EncodeOptions options = {}) {
  const Ids got = tokenizer->encode(text, options);
  check(got == expected, "\"" + text + "\" gives " + shown(got) + " instead of " + shown(expected));
}

/// Ids 0 to 2 are <unk>, <s> and </s>, 3 to 258 the bytes; then `more`.
GgufWriter sentence_piece(const std::vector<MadeToken>& more) {
  std::vector<MadeToken> tokens = {{"<unk>", 0, TokenKind::unknown}, {"<s>", 0, TokenKind::control}, {"</s>", 0, TokenKind::control}};
  for (int byte = 0; byte < 256; byte++) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(byte));
    tokens.push_back({text, 0, TokenKind::byte});
  }
  tokens.insert(tokens.end(), more.begin(), more.end());
  GgufWriter file;
  file.key("tokenizer.ggml.model", "llama").key("tokenizer.ggml.bos_token_id", 1U).key("tokenizer.ggml.eos_token_id", 2U).key("tokenizer.ggml.unknown_token_id", 0U);
  add_tokens(file, tokens);
  return file;
}

constexpr const char* mark = "\xE2\x96\x81";
constexpr TokenId first = 259;

LECTERN_TEST("tokenizer: SentencePiece merges by score, from left to right, with bytes for the rest") {
  const OwnedTokenizer tokenizer(sentence_piece({{mark, -9}, {"a", -9}, {"b", -9}, {"c", -9}, {"ab", -2}, {"bc", -1}, {"aa", -3}, {"abc", -4}, {std::string(mark) + "a", -5}}).bytes());
  const TokenId space = first, a = first + 1, ab = first + 4, bc = first + 5, aa = first + 6, abc = first + 7, space_a = first + 8;
  check_ids(tokenizer, "abc", {space, abc});
  check_ids(tokenizer, "bab", {space, first + 2, ab});
  check_ids(tokenizer, "aaa", {space, aa, a});
  check_ids(tokenizer, "ac", {space_a, first + 3});
  check_ids(tokenizer, "abbc", {space, ab, bc});
  check_ids(tokenizer, "\xC3\xA9", {space, 3 + 0xC3, 3 + 0xA9});
  check_ids(tokenizer, "", {});
  check_ids(tokenizer, "c", {1, space, first + 3}, {true, false});
  check(tokenizer->decode({space, abc, space, aa}) == "abc aa", "the space in front is taken off");
  test::check_long_texts(*tokenizer, "SentencePiece");
  test::check_early_ends(*tokenizer, "SentencePiece");
  test::check_broken_texts(*tokenizer, "SentencePiece");
}

LECTERN_TEST("tokenizer: SentencePiece with equal scores takes the leftmost pair, also of pairs that merges make") {
  const OwnedTokenizer tokenizer(sentence_piece({{"a"}, {"b"}, {"c"}, {"d"}, {"ab"}, {"bc"}, {"cd"}, {"abc"}, {"bcd"}}).key("tokenizer.ggml.add_space_prefix", false).bytes());
  check_ids(tokenizer, "abcd", {first + 7, first + 3});
  check_ids(tokenizer, "bcd", {first + 8});
  check_ids(tokenizer, "dcdab", {first + 3, first + 6, first + 4});
}

/// Byte tokens 0 to 255 in the order of their stand-ins, then `more`.
GgufWriter byte_pairs(const char* pre, const std::vector<MadeToken>& more, const std::vector<std::string>& merges) {
  std::vector<MadeToken> tokens;
  for (unsigned code = 0; code < 512 && tokens.size() < 256; code++) {
    const bool stands_for_itself = (code >= 0x21 && code <= 0x7E) || (code >= 0xA1 && code <= 0xAC) || (code >= 0xAE && code <= 0xFF);
    if (!stands_for_itself && code < 0x100) continue;
    std::string text(1, static_cast<char>(code));
    if (code >= 0x80) text = {static_cast<char>(0xC0U | code >> 6), static_cast<char>(0x80U | (code & 63))};
    tokens.push_back({text});
  }
  tokens.insert(tokens.end(), more.begin(), more.end());
  GgufWriter file;
  file.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.pre", pre);
  add_tokens(file, tokens).list("tokenizer.ggml.merges", merges);
  return file;
}

TokenId byte_id(char letter) { return letter - '!'; }

constexpr const char* space_stand_in = "\xC4\xA0";

LECTERN_TEST("tokenizer: byte pairs merge by rank inside words") {
  const std::string space_a = std::string(space_stand_in) + "a";
  const std::vector<MadeToken> more = {{"bc"}, {"ab"}, {"abc"}, {space_a}, {"aa"}, {"12"}, {"whole"}};
  const std::vector<std::string> merges = {"b c", "a b", "ab c", std::string(space_stand_in) + " a", "a a", "1 2"};
  const TokenId bc = 256, ab = 257, abc = 258, after_space = 259, aa = 260, twelve = 261, whole = 262;
  const OwnedTokenizer llama(byte_pairs("llama-bpe", more, merges).bytes());
  check_ids(llama, "xbc", {byte_id('x'), bc});
  // "abc" is a token, and Llama 3 matches whole words before it merges; Qwen begins with b c, after which a has no partner.
  check_ids(llama, "abc", {abc});
  check_ids(llama, "abd", {ab, byte_id('d')});
  check_ids(llama, "aaa a", {aa, byte_id('a'), after_space});
  check_ids(llama, "whole", {whole});
  check_ids(llama, "1212", {twelve, byte_id('1'), byte_id('2')});
  const OwnedTokenizer qwen(byte_pairs("qwen2", more, merges).bytes());
  check_ids(qwen, "abc", {byte_id('a'), bc});
  check_ids(qwen, "whole", {byte_id('w'), byte_id('h'), byte_id('o'), byte_id('l'), byte_id('e')});
  check_ids(qwen, "12", {byte_id('1'), byte_id('2')});
  const std::string bytes = "caf\xC3\xA9\n\t\xFF";
  check(llama->decode(llama->encode(bytes, {})) == bytes, "any bytes come back");
}

LECTERN_TEST("tokenizer: byte pairs are quick on every text and safe on every byte, under each pre-tokenizer") {
  for (const char* pre : {"llama-bpe", "qwen2", "gpt-2", "default", "deepseek-coder", "smollm", "tekken", "gpt-4o", "deepseek-v3", "qwen35", "seed-coder", "falcon", "bloom", "minicpm5", "jais-2", "tiny_aya", "gemma4"}) {
    const OwnedTokenizer tokenizer(byte_pairs(pre, {{"aa"}, {"aaaa"}, {"th"}, {"the"}, {"=="}}, {"a a", "aa aa", "t h", "th e", "= ="}).bytes());
    test::check_long_texts(*tokenizer, pre);
    test::check_early_ends(*tokenizer, pre);
    test::check_broken_texts(*tokenizer, pre);
  }
}

/// A WordPiece vocabulary whose specials have the ids 0 to 2, with what else its file says.
GgufWriter word_pieces() {
  const std::string m = mark;
  GgufWriter file;
  file.key("tokenizer.ggml.model", "bert").key("tokenizer.ggml.unknown_token_id", 0U);
  return add_tokens(file, {{"[UNK]", 0, TokenKind::unknown}, {"[CLS]", 0, TokenKind::control}, {"[SEP]", 0, TokenKind::control}, {m + "a"}, {"a"}, {m + "A"}, {m + "\xC3\xA9"}, {m + "e"}});
}

LECTERN_TEST("tokenizer: BERT's texts begin with [CLS] and end with [SEP], under the names of old and of new converters and under none") {
  const OwnedTokenizer before(word_pieces().key("tokenizer.ggml.cls_token_id", 1U).key("tokenizer.ggml.seperator_token_id", 2U).bytes());
  const OwnedTokenizer today(word_pieces().key("tokenizer.ggml.bos_token_id", 1U).key("tokenizer.ggml.eos_token_id", 2U).bytes());
  const OwnedTokenizer unnamed(word_pieces().bytes());
  const OwnedTokenizer flagged(word_pieces().key("tokenizer.ggml.bos_token_id", 1U).key("tokenizer.ggml.eos_token_id", 2U).key("tokenizer.ggml.add_bos_token", false).bytes());
  for (const OwnedTokenizer* tokenizer : {&before, &today, &unnamed, &flagged}) {
    check_ids(*tokenizer, "a", {1, 3, 2}, {true, false});
    const llm::TokenPair pair = [&] {
      const Cancel never;
      llm::CancelPace pace(never);
      return (*tokenizer)->encode_pair("a", "a e", pace);
    }();
    check(pair.ids == Ids{1, 3, 2, 3, 7, 2} && pair.second == 3, "a pair: " + shown(pair.ids));
  }
  GgufWriter lost;
  lost.key("tokenizer.ggml.model", "bert");
  add_tokens(lost, {{"a"}});
  test::check_throws(ErrorCode::invalid_model, [&] { const OwnedTokenizer tokenizer(lost.bytes()); }, "no [CLS] at all");
}

LECTERN_TEST("tokenizer: WordPiece folds case and accents as the file says, and gives up words of more than a hundred letters") {
  const OwnedTokenizer folded(word_pieces().bytes());
  check_ids(folded, "A \xC3\x89", {3, 7});
  const OwnedTokenizer cased(word_pieces().key("tokenizer.ggml.normalizer.lowercase", false).bytes());
  check_ids(cased, "A \xC3\xA9", {5, 6});
  const OwnedTokenizer accented(word_pieces().key("tokenizer.ggml.normalizer.strip_accents", false).bytes());
  check_ids(accented, "A \xC3\x89", {3, 6});
  Ids hundred(100, 4);
  hundred.front() = 3;
  check_ids(folded, std::string(100, 'a'), hundred);
  check_ids(folded, std::string(101, 'a') + " a", {0, 3});
}

/// Raw UTF-8 with a mark for each space, as Gemma 4 has it, and bytes for what the vocabulary lacks.
LECTERN_TEST("tokenizer: byte pairs without stand-ins merge across words, and fall back to byte tokens") {
  const std::string m = mark;
  std::vector<MadeToken> tokens = {{"a"}, {"b"}, {m}, {"ab"}, {"ab" + m}, {"\n"}, {"\xC3\xA9"}};
  const auto first_byte = static_cast<TokenId>(tokens.size());
  for (int byte = 0; byte < 256; byte++) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    tokens.push_back({std::string("<0x") + hex[static_cast<std::size_t>(byte / 16)] + hex[static_cast<std::size_t>(byte % 16)] + ">", 0, TokenKind::byte});
  }
  GgufWriter file;
  file.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.pre", "gemma4");
  add_tokens(file, tokens).list("tokenizer.ggml.merges", std::vector<std::string>{"a b", "ab " + m});
  const OwnedTokenizer tokenizer(file.bytes());
  check_ids(tokenizer, "ab ab\n\xC3\xA9", {4, 3, 5, 6});
  check_ids(tokenizer, "b\xE2\x82\xAC", {1, first_byte + 0xE2, first_byte + 0x82, first_byte + 0xAC});
  const std::string text = "ab  b\n\n\xE2\x82\xAC x";
  check(tokenizer->decode(tokenizer->encode(text, {})) == text, "comes back: " + tokenizer->decode(tokenizer->encode(text, {})));
}

LECTERN_TEST("tokenizer: WordPiece takes the longest piece from the left") {
  GgufWriter file;
  const std::string m = mark;
  file.key("tokenizer.ggml.model", "bert").key("tokenizer.ggml.cls_token_id", 1U).key("tokenizer.ggml.seperator_token_id", 2U).key("tokenizer.ggml.unknown_token_id", 0U);
  add_tokens(file, {{"[UNK]", 0, TokenKind::unknown}, {"[CLS]", 0, TokenKind::control}, {"[SEP]", 0, TokenKind::control}, {m + "un"}, {"aff"}, {"able"}, {"a"}, {m + "hello"}, {m + "!"}, {"affa"}, {m + "a"}});
  const OwnedTokenizer tokenizer(file.bytes());
  check_ids(tokenizer, "unaffable", {0});  // "affa" is the longest and leaves "ble"
  check_ids(tokenizer, "unaffaaff able", {3, 9, 4, 0});
  check_ids(tokenizer, "H\xC3\x89LLO!", {7, 8});
  check_ids(tokenizer, "unable unknown", {3, 5, 0});
  check_ids(tokenizer, " \n hello", {1, 7, 2}, {true, false});
  check(tokenizer->decode({7, 7, 8}) == " hello hello!", "no space before a sign");
  test::check_long_texts(*tokenizer, "WordPiece");
  test::check_early_ends(*tokenizer, "WordPiece");
  test::check_broken_texts(*tokenizer, "WordPiece");
}

GgufWriter unigram(float whole) {
  GgufWriter file;
  const std::string m = mark;
  file.key("tokenizer.ggml.model", "t5").key("tokenizer.ggml.bos_token_id", 1U).key("tokenizer.ggml.eos_token_id", 2U).key("tokenizer.ggml.unknown_token_id", 0U);
  add_tokens(file, {{"<unk>", 0, TokenKind::unknown}, {"<s>", 0, TokenKind::control}, {"</s>", 0, TokenKind::control}, {m, -3}, {m + "a", -1}, {"b", -1}, {m + "ab", whole}, {"a", -2}});
  return file;
}

LECTERN_TEST("tokenizer: Unigram finds the cut of the greatest sum") {
  const OwnedTokenizer parts(unigram(-2.5F).bytes());
  check_ids(parts, "ab", {4, 5});
  const OwnedTokenizer whole(unigram(-1.5F).bytes());
  check_ids(whole, "ab  ab", {6, 6});
  check_ids(whole, "b", {3, 5});
  check_ids(whole, "xyz", {3, 0});  // neighbours that are unknown are one
  check_ids(whole, "axb", {4, 0, 5});
  check_ids(whole, "a", {1, 4, 2}, {true, false});
  check_ids(whole, "   ", {});
  check(whole->decode({6, 4, 5}) == "ab ab", "the space in front is taken off");
  test::check_long_texts(*whole, "Unigram");
  test::check_early_ends(*whole, "Unigram");
  test::check_broken_texts(*whole, "Unigram");
}

LECTERN_TEST("tokenizer: special tokens are taken only where the caller allows them") {
  const OwnedTokenizer tokenizer(byte_pairs("qwen2", {{"<|end|>", 0, TokenKind::control}, {"<|end|>more", 0, TokenKind::control}, {"<tool>", 0, TokenKind::user_defined}}, {"< |"}).key("tokenizer.ggml.eos_token_id", 256U).bytes());
  const Ids plain = tokenizer->encode("<|end|>", {});
  check(plain.size() == 7 && plain[0] == byte_id('<'), "as plain text");
  check_ids(tokenizer, "<|end|>x<|end|>more", {256, byte_id('x'), 257}, {false, true});
  check_ids(tokenizer, "<tool>", {258});
  check(tokenizer->vocabulary().end_tokens() == Ids{256}, "the tokens that end an answer");
  std::string streamed;
  tokenizer->append_bytes(256, false, streamed);
  check(streamed.empty(), "a control token is silent in a stream");
  tokenizer->append_bytes(256, true, streamed);
  check(streamed == "<|end|>", "unless it is asked for");
  test::check_throws(ErrorCode::invalid_request, [&] { (void)tokenizer->decode({259}); }, "an id past the end");
  test::check_throws(ErrorCode::invalid_request, [&] { (void)tokenizer->decode({-1}); }, "a negative id");
}

LECTERN_TEST("tokenizer: a prompt in parts is one text, with control tokens only in what a template wrote") {
  const std::vector<MadeToken> more = {{"<|im_end|>", 0, TokenKind::control}, {"ab"}, {"<tool>", 0, TokenKind::user_defined}, {"<|im_end|>+", 0, TokenKind::control}};
  const OwnedTokenizer tokenizer(byte_pairs("qwen2", more, {"a b"}).key("tokenizer.ggml.bos_token_id", 0U).key("tokenizer.ggml.add_bos_token", true).bytes());
  const TokenId end = 256, ab = 257, tool = 258, end_plus = 259;
  const auto check_parts = [&](const std::vector<llm::PromptPart>& parts, const Ids& expected, const std::string& what) {
    const Ids got = tokenizer->encode(parts, false);
    check(got == expected, what + " gives " + shown(got) + " instead of " + shown(expected));
  };
  const Ids plain = tokenizer->encode("<|im_end|>", {});
  const auto joined = [](Ids front, const Ids& back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
  };
  check_parts({{"<|im_end|>", false}}, plain, "a user's special text");
  check_parts({{"<|im_end|>", true}, {"<|im_end|>", false}, {"<|im_end|>", true}}, joined(joined({end}, plain), {end}), "a user's between a template's");
  check_parts({{"a", true}, {"b", false}}, {ab}, "a merge across a border");
  check_parts({{"a", false}, {"b", false}, {"<|im_end|>", true}}, {ab, end}, "a template's behind a merge");
  check_parts({{"<|im_", true}, {"end|>", false}}, plain, "half a template's and half a user's");
  check_parts({{"<|im_", false}, {"end|>", true}}, plain, "half a user's and half a template's");
  check_parts({{"<|im_", true}, {"", false}, {"end|>", true}}, {end}, "a template's in two parts");
  check_parts({{"<|im_end|>", true}, {"+", false}}, {end, byte_id('+')}, "a longer one that a user's text would complete");
  check_parts({{"<|im_end|>", true}, {"+", true}}, {end_plus}, "the longer one");
  check_parts({{"<to", true}, {"ol>", false}}, {tool}, "a word of the vocabulary's own");
  check_parts({{"\xF0", false}, {"<|im_end|>", true}}, joined(tokenizer->encode("\xF0", {}), {end}), "a template's behind half a character");
  check_parts({}, {}, "nothing");
  check(tokenizer->encode(std::vector<llm::PromptPart>{{"ab", false}}, true) == Ids{0, ab}, "the token that begins a text");
}

LECTERN_TEST("tokenizer: parts that are all alike give what the whole text gives") {
  const OwnedTokenizer tokenizer(byte_pairs("qwen2", {{"<s>", 0, TokenKind::control}, {"<t>", 0, TokenKind::user_defined}, {"ab"}, {"s>"}}, {"a b", "s >"}).bytes());
  std::mt19937 random(3);
  const std::vector<std::string> pieces = {"a", "b", "<", "s", ">", "<s>", "<t>", "t", " ", "\xC3", "\xA9", ""};
  bool same = true;
  for (int round = 0; round < 2000; round++) {
    const bool special = round % 2 == 0;
    std::vector<llm::PromptPart> parts;
    std::string text;
    for (std::size_t i = random() % 12; i > 0; i--) {
      parts.push_back({pieces[random() % pieces.size()], special});
      text += parts.back().text;
    }
    same = same && tokenizer->encode(parts, false) == tokenizer->encode(text, {false, special});
  }
  check(same, "2000 texts cut at random");
}

void check_refused(const GgufWriter& file, const std::string& word) {
  try {
    const OwnedTokenizer tokenizer(file.bytes());
    check(false, word + ": taken");
  } catch (const Error& error) {
    check(error.code() == ErrorCode::invalid_model && std::string(error.what()).find(word) != std::string::npos, word + ": " + error.what());
  }
}

LECTERN_TEST("tokenizer: damaged vocabularies are refused by what is wrong") {
  const auto with = [](const char* model) { return GgufWriter().key("tokenizer.ggml.model", model); };
  check_refused(with("llama"), "tokenizer.ggml.tokens");
  check_refused(with("llama").list("tokenizer.ggml.tokens", std::vector<std::string>{}), "tokenizer.ggml.tokens");
  check_refused(with("llama").list("tokenizer.ggml.tokens", std::vector<float>{1}), "tokenizer.ggml.tokens");
  const auto tokens = [&](const char* model) { return with(model).list("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b"}); };
  check_refused(tokens("rwkv"), "\"rwkv\"");
  check_refused(tokens("llama").list("tokenizer.ggml.scores", std::vector<float>{1}), "scores");
  check_refused(tokens("llama").list("tokenizer.ggml.scores", std::vector<float>{1, std::numeric_limits<float>::quiet_NaN()}), "score");
  check_refused(tokens("llama").list("tokenizer.ggml.token_type", std::vector<std::int32_t>{1}), "token types");
  check_refused(tokens("llama").key("tokenizer.ggml.bos_token_id", 2U), "bos_token_id");
  check_refused(tokens("gpt2").key("tokenizer.ggml.pre", "llama-bpe"), "tokenizer.ggml.merges");
  check_refused(tokens("gpt2").key("tokenizer.ggml.pre", "some-other"), "\"some-other\"");
  check_refused(tokens("gpt2").key("tokenizer.ggml.pre", "qwen3"), "\"qwen2\"");
  check_refused(tokens("gpt2").key("tokenizer.ggml.pre", std::string(1000, 'x').c_str()), "not supported");
  check_refused(byte_pairs("qwen2", {}, {"a b", "nospace"}), "merge 1");
  for (const std::vector<std::int32_t>& map : std::vector<std::vector<std::int32_t>>{{1, 2}, {3, 0, 0, 0, 1, 2, 3}, {8, 0, 0, 0, 1, 2, 3, 4}, {-1, -1, -1, -1, 1, 2, 3, 4}}) {
    check_refused(tokens("t5").list("tokenizer.ggml.precompiled_charsmap", map), "precompiled_charsmap");
  }
}

}  // namespace
}  // namespace lectern
