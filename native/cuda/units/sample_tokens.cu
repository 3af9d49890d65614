// Token sampling: the jobs, and the kernels that each choice needs.
#include <algorithm>

#include "cuda/kernels/sampling/sample_tokens.cuh"
#include "cuda/ops/token_sampling.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

// Client requests stay far below this; longer lists are handled on the CPU.
constexpr std::size_t most_biases = 1024;
constexpr std::size_t most_counts = 4096;

std::size_t rows_of(const OpsShape& shape) { return shape.vocabulary > 0 ? static_cast<std::size_t>(shape.logit_rows) : 0; }
std::size_t jobs_of(const OpsShape& shape) { return 2 * rows_of(shape); }
int tiles_of(const OpsShape& shape) { return (shape.vocabulary + token_tile - 1) / token_tile; }
std::size_t mask_words(int vocabulary) { return (static_cast<std::size_t>(vocabulary) + 31) / 32; }

std::size_t staged_bytes(const OpsShape& shape) {
  constexpr auto filled = StagedCopy::filled;
  const std::size_t of_row = filled(most_biases * sizeof(TokenBias)) + filled(most_counts * sizeof(TokenCount)) + filled(mask_words(shape.vocabulary) * sizeof(std::uint32_t));
  return filled(jobs_of(shape) * sizeof(ChoiceJob)) + rows_of(shape) * of_row;
}

struct Counts {
  explicit Counts(const OpsShape& shape)
      : told(rows_of(shape) > 0 ? staged_bytes(shape) : 0), changed(rows_of(shape) * static_cast<std::size_t>(shape.vocabulary)), tiles(jobs_of(shape) * static_cast<std::size_t>(tiles_of(shape))),
        searches(jobs_of(shape) * (2 * search_steps + 1)), histograms(jobs_of(shape) * 2 * search_steps * digits) {}
  std::size_t told, changed, tiles, searches, histograms;
};

}  // namespace

TokenSampling::TokenSampling(const OpsShape& shape, Stream stream)
    : stream_(stream), vocabulary_(shape.vocabulary), tiles_(tiles_of(shape)), staged_(Counts(shape).told),
      changed_(Counts(shape).changed), extremes_(jobs_of(shape)), sums_(Counts(shape).tiles), searches_(Counts(shape).searches), histograms_(Counts(shape).histograms), results_(rows_of(shape)) {}

std::size_t TokenSampling::bytes(const OpsShape& shape) {
  const Counts counts(shape);
  return counts.told + sizeof(float) * counts.changed + sizeof(RowExtreme) * jobs_of(shape) + sizeof(TileSum) * counts.tiles + sizeof(Search) * counts.searches + sizeof(std::uint64_t) * counts.histograms +
         sizeof(TokenChoice) * rows_of(shape) + 7 * 256;
}

bool TokenSampling::takes(const TokenRule& rule) const {
  return vocabulary_ > 0 && static_cast<std::size_t>(rule.bias_count) <= most_biases && static_cast<std::size_t>(rule.count_count) <= most_counts && rule.logprobs <= most_device_logprobs;
}

ChoiceJob TokenSampling::job_of(const TokenRule& rule, int row, const float* logits) {
  ChoiceJob job{};
  job.kind = rule.inverse_temperature > 0 ? JobKind::draw : JobKind::best;
  job.logits = logits + static_cast<std::ptrdiff_t>(rule.row) * vocabulary_;
  job.biases = staged_.add(rule.biases, static_cast<std::size_t>(rule.bias_count));
  job.counts = staged_.add(rule.counts, static_cast<std::size_t>(rule.count_count));
  job.allowed = rule.allowed == nullptr ? nullptr : staged_.add(rule.allowed, mask_words(vocabulary_));
  job.bias_count = rule.bias_count;
  job.count_count = rule.count_count;
  job.penalties = rule.penalties;
  if (rule.bias_count > 0 || rule.count_count > 0 || rule.allowed != nullptr) job.changed = changed_.get() + static_cast<std::ptrdiff_t>(row) * vocabulary_;
  job.row = row;
  if (job.kind == JobKind::best) return job;
  job.inverse_temperature = rule.inverse_temperature;
  job.top_k = rule.top_k;
  job.top_p = rule.top_p;
  job.min_p = rule.min_p;
  job.draw = rule.draw;
  return job;
}

void TokenSampling::choose(const TokenRule* rules, int count, const float* logits, TokenChoice* choices) {
  staged_.begin();
  const ChoiceJob* there = nullptr;
  ChoiceJob* const jobs = staged_.room<ChoiceJob>(static_cast<std::size_t>(2 * count), there);
  int job_count = 0;
  bool searches_counts = false;
  bool searches_masses = false;
  bool sums = false;
  for (int i = 0; i < count; ++i) {
    const TokenRule& rule = rules[i];
    const ChoiceJob job = job_of(rule, i, logits);
    jobs[job_count++] = job;
    searches_counts = searches_counts || job.top_k > 0;
    searches_masses = searches_masses || (job.kind == JobKind::draw && job.top_p < 1);
    sums = sums || job.kind == JobKind::draw;
    if (rule.logprobs < 0) continue;
    ChoiceJob list{};
    list.kind = JobKind::list;
    list.logits = job.logits;
    list.inverse_temperature = 1;
    list.top_k = rule.logprobs;
    list.row = i;
    jobs[job_count++] = list;
    searches_counts = searches_counts || list.top_k > 0;
    sums = true;
  }
  staged_.send(stream_);
  const ChoiceSpace space{there, extremes_.get(), sums_.get(), searches_.get(), histograms_.get(), results_.get(), vocabulary_, tiles_};
  clear(stream_, extremes_.get(), static_cast<std::size_t>(job_count) * sizeof(RowExtreme));
  if (searches_counts || searches_masses) clear(stream_, histograms_.get(), static_cast<std::size_t>(job_count) * 2 * search_steps * digits * sizeof(std::uint64_t));
  launch_all(space, job_count, searches_counts, searches_masses, sums);
  check_launches();
  copy_to_host(stream_, choices, results_.get(), static_cast<std::size_t>(count) * sizeof(TokenChoice));
}

void TokenSampling::launch_all(const ChoiceSpace& space, int jobs, bool searches_counts, bool searches_masses, bool sums) const {
  const Grid all{tiles_, jobs};
  launch(stream_, prepare_logits, all, choice_threads, space);
  int previous = -1;
  for (int step = 0; step < 2 * search_steps; ++step) {
    if (!(step < search_steps ? searches_counts : searches_masses)) continue;
    launch(stream_, count_digits, all, choice_threads, space, step, previous);
    previous = step;
  }
  if (sums) launch(stream_, sum_tiles, all, choice_threads, space, previous);
  launch(stream_, choose_from_rows, Grid{jobs}, choice_threads, space);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
