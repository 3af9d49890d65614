// One language model in memory with a thread of its own, and a second thread for tokenisation. The addon opens, calls and closes it.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/lane.h"
#include "engine/model_description.h"
#include "engine/embedding_batcher.h"
#include "llm/grammar/recent_grammars.h"
#include "llm/model.h"
#include "llm/pair_format.h"
#include "llm/scheduler.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern {

/// Token ids as they are, or text to be tokenised.
using Prompt = std::variant<std::vector<llm::TokenId>, std::vector<llm::PromptPart>>;

struct LoadedModel {
  llm::ModelKind kind;
  int slots;
  int context;
  int vocabulary;
  int embedding;
  llm::MemoryNeed need;
  std::vector<llm::TokenId> end_tokens;
};

struct GenerateCall {
  Prompt prompt;
  bool add_special = true;  // of text
  llm::GenerateOptions options;
  std::vector<std::pair<std::string, float>> text_biases;  // a bias for each token of a text, added to the options on the way
  std::optional<std::string> grammar;  // GBNF; compiled into the options on the way
};

struct Embedding {
  std::vector<float> vector;
  int prompt_tokens;
};

struct RankCall {
  std::string query;
  std::string document;
  int most_tokens = 0;  // the document loses tokens at its end until the pair has at most so many; 0: a pair that is too long is an error
};

/// Of a pair: the logit of relevance, as the model gives it.
struct Relevance {
  float score;
  int prompt_tokens;
};

/// Verbs return at once and give their outcome to `done` on one of the two lanes; after close they throw Error `invalid_state`.
/// They may be called once load() is done, by one thread at a time. Text is tokenised on the text lane, so that a long prompt
/// delays no sequence's next token; all that touches the model happens on the model's lane, in turns of one pass.
class LanguageModel {
 public:
  LanguageModel();
  /// Cancels everything and waits for its end.
  ~LanguageModel();

  /// Once. `on_progress` gets rising fractions up to 1, at most 34 times, on the lane. After a failure everything is free again.
  void load(std::string path, OpenOptions options, std::function<void(double)> on_progress, std::shared_ptr<Cancel> cancel,
            Done<LoadedModel> done);

  /// `on_chunk` is called on the model's lane before `done` and must not throw.
  void generate(GenerateCall call, std::function<void(llm::TokenChunk)> on_chunk, std::shared_ptr<Cancel> cancel, Done<llm::GenerateResult> done);

  /// After the flags of a generation that is held have changed: the model's lane rests while all of them are held.
  void wake();

  /// Divided by its Euclidean length where `normalise`, else as the model gives it.
  void embed(Prompt prompt, bool normalise, std::shared_ptr<Cancel> cancel, Done<Embedding> done);

  /// Pairs that wait together are scored in one pass.
  void rank(RankCall call, std::shared_ptr<Cancel> cancel, Done<Relevance> done);

  void tokenize(Prompt prompt, bool add_special, std::shared_ptr<Cancel> cancel, Done<std::vector<llm::TokenId>> done);
  /// How many tokens tokenize() would give.
  void count_tokens(Prompt prompt, bool add_special, std::shared_ptr<Cancel> cancel, Done<std::size_t> done);

  /// At once, on the caller's thread. Throws Error `invalid_request` for an id outside the vocabulary.
  std::string token_bytes(llm::TokenId id) const;

  /// Cancels what is queued or running; `done` comes after the last of it, when the memory is free.
  void close(Done<std::monostate> done);

 private:
  /// What load() makes.
  struct Loaded {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<llm::Model> model;
    std::unique_ptr<llm::Tokenizer> tokenizer;
    std::unique_ptr<llm::Scheduler> scheduler;  // of a model that generates
    std::unique_ptr<llm::PairFormat> pairs;     // of a rerank model
    llm::RecentGrammars grammars;               // of the text lane alone
  };
  using Running = std::list<std::shared_ptr<Cancel>>;

  LoadedModel open(const std::string& path, const OpenOptions& options, const std::function<void(double)>& on_progress, const Cancel& cancel);
  std::vector<llm::TokenId> ids_of(const Prompt& prompt, bool add_special, const Cancel& cancel) const;
  Embedding embed_now(const std::shared_ptr<EmbeddingBatcher::Text>& text, const Cancel& cancel);
  void start(llm::GenerateRequest request);
  bool turn(const Cancel& all);
  void step_on();
  void check_usable() const;
  void free();

  std::unique_ptr<Loaded> loaded_;  // written on the model's lane before any other call is allowed
  EmbeddingBatcher texts_;
  // Of the model's lane alone.
  Running running_;             // the flags of what the scheduler has
  bool stepping_ = false;       // whether turns are queued
  std::optional<Error> broken_;  // what ended the model before its time
  // Last, and in this order: the text lane's jobs submit to the model's, whose jobs use the members above.
  Lane lane_;
  Lane text_lane_;
};

}  // namespace lectern
