#include "language_arguments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arguments.h"
#include "error.h"

namespace lectern::addon {
namespace {

// What a caller could mean by more would only cost memory; each part of the engine has its own, lower bound where it has one.
constexpr std::uint32_t most_strings = 4096;
constexpr std::uint32_t most_parts = 1U << 20;
constexpr std::uint32_t most_biases = 1U << 20;
constexpr double most_seed = 9007199254740991;  // 2^53 - 1
constexpr double most_int = std::numeric_limits<int>::max();

int integer_or(const Fields& fields, std::string_view key, double least, double most, int otherwise) {
  return fields.has(key) ? static_cast<int>(fields.integer(key, least, most)) : otherwise;
}

float number_or(const Fields& fields, std::string_view key, float otherwise) {
  if (!fields.has(key)) return otherwise;
  const Napi::Value value = fields.get(key);
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : NAN;
  if (!(std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max()))) fields.refuse(key, "must be a finite number");
  return static_cast<float>(number);
}

Napi::Array array_of(const Fields& fields, std::string_view key, std::uint32_t most) {
  const Napi::Value value = fields.get(key);
  if (!value.IsArray()) fields.refuse(key, "must be an array");
  auto array = value.As<Napi::Array>();
  if (array.Length() > most) fields.refuse(key, "has " + std::to_string(array.Length()) + " entries, more than the " + std::to_string(most) + " that can be");
  return array;
}

std::vector<std::string> strings_or_none(const Fields& fields, std::string_view key) {
  std::vector<std::string> strings;
  if (!fields.has(key)) return strings;
  const Napi::Array array = array_of(fields, key, most_strings);
  for (std::uint32_t i = 0; i < array.Length(); i++) {
    const Napi::Value element = array.Get(i);
    if (!element.IsString()) fields.refuse(key, "must hold strings alone");
    strings.push_back(element.As<Napi::String>().Utf8Value());
  }
  return strings;
}

/// Biases of token ids go to the sampling options, those of texts to `texts`.
void read_biases(const Fields& fields, std::vector<std::pair<llm::TokenId, float>>& ids, std::vector<std::pair<std::string, float>>& texts) {
  if (!fields.has("logitBias")) return;
  const Napi::Array array = array_of(fields, "logitBias", most_biases);
  for (std::uint32_t i = 0; i < array.Length(); i++) {
    const Napi::HandleScope scope(array.Env());
    const Napi::Value element = array.Get(i);
    const bool pair = element.IsArray() && element.As<Napi::Array>().Length() == 2;
    const Napi::Value token = pair ? element.As<Napi::Array>().Get(0U) : element;
    const Napi::Value bias = pair ? element.As<Napi::Array>().Get(1U) : element;
    const double number = token.IsNumber() ? token.As<Napi::Number>().DoubleValue() : NAN;
    const double amount = bias.IsNumber() ? bias.As<Napi::Number>().DoubleValue() : NAN;
    const bool names = token.IsString() || (number >= 0 && number <= most_int && number == std::floor(number));
    // Minus infinity forbids a token.
    if (!pair || !names || std::isnan(amount) || amount > static_cast<double>(std::numeric_limits<float>::max())) {
      fields.refuse("logitBias", "must hold pairs of a token id or a text, and a number");
    }
    constexpr auto lowest = static_cast<double>(std::numeric_limits<float>::lowest());
    const float added = amount < lowest ? -std::numeric_limits<float>::infinity() : static_cast<float>(amount);
    if (!token.IsString()) {
      ids.emplace_back(static_cast<llm::TokenId>(number), added);
    } else {
      if (texts.size() == most_strings) fields.refuse("logitBias", "has more than the " + std::to_string(most_strings) + " texts that can be");
      texts.emplace_back(token.As<Napi::String>().Utf8Value(), added);
    }
  }
}

llm::PrefixReuse read_reuse(const Fields& fields) {
  if (!fields.has("reuse")) return llm::PrefixReuse::computed;
  switch (fields.choice("reuse", {"computed", "generated", "none"})) {
    case 0: return llm::PrefixReuse::computed;
    case 1: return llm::PrefixReuse::generated;
    default: return llm::PrefixReuse::none;
  }
}

llm::SamplingOptions read_sampling(const Fields& fields) {
  llm::SamplingOptions sampling;
  sampling.temperature = number_or(fields, "temperature", sampling.temperature);
  sampling.top_k = integer_or(fields, "topK", 0, most_int, sampling.top_k);
  sampling.top_p = number_or(fields, "topP", sampling.top_p);
  sampling.min_p = number_or(fields, "minP", sampling.min_p);
  sampling.typical_p = number_or(fields, "typicalP", sampling.typical_p);
  sampling.repeat_penalty = number_or(fields, "repeatPenalty", sampling.repeat_penalty);
  sampling.repeat_last_n = integer_or(fields, "repeatLastN", -1, most_int, sampling.repeat_last_n);
  sampling.presence_penalty = number_or(fields, "presencePenalty", sampling.presence_penalty);
  sampling.frequency_penalty = number_or(fields, "frequencyPenalty", sampling.frequency_penalty);
  sampling.top_n_sigma = number_or(fields, "topNSigma", sampling.top_n_sigma);
  sampling.xtc_probability = number_or(fields, "xtcProbability", sampling.xtc_probability);
  sampling.xtc_threshold = number_or(fields, "xtcThreshold", sampling.xtc_threshold);
  sampling.dynatemp_range = number_or(fields, "dynatempRange", sampling.dynatemp_range);
  sampling.dynatemp_exponent = number_or(fields, "dynatempExponent", sampling.dynatemp_exponent);
  sampling.mirostat = integer_or(fields, "mirostat", 0, 2, sampling.mirostat);
  sampling.mirostat_tau = number_or(fields, "mirostatTau", sampling.mirostat_tau);
  sampling.mirostat_eta = number_or(fields, "mirostatEta", sampling.mirostat_eta);
  sampling.dry_multiplier = number_or(fields, "dryMultiplier", sampling.dry_multiplier);
  sampling.dry_base = number_or(fields, "dryBase", sampling.dry_base);
  sampling.dry_allowed_length = integer_or(fields, "dryAllowedLength", 0, most_int, sampling.dry_allowed_length);
  sampling.dry_penalty_last_n = integer_or(fields, "dryPenaltyLastN", -1, most_int, sampling.dry_penalty_last_n);
  if (fields.has("drySequenceBreakers")) sampling.dry_sequence_breakers = strings_or_none(fields, "drySequenceBreakers");
  sampling.seed = fields.has("seed") ? static_cast<std::uint64_t>(fields.integer("seed", 0, most_seed)) : 0;
  sampling.logprobs = integer_or(fields, "logprobs", 0, 20, -1);
  return sampling;
}

}  // namespace

std::string read_path(const Napi::Value& value) {
  std::string path = value.IsString() ? value.As<Napi::String>().Utf8Value() : "";
  if (path.empty() || path.find('\0') != std::string::npos) throw Error(ErrorCode::invalid_request, "path must be a string that names a file.");
  return path;
}

std::vector<std::string> read_texts(const Napi::Value& value) {
  if (!value.IsArray()) throw Error(ErrorCode::invalid_request, "texts must be an array of strings.");
  const auto array = value.As<Napi::Array>();
  std::vector<std::string> texts;
  texts.reserve(array.Length());
  for (std::uint32_t i = 0; i < array.Length(); i++) {
    const Napi::HandleScope scope(value.Env());
    const Napi::Value text = array.Get(i);
    if (!text.IsString()) throw Error(ErrorCode::invalid_request, "texts must be an array of strings.");
    texts.push_back(text.As<Napi::String>().Utf8Value());
  }
  return texts;
}

std::vector<llm::TokenId> read_ids(const Napi::Value& value, const char* name) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_int32_array) {
    throw Error(ErrorCode::invalid_request, std::string(name) + " must be an Int32Array.");
  }
  const auto array = value.As<Napi::Int32Array>();
  return {array.Data(), array.Data() + array.ElementLength()};
}

/// Parts in three blocks of memory: `utf8`, `ends` and `special`, as PackedPrompt of src/engine/port.ts has them.
std::vector<llm::PromptPart> read_packed(const Napi::Object& packed) {
  const auto block = [&](const char* name, napi_typedarray_type type) {
    const Napi::Value value = packed.Get(name);
    if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) {
      throw Error(ErrorCode::invalid_request, std::string("prompt.") + name + " must be a typed array.");
    }
    return value;
  };
  const auto utf8 = block("utf8", napi_uint8_array).As<Napi::Uint8Array>();
  const auto ends = block("ends", napi_uint32_array).As<Napi::Uint32Array>();
  const auto special = block("special", napi_uint8_array).As<Napi::Uint8Array>();
  const std::size_t count = ends.ElementLength();
  if (count > most_parts) throw Error(ErrorCode::invalid_request, "prompt has too many parts.");
  if (special.ElementLength() != count) throw Error(ErrorCode::invalid_request, "prompt.special must have an entry for each part.");
  const char* text = reinterpret_cast<const char*>(utf8.Data());
  std::vector<llm::PromptPart> parts;
  parts.reserve(count);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count; i++) {
    const std::size_t end = ends[i];
    if (end < begin || end > utf8.ElementLength()) throw Error(ErrorCode::invalid_request, "prompt.ends must ascend and end with the text.");
    parts.push_back({std::string(text + begin, end - begin), special[i] != 0});
    begin = end;
  }
  if (begin != utf8.ElementLength()) throw Error(ErrorCode::invalid_request, "prompt.ends must ascend and end with the text.");
  return parts;
}

Prompt read_prompt(const Napi::Value& value) {
  if (value.IsString()) return std::vector<llm::PromptPart>{{value.As<Napi::String>().Utf8Value(), false}};
  if (value.IsTypedArray()) return read_ids(value, "prompt");
  if (value.IsObject() && !value.IsArray()) return read_packed(value.As<Napi::Object>());
  if (!value.IsArray()) throw Error(ErrorCode::invalid_request, "prompt must be a string, token ids or an array of parts.");
  const auto array = value.As<Napi::Array>();
  if (array.Length() > most_parts) throw Error(ErrorCode::invalid_request, "prompt has too many parts.");
  std::vector<llm::PromptPart> parts;
  for (std::uint32_t i = 0; i < array.Length(); i++) {
    const Fields part(array.Get(i), "prompt[" + std::to_string(i) + "]");
    part.allow_only({"text", "special"});
    const Napi::Value text = part.get("text");
    if (!text.IsString()) part.refuse("text", "must be a string");
    if (!part.has("special")) part.refuse("special", "must be true or false");
    parts.push_back({text.As<Napi::String>().Utf8Value(), part.boolean_or("special", false)});
  }
  return parts;
}

GenerateArguments read_generate(const Napi::Value& prompt, const Napi::Value& options) {
  GenerateArguments arguments;
  const Fields fields(options, "options");
  fields.allow_only({"addSpecial", "maxTokens", "temperature", "topK", "topP", "minP", "typicalP", "repeatPenalty", "repeatLastN", "presencePenalty",
                     "frequencyPenalty", "topNSigma", "xtcProbability", "xtcThreshold", "dynatempRange", "dynatempExponent", "mirostat", "mirostatTau", "mirostatEta",
                     "dryMultiplier", "dryBase", "dryAllowedLength", "dryPenaltyLastN", "drySequenceBreakers", "logitBias", "seed", "stop", "ignoreEnd", "logprobs", "grammar", "grammarTriggers", "grammarRequired", "reuse", "draftMax", "draftMin", "onTokens"});
  GenerateCall& call = arguments.call;
  call.add_special = fields.boolean_or("addSpecial", true);
  call.options.sampling = read_sampling(fields);
  read_biases(fields, call.options.sampling.logit_bias, call.text_biases);
  call.options.max_tokens = integer_or(fields, "maxTokens", 0, most_int, -1);
  call.options.stop = strings_or_none(fields, "stop");
  call.options.ignore_end = fields.boolean_or("ignoreEnd", false);
  call.options.grammar_triggers = strings_or_none(fields, "grammarTriggers");
  call.options.grammar_required = fields.boolean_or("grammarRequired", false);
  call.options.reuse = read_reuse(fields);
  // A request may ask for more than a pass can verify.
  call.options.draft_max = std::min(integer_or(fields, "draftMax", 0, most_int, llm::most_draft), llm::most_draft);
  call.options.draft_min = std::min(integer_or(fields, "draftMin", 0, most_int, 0), call.options.draft_max);
  if (fields.has("grammar")) {
    if (!fields.get("grammar").IsString()) fields.refuse("grammar", "must be a string");
    call.grammar = fields.get("grammar").As<Napi::String>().Utf8Value();
  }
  arguments.on_tokens = fields.function("onTokens");
  call.prompt = read_prompt(prompt);
  return arguments;
}

OpenArguments read_open(const Napi::Value& value, bool to_open) {
  OpenArguments arguments;
  const Fields fields(value, to_open ? "options" : "shape");
  if (to_open) {
    fields.allow_only({"device", "slots", "context", "kv", "draft", "threads", "onProgress"});
  } else {
    fields.allow_only({"device", "slots", "context", "kv", "draft"});
  }
  const auto choice = [&](const char* key, std::initializer_list<std::string_view> names) { return fields.has(key) ? fields.choice(key, names) : 0; };
  constexpr DType kinds_of_cache[] = {DType::f16, DType::f32, DType::q8_0};
  OpenOptions& options = arguments.options;
  options.device = choice("device", {"cpu", "cuda"}) == 1 ? DeviceKind::cuda : DeviceKind::cpu;
  options.model.slots = integer_or(fields, "slots", 1, 256, options.model.slots);
  options.model.draft = integer_or(fields, "draft", 0, llm::most_draft, llm::most_draft);
  options.model.context = integer_or(fields, "context", 1, most_int, 0);
  options.model.kv = kinds_of_cache[choice("kv", {"f16", "f32", "q8_0"})];
  options.model.threads = to_open ? integer_or(fields, "threads", 1, 1024, 0) : 0;
  if (to_open) arguments.on_progress = fields.function("onProgress");
  return arguments;
}

}  // namespace lectern::addon
