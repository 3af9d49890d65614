#include "language_results.h"

#include <algorithm>
#include <string_view>

namespace lectern::addon {
namespace {

Napi::Value text(Napi::Env env, std::string_view value) { return Napi::String::New(env, value.data(), value.size()); }

template <class Number>
Napi::Value number(Napi::Env env, Number value) {
  return Napi::Number::New(env, static_cast<double>(value));
}

void set_kind(Napi::Env env, llm::ModelKind kind, Napi::Object& result) {
  result.Set("embeds", Napi::Boolean::New(env, kind != llm::ModelKind::chat));
  result.Set("ranks", Napi::Boolean::New(env, kind == llm::ModelKind::rerank));
}

constexpr std::uint64_t most_exact = std::uint64_t{1} << 53;

Napi::Value to_value(Napi::Env env, const MetadataValue& value) {
  struct Visitor {
    Napi::Env env;
    Napi::Value operator()(std::monostate) const { return env.Null(); }
    Napi::Value operator()(std::uint64_t whole) const {
      if (whole < most_exact) return number(env, whole);
      return Napi::BigInt::New(env, whole);
    }
    Napi::Value operator()(std::int64_t whole) const {
      const bool exact = whole > -static_cast<std::int64_t>(most_exact) && whole < static_cast<std::int64_t>(most_exact);
      if (exact) return number(env, whole);
      return Napi::BigInt::New(env, whole);
    }
    Napi::Value operator()(double real) const { return number(env, real); }
    Napi::Value operator()(bool truth) const { return Napi::Boolean::New(env, truth); }
    Napi::Value operator()(const std::string& string) const { return text(env, string); }
    Napi::Value operator()(const std::vector<MetadataValue>& list) const {
      Napi::Array array = Napi::Array::New(env, list.size());
      for (std::size_t i = 0; i < list.size(); i++) {
        // A scope each: a vocabulary has more elements than should stay alive together.
        const Napi::HandleScope scope(env);
        array.Set(static_cast<std::uint32_t>(i), to_value(env, list[i]));
      }
      return array;
    }
  };
  return std::visit(Visitor{env}, value.value);
}

Napi::Value to_value(Napi::Env env, const llm::Choice& choice) {
  Napi::Array top = Napi::Array::New(env, choice.top.size());
  for (std::size_t i = 0; i < choice.top.size(); i++) {
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("id", number(env, choice.top[i].id));
    entry.Set("logprob", number(env, choice.top[i].logprob));
    top.Set(static_cast<std::uint32_t>(i), entry);
  }
  Napi::Object result = Napi::Object::New(env);
  result.Set("id", number(env, choice.id));
  result.Set("logprob", number(env, choice.logprob));
  result.Set("top", top);
  return result;
}

}  // namespace

Napi::Value to_value(Napi::Env env, const ModelDescription& description) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("architecture", text(env, description.architecture));
  result.Set("unsupported", description.unsupported ? text(env, *description.unsupported) : env.Null());
  set_kind(env, description.kind, result);
  result.Set("parameterCount", number(env, description.parameter_count));
  result.Set("weightBytes", number(env, description.weight_bytes));
  result.Set("context", number(env, description.context));
  result.Set("embeddingLength", number(env, description.embedding_length));
  result.Set("vocabularySize", number(env, description.vocabulary_size));
  // Pairs: a key of the file may be `__proto__`, which as a property would be no property.
  Napi::Array metadata = Napi::Array::New(env, description.metadata.size());
  for (std::size_t i = 0; i < description.metadata.size(); i++) {
    Napi::Array pair = Napi::Array::New(env, 2);
    pair.Set(0U, text(env, description.metadata[i].first));
    pair.Set(1U, to_value(env, description.metadata[i].second));
    metadata.Set(static_cast<std::uint32_t>(i), pair);
  }
  result.Set("metadata", metadata);
  Napi::Array tensors = Napi::Array::New(env, description.tensors.size());
  for (std::size_t i = 0; i < description.tensors.size(); i++) {
    const TensorDescription& tensor = description.tensors[i];
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("name", text(env, tensor.name));
    entry.Set("type", text(env, tensor.type));
    Napi::Array shape = Napi::Array::New(env, tensor.shape.size());
    for (std::size_t d = 0; d < tensor.shape.size(); d++) shape.Set(static_cast<std::uint32_t>(d), number(env, tensor.shape[d]));
    entry.Set("shape", shape);
    tensors.Set(static_cast<std::uint32_t>(i), entry);
  }
  result.Set("tensors", tensors);
  return result;
}

Napi::Value to_value(Napi::Env env, const llm::MemoryNeed& need) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("weightBytes", number(env, need.weights));
  result.Set("kvBytes", number(env, need.kv));
  result.Set("workBytes", number(env, need.work));
  return result;
}

Napi::Value to_value(Napi::Env env, const LoadedModel& info) {
  Napi::Object result = Napi::Object::New(env);
  set_kind(env, info.kind, result);
  result.Set("slots", number(env, info.slots));
  result.Set("context", number(env, info.context));
  result.Set("vocabularySize", number(env, info.vocabulary));
  result.Set("embeddingLength", number(env, info.embedding));
  result.Set("need", to_value(env, info.need));
  Napi::Array end_tokens = Napi::Array::New(env, info.end_tokens.size());
  for (std::size_t i = 0; i < info.end_tokens.size(); i++) end_tokens.Set(static_cast<std::uint32_t>(i), number(env, info.end_tokens[i]));
  result.Set("endTokens", end_tokens);
  return result;
}

Napi::Value to_value(Napi::Env env, const llm::TokenChunk& chunk, bool logprobs) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("text", text(env, chunk.text));
  Napi::Array ids = Napi::Array::New(env, chunk.ids.size());
  for (std::size_t i = 0; i < chunk.ids.size(); i++) ids.Set(static_cast<std::uint32_t>(i), number(env, chunk.ids[i]));
  result.Set("ids", ids);
  if (!logprobs) return result;
  Napi::Array logprob_values = Napi::Array::New(env, chunk.choices.size());
  for (std::size_t i = 0; i < chunk.choices.size(); i++) logprob_values.Set(static_cast<std::uint32_t>(i), to_value(env, chunk.choices[i]));
  result.Set("logprobs", logprob_values);
  return result;
}

Napi::Value to_value(Napi::Env env, const llm::GenerateResult& result) {
  const bool stopped = result.reason == llm::FinishReason::stop;
  Napi::Object value = Napi::Object::New(env);
  value.Set("finishReason", text(env, stopped ? "stop" : "length"));
  value.Set("stopString", result.stop_string.empty() ? env.Null() : text(env, result.stop_string));
  value.Set("promptTokens", number(env, result.prompt_tokens));
  value.Set("cachedTokens", number(env, result.cached_tokens));
  value.Set("completionTokens", number(env, result.tokens));
  value.Set("draftTokens", number(env, result.draft_tokens));
  value.Set("acceptedTokens", number(env, result.accepted_tokens));
  value.Set("queueMs", number(env, result.queue_ms));
  value.Set("prefillMs", number(env, result.prefill_ms));
  value.Set("decodeMs", number(env, result.decode_ms));
  return value;
}

Napi::Value to_value(Napi::Env env, const Embedding& embedding) {
  auto vector = Napi::Float32Array::New(env, embedding.vector.size());
  std::copy(embedding.vector.begin(), embedding.vector.end(), vector.Data());
  Napi::Object result = Napi::Object::New(env);
  result.Set("vector", vector);
  result.Set("promptTokens", number(env, embedding.prompt_tokens));
  return result;
}

Napi::Value to_value(Napi::Env env, const Relevance& relevance) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("score", number(env, relevance.score));
  result.Set("promptTokens", number(env, relevance.prompt_tokens));
  return result;
}

Napi::Value to_value(Napi::Env env, const std::vector<llm::TokenId>& ids) {
  auto array = Napi::Int32Array::New(env, ids.size());
  std::copy(ids.begin(), ids.end(), array.Data());
  return array;
}

}  // namespace lectern::addon
