// The queue and the slots.
#include "llm/scheduler.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "llm/scheduler_state.h"

namespace lectern::llm {
namespace {

bool cancelled(const GenerateRequest& request) { return request.cancel && request.cancel->requested(); }

Error cancelled_error() { return Error(ErrorCode::cancelled, "The work was cancelled."); }

std::string number(std::size_t count) { return std::to_string(count); }
std::string number(int count) { return std::to_string(count); }

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_request, sentence); }

}  // namespace

Scheduler::State::State(Model& model_, const Tokenizer& tokenizer_)
    : model(model_), tokenizer(tokenizer_), context(model_.cache().shape().positions) {
  if (model.config().embeds()) throw Error(ErrorCode::invalid_state, "An embedding model cannot generate text.");
  const int vocabulary = model.config().vocabulary;
  if (tokenizer.vocabulary().size() != vocabulary) {
    throw Error(ErrorCode::invalid_model, "The model gives logits of " + number(vocabulary) + " tokens and its vocabulary has " +
                                              number(tokenizer.vocabulary().size()) + ".");
  }
  const int wanted = model.cache().shape().slots;
  const int rows = model.forward().rows();
  if (rows < wanted) refuse("Passes of " + number(rows) + " rows are too small for " + number(wanted) + " slots.");
  for (int i = 0; i < wanted; i++) contents.emplace_back(context);
  running.resize(contents.size());
  batch.reserve(static_cast<std::size_t>(rows));
  rules.reserve(contents.size());
  choices.reserve(contents.size());
  choice_of.reserve(contents.size());
}

void Scheduler::State::check(const GenerateRequest& request) const {
  if (request.prompt.empty()) refuse("The prompt has no tokens.");
  const TokenId vocabulary = model.config().vocabulary;
  for (const TokenId id : request.prompt) {
    if (id < 0 || id >= vocabulary) refuse("The token id " + number(id) + " is none of the model's " + number(vocabulary) + ".");
  }
  if (request.prompt.size() >= static_cast<std::size_t>(context)) {
    throw Error(ErrorCode::context_overflow, "The prompt has " + number(request.prompt.size()) + " tokens and the model's context holds " +
                                                 number(context) + ", one of them for the generated text.");
  }
  const int most = request.options.max_tokens;
  if (most < -1) refuse("The number of tokens must be at least 0, or -1 for all that fit, not " + number(most) + ".");
  if (!request.options.grammar && !request.options.grammar_triggers.empty()) refuse("There are triggers of a grammar, but no grammar.");
  if (request.options.draft_max < 0 || request.options.draft_max > most_draft || request.options.draft_min < 0 || request.options.draft_min > request.options.draft_max) {
    refuse("A draft has 0 to " + number(most_draft) + " tokens, not " + number(request.options.draft_min) + " to " + number(request.options.draft_max) + ".");
  }
  if (request.options.grammar_required && request.options.grammar_triggers.empty()) refuse("A grammar without triggers is required from the start.");
  Triggers::check(request.options.grammar_triggers);
  SequenceBreakers::check(request.options.sampling.dry_sequence_breakers);
  // Only validates them: a queue of 10,000 requests should not hold their contents.
  const Sampler sampler(request.options.sampling, vocabulary);
  const TextStream stream(tokenizer, request.options.stop);
}

Generation Scheduler::State::make_generation(const GenerateRequest& request) {
  const GenerateOptions& options = request.options;
  GenerationParts parts{tokenizer, nullptr, nullptr, nullptr};
  if (options.grammar) {
    if (!trie) trie = make_token_trie(tokenizer);
    parts.trie = trie;
  }
  if (!options.grammar_triggers.empty()) {
    if (!triggers || triggers->texts() != options.grammar_triggers) triggers = std::make_shared<Triggers>(options.grammar_triggers, tokenizer);
    parts.triggers = triggers;
  }
  if (options.sampling.dry_multiplier > 0 && !options.sampling.dry_sequence_breakers.empty()) {
    if (!breakers || breakers->texts() != options.sampling.dry_sequence_breakers) breakers = std::make_shared<SequenceBreakers>(options.sampling.dry_sequence_breakers, tokenizer);
    parts.breakers = breakers;
  }
  const int room = context - static_cast<int>(request.prompt.size());
  return Generation(options, request.prompt, options.max_tokens < 0 ? room : std::min(room, options.max_tokens), parts);
}

void Scheduler::State::drop_cancelled() {
  for (int i = 0; i < slots(); i++) {
    if (running_in(i) && cancelled(running_in(i)->request)) fail(i, cancelled_error());
  }
  const auto gone = [](const Waiting& waiting) { return cancelled(waiting.request); };
  const auto first = std::find_if(queue.begin(), queue.end(), gone);
  if (first == queue.end()) return;
  // Removed from the queue before the first `done` is called: it may submit.
  std::vector<GenerateRequest> dropped;
  auto kept = first;
  for (auto waiting = first; waiting != queue.end(); ++waiting) {
    if (gone(*waiting)) {
      dropped.push_back(std::move(waiting->request));
    } else {
      *kept++ = std::move(*waiting);
    }
  }
  queue.erase(kept, queue.end());
  for (const GenerateRequest& request : dropped) request.done(cancelled_error());
}

/// A slot is assigned only when no other prompt is being prefilled: only then is it known which prefix of this one the slots hold.
void Scheduler::State::start_next() {
  while (prefill_slot < 0 && !queue.empty() && !all_busy()) {
    Waiting waiting = std::move(queue.front());
    queue.pop_front();
    try {
      start(waiting);
    } catch (...) {
      waiting.request.done(as_error(std::current_exception()));
    }
  }
}

void Scheduler::State::start(Waiting& waiting) {
  const SchedulerClock::time_point now = SchedulerClock::now();
  // Passes of another text take another time.
  costs.forget();
  Generation generation = make_generation(waiting.request);
  const auto [slot, source, positions] = choose_slot(contents, waiting.request.prompt, waiting.request.options.reuse);
  SlotContents& own = contents_of(slot);
  if (source != slot) {
    // If the copy fails, neither the old contents nor the new ones are valid.
    own.take(own, 0);
    model.ops().copy_positions(model.cache().kv(), source, slot, positions);
  }
  own.take(contents_of(source), positions);
  running_in(slot).emplace(Running{std::move(waiting.request), std::move(generation), positions, waiting.since, now});
  own.busy = true;
  prefill_slot = slot;
}

/// A flag that changes while this is decided is followed by another step: its caller asks for one.
bool Scheduler::State::can_go_on() {
  if (prefill_slot >= 0 || (!queue.empty() && !all_busy())) return true;
  for (int i = 0; i < slots(); i++) {
    if (running_in(i) && (!held(running_in(i)->request) || cancelled(running_in(i)->request))) return true;
  }
  return std::any_of(queue.begin(), queue.end(), [](const Waiting& waiting) { return cancelled(waiting.request); });
}

void Scheduler::State::finish(int slot, FinishReason reason) {
  const Running ended = release(slot);
  const SchedulerClock::time_point now = SchedulerClock::now();
  GenerateResult result{};
  result.reason = reason;
  result.stop_string = ended.generation.stop_string().value_or("");
  result.prompt_tokens = static_cast<int>(ended.request.prompt.size());
  result.cached_tokens = ended.cached;
  result.tokens = ended.generation.tokens();
  result.draft_tokens = ended.drafted;
  result.accepted_tokens = ended.accepted;
  result.queue_ms = milliseconds(ended.started - ended.submitted);
  result.prefill_ms = milliseconds(ended.written_from - ended.started);
  result.decode_ms = milliseconds(now - ended.written_from);
  ended.request.done(std::move(result));
}

void Scheduler::State::fail(int slot, const Error& error) {
  const Running ended = release(slot);
  ended.request.done(error);
}

/// The slot is free before `done` is called.
Running Scheduler::State::release(int slot) {
  Running ended = std::move(*running_in(slot));
  running_in(slot).reset();
  contents_of(slot).busy = false;
  contents_of(slot).last_used = ++uses;
  if (prefill_slot == slot) prefill_slot = -1;
  return ended;
}

Scheduler::Scheduler(Model& model, const Tokenizer& tokenizer) : state_(std::make_unique<State>(model, tokenizer)) {}

Scheduler::~Scheduler() {
  state_->closed = true;
  for (int i = 0; i < state_->slots(); i++) {
    if (state_->running_in(i)) state_->fail(i, cancelled_error());
  }
  for (const Waiting& waiting : state_->queue) waiting.request.done(cancelled_error());
}

void Scheduler::submit(GenerateRequest request) {
  try {
    if (state_->closed) throw Error(ErrorCode::invalid_state, "The model is closed.");
    state_->check(request);
  } catch (...) {
    return request.done(as_error(std::current_exception()));
  }
  state_->queue.push_back({std::move(request), SchedulerClock::now()});
}

bool Scheduler::step() {
  state_->drop_cancelled();
  state_->start_next();
  state_->run_pass();
  return state_->can_go_on();
}

bool Scheduler::idle() const { return state_->queue.empty() && state_->all_idle(); }

Occupancy Scheduler::occupancy() const {
  Occupancy now{{}, state_->queue.size()};
  for (const SlotContents& slot : state_->contents) now.slots.push_back({slot.positions(), slot.computed(), slot.busy});
  return now;
}

}  // namespace lectern::llm
