// Results of the language methods as JavaScript values in the shapes of src/engine/addon.ts.
#pragma once

#include <napi.h>

#include "engine/language_model.h"

namespace lectern::addon {

Napi::Value to_value(Napi::Env env, const ModelDescription& description);
Napi::Value to_value(Napi::Env env, const llm::MemoryNeed& need);
Napi::Value to_value(Napi::Env env, const LoadedModel& info);
/// With `logprobs` each token's.
Napi::Value to_value(Napi::Env env, const llm::TokenChunk& chunk, bool logprobs);
Napi::Value to_value(Napi::Env env, const llm::GenerateResult& result);
Napi::Value to_value(Napi::Env env, const Embedding& embedding);
Napi::Value to_value(Napi::Env env, const Relevance& relevance);
Napi::Value to_value(Napi::Env env, const std::vector<llm::TokenId>& ids);

}  // namespace lectern::addon
