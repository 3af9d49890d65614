// The next token of each row of logits: biases, penalties, masks, truncations and the draw, by the definition in backend/sampling.h.
//
// A row is divided into tiles, one per block. A choice takes up to ten kernels: change the logits and find the
// greatest; for each truncation find the logit down to which tokens are kept, eight bits of it at a time, by counting
// (top_k) or by mass (top_p); sum the masses of the kept tokens; draw. Masses are integers, so that the order in which blocks and
// threads add them does not matter. The state that one kernel leaves in a histogram is computed again in the next one: no block waits for another.
#pragma once

#include "cuda/kernels/sampling/sampling_jobs.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// The logits as integers of the same order; -0 is 0.
__device__ __forceinline__ std::uint32_t key_of(float logit) {
  const std::uint32_t bits = bits_of_float(logit + 0.0F);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
__device__ __forceinline__ float logit_of(std::uint32_t key) { return float_of_bits((key & 0x80000000U) != 0 ? key & 0x7FFFFFFFU : ~key); }
constexpr std::uint32_t key_of_none = 0x007FFFFFU;  // of -inf

__device__ __forceinline__ const float* logits_of(const ChoiceJob& job) { return job.changed != nullptr ? job.changed : job.logits; }

/// The sum over the threads before this one; `sum` is the sum of all. `shared` holds choice_threads numbers.
__device__ __forceinline__ std::uint64_t sum_before(std::uint64_t value, std::uint64_t* shared, std::uint64_t& sum) {
  const int thread = thread_number();
  synchronise_block();
  shared[thread] = value;
  for (int reach = 1; reach < choice_threads; reach *= 2) {
    synchronise_block();
    const std::uint64_t before = thread >= reach ? shared[thread - reach] : 0;
    synchronise_block();
    shared[thread] += before;
  }
  synchronise_block();
  sum = shared[choice_threads - 1];
  return shared[thread] - value;
}

/// What the other kernels read of the largest logit of a row.
struct Extreme {
  float greatest;
  int id;
  bool sound;
  bool possible;  // no logit is NaN, and a token can be chosen
};

__device__ __forceinline__ Extreme extreme_of(const ChoiceSpace& space, int job) {
  const RowExtreme& extreme = space.extremes[job];
  const auto key = static_cast<std::uint32_t>(extreme.best >> 32);
  const bool sound = extreme.unsound == 0;
  return {logit_of(key), static_cast<int>(UINT32_MAX - static_cast<std::uint32_t>(extreme.best)), sound, sound && key > key_of_none};
}

/// Grid: tiles by jobs.
__global__ void prepare_logits(ChoiceSpace space) {
  LECTERN_SHARED float tile[token_tile];
  LECTERN_SHARED RowExtreme found;
  const ChoiceJob& job = space.jobs[block_y()];
  const int begin = block_x() * token_tile;
  const int count = space.vocabulary - begin < token_tile ? space.vocabulary - begin : token_tile;
  const int thread = thread_number();
  if (thread == 0) found = {0, 0};
  bool sound = true;
  for (int i = thread; i < count; i += choice_threads) {
    tile[i] = job.logits[begin + i];
    // A NaN is not below it either.
    sound = sound && tile[i] < INFINITY;
  }
  synchronise_block();
  if (!sound) atomic_add(&found.unsound, 1);
  for (int i = thread; i < job.bias_count; i += choice_threads) {
    const int at = job.biases[i].id - begin;
    if (at >= 0 && at < count) tile[at] = biased_logit(tile[at], job.biases[i].bias);
  }
  synchronise_block();
  for (int i = thread; i < job.count_count; i += choice_threads) {
    const int at = job.counts[i].id - begin;
    if (at >= 0 && at < count) tile[at] = penalised_logit(tile[at], job.penalties, job.counts[i].count);
  }
  synchronise_block();
  std::uint64_t best = 0;
  for (int i = thread; i < count; i += choice_threads) {
    const bool masked = job.allowed != nullptr && (job.allowed[(begin + i) / 32] >> ((begin + i) % 32) & 1U) == 0;
    const float logit = masked ? -INFINITY : tile[i];
    if (job.changed != nullptr) job.changed[begin + i] = logit;
    const std::uint64_t ranked = static_cast<std::uint64_t>(key_of(logit)) << 32 | (UINT32_MAX - static_cast<std::uint32_t>(begin + i));
    if (ranked > best) best = ranked;
  }
  atomic_max(&found.best, best);
  synchronise_block();
  if (thread != 0) return;
  atomic_max(&space.extremes[block_y()].best, found.best);
  if (found.unsound != 0) atomic_add(&space.extremes[block_y()].unsound, found.unsound);
}

__device__ __forceinline__ bool is_active(const ChoiceJob& job, int step) { return step < search_steps ? job.top_k > 0 : job.kind == JobKind::draw && job.top_p < 1; }

__device__ __forceinline__ std::uint64_t* histogram_of(const ChoiceSpace& space, int job, int step) {
  return space.histograms + (static_cast<std::size_t>(job) * 2 * search_steps + static_cast<std::size_t>(step)) * digits;
}

/// Called by all threads: advances the search from before step `previous` by the histogram of that step.
__device__ __forceinline__ Search after_step(const ChoiceSpace& space, int job_number, int previous, float greatest, std::uint64_t* shared) {
  const ChoiceJob& job = space.jobs[job_number];
  Search search{0, 0, key_of_none, 0, 0};
  if (previous < 0) return search;
  search = space.searches[static_cast<std::size_t>(job_number) * (2 * search_steps + 1) + static_cast<std::size_t>(previous)];
  if (!is_active(job, previous)) return search;
  const int step = previous % search_steps;
  const bool by_mass = previous >= search_steps;
  const int thread = thread_number();
  // The greatest digit first.
  const std::uint64_t* histogram = histogram_of(space, job_number, previous);
  const int first_digit = digits - 1 - 2 * thread;
  const std::uint64_t one = histogram[first_digit];
  const std::uint64_t two = histogram[first_digit - 1];
  std::uint64_t sum = 0;
  const std::uint64_t before = sum_before(one + two, shared, sum);
  const WeightScale scale{static_cast<double>(greatest), 1.0};
  if (step == 0) {
    search.idle = 0;
    search.prefix = 0;
    // The histogram has all tokens at the floor of top_k, of which only some are kept.
    if (by_mass && job.top_k > 0 && search.floor != key_of_none) sum -= mass_of(logit_of(search.floor), scale) * (search.left - search.equals);
    search.left = by_mass ? wanted_mass(job.top_p, sum) : static_cast<std::uint64_t>(job.top_k);
    if (!by_mass && sum < search.left) search.idle = 1;
  }
  if (search.idle != 0) return search;
  const std::uint64_t wanted = search.left;
  LECTERN_SHARED std::uint32_t found_digit;
  LECTERN_SHARED std::uint64_t found_left;
  LECTERN_SHARED std::uint64_t found_size;
  synchronise_block();
  if (before < wanted && before + one + two >= wanted) {
    const bool at_one = before + one >= wanted;
    found_digit = static_cast<std::uint32_t>(at_one ? first_digit : first_digit - 1);
    found_left = wanted - before - (at_one ? 0 : one);
    found_size = at_one ? one : two;
  }
  synchronise_block();
  search.prefix = search.prefix << digit_bits | found_digit;
  search.left = found_left;
  if (step < search_steps - 1) return search;
  search.floor = search.prefix;
  if (by_mass) {
    const std::uint64_t mass = mass_of(logit_of(search.floor), scale);
    search.equals = (search.left + mass - 1) / mass;
  } else {
    search.equals = search.left;
    search.left = found_size;  // the total, for the histogram of the next step
  }
  return search;
}

__device__ __forceinline__ void keep_search(const ChoiceSpace& space, int step, const Search& search) {
  if (block_x() == 0 && thread_number() == 0) space.searches[static_cast<std::size_t>(block_y()) * (2 * search_steps + 1) + static_cast<std::size_t>(step)] = search;
}

/// Grid: tiles by jobs. One digit of a search: `step` below search_steps of top_k, then of top_p; `previous`: the step that ran before it, or
/// -1.
__global__ void count_digits(ChoiceSpace space, int step, int previous) {
  LECTERN_SHARED std::uint64_t counts[digits];
  LECTERN_SHARED std::uint64_t shared[choice_threads];
  const ChoiceJob& job = space.jobs[block_y()];
  const Extreme extreme = extreme_of(space, block_y());
  if (!extreme.possible) return;
  const Search search = after_step(space, block_y(), previous, extreme.greatest, shared);
  keep_search(space, step, search);
  const int digit = step % search_steps;
  const bool by_mass = step >= search_steps;
  if (!is_active(job, step) || (digit > 0 && search.idle != 0)) return;
  const int thread = thread_number();
  synchronise_block();
  counts[2 * thread] = 0;
  counts[2 * thread + 1] = 0;
  synchronise_block();
  const float* logits = logits_of(job);
  const int begin = block_x() * token_tile;
  const int end = space.vocabulary - begin < token_tile ? space.vocabulary : begin + token_tile;
  const int shift = 32 - digit_bits * (digit + 1);
  const WeightScale scale{static_cast<double>(extreme.greatest), 1.0};
  for (int i = begin + thread; i < end; i += choice_threads) {
    const float logit = logits[i];
    const std::uint32_t key = key_of(logit);
    const bool kept = key > search.floor || (key == search.floor && search.equals > 0);
    if (!kept || (digit > 0 && key >> (shift + digit_bits) != search.prefix)) continue;
    atomic_add(counts + (key >> shift) % digits, by_mass ? mass_of(logit, scale) : std::uint64_t{1});
  }
  synchronise_block();
  std::uint64_t* histogram = histogram_of(space, block_y(), step);
  for (int i = thread; i < digits; i += choice_threads) {
    if (counts[i] != 0) atomic_add(histogram + i, counts[i]);
  }
}

/// The masses by which a job chooses: at its own temperature, without the tokens that min_p excludes; at temperature 1 for a list.
struct JobMass {
  WeightScale scale;
  WeightScale plain;
  double min_p;

  __device__ __forceinline__ JobMass(const ChoiceJob& job, float greatest)
      : scale{static_cast<double>(greatest), job.inverse_temperature}, plain{static_cast<double>(greatest), 1.0}, min_p(job.min_p) {}
  __device__ __forceinline__ std::uint64_t operator()(float logit) const {
    if (min_p > 0 && !is_near_best(mass_of(logit, plain), min_p)) return 0;
    return mass_of(logit, scale);
  }
};

/// Grid: tiles by jobs.
__global__ void sum_tiles(ChoiceSpace space, int previous) {
  LECTERN_SHARED std::uint64_t shared[choice_threads];
  const ChoiceJob& job = space.jobs[block_y()];
  if (job.kind == JobKind::best) return;
  const Extreme extreme = extreme_of(space, block_y());
  if (!extreme.possible) return;
  const Search search = after_step(space, block_y(), previous, extreme.greatest, shared);
  keep_search(space, 2 * search_steps, search);
  const JobMass mass(job, extreme.greatest);
  const float* logits = logits_of(job);
  const int begin = block_x() * token_tile;
  const int end = space.vocabulary - begin < token_tile ? space.vocabulary : begin + token_tile;
  std::uint64_t own = 0;
  std::uint64_t counted = 0;  // above the floor; 2^32 for each at it
  for (int i = begin + thread_number(); i < end; i += choice_threads) {
    const float logit = logits[i];
    const std::uint32_t key = key_of(logit);
    if (key > search.floor) ++counted;
    if (key == search.floor) counted += std::uint64_t{1} << 32;
    // A list reports the mass of all tokens, too.
    if (key > search.floor || job.kind == JobKind::list) own += mass(logit);
  }
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  sum_before(own, shared, sum);
  sum_before(counted, shared, count);
  if (thread_number() == 0) {
    space.sums[static_cast<std::size_t>(block_y()) * static_cast<std::size_t>(space.tiles) + static_cast<std::size_t>(block_x())] = {sum, static_cast<int>(count & 0xFFFFFFFFU), static_cast<int>(count >> 32)};
  }
}

/// How many of `equals` tokens at the floor, after `before` of them, are kept.
__device__ __forceinline__ std::uint64_t kept_equals(const Search& search, std::uint64_t before, std::uint64_t equals) {
  const std::uint64_t room = search.equals > before ? search.equals - before : 0;
  return equals < room ? equals : room;
}

/// The state of draw_from_row(): the tile, then the token in it, at which the cumulative mass passes `left`.
struct Target {
  std::uint64_t left;
  std::uint64_t equals;  // tokens at the floor before it
  int at;
};

/// Called by all threads: the token that the draw selects.
__device__ __forceinline__ int draw_from_row(const ChoiceSpace& space, int job_number, const Search& search, float greatest, std::uint64_t* shared) {
  LECTERN_SHARED Target target;
  const ChoiceJob& job = space.jobs[job_number];
  const JobMass mass(job, greatest);
  const std::uint64_t at_floor = search.equals > 0 ? mass(logit_of(search.floor)) : 0;
  const TileSum* sums = space.sums + static_cast<std::size_t>(job_number) * static_cast<std::size_t>(space.tiles);
  const int thread = thread_number();
  // First the total, then the place of the draw in it.
  std::uint64_t left = UINT64_MAX;
  for (int turn = 0; turn < 2; ++turn) {
    std::uint64_t passed = 0;
    std::uint64_t equals_passed = 0;
    for (int first = 0; first < space.tiles; first += choice_threads) {
      const int tile = first + thread;
      const TileSum here = tile < space.tiles ? sums[tile] : TileSum{0, 0, 0};
      const auto equals = static_cast<std::uint64_t>(here.equals);
      std::uint64_t sum = 0;
      const std::uint64_t equals_before = equals_passed + sum_before(equals, shared, sum);
      equals_passed += sum;
      const std::uint64_t own = here.mass + kept_equals(search, equals_before, equals) * at_floor;
      const std::uint64_t before = passed + sum_before(own, shared, sum);
      passed += sum;
      if (before <= left && left - before < own) target = {left - before, equals_before, tile};
    }
    if (turn == 0) left = drawn_mass(job.draw, passed);
  }
  synchronise_block();
  const Target tile = target;
  const float* logits = logits_of(job);
  const int begin = tile.at * token_tile + thread * tokens_per_thread;
  const int rest = space.vocabulary - begin;
  const int count = rest < 0 ? 0 : rest < tokens_per_thread ? rest : tokens_per_thread;
  std::uint64_t equals = 0;
  for (int i = 0; i < count; ++i) equals += key_of(logits[begin + i]) == search.floor ? 1 : 0;
  std::uint64_t sum = 0;
  const std::uint64_t equals_before = tile.equals + sum_before(equals, shared, sum);
  std::uint64_t own = kept_equals(search, equals_before, equals) * at_floor;
  for (int i = 0; i < count; ++i) own += key_of(logits[begin + i]) > search.floor ? mass(logits[begin + i]) : 0;
  const std::uint64_t before = sum_before(own, shared, sum);
  if (before <= tile.left && tile.left - before < own) {
    std::uint64_t in_thread = tile.left - before;
    std::uint64_t passed_equals = equals_before;
    int i = 0;
    for (; i < count - 1; ++i) {
      const std::uint32_t key = key_of(logits[begin + i]);
      std::uint64_t here = key > search.floor ? mass(logits[begin + i]) : 0;
      if (key == search.floor && passed_equals++ < search.equals) here = at_floor;
      if (in_thread < here) break;
      in_thread -= here;
    }
    target.at = begin + i;
  }
  synchronise_block();
  return target.at;
}

/// Called by all threads: the best tokens of the row and the mass of all.
__device__ __forceinline__ void list_row(const ChoiceSpace& space, int job_number, const Search& search, TokenChoice& result, std::uint64_t* shared) {
  LECTERN_SHARED int listed;
  const ChoiceJob& job = space.jobs[job_number];
  const TileSum* sums = space.sums + static_cast<std::size_t>(job_number) * static_cast<std::size_t>(space.tiles);
  const int thread = thread_number();
  if (thread == 0) listed = 0;
  synchronise_block();
  const float* logits = logits_of(job);
  std::uint64_t whole = 0;
  std::uint64_t equals_passed = 0;
  for (int tile = 0; tile < space.tiles; ++tile) {
    const TileSum here = sums[tile];
    whole += here.mass;
    const std::uint64_t kept = kept_equals(search, equals_passed, static_cast<std::uint64_t>(here.equals));
    if (job.top_k > 0 && (here.above > 0 || kept > 0)) {
      const int begin = tile * token_tile + thread * tokens_per_thread;
      const int end = begin + tokens_per_thread < space.vocabulary ? begin + tokens_per_thread : space.vocabulary;
      std::uint64_t equals = 0;
      for (int i = begin; i < end; ++i) equals += key_of(logits[i]) == search.floor ? 1 : 0;
      std::uint64_t sum = 0;
      std::uint64_t passed = equals_passed + sum_before(equals, shared, sum);
      for (int i = begin; i < end; ++i) {
        const std::uint32_t key = key_of(logits[i]);
        if (key > search.floor || (key == search.floor && passed++ < search.equals)) result.best[atomic_add(&listed, 1)] = {i, logits[i]};
      }
    }
    equals_passed += static_cast<std::uint64_t>(here.equals);
  }
  synchronise_block();
  if (thread != 0) return;
  result.sum = whole;
  result.best_count = listed;
}

/// Grid: jobs, the list of a row behind its draw.
__global__ void choose_from_rows(ChoiceSpace space) {
  LECTERN_SHARED std::uint64_t shared[choice_threads];
  const int number = block_x();
  const ChoiceJob& job = space.jobs[number];
  TokenChoice& result = space.results[job.row];
  const Extreme extreme = extreme_of(space, number);
  const int thread = thread_number();
  if (job.kind == JobKind::list) {
    if (thread == 0) result.greatest = extreme.greatest;
    if (extreme.possible) list_row(space, number, space.searches[static_cast<std::size_t>(number) * (2 * search_steps + 1) + 2 * search_steps], result, shared);
    return;
  }
  int id = extreme.id;
  if (extreme.possible && job.kind == JobKind::draw) id = draw_from_row(space, number, space.searches[static_cast<std::size_t>(number) * (2 * search_steps + 1) + 2 * search_steps], extreme.greatest, shared);
  if (thread != 0) return;
  result.outcome = !extreme.sound ? TokenOutcome::unsound : extreme.possible ? TokenOutcome::chosen : TokenOutcome::none_left;
  result.id = id;
  if (extreme.possible) result.logit = job.logits[id];
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
