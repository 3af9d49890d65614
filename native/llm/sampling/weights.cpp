#include "llm/sampling/weights.h"

namespace lectern::llm {
namespace {

[[gnu::always_inline]] inline void weigh_each(const float* logits, std::size_t count, WeightScale scale, std::uint64_t* masses) {
  for (std::size_t i = 0; i < count; i++) masses[i] = mass_of(logits[i], scale);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void weigh_avx2(const float* logits, std::size_t count, WeightScale scale, std::uint64_t* masses) {
  weigh_each(logits, count, scale, masses);
}

[[gnu::target("avx512f,avx512dq,prefer-vector-width=512")]]
void weigh_avx512(const float* logits, std::size_t count, WeightScale scale, std::uint64_t* masses) {
  weigh_each(logits, count, scale, masses);
}
#endif

}  // namespace

void weigh(const float* logits, std::size_t count, WeightScale scale, std::uint64_t* masses, Instructions level) {
#if defined(__x86_64__)
  if (level == Instructions::avx512) return weigh_avx512(logits, count, scale, masses);
  if (level == Instructions::avx2) return weigh_avx2(logits, count, scale, masses);
#endif
  (void)level;
  weigh_each(logits, count, scale, masses);
}

}  // namespace lectern::llm
