// Each method reads its arguments, starts the job and converts the result to JavaScript.
#include "language_model_handle.h"

#include <cmath>

#include "arguments.h"
#include "engine/token_sink.h"
#include "language_arguments.h"
#include "language_results.h"

namespace lectern::addon {
namespace {

/// For `deliver`: the value by its own to_value().
constexpr auto as_value = [](Napi::Env env, const Call&, const auto& value) { return to_value(env, value); };

}  // namespace

Napi::Function LanguageModelHandle::define(Napi::Env env) {
  return DefineClass(env, "LanguageModel",
                     {InstanceMethod<&LanguageModelHandle::generate>("generate"), InstanceMethod<&LanguageModelHandle::embed>("embed"), InstanceMethod<&LanguageModelHandle::rank>("rank"), InstanceMethod<&LanguageModelHandle::count_tokens>("countTokens"),
                      InstanceMethod<&LanguageModelHandle::tokenize>("tokenize"),
                      InstanceMethod<&LanguageModelHandle::token_bytes>("tokenBytes"), InstanceMethod<&LanguageModelHandle::wake>("wake"),
                      InstanceMethod<&LanguageModelHandle::close>("close")});
}

Napi::Value LanguageModelHandle::make(Napi::Env env, const std::shared_ptr<Environment>& environment, Environment::Id id, const LoadedModel& info) {
  Napi::Object handle = ModelHandle::make(env, environment, id);
  handle.Set("info", to_value(env, info));
  return handle;
}

Napi::Value LanguageModelHandle::generate(const Napi::CallbackInfo& info) {
  return environment().promise(info.Env(), [&](Environment::Id call) {
    GenerateArguments arguments = read_generate(info[0], info[1]);
    auto cancel = read_cancel(info[2]);
    std::function<void(llm::TokenChunk)> on_chunk;
    if (!arguments.on_tokens.IsEmpty()) {
      environment().keep_callback(call, arguments.on_tokens);
      const bool logprobs = arguments.call.options.sampling.logprobs >= 0;
      on_chunk = [environment = shared_environment(), call, logprobs, sink = std::make_shared<TokenSink>()](llm::TokenChunk chunk) {
        if (!sink->push(std::move(chunk))) return;
        environment->post([environment, call, logprobs, sink](Napi::Env env) { environment->call_back(call, to_value(env, sink->take(), logprobs)); });
      };
    }
    use(call).generate(std::move(arguments.call), std::move(on_chunk), std::move(cancel), environment().deliver<llm::GenerateResult>(call, as_value));
  });
}

Napi::Value LanguageModelHandle::wake(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    model().wake();
    return info.Env().Undefined();
  });
}

Napi::Value LanguageModelHandle::embed(const Napi::CallbackInfo& info) {
  return environment().promise(info.Env(), [&](Environment::Id call) {
    Prompt prompt = read_prompt(info[0]);
    if (!info[1].IsBoolean()) throw Error(ErrorCode::invalid_request, "normalise must be true or false.");
    auto cancel = read_cancel(info[2]);
    use(call).embed(std::move(prompt), info[1].As<Napi::Boolean>().Value(), std::move(cancel), environment().deliver<Embedding>(call, as_value));
  });
}

Napi::Value LanguageModelHandle::rank(const Napi::CallbackInfo& info) {
  return environment().promise(info.Env(), [&](Environment::Id call) {
    if (!info[0].IsString() || !info[1].IsString()) throw Error(ErrorCode::invalid_request, "query and document must be strings.");
    const double most = info[2].IsNumber() ? info[2].As<Napi::Number>().DoubleValue() : NAN;
    if (!(most >= 0 && most <= 0x7FFFFFFF && most == std::floor(most))) throw Error(ErrorCode::invalid_request, "mostTokens must be a number of tokens.");
    auto cancel = read_cancel(info[3]);
    RankCall ranked{info[0].As<Napi::String>().Utf8Value(), info[1].As<Napi::String>().Utf8Value(), static_cast<int>(most)};
    use(call).rank(std::move(ranked), std::move(cancel), environment().deliver<Relevance>(call, as_value));
  });
}

Napi::Value LanguageModelHandle::tokenize(const Napi::CallbackInfo& info) {
  return environment().promise(info.Env(), [&](Environment::Id call) {
    Prompt prompt = read_prompt(info[0]);
    if (!info[1].IsBoolean()) throw Error(ErrorCode::invalid_request, "addSpecial must be true or false.");
    auto cancel = read_cancel(info[2]);
    use(call).tokenize(std::move(prompt), info[1].As<Napi::Boolean>().Value(), std::move(cancel),
                       environment().deliver<std::vector<llm::TokenId>>(call, as_value));
  });
}

Napi::Value LanguageModelHandle::count_tokens(const Napi::CallbackInfo& info) {
  return environment().promise(info.Env(), [&](Environment::Id call) {
    Prompt prompt = read_prompt(info[0]);
    if (!info[1].IsBoolean()) throw Error(ErrorCode::invalid_request, "addSpecial must be true or false.");
    auto cancel = read_cancel(info[2]);
    const auto to_js = [](Napi::Env env, const Call&, std::size_t count) { return Napi::Number::New(env, static_cast<double>(count)); };
    use(call).count_tokens(std::move(prompt), info[1].As<Napi::Boolean>().Value(), std::move(cancel), environment().deliver<std::size_t>(call, to_js));
  });
}

Napi::Value LanguageModelHandle::token_bytes(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const double id = info[0].IsNumber() ? info[0].As<Napi::Number>().DoubleValue() : NAN;
    if (!(id >= 0 && id <= 0x7FFFFFFF && id == std::floor(id))) throw Error(ErrorCode::invalid_request, "id must be a token id.");
    const std::string bytes = model().token_bytes(static_cast<llm::TokenId>(id));
    auto array = Napi::Uint8Array::New(info.Env(), bytes.size());
    std::copy(bytes.begin(), bytes.end(), array.Data());
    return array;
  });
}

}  // namespace lectern::addon
