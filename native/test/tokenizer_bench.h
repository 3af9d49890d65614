// How long a tokenizer takes over a megabyte of text.
#pragma once

namespace lectern::test {

/// Prints a row per long text: milliseconds of processor time for a megabyte under a made byte-level vocabulary of 100,000 tokens, and the tokens it became.
void bench_tokenizer();

/// The same under the vocabulary of a model file. Throws Error `invalid_model`.
void bench_tokenizer_of(const char* model_file);

}  // namespace lectern::test
