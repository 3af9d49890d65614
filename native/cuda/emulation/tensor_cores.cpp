// Emulates cuda/simt/tensor_cores.h: each lane computes its own accumulators from the fragments of the warp, by the layouts of the PTX manual.
#include "cuda/simt/tensor_cores.h"

#include <array>
#include <cstring>
#include <vector>

#include "cuda/emulation/faults.h"
#include "tensor/half.h"

namespace lectern::cuda::emulation {

bool mma_s8_is_wrong = false;

}  // namespace lectern::cuda::emulation

namespace lectern::cuda_emulated {
namespace {

namespace emulation = cuda::emulation;
using emulation::fault;

void check_aligned(const void* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % 16 != 0) fault("an address of 16 bytes that is not aligned to them");
}
void check_word(const void* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % 4 != 0) fault("an address of 4 bytes that is not aligned to them");
}

struct Operands {
  const Word* a;
  const Word* b;
};

/// The registers of the warp while all lanes wait.
class Operation {
 public:
  Operation(const Word (&a)[4], const Word (&b)[2]) : own_{a, b}, lanes_(emulation::show(&own_)) {}
  ~Operation() { emulation::warp_barrier(); }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  Word a(int lane, int index) const { return of(lane).a[index]; }
  Word b(int lane, int index) const { return of(lane).b[index]; }
  /// Row and column of accumulator i of this lane.
  static int row(int i) { return lane() / 4 + 8 * (i / 2); }
  static int column(int i) { return 2 * (lane() % 4) + i % 2; }

 private:
  static int lane() { return thread_number() % 32; }
  const Operands& of(int lane) const { return *static_cast<const Operands*>(lanes_[lane]); }

  Operands own_;
  const void* const* lanes_;
};

/// c += a b with 16-bit elements, which `value` converts to floats.
template <class Value>
void mma_16_bit(float (&c)[4], const Word (&a)[4], const Word (&b)[2], const Value& value) {
  const Operation operation(a, b);
  for (int i = 0; i < 4; ++i) {
    const int row = Operation::row(i);
    const int column = Operation::column(i);
    for (int k = 0; k < 16; ++k) {
      const int part = k % 8 / 2;
      const int shift = 16 * (k % 2);
      c[i] += value(operation.a(4 * (row % 8) + part, row / 8 + 2 * (k / 8)) >> shift) * value(operation.b(4 * column + part, k / 8) >> shift);
    }
  }
}

/// Copies of a thread that were not waited for. The bytes appear when they must, not before.
struct Copy {
  void* to;
  const void* from;  // null: zeros
  std::size_t bytes;
};
struct Copies {
  std::uint64_t block = 0;
  std::vector<std::vector<Copy>> groups{{}};
};

Copies& bulk_copy_count() {
  static std::array<Copies, 1024> all;
  Copies& own = all[static_cast<std::size_t>(thread_number())];
  if (own.block != emulation::blocks_begun) own = {emulation::blocks_begun, {{}}};
  return own;
}

void load(Word (&r)[4], const void* row, bool transposed) {
  check_aligned(row);
  const void* const* rows = emulation::show(row);
  const int lane = thread_number() % 32;
  for (int i = 0; i < 4; ++i) {
    std::uint16_t two[2];
    for (int k = 0; k < 2; ++k) {
      const int at_row = transposed ? 2 * (lane % 4) + k : lane / 4;
      const int element = transposed ? lane / 4 : 2 * (lane % 4) + k;
      two[k] = static_cast<const std::uint16_t*>(rows[8 * i + at_row])[element];
    }
    r[i] = two[0] | static_cast<Word>(two[1]) << 16;
  }
  emulation::warp_barrier();
}

}  // namespace

void mma_f16(float (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
  // The conversion takes the time.
  static const std::vector<float> values = [] {
    std::vector<float> all;
    for (unsigned half = 0; half < 65536; ++half) all.push_back(float_from_f16(static_cast<std::uint16_t>(half)));
    return all;
  }();
  mma_16_bit(c, a, b, [](Word half) { return values[half & 0xFFFFU]; });
}

void mma_bf16(float (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
  mma_16_bit(c, a, b, [](Word brain) { return float_of_bits(brain << 16); });
}

void mma_tf32(float (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
  const Operation operation(a, b);
  // The hardware reads no further bits of the mantissa.
  const auto value = [](Word bits) { return float_of_bits(bits & 0xFFFFE000U); };
  for (int i = 0; i < 4; ++i) {
    const int row = Operation::row(i);
    for (int k = 0; k < 8; ++k) {
      c[i] += value(operation.a(4 * (row % 8) + k % 4, row / 8 + 2 * (k / 4))) * value(operation.b(4 * Operation::column(i) + k % 4, k / 4));
    }
  }
}

void mma_s8(int (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
  const Operation operation(a, b);
  const auto value = [](Word bytes, int k) { return static_cast<int>(static_cast<std::int8_t>(bytes >> (8 * (k % 4)))); };
  for (int i = 0; i < 4; ++i) {
    const int row = Operation::row(i);
    if (emulation::mma_s8_is_wrong && row == 0) c[i] += 100;
    for (int k = 0; k < 32; ++k) {
      const int part = k % 16 / 4;
      c[i] += value(operation.a(4 * (row % 8) + part, row / 8 + 2 * (k / 16)), k) * value(operation.b(4 * Operation::column(i) + part, k / 16), k);
    }
  }
}

void ldmatrix(Word (&r)[4], const void* row) { load(r, row, false); }
void ldmatrix_transposed(Word (&r)[4], const void* row) { load(r, row, true); }

void cp_async_16(void* shared, const void* global, bool wanted) {
  check_aligned(shared);
  check_aligned(global);
  // A read before the wait finds NaNs.
  std::memset(shared, 0xFF, 16);
  bulk_copy_count().groups.back().push_back({shared, wanted ? global : nullptr, 16});
}

void cp_async_4(void* shared, const void* global, bool wanted) {
  check_word(shared);
  check_word(global);
  std::memset(shared, 0xFF, 4);
  bulk_copy_count().groups.back().push_back({shared, wanted ? global : nullptr, 4});
}

void cp_async_commit() { bulk_copy_count().groups.emplace_back(); }

void cp_async_wait(int later) {
  auto& groups = bulk_copy_count().groups;
  // The last group is open: its copies are not committed yet.
  while (groups.size() > static_cast<std::size_t>(later) + 1) {
    for (const Copy& copy : groups.front()) {
      if (copy.from == nullptr) std::memset(copy.to, 0, copy.bytes);
      else std::memcpy(copy.to, copy.from, copy.bytes);
    }
    if (!groups.front().empty()) wrote_to_shared();
    groups.erase(groups.begin());
  }
}

Word pack_bf16(float low, float high) { return bf16_from_float(low) | static_cast<Word>(bf16_from_float(high)) << 16; }
Word pack_f16(float low, float high) { return f16_from_float(low) | static_cast<Word>(f16_from_float(high)) << 16; }

Word subtract_f16x2(Word a, Word b) {
  const auto half = [](Word word, int i) { return float_from_f16(static_cast<std::uint16_t>(word >> (16 * i))); };
  return pack_f16(half(a, 0) - half(b, 0), half(a, 1) - half(b, 1));
}

Word round_tf32(float value) {
  // To nearest, ties away from zero; a NaN stays.
  const Word bits = bits_of_float(value);
  return (bits & 0x7F800000U) == 0x7F800000U ? bits : (bits + 0x1000U) & 0xFFFFE000U;
}


}  // namespace lectern::cuda_emulated
