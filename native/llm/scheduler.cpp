// The queue, the slots, and the composition of each pass.
#include "llm/scheduler.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>

#include "llm/generation.h"

namespace lectern::llm {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

bool cancelled(const GenerateRequest& request) { return request.cancel && request.cancel->requested(); }
bool held(const GenerateRequest& request) { return request.cancel && request.cancel->held(); }

Error cancelled_error() { return Error(ErrorCode::cancelled, "The work was cancelled."); }

std::string number(std::size_t count) { return std::to_string(count); }
std::string number(int count) { return std::to_string(count); }

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_request, sentence); }

struct Waiting {
  GenerateRequest request;
  Clock::time_point since;
};

/// A request with a slot: first its prompt is prefilled, then it is decoded.
struct Running {
  GenerateRequest request;
  Generation generation;
  int cached;
  Clock::time_point submitted, started, written_from{};
};

}  // namespace

struct Scheduler::State {
  State(Model& model_, const Tokenizer& tokenizer_);

  void check(const GenerateRequest& request) const;
  Generation make_generation(const GenerateRequest& request);

  void drop_cancelled();
  void start_next();
  void start(Waiting& waiting);
  void compose();
  int chunk_end(int from, int prompt_tokens, int others) const;
  void run_pass();
  void choose_tokens();
  std::optional<TokenRule> rule_of(int slot);
  void write(int slot, int row);

  void finish(int slot, FinishReason reason);
  void fail(int slot, const Error& error);
  Running release(int slot);

  int slots() const { return static_cast<int>(contents.size()); }
  bool all_busy() const { return std::all_of(contents.begin(), contents.end(), [](const SlotContents& slot) { return slot.busy; }); }
  bool all_idle() const { return std::none_of(contents.begin(), contents.end(), [](const SlotContents& slot) { return slot.busy; }); }
  bool can_go_on();
  std::optional<Running>& running_in(int slot) { return running[static_cast<std::size_t>(slot)]; }
  SlotContents& contents_of(int slot) { return contents[static_cast<std::size_t>(slot)]; }

  Model& model;
  const Tokenizer& tokenizer;
  int context;
  std::deque<Waiting> queue;
  std::vector<SlotContents> contents;
  std::vector<std::optional<Running>> running;  // as contents
  int prefill_slot = -1;                        // the slot whose prompt is being prefilled, or -1
  std::vector<BatchToken> batch;                // the rows of the pass
  std::vector<TokenRule> rules;                 // of the rows that the device samples
  std::vector<TokenChoice> choices;             // as rules
  std::vector<int> choice_of;                   // for each row with logits: its index in choices, or -1
  std::uint64_t uses = 0;
  bool closed = false;
  std::shared_ptr<const TokenTrie> trie;     // from the first grammar on
  std::shared_ptr<const Triggers> triggers;  // of the last request that had any: those of a chat format rarely change
  std::shared_ptr<const SequenceBreakers> breakers;  // likewise
};

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
  const Clock::time_point now = Clock::now();
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

/// The end of the prefill chunk that begins at `from`, beside `others` decode rows in the pass.
int Scheduler::State::chunk_end(int from, int prompt_tokens, int others) const {
  int room = model.forward().rows() - others;
  // While other sequences decode, their next tokens wait for no more than one tile of prefill.
  if (others > 0) room = std::min(room, position_tile);
  if (from + room >= prompt_tokens) return prompt_tokens;
  return room < position_tile ? from + room : (from + room) / position_tile * position_tile;
}

void Scheduler::State::compose() {
  batch.clear();
  for (int i = 0; i < slots(); i++) {
    if (running_in(i) && i != prefill_slot && !held(running_in(i)->request)) batch.push_back({running_in(i)->generation.last(), i, contents_of(i).positions(), true, true});
  }
  if (prefill_slot < 0) return;
  const GenerateRequest& request = running_in(prefill_slot)->request;
  const int prompt_tokens = static_cast<int>(request.prompt.size());
  const int from = contents_of(prefill_slot).positions();
  const int end = chunk_end(from, prompt_tokens, static_cast<int>(batch.size()));
  for (int i = from; i < end; i++) {
    batch.push_back({request.prompt[static_cast<std::size_t>(i)], prefill_slot, i, i + 1 == prompt_tokens && request.options.max_tokens != 0, false});
  }
}

void Scheduler::State::run_pass() {
  compose();
  if (batch.empty()) return;
  // A pass with prefill rows of one prompt alone can be cancelled between layers; with rows of others in it, the pass is short.
  const bool alone = batch.front().slot == prefill_slot;
  const Cancel* cancel = alone ? running_in(prefill_slot)->request.cancel.get() : nullptr;
  try {
    model.forward().run(batch.data(), static_cast<int>(batch.size()), cancel);
    choose_tokens();
  } catch (...) {
    const Error error = as_error(std::current_exception());
    // Cancelled between two layers: the contents that the slots had before the pass are unchanged.
    if (cancel != nullptr && error.code() == ErrorCode::cancelled) return fail(prefill_slot, error);
    // The state of the device is unknown: the contents of all slots are discarded.
    for (SlotContents& slot : contents) slot.take(slot, 0);
    for (int i = 0; i < slots(); i++) {
      if (running_in(i)) fail(i, error);
    }
    return;
  }
  // The KV cache holds these tokens now, whatever becomes of their sequences.
  const int computing = prefill_slot;
  for (const BatchToken& entry : batch) {
    if (entry.slot == computing) {
      contents_of(entry.slot).add_computed({&entry.token, 1});
    } else {
      contents_of(entry.slot).add_generated(entry.token);
    }
  }
  if (computing >= 0 && contents_of(computing).positions() == static_cast<int>(running_in(computing)->request.prompt.size())) {
    prefill_slot = -1;
    running_in(computing)->written_from = Clock::now();
    if (running_in(computing)->request.options.max_tokens == 0) finish(computing, FinishReason::length);
  }
  int row = 0;
  for (const BatchToken& entry : batch) {
    if (entry.wants_logits) write(entry.slot, row++);
  }
}

/// Samples the decode rows of the pass: on the device where it can, while it still computes; the other rows' logits come to the host.
void Scheduler::State::choose_tokens() {
  rules.clear();
  choice_of.clear();
  for (const BatchToken& entry : batch) {
    if (!entry.wants_logits) continue;
    const std::optional<TokenRule> rule = rule_of(entry.slot);
    const bool chooses = rule && model.forward().chooses(*rule);
    choice_of.push_back(chooses ? static_cast<int>(rules.size()) : -1);
    if (!chooses) continue;
    rules.push_back(*rule);
    rules.back().row = static_cast<std::int32_t>(choice_of.size()) - 1;
  }
  choices.resize(rules.size());
  if (!rules.empty()) model.forward().choose(rules.data(), static_cast<int>(rules.size()), choices.data());
  for (std::size_t row = 0; row < choice_of.size(); row++) {
    if (choice_of[row] < 0) model.forward().logits(static_cast<int>(row));
  }
}

/// An error here is thrown again when the sequence goes on, and there it fails that sequence alone.
std::optional<TokenRule> Scheduler::State::rule_of(int slot) {
  try {
    return running_in(slot)->generation.rule();
  } catch (...) {
    return std::nullopt;
  }
}

void Scheduler::State::write(int slot, int row) {
  Running& here = *running_in(slot);
  try {
    TokenChunk chunk;
    const int choice = choice_of[static_cast<std::size_t>(row)];
    const LogitSource logits = [&] { return choice < 0 ? model.forward().fetched(row) : model.forward().logits(row); };
    const std::optional<FinishReason> reason = here.generation.next(choice < 0 ? nullptr : &choices[static_cast<std::size_t>(choice)], logits, chunk);
    if (here.request.on_chunk && !(chunk.empty())) here.request.on_chunk(std::move(chunk));
    if (reason) finish(slot, *reason);
  } catch (...) {
    // Logits that are not finite may come from keys and values that are not.
    contents_of(slot).take(contents_of(slot), 0);
    fail(slot, as_error(std::current_exception()));
  }
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
  const Clock::time_point now = Clock::now();
  GenerateResult result{};
  result.reason = reason;
  result.stop_string = ended.generation.stop_string().value_or("");
  result.prompt_tokens = static_cast<int>(ended.request.prompt.size());
  result.cached_tokens = ended.cached;
  result.tokens = ended.generation.tokens();
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
  state_->queue.push_back({std::move(request), Clock::now()});
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
