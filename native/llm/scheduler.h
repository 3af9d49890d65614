// Several answers at once from one model: slots, chunks of prompts, one batch a step, prefixes that are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cancel.h"
#include "error.h"
#include "llm/grammar/grammar.h"
#include "llm/model.h"
#include "llm/sampler.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern::llm {

enum class PrefixReuse {
  computed,   // positions that prefill computed, cut to a tile: the same bytes as without
  generated,  // also what decoding added: faster, and not always the same bytes
  none,
};

struct GenerateOptions {
  SamplingOptions sampling;
  int max_tokens = -1;  // -1: to the end of the slot's context
  std::vector<std::string> stop;
  bool ignore_end = false;                 // end tokens neither stop nor are chosen
  std::shared_ptr<const Grammar> grammar;  // or null
  std::vector<std::string> grammar_triggers;  // empty: the grammar holds from the start; else once one of them was written
  PrefixReuse reuse = PrefixReuse::computed;
};

/// What became certain in one step.
struct Burst {
  std::string text;  // whole code points
  std::vector<Choice> tokens;
};

enum class FinishReason { stop, length };

struct GenerateResult {
  FinishReason reason;
  std::string stop_string;  // the one that ended it, or empty
  int prompt_tokens;
  int cached_tokens;  // of the prompt, taken over from a slot
  int tokens;         // generated, an end token not counted
  double queue_ms, prefill_ms, decode_ms;
};

/// `on_burst` and `done` are called within step() and must not throw; done exactly once.
struct GenerateRequest {
  std::vector<TokenId> prompt;
  GenerateOptions options;
  std::shared_ptr<Cancel> cancel;
  std::function<void(Burst)> on_burst;
  std::function<void(std::variant<GenerateResult, Error>)> done;
};

/// One thread at a time; `model` and `tokenizer` must outlive it.
class Scheduler {
 public:
  Scheduler(Model& model, const Tokenizer& tokenizer);
  ~Scheduler();

  /// Takes its place in a queue without bound; slots are given in the order of the calls. A request that cannot run (empty prompt,
  /// ids out of range, `context_overflow` with both counts, bad options) is done at once with its error.
  void submit(GenerateRequest request);

  /// One pass: the next token of every answer that is being written, and a chunk of one prompt. False when nothing is left to do.
  bool step();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lectern::llm
