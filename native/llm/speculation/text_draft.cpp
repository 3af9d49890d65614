#include "llm/speculation/text_draft.h"

namespace lectern::llm {
namespace {

/// What a record weighs before anything is known of its sequence, in tokens.
constexpr double prior_weight = 4;
/// A record forgets all but this part with each token that it judges, so it follows the last thirty or so.
constexpr double kept_part = 0.97;

}  // namespace

TextDraft::TextDraft(std::span<const TokenId> text) {
  // PRIORS
  constexpr std::array<double, shortest.size()> prior = {0.15, 0.35, 0.5, 0.65, 0.8, 0.9};
  for (std::size_t i = 0; i < records_.size(); i++) records_[i] = {prior[i] * prior_weight, prior_weight};
  for (const TokenId token : text) ending_.add(token);
}

void TextDraft::add(TokenId token) {
  if (ending_.length() > 0) {
    ending_.continuation(1, next_);
    Record& record = records_[record_of(ending_.length())];
    record.right = record.right * kept_part + (next_.front() == token ? 1 : 0);
    record.all = record.all * kept_part + 1;
  }
  ending_.add(token);
}

void TextDraft::propose(int most) { ending_.continuation(most, tokens_); }

double TextDraft::chance(int index) const {
  // Each token that is right makes the repeated ending longer by one.
  const Record& record = records_[record_of(ending_.length() + index)];
  return record.right / record.all;
}

std::size_t TextDraft::record_of(int length) {
  std::size_t record = 0;
  while (record + 1 < shortest.size() && shortest[record + 1] <= length) record++;
  return record;
}

}  // namespace lectern::llm
