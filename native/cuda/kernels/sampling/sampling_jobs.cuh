// The data of token sampling: the jobs that the host describes, and what one kernel leaves for the next.
#pragma once

#include "backend/token_rule.h"
#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int choice_threads = 128;
constexpr int tokens_per_thread = 8;
constexpr int token_tile = choice_threads * tokens_per_thread;
constexpr int digit_bits = 8;
constexpr int digits = 1 << digit_bits;
/// Steps of a search: the digits of 32 bits.
constexpr int search_steps = 32 / digit_bits;
static_assert(digits == 2 * choice_threads, "a thread looks at two digits");

/// A job is one choice among the tokens of a row: the next token, or the list of the best for logprobs.
enum class JobKind { draw, best, list };

/// On the device, as are all its addresses.
struct ChoiceJob {
  JobKind kind;
  const float* logits;     // (vocabulary) as the model gave them
  float* changed;          // (vocabulary) with what changes them, or null where nothing does
  const TokenBias* biases;
  const TokenCount* counts;
  const std::uint32_t* allowed;  // or null
  Penalties penalties;
  double inverse_temperature;
  double top_p;  // 1: all
  double min_p;  // 0: all
  std::uint64_t draw;
  int bias_count;
  int count_count;
  int top_k;  // 0: all; of `list` how many are wanted
  int row;    // of the result
};

/// What prepare_logits() found in a row; zeros before.
struct RowExtreme {
  std::uint64_t best;     // the key of the greatest logit after the changes, above 2^32 - 1 - the first id that has it
  std::uint64_t unsound;  // unchanged logits that are NaN or +inf: threads that saw one
};

/// The tokens that are kept: those whose keys are above `floor`, and the first `equals` of those that have it.
struct Search {
  std::uint64_t left;    // of what is wanted, within the digits found so far
  std::uint64_t equals;
  std::uint32_t floor;
  std::uint32_t prefix;  // the digits found so far, of a search that is under way
  int idle;              // nothing to find: fewer tokens have a chance than are wanted
};

struct TileSum {
  std::uint64_t mass;  // of the tokens above the floor
  int above;           // how many they are
  int equals;          // tokens at the floor
};

/// Memory of the kernels: each array by job, then by tile or step. Extremes and histograms are zeros at the beginning.
struct ChoiceSpace {
  const ChoiceJob* jobs;
  RowExtreme* extremes;       // (jobs)
  TileSum* sums;              // (jobs, tiles)
  Search* searches;           // (jobs, 2 * search_steps + 1): before each step
  std::uint64_t* histograms;  // (jobs, 2 * search_steps, digits)
  TokenChoice* results;       // (rows)
  int vocabulary;
  int tiles;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
