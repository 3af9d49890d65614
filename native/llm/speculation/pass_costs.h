// What a decode pass costs by the number of its rows, as measured, and how many draft rows are worth it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "llm/speculation/text_draft.h"

namespace lectern::llm {

/// Moving means of the time of passes with decode rows alone.
class PassCosts {
 public:
  static constexpr int most_rows = most_draft_pass;

  void add(int rows, double milliseconds);
  /// Nothing is known of the text that passes are about now.
  void forget();
  /// Whether a pass of so many rows was measured lately.
  bool fresh(int rows) const;
  /// Of a pass with so many rows, 1 to most_rows; in milliseconds, or in passes of one row where none was measured.
  double estimate(int rows) const;

 private:
  struct Measured {
    double milliseconds = 0;
    std::uint64_t pass = 0;  // the last one; 0: none
    int unmeasured = 2;      // first passes that are left out: a device loads kernels in the one and records the other
  };

  bool known(int rows) const;
  const Measured& of(int rows) const { return measured_[static_cast<std::size_t>(rows - 1)]; }

  std::array<Measured, most_rows> measured_;
  std::uint64_t passes_ = 0;
};

/// How many tokens of each draft a pass should verify, so that it gives the most tokens a second. Where a pass without drafts was not measured lately there are none. Else, from no draft on, the row that is most probably right joins as long as the
/// expected tokens rise by more than the estimated time does. `drafts`: of the sequences in the pass, null for one without; `at_least`: so many of a draft join in any case; `most_rows`: of the pass.
std::vector<int> choose_draft_lengths(const std::vector<const TextDraft*>& drafts, const std::vector<int>& at_least, int most_rows, const PassCosts& costs);

}  // namespace lectern::llm
