// Several sequences at once from one model: slots, prefill chunks, one batch per step, sequences that are held, cached prefixes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cancel.h"
#include "error.h"
#include "llm/grammar/grammar.h"
#include "llm/model.h"
#include "llm/prefix_reuse.h"
#include "llm/sampler.h"
#include "llm/speculation/text_draft.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern::llm {

struct GenerateOptions {
  SamplingOptions sampling;
  int max_tokens = -1;  // -1: to the end of the slot's context; 0: the prompt is computed and kept, nothing is written
  std::vector<std::string> stop;
  bool ignore_end = false;                 // end tokens neither stop nor are chosen
  std::shared_ptr<const Grammar> grammar;  // or null
  std::vector<std::string> grammar_triggers;  // empty: the grammar holds from the start; else once one of them was written
  bool grammar_required = false;              // a sequence that would end before a trigger was written goes on with the first of them
  PrefixReuse reuse = PrefixReuse::computed;
  int draft_max = most_draft;  // tokens that a pass may verify beyond the next one, 0 .. most_draft; 0: none. No output depends on it
  int draft_min = 0;           // so many are verified where the text offers them, whatever a pass costs
};

/// What came of one step.
struct TokenChunk {
  std::string text;             // that became certain, whole code points
  std::vector<TokenId> ids;     // all that were generated, shown or not
  std::vector<Choice> choices;  // of the tokens whose text is shown

  bool empty() const { return text.empty() && ids.empty() && choices.empty(); }
};

enum class FinishReason { stop, length };

struct GenerateResult {
  FinishReason reason;
  std::string stop_string;  // the one that ended it, or empty
  int prompt_tokens;
  int cached_tokens;  // of the prompt, taken over from a slot
  int tokens;         // generated, an end token not counted
  int draft_tokens;     // that passes verified
  int accepted_tokens;  // of those, the ones that were right
  double queue_ms, prefill_ms, decode_ms;
};

/// `on_chunk` and `done` are called within step(), submit() and the scheduler's end, and must not throw; done exactly once. They may
/// submit().
struct GenerateRequest {
  std::vector<TokenId> prompt;
  GenerateOptions options;
  std::shared_ptr<Cancel> cancel;  // or null; while it is held the sequence is not decoded, and keeps its slot with all positions
  std::function<void(TokenChunk)> on_chunk;  // or null
  std::function<void(std::variant<GenerateResult, Error>)> done;
};

/// Statistics for the operator.
struct Occupancy {
  struct Slot {
    int positions;  // of its context that hold something
    int computed;   // of them those that prefill computed, which other prompts may take over
    bool busy;
  };
  std::vector<Slot> slots;
  std::size_t queued;
};

/// One thread at a time; `model` and `tokenizer` must outlive it.
///
/// Prompts are prefilled one after the other, in the order of the queue: the first token of the first comes sooner than if two shared
/// the passes, that of the second comes no later, and the second prompt hits the prefix that it shares with the first.
class Scheduler {
 public:
  /// Throws Error `invalid_model` where the tokenizer's vocabulary is not the model's, `invalid_request` for a model whose passes
  /// have fewer rows than it has slots, `invalid_state` for one that embeds.
  Scheduler(Model& model, const Tokenizer& tokenizer);
  /// What is left is done, as `cancelled`.
  ~Scheduler();

  /// Takes its place in a queue without bound; slots are given in the order of the calls. A request that cannot run (empty prompt,
  /// ids out of range, `context_overflow` with both counts, bad options) is done at once with its error.
  void submit(GenerateRequest request);

  /// One pass: for every sequence that is being generated and not held a decode row, and rows of its draft where they pay; and a prefill chunk of one prompt. Cancelled requests end
  /// first, also those in the queue. False when no work remains, or none before a flag changes: all busy slots are held.
  bool step();

  bool idle() const;
  Occupancy occupancy() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lectern::llm
