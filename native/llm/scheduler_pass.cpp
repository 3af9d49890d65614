// The composition of each pass, and what becomes of its rows.
#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

#include "llm/scheduler_state.h"

namespace lectern::llm {
namespace {

constexpr int not_chosen = -1;    // on the device: its logits are on the host
constexpr int of_draft_row = -2;  // sampled when the row before it is
/// Tokens that are left to a sequence, below which no text is indexed for its drafts.
constexpr int shortest_answer = 8;
/// The end of a prompt that drafts come from: indexing a token takes some 0.6 us and at most 200 bytes of host memory.
constexpr std::size_t indexed_tokens = 32'768;

}  // namespace

/// The end of the prefill chunk that begins at `from`, beside `others` decode rows in the pass.
int Scheduler::State::chunk_end(int from, int prompt_tokens, int others) const {
  int room = model.forward().rows() - others;
  // While other sequences decode, their next tokens wait for no more than one tile of prefill.
  if (others > 0) room = std::min(room, position_tile);
  if (from + room >= prompt_tokens) return prompt_tokens;
  return room < position_tile ? from + room : (from + room) / position_tile * position_tile;
}

/// Drafts the next tokens of a sequence.
void Scheduler::State::propose(int slot) {
  Running& here = *running_in(slot);
  const int most = std::min({here.request.options.draft_max, model.draft(), here.generation.left() - 1});
  if (most <= 0) return here.draft.reset();
  if (!here.draft) {
    if (here.generation.left() < shortest_answer && here.request.options.draft_min == 0) return;
    const std::vector<TokenId>& text = contents_of(slot).tokens();
    here.draft.emplace(std::span(text).last(std::min(text.size(), indexed_tokens)));
    here.draft->add(here.generation.last());
  }
  here.draft->propose(most);
}

/// Whether the grammar leaves the draft a chance. An error here is thrown again when the token is chosen, and there it fails that sequence alone.
bool Scheduler::State::may_follow(int slot) {
  try {
    return running_in(slot)->generation.allows(running_in(slot)->draft->tokens().front());
  } catch (...) {
    return false;
  }
}

/// The decode rows of the pass. Beside prefill rows there are no drafts: such a pass is long whatever joins it.
void Scheduler::State::compose_decode() {
  decoding.clear();
  for (int i = 0; i < slots(); i++) {
    if (running_in(i) && i != prefill_slot && !held(running_in(i)->request)) decoding.push_back(i);
  }
  drafts.assign(decoding.size(), nullptr);
  least.assign(decoding.size(), 0);
  for (std::size_t i = 0; i < decoding.size() && prefill_slot < 0; i++) {
    propose(decoding[i]);
    const Running& here = *running_in(decoding[i]);
    if (here.draft) drafts[i] = &*here.draft;
    // No sequence may slow another.
    least[i] = decoding.size() == 1 ? here.request.options.draft_min : 0;
  }
  std::vector<int> lengths = choose_draft_lengths(drafts, least, std::min(model.forward().rows(), model.forward().logit_rows()), costs);
  for (std::size_t i = 0; i < decoding.size(); i++) {
    const int slot = decoding[i];
    if (lengths[i] > 0 && !may_follow(slot)) lengths[i] = 0;
    const int position = contents_of(slot).positions();
    batch.push_back({running_in(slot)->generation.last(), slot, position, true, true});
    for (int j = 0; j < lengths[i]; j++) batch.push_back({drafts[i]->tokens()[static_cast<std::size_t>(j)], slot, position + 1 + j, true, true});
    running_in(slot)->drafted += lengths[i];
  }
}

void Scheduler::State::compose() {
  batch.clear();
  compose_decode();
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
  const SchedulerClock::time_point began = SchedulerClock::now();
  compose();
  if (batch.empty()) return;
  // A pass with prefill rows of one prompt alone can be cancelled between layers; with rows of others in it, the pass is short.
  const bool alone = batch.front().slot == prefill_slot;
  const Cancel* cancel = alone ? running_in(prefill_slot)->request.cancel.get() : nullptr;
  const bool alone_decoding = prefill_slot < 0;
  const auto rows = static_cast<int>(batch.size());
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
  keep_rows();
  write_rows();
  if (alone_decoding) costs.add(rows, milliseconds(SchedulerClock::now() - began));
}

/// The KV cache holds the tokens of the pass now, whatever becomes of their sequences; those of drafts are kept as they turn out to be right.
void Scheduler::State::keep_rows() {
  const int computing = prefill_slot;
  int before = -1;
  for (const BatchToken& entry : batch) {
    if (entry.slot == computing) {
      contents_of(entry.slot).add_computed({&entry.token, 1});
    } else if (entry.slot != before) {
      contents_of(entry.slot).add_generated(entry.token);
    }
    before = entry.slot;
  }
  if (computing >= 0 && contents_of(computing).positions() == static_cast<int>(running_in(computing)->request.prompt.size())) {
    prefill_slot = -1;
    running_in(computing)->written_from = SchedulerClock::now();
    if (running_in(computing)->request.options.max_tokens == 0) finish(computing, FinishReason::length);
  }
}

void Scheduler::State::write_rows() {
  int row = 0;
  for (std::size_t i = 0; i < batch.size();) {
    std::size_t end = i + 1;
    while (end < batch.size() && batch[end].slot == batch[i].slot && batch[end].is_decode) end++;
    if (batch[i].wants_logits) {
      write(batch[i].slot, row, {&batch[i], end - i});
      row += static_cast<int>(end - i);
    }
    i = end;
  }
}

/// Samples the next token of each sequence of the pass: on the device where it can, while it still computes; the other rows' logits come to the host. What follows in drafts depends on these
/// tokens: choose_draft_row() samples it.
void Scheduler::State::choose_tokens() {
  rules.clear();
  choice_of.clear();
  int before = -1;
  for (const BatchToken& entry : batch) {
    if (!entry.wants_logits) continue;
    const bool of_draft = entry.slot == before;
    before = entry.slot;
    if (of_draft) {
      choice_of.push_back(of_draft_row);
      continue;
    }
    const std::optional<TokenRule> rule = rule_of(entry.slot);
    const bool chooses = rule && model.forward().chooses(*rule);
    choice_of.push_back(chooses ? static_cast<int>(rules.size()) : not_chosen);
    if (!chooses) continue;
    rules.push_back(*rule);
    rules.back().row = static_cast<std::int32_t>(choice_of.size()) - 1;
  }
  choices.resize(rules.size());
  if (!rules.empty()) model.forward().choose(rules.data(), static_cast<int>(rules.size()), choices.data());
  for (std::size_t row = 0; row < choice_of.size(); row++) {
    if (choice_of[row] == not_chosen) model.forward().logits(static_cast<int>(row));
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

/// Writes the tokens that the rows of a slot give: the first row's, and those of draft rows as long as the token before them is the one that was drafted.
void Scheduler::State::write(int slot, int row, std::span<const BatchToken> rows) {
  try {
    for (std::size_t i = 0; i < rows.size(); i++) {
      const int at = row + static_cast<int>(i);
      const int choice = choice_of[static_cast<std::size_t>(at)];
      if (!write_one(slot, at, choice == of_draft_row ? choose_draft_row(slot, at) : choice < 0 ? nullptr : &choices[static_cast<std::size_t>(choice)])) return;
      if (i + 1 == rows.size() || running_in(slot)->generation.last() != rows[i + 1].token) return;
      running_in(slot)->accepted++;
      contents_of(slot).add_generated(rows[i + 1].token);
    }
  } catch (...) {
    // Logits that are not finite may come from keys and values that are not.
    contents_of(slot).take(contents_of(slot), 0);
    fail(slot, as_error(std::current_exception()));
  }
}

/// False where the sequence ended with this token.
bool Scheduler::State::write_one(int slot, int row, const TokenChoice* choice) {
  Running& here = *running_in(slot);
  TokenChunk chunk;
  const LogitSource logits = [&] { return choice == nullptr ? model.forward().fetched(row) : model.forward().logits(row); };
  const std::optional<FinishReason> reason = here.generation.next(choice, logits, chunk);
  if (!reason && here.draft) here.draft->add(here.generation.last());
  if (here.request.on_chunk && !(chunk.empty())) here.request.on_chunk(std::move(chunk));
  if (reason) finish(slot, *reason);
  return !reason;
}

/// The device's choice for a draft row, or null where its logits were brought to the host.
const TokenChoice* Scheduler::State::choose_draft_row(int slot, int row) {
  std::optional<TokenRule> rule = rule_of(slot);
  if (!rule || !model.forward().chooses(*rule)) {
    model.forward().logits(row);
    return nullptr;
  }
  rule->row = row;
  model.forward().choose(&*rule, 1, &draft_choice);
  return &draft_choice;
}

}  // namespace lectern::llm
