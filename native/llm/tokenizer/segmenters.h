// The four algorithms that published vocabularies are made for, one file each.
#pragma once

#include <memory>

#include "gguf/metadata.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern::llm {

/// Llama 2's: SentencePiece with pairs merged by score, bytes for what the vocabulary lacks.
std::unique_ptr<Segmenter> make_sentence_piece(const Vocabulary& vocabulary, const gguf::Metadata& metadata);
/// GPT-2's, Llama 3's, Qwen's: words by a rule of the model's own, then byte pairs merged by rank.
std::unique_ptr<Segmenter> make_byte_pairs(const Vocabulary& vocabulary, const gguf::Metadata& metadata);
/// BERT's: words lower-cased without accents, each cut into the longest pieces from the left.
std::unique_ptr<Segmenter> make_word_piece(const Vocabulary& vocabulary, const gguf::Metadata& metadata);
/// XLM-RoBERTa's: the most probable cut of the normalised text.
std::unique_ptr<Segmenter> make_unigram(const Vocabulary& vocabulary, const gguf::Metadata& metadata);

/// U+2581, which stands for a space in SentencePiece vocabularies.
inline constexpr std::string_view space_mark = "\xE2\x96\x81";

/// Appends `text` with every space mark as a space.
void append_unmarked(std::string_view text, std::string& out);
/// Appends `text` with every space as a space mark.
void append_marked(std::string_view text, std::string& out);
/// Takes out the spaces that decoders of English put before `.`, `,`, `?`, `!`, `n't`, `'m`, `'s`, `'ve`, `'re` and around a lone `'`.
std::string join_contractions(std::string text);
/// The byte that a token such as `<0x0A>` stands for.
bool read_byte_token(std::string_view text, char& byte);

}  // namespace lectern::llm
