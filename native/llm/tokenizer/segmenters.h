// The four tokenization algorithms of published vocabularies, each implemented in a file of its own.
#pragma once

#include <memory>

#include "gguf/metadata.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern::llm {

/// SentencePiece BPE, as in Llama 2: pairs are merged by score, and characters outside the vocabulary become bytes.
std::unique_ptr<Segmenter> make_sentence_piece(const Vocabulary& vocabulary, const gguf::Metadata& metadata);
/// Byte-level BPE, as in GPT-2, Llama 3 and Qwen: the text is cut into words by the model's own rule, then byte pairs are merged by rank.
std::unique_ptr<Segmenter> make_byte_pairs(const Vocabulary& vocabulary, const gguf::Metadata& metadata);
/// WordPiece, as in BERT: words are lower-cased, lose their accents, and are cut from the left into the longest pieces of the vocabulary.
std::unique_ptr<Segmenter> make_word_piece(const Vocabulary& vocabulary, const gguf::Metadata& metadata);
/// Unigram, as in XLM-RoBERTa: the most probable cut of the normalised text.
std::unique_ptr<Segmenter> make_unigram(const Vocabulary& vocabulary, const gguf::Metadata& metadata);

/// U+2581, which stands for a space in SentencePiece vocabularies.
inline constexpr std::string_view space_mark = "\xE2\x96\x81";

/// Appends `text` with a space for every space mark.
void append_unmarked(std::string_view text, std::string& out);
/// Appends `text` with a space mark for every space.
void append_marked(std::string_view text, std::string& out);
/// Removes the spaces that detokenizers of English put before `.`, `,`, `?`, `!`, `n't`, `'m`, `'s`, `'ve`, `'re` and around a lone `'`.
std::string join_contractions(std::string text);
/// Reads the byte that a token such as `<0x0A>` stands for. Returns false for other tokens.
bool read_byte_token(std::string_view text, char& byte);

}  // namespace lectern::llm
