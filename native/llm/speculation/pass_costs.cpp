#include "llm/speculation/pass_costs.h"

#include <algorithm>

namespace lectern::llm {
namespace {

/// The part of a moving mean that a new time makes.
constexpr double new_part = 0.2;
/// A time that was not measured again in so many passes is forgotten: the text is longer now, and a pause of the host may have spoilt it.
constexpr std::uint64_t remembered_passes = 256;
/// After so many passes one without drafts measures again what all others are compared with.
constexpr std::uint64_t fresh_passes = 32;
/// A pass that took longer than so many times the mean counts as that long: the host paused.
constexpr double longest_part = 2;
/// A row whose token is less probably right does not join: means of times are not exact enough for it.
constexpr double least_gain = 0.05;
/// What a further row adds to a pass before it was measured, in passes of one row.
constexpr double row_cost = 0.25;

struct Extension {
  std::size_t sequence;
  double gain;  // the probability that the row's token is right
};

}  // namespace

void PassCosts::add(int rows, double milliseconds) {
  passes_++;
  if (rows < 1 || rows > most_rows) return;
  Measured& here = measured_[static_cast<std::size_t>(rows - 1)];
  if (here.unmeasured > 0) {
    here.unmeasured--;
    return;
  }
  const double bounded = std::min(milliseconds, longest_part * here.milliseconds);
  here.milliseconds = known(rows) ? here.milliseconds + new_part * (bounded - here.milliseconds) : milliseconds;
  here.pass = passes_;
}

void PassCosts::forget() {
  for (Measured& each : measured_) each.pass = 0;
}

bool PassCosts::fresh(int rows) const { return rows <= most_rows && of(rows).pass != 0 && passes_ - of(rows).pass <= fresh_passes; }

bool PassCosts::known(int rows) const { return of(rows).pass != 0 && passes_ - of(rows).pass <= remembered_passes; }

double PassCosts::estimate(int rows) const {
  if (known(rows)) return of(rows).milliseconds;
  int below = rows - 1;
  while (below > 0 && !known(below)) below--;
  int above = rows + 1;
  while (above <= most_rows && !known(above)) above++;
  const bool has_above = above <= most_rows;
  if (below > 0 && has_above) return of(below).milliseconds + (of(above).milliseconds - of(below).milliseconds) * (rows - below) / (above - below);
  const auto relative = [](int count) { return 1 + row_cost * (count - 1); };
  if (below > 0) return of(below).milliseconds * relative(rows) / relative(below);
  return has_above ? of(above).milliseconds * relative(rows) / relative(above) : relative(rows);
}

std::vector<int> choose_draft_lengths(const std::vector<const TextDraft*>& drafts, const std::vector<int>& at_least, int most_rows, const PassCosts& costs) {
  std::vector<int> lengths(drafts.size(), 0);
  std::vector<double> right(drafts.size(), 1);  // the probability that the whole draft of lengths[i] is
  auto rows = static_cast<int>(drafts.size());
  double tokens = rows;
  const bool measured = rows > 0 && costs.fresh(rows);
  most_rows = std::min(most_rows, PassCosts::most_rows);
  const auto drafted = [&](std::size_t i) { return drafts[i] == nullptr ? 0 : static_cast<int>(drafts[i]->tokens().size()); };
  while (rows < most_rows) {
    Extension best{drafts.size(), 0};
    bool due = false;
    for (std::size_t i = 0; i < drafts.size(); i++) {
      if (lengths[i] >= drafted(i)) continue;
      const bool wanted = lengths[i] < at_least[i];
      const double gain = right[i] * drafts[i]->chance(lengths[i]);
      if (best.sequence == drafts.size() || (wanted && !due) || (wanted == due && gain > best.gain)) best = {i, gain};
      due = due || wanted;
    }
    if (best.sequence == drafts.size()) break;
    if (!due && (!measured || best.gain < least_gain || (tokens + best.gain) * costs.estimate(rows) <= tokens * costs.estimate(rows + 1))) break;
    lengths[best.sequence]++;
    right[best.sequence] = best.gain;
    tokens += best.gain;
    rows++;
  }
  return lengths;
}

}  // namespace lectern::llm
