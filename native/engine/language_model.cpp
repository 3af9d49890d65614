// Two lanes and the way between them.
#include "engine/language_model.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "cuda/runtime/backend.h"
#include "engine/trim_heap.h"
#include "error.h"

namespace lectern {
namespace {

using llm::TokenId;
using Clock = std::chrono::steady_clock;

constexpr const char* closed_sentence = "The model is closed.";

/// Lets through no more than some dozen of the fractions, and a 1 at the end.
class ProgressThrottle {
 public:
  explicit ProgressThrottle(const std::function<void(double)>& tell) : tell_(tell) {}
  void at(double fraction) {
    if (!tell_ || fraction < next_) return;
    next_ = fraction + 1.0 / 32;
    tell_(fraction);
  }
  void end() const {
    if (tell_) tell_(1);
  }

 private:
  const std::function<void(double)>& tell_;
  double next_ = 0;
};

bool is_empty(const Prompt& prompt) {
  if (const auto* ids = std::get_if<std::vector<TokenId>>(&prompt)) return ids->empty();
  for (const llm::PromptPart& part : std::get<std::vector<llm::PromptPart>>(prompt)) {
    if (!part.text.empty()) return false;
  }
  return true;
}

/// Divides by the Euclidean length; nothing but zeros stays as it is.
void normalise_length(std::vector<float>& vector) {
  double square = 0;
  for (const float value : vector) square += static_cast<double>(value) * static_cast<double>(value);
  const float scale = square > 0 ? static_cast<float>(1 / std::sqrt(square)) : 0.0F;
  for (float& value : vector) value *= scale;
}

/// Runs `next` with the value, or gives the error to `done`; also what `next` throws, being late.
template <class Value, class Result, class Next>
Done<Value> then(Done<Result> done, Next next) {
  return [done = std::move(done), next = std::move(next)](Outcome<Value> outcome) mutable {
    if (const Error* error = std::get_if<Error>(&outcome)) {
      done(*error);
      return;
    }
    try {
      next(std::move(std::get<Value>(outcome)), done);
    } catch (...) {
      done(as_error(std::current_exception()));
    }
  };
}

}  // namespace

LanguageModel::LanguageModel() : lane_("lectern-model", closed_sentence), text_lane_("lectern-text", closed_sentence) {}

LanguageModel::~LanguageModel() = default;

void LanguageModel::load(std::string path, OpenOptions options, std::function<void(double)> on_progress, std::shared_ptr<Cancel> cancel,
                         Done<LoadedModel> done) {
  const auto work = [this, path = std::move(path), options, on_progress = std::move(on_progress)](const Cancel& flag) {
    try {
      return open(path, options, on_progress, flag);
    } catch (...) {
      free();
      throw;
    }
  };
  lane_.submit<LoadedModel>(std::move(cancel), work, std::move(done));
}

LoadedModel LanguageModel::open(const std::string& path, const OpenOptions& options, const std::function<void(double)>& on_progress,
                                const Cancel& cancel) {
  ProgressThrottle fractions(on_progress);
  loaded_ = std::make_unique<Loaded>();
  loaded_->backend = make_language_backend(options.device);
  loaded_->model = std::make_unique<llm::Model>(path, *loaded_->backend, options.model, llm::LoadWatch{&cancel, [&](double fraction) { fractions.at(fraction); }});
  llm::Model& model = *loaded_->model;
  loaded_->tokenizer = std::make_unique<llm::Tokenizer>(model.file().metadata());
  if (!model.config().embeds()) loaded_->scheduler = std::make_unique<llm::Scheduler>(model, *loaded_->tokenizer);
  if (model.config().kind == llm::ModelKind::rerank) loaded_->pairs = std::make_unique<llm::PairFormat>(model.file().metadata(), model.config());
  cancel.check();
  fractions.end();
  const std::string remarks = cuda::take_remarks();
  if (options.log && !remarks.empty()) options.log(LogLevel::warn, remarks);
  const llm::Config& config = model.config();
  const KvShape& kv = model.cache().shape();
  return {config.kind, kv.slots, kv.positions, config.vocabulary, config.embedding,
          llm::memory_need(model.file(), *loaded_->backend, options.model), loaded_->tokenizer->vocabulary().end_tokens()};
}

void LanguageModel::generate(GenerateCall call, std::function<void(llm::TokenChunk)> on_chunk, std::shared_ptr<Cancel> cancel,
                             Done<llm::GenerateResult> done) {
  if (loaded_->model->config().embeds()) throw Error(ErrorCode::invalid_request, "This model computes embeddings or scores and cannot generate text.");
  const auto asked = std::make_shared<const GenerateCall>(std::move(call));
  const auto request = std::make_shared<llm::GenerateRequest>();
  request->cancel = cancel;
  request->on_chunk = std::move(on_chunk);
  const auto tokenise = [this, request, asked](const Cancel& flag) {
    request->prompt = ids_of(asked->prompt, asked->add_special, flag);
    request->options = asked->options;
    for (const auto& [text, bias] : asked->text_biases) {
      for (const TokenId id : ids_of(std::vector<llm::PromptPart>{{text, false}}, false, flag)) request->options.sampling.logit_bias.emplace_back(id, bias);
    }
    if (asked->grammar) request->options.grammar = loaded_->grammars.compile(*asked->grammar);
    return std::monostate{};
  };
  const auto begun = Clock::now();
  const auto submit = [this, request, begun](std::monostate, Done<llm::GenerateResult>& answered) {
    // Queued here already is queued for the caller.
    request->done = [answered, begun, submitted = Clock::now()](Outcome<llm::GenerateResult> outcome) {
      if (auto* result = std::get_if<llm::GenerateResult>(&outcome)) {
        result->queue_ms += std::chrono::duration<double, std::milli>(submitted - begun).count();
      }
      answered(std::move(outcome));
    };
    const auto enter = [this, request](const Cancel&) {
      start(std::move(*request));
      return std::monostate{};
    };
    lane_.submit<std::monostate>(request->cancel, enter, then<std::monostate>(answered, [](std::monostate, auto&) {}));
  };
  text_lane_.submit<std::monostate>(std::move(cancel), tokenise, then<std::monostate>(std::move(done), submit));
}

void LanguageModel::start(llm::GenerateRequest request) {
  check_usable();
  // The lane's turns come first: a closed lane refuses here, before the scheduler holds a request that would never be stepped.
  step_on();
  running_.push_front(request.cancel);
  request.done = [this, place = running_.begin(), done = std::move(request.done)](Outcome<llm::GenerateResult> outcome) {
    running_.erase(place);
    done(broken_ ? Outcome<llm::GenerateResult>(*broken_) : std::move(outcome));
  };
  loaded_->scheduler->submit(std::move(request));
}

void LanguageModel::step_on() {
  if (!stepping_) lane_.repeat(std::make_shared<Cancel>(), [this](const Cancel& all) { return turn(all); });
  stepping_ = true;
}

void LanguageModel::wake() {
  const auto look = [this](const Cancel&) {
    if (loaded_ && loaded_->scheduler) step_on();
    return std::monostate{};
  };
  lane_.submit<std::monostate>(std::make_shared<Cancel>(), look, [](const Outcome<std::monostate>&) {});
}

bool LanguageModel::turn(const Cancel& all) {
  stepping_ = false;
  if (!loaded_ || !loaded_->scheduler) return false;
  try {
    loaded_->model->file().check_unchanged();
    do {
      if (all.requested()) {
        for (const std::shared_ptr<Cancel>& flag : running_) flag->request();
      }
      stepping_ = loaded_->scheduler->step();
      // Who closes the model has queued its end behind this turn: there is no other.
    } while (stepping_ && all.requested());
  } catch (...) {
    broken_ = as_error(std::current_exception());
    stepping_ = false;
    loaded_->scheduler.reset();
  }
  return stepping_;
}

void LanguageModel::embed(Prompt prompt, bool normalise, std::shared_ptr<Cancel> cancel, Done<Embedding> done) {
  if (loaded_->model->config().kind != llm::ModelKind::embedding) throw Error(ErrorCode::invalid_request, "This model gives no embeddings.");
  if (is_empty(prompt)) throw Error(ErrorCode::invalid_request, "There is nothing to embed: the text is empty.");
  const auto tokenise = [this, prompt = std::move(prompt)](const Cancel& flag) { return ids_of(prompt, true, flag); };
  const auto submit = [this, normalise, cancel](std::vector<TokenId> ids, Done<Embedding>& embedded) {
    const auto text = texts_.add(std::move(ids), 0, cancel);
    const auto work = [this, normalise, text](const Cancel& flag) {
      Embedding embedding = embed_now(text, flag);
      if (normalise) normalise_length(embedding.vector);
      return embedding;
    };
    lane_.submit<Embedding>(cancel, work, embedded);
  };
  text_lane_.submit<std::vector<TokenId>>(cancel, tokenise, then<std::vector<TokenId>>(std::move(done), submit));
}

void LanguageModel::rank(RankCall call, std::shared_ptr<Cancel> cancel, Done<Relevance> done) {
  if (!loaded_->pairs) throw Error(ErrorCode::invalid_request, "This model scores no pairs of texts.");
  const auto tokenise = [this, call = std::move(call)](const Cancel& flag) {
    // The vocabulary's texts lie in the mapped file.
    loaded_->model->file().check_unchanged();
    llm::CancelPace pace(flag);
    return loaded_->pairs->encode(*loaded_->tokenizer, call.query, call.document, static_cast<std::size_t>(call.most_tokens), pace);
  };
  const auto submit = [this, cancel](llm::TokenPair pair, Done<Relevance>& ranked) {
    const auto text = texts_.add(std::move(pair.ids), pair.second, cancel);
    const auto work = [this, text](const Cancel& flag) {
      const Embedding scored = embed_now(text, flag);
      return Relevance{scored.vector.front(), scored.prompt_tokens};
    };
    lane_.submit<Relevance>(cancel, work, ranked);
  };
  text_lane_.submit<llm::TokenPair>(cancel, tokenise, then<llm::TokenPair>(std::move(done), submit));
}

Embedding LanguageModel::embed_now(const std::shared_ptr<EmbeddingBatcher::Text>& text, const Cancel& cancel) {
  check_usable();
  llm::Model& model = *loaded_->model;
  const int context = model.cache().shape().positions;
  const std::size_t count = text->tokens().size();
  if (count > static_cast<std::size_t>(context)) {
    throw Error(ErrorCode::context_overflow, "The text has " + std::to_string(count) + " tokens, and the model's context is " + std::to_string(context) + ".");
  }
  return {texts_.embed(text, model.forward(), cancel), static_cast<int>(count)};
}

void LanguageModel::tokenize(Prompt prompt, bool add_special, std::shared_ptr<Cancel> cancel, Done<std::vector<TokenId>> done) {
  const auto work = [this, prompt = std::move(prompt), add_special](const Cancel& flag) { return ids_of(prompt, add_special, flag); };
  text_lane_.submit<std::vector<TokenId>>(std::move(cancel), work, std::move(done));
}

void LanguageModel::count_tokens(Prompt prompt, bool add_special, std::shared_ptr<Cancel> cancel, Done<std::size_t> done) {
  const auto work = [this, prompt = std::move(prompt), add_special](const Cancel& flag) { return ids_of(prompt, add_special, flag).size(); };
  text_lane_.submit<std::size_t>(std::move(cancel), work, std::move(done));
}

std::string LanguageModel::token_bytes(TokenId id) const {
  const llm::Tokenizer& tokenizer = *loaded_->tokenizer;
  if (id < 0 || id >= tokenizer.vocabulary().size()) {
    throw Error(ErrorCode::invalid_request, "The token id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(tokenizer.vocabulary().size()) + ".");
  }
  std::string bytes;
  tokenizer.append_bytes(id, true, bytes);
  return bytes;
}

std::vector<TokenId> LanguageModel::ids_of(const Prompt& prompt, bool add_special, const Cancel& cancel) const {
  if (const auto* ids = std::get_if<std::vector<TokenId>>(&prompt)) return *ids;
  // The vocabulary's texts lie in the mapped file.
  loaded_->model->file().check_unchanged();
  llm::CancelPace pace(cancel);
  return loaded_->tokenizer->encode(std::get<std::vector<llm::PromptPart>>(prompt), add_special, pace);
}

void LanguageModel::check_usable() const {
  if (broken_) throw *broken_;
  loaded_->model->file().check_unchanged();
}

void LanguageModel::close(Done<std::monostate> done) {
  text_lane_.cancel_all();
  lane_.cancel_all();
  const auto fresh = [] { return std::make_shared<Cancel>(); };
  // The last job of each lane runs after all jobs before it; no other code holds its flag.
  const auto close_model = [this, fresh, done = std::move(done)](Outcome<std::monostate>) {
    lane_.cancel_all();
    lane_.submit<std::monostate>(
        fresh(),
        [this](const Cancel&) {
          free();
          return std::monostate{};
        },
        done);
    lane_.close();
  };
  text_lane_.submit<std::monostate>(fresh(), [](const Cancel&) { return std::monostate{}; }, close_model);
  text_lane_.close();
}

void LanguageModel::free() {
  if (loaded_) {
    // Each before what it refers to.
    loaded_->scheduler.reset();
    loaded_->pairs.reset();
    loaded_->tokenizer.reset();
    loaded_->model.reset();
    loaded_.reset();
  }
  trim_heap();
}

}  // namespace lectern
