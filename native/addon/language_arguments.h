// The arguments of the language methods: prompts, sampling, shapes of models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <napi.h>

#include "engine/language_model.h"

namespace lectern::addon {

/// A string without NUL in it, where a file's name would seem to end.
std::string read_path(const Napi::Value& value);

/// A string, an Int32Array of token ids, or an array of { text, special }. What is no Unicode (a surrogate alone) becomes U+FFFD.
Prompt read_prompt(const Napi::Value& value);

/// An array of strings; what is no Unicode (a surrogate alone) becomes U+FFFD.
std::vector<std::string> read_texts(const Napi::Value& value);

/// An Int32Array.
std::vector<llm::TokenId> read_ids(const Napi::Value& value, const char* name);

struct GenerateArguments {
  GenerateCall call;
  Napi::Function on_tokens;  // or empty
};

/// The options of GenerateOptions in src/engine/port.ts; ranges that the engine knows are the engine's to refuse.
GenerateArguments read_generate(const Napi::Value& prompt, const Napi::Value& options);

struct OpenArguments {
  OpenOptions options;
  Napi::Function on_progress;  // or empty
};

/// ModelShape, and where `to_open` also what OpenModelOptions adds.
OpenArguments read_open(const Napi::Value& value, bool to_open);

}  // namespace lectern::addon
