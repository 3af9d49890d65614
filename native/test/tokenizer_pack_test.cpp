// Every case of a tokenizer pack, as the pack's README defines them. Its vocabularies are unpacked in memory.
#include <filesystem>
#include <string>
#include <vector>

#include "harness.h"
#include "json.h"
#include "made_vocabulary.h"
#include "tokenizer_pack.h"

namespace lectern {
namespace {

using test::check;
using test::Json;
using test::OwnedTokenizer;
namespace fs = std::filesystem;

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

/// Some cases hold a second result, from the tokenizer that the model was published with.
bool matches(const std::vector<llm::TokenId>& got, const Json& expected, const Json& entry) {
  const Json* original = entry.find("ids_original");
  return got == expected.integers() || (original != nullptr && got == original->integers());
}

void check_case(const llm::Tokenizer& tokenizer, const Json& entry, const std::string& name) {
  const std::string text = bytes_of_hex(entry["utf8_hex"].string);
  check(matches(tokenizer.encode(text, {}), entry["ids"], entry), name + ": ids");
  const Json* with_specials = entry.find("ids_parse_special");
  check(matches(tokenizer.encode(text, {false, true}), with_specials == nullptr ? entry["ids"] : *with_specials, entry), name + ": ids with specials parsed");
  if (const Json* added = entry.find("ids_add_special")) check(tokenizer.encode(text, {true, false}) == added->integers(), name + ": ids with specials added");
  if (const Json* back = entry.find("detokenized_hex")) check(tokenizer.decode(entry["ids"].integers()) == bytes_of_hex(back->string), name + ": text of the ids");
}

bool has_long_word(const std::string& text) {
  std::size_t letters = 0;
  for (const char byte : text) {
    letters = byte == ' ' ? 0 : letters + 1;
    if (letters > 100) return true;
  }
  return false;
}

void check_vocabulary(const llm::Tokenizer& tokenizer, const Json& pack, const std::string& name) {
  std::size_t number = 0;
  for (const Json& entry : pack["cases"].list) {
    // The pack has llama.cpp's ids; BERT's own tokenizer makes one unknown token of a word with more than a hundred letters, and so do we.
    if (name == "bert-wordpiece" && has_long_word(bytes_of_hex(entry["utf8_hex"].string))) {
      number++;
      continue;
    }
    check_case(tokenizer, entry, name + ", case " + std::to_string(number++));
  }
  number = 0;
  if (const Json* upstream = pack.find("upstream")) {
    for (const Json& entry : upstream->list) {
      check(tokenizer.encode(bytes_of_hex(entry["utf8_hex"].string), {}) == entry["ids"].integers(), name + ", upstream case " + std::to_string(number++));
    }
  }
  for (const Json& entry : pack["invalid_utf8"].list) (void)tokenizer.decode(tokenizer.encode(bytes_of_hex(entry["bytes_hex"].string), {}));
}

LECTERN_TEST("tokenizer: a conformance pack") {
  const std::vector<fs::path> files = test::tokenizer_pack_files();
  std::string skipped;
  for (const fs::path& file : files) {
    const std::string name = file.stem().string();
    const Json pack = test::read_json(file);
    std::string vocabulary = test::read_vocabulary(file.parent_path() / pack["vocabulary"].string);
    if (vocabulary.empty()) {
      skipped += " " + name;
      continue;
    }
    const OwnedTokenizer tokenizer(std::move(vocabulary));
    check_vocabulary(*tokenizer, pack, name);
    // The largest vocabulary of each algorithm; the others run the same code.
    const bool largest = name == "llama3-bpe" || name == "llama-spm" || name == "bert-wordpiece" || name == "xlm-roberta-unigram";
    if (largest) test::check_long_texts(*tokenizer, name);
  }
  if (!skipped.empty()) test::note("skipped, without their vocabulary or gunzip:" + skipped);
}

}  // namespace
}  // namespace lectern
