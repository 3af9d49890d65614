#include "llm/sampling/weights.h"

#include "llm/sampling/exponential.h"

namespace lectern::llm {
namespace {

[[gnu::always_inline]] inline void weigh_each(const float* logits, std::size_t count, WeightScale scale, double* weights) {
  for (std::size_t i = 0; i < count; i++) {
    weights[i] = exponential((static_cast<double>(logits[i]) - scale.greatest) * scale.inverse_temperature);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void weigh_avx2(const float* logits, std::size_t count, WeightScale scale, double* weights) {
  weigh_each(logits, count, scale, weights);
}

[[gnu::target("avx512f,avx512dq,prefer-vector-width=512")]]
void weigh_avx512(const float* logits, std::size_t count, WeightScale scale, double* weights) {
  weigh_each(logits, count, scale, weights);
}
#endif

}  // namespace

void weigh(const float* logits, std::size_t count, WeightScale scale, double* weights, Instructions level) {
#if defined(__x86_64__)
  if (level == Instructions::avx512) return weigh_avx512(logits, count, scale, weights);
  if (level == Instructions::avx2) return weigh_avx2(logits, count, scale, weights);
#endif
  (void)level;
  weigh_each(logits, count, scale, weights);
}

}  // namespace lectern::llm
