// What a scheduler holds: its queue, its slots and the rows of the pass. Included by scheduler.cpp and scheduler_pass.cpp alone.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "llm/generation.h"
#include "llm/scheduler.h"
#include "llm/speculation/pass_costs.h"
#include "llm/speculation/text_draft.h"

namespace lectern::llm {

using SchedulerClock = std::chrono::steady_clock;

inline double milliseconds(SchedulerClock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

inline bool held(const GenerateRequest& request) { return request.cancel && request.cancel->held(); }

struct Waiting {
  GenerateRequest request;
  SchedulerClock::time_point since;
};

/// A request with a slot: first its prompt is prefilled, then it is decoded.
struct Running {
  GenerateRequest request;
  Generation generation;
  int cached;
  SchedulerClock::time_point submitted, started, written_from{};
  std::optional<TextDraft> draft{};  // from the first decode row on, unless the request wants none
  int drafted = 0;
  int accepted = 0;
};

struct Scheduler::State {
  State(Model& model_, const Tokenizer& tokenizer_);

  void check(const GenerateRequest& request) const;
  Generation make_generation(const GenerateRequest& request);

  void drop_cancelled();
  void start_next();
  void start(Waiting& waiting);
  void compose();
  void compose_decode();
  void propose(int slot);
  bool may_follow(int slot);
  int chunk_end(int from, int prompt_tokens, int others) const;
  void run_pass();
  void choose_tokens();
  std::optional<TokenRule> rule_of(int slot);
  void keep_rows();
  void write_rows();
  void write(int slot, int row, std::span<const BatchToken> rows);
  bool write_one(int slot, int row, const TokenChoice* choice);
  const TokenChoice* choose_draft_row(int slot, int row);

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
  std::vector<int> decoding;                    // the slots with decode rows
  std::vector<const TextDraft*> drafts;         // as decoding; null: none
  std::vector<int> least;                       // as decoding: rows of the draft that are verified whatever they cost
  std::vector<TokenRule> rules;                 // of the rows that the device samples
  std::vector<TokenChoice> choices;             // as rules
  std::vector<int> choice_of;                   // for each row with logits: its index in choices, not_chosen or of_draft_row
  TokenChoice draft_choice{};                   // of the draft row that is being verified
  PassCosts costs;
  std::uint64_t uses = 0;
  bool closed = false;
  std::shared_ptr<const TokenTrie> trie;     // from the first grammar on
  std::shared_ptr<const Triggers> triggers;  // of the last request that had any: those of a chat format rarely change
  std::shared_ptr<const SequenceBreakers> breakers;  // likewise
};

}  // namespace lectern::llm
