// A prefill pass whose request was cancelled: how much of the pass is still computed.
#include <atomic>
#include <memory>
#include <vector>

#include "backend/graph_ops.h"
#include "cancel.h"
#include "cpu/backend.h"
#include "cpu/fast_ops.h"
#include "cpu/kernels/kernels.h"
#include "harness.h"
#include "llm/model.h"
#include "opened_model.h"

namespace lectern {
namespace {

using test::check;

constexpr int threads = 2;

/// What the counting kernels see: products of matrices and attention, each a part of an operation.
struct Counts {
  std::atomic<int> begun{0};
  std::atomic<int> after{0};  // begun when the caller had left
  int leaves_at = 0;          // the part in which the caller leaves; 0: it stays
  Cancel* cancel = nullptr;

  void begin() {
    if (cancel != nullptr && cancel->requested()) ++after;
    if (++begun == leaves_at) cancel->request();
  }
};
Counts* counts = nullptr;
const cpu::Kernels* real = nullptr;

template <DType dtype>
void counted_multiply(const std::byte* packed, std::size_t group_bytes, int columns, int groups, const void* activations, int rows, float* out, std::ptrdiff_t stride) {
  counts->begin();
  real->multiply[static_cast<int>(dtype)](packed, group_bytes, columns, groups, activations, rows, out, stride);
}

void counted_attend(const cpu::AttentionTask& task) {
  counts->begin();
  real->attend_f16(task);
}

/// The processor, with kernels that count.
class CountingBackend final : public Backend {
 public:
  explicit CountingBackend(DType dtype) : inner_(cpu::make_backend()), kernels_(*real) {
    kernels_.multiply[static_cast<int>(dtype)] = dtype == DType::f16 ? counted_multiply<DType::f16> : counted_multiply<DType::q8_0>;
    kernels_.attend_f16 = counted_attend;
  }
  Device info() const override { return inner_->info(); }
  void* allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  void release(void* memory) noexcept override { inner_->release(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override { inner_->upload(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { inner_->download(to, from, bytes); }
  void synchronise() override { inner_->synchronise(); }
  int pass_rows() const override { return 64; }
  std::unique_ptr<Ops> make_ops(const OpsShape& shape) override { return std::make_unique<cpu::FastOps>(shape, kernels_); }
  std::unique_ptr<GraphOps> make_graph_ops(int count, FloatStorage storage) override { return inner_->make_graph_ops(count, storage); }
  bool supports(Op op, DType dtype) const override { return inner_->supports(op, dtype); }
  std::size_t ops_bytes(const OpsShape& shape) const override { return inner_->ops_bytes(shape); }
  std::size_t matrix_bytes(DType dtype, std::int64_t rows, std::int64_t columns, int count) const override { return inner_->matrix_bytes(dtype, rows, columns, count); }
  std::size_t table_bytes(DType dtype, std::int64_t rows, std::int64_t columns) const override { return inner_->table_bytes(dtype, rows, columns); }
  std::size_t kv_bytes(const KvShape& shape) const override { return inner_->kv_bytes(shape); }

 private:
  std::unique_ptr<Backend> inner_;
  cpu::Kernels kernels_;
};

LECTERN_TEST("llm: of a text whose caller leaves nothing is begun any more, in whatever part of the pass") {
  Counts counted;
  counts = &counted;
  real = cpu::kernels_of(available_instructions());
  for (const DType dtype : {DType::f16, DType::q8_0}) {
    llm::ModelOptions options;
    options.threads = threads;
    const test::MadeModel made = test::make_model({.architecture = "bert", .dtype = dtype, .kv_heads = 4, .vocabulary = 60});
    const test::OpenedModel opened = test::open_model_on(std::make_unique<CountingBackend>(dtype), made, options);
    const std::vector<std::int32_t> tokens = test::some_tokens(190, 60);
    const auto embedding = [&](const Cancel& cancel) {
      const float* values = opened.model->forward().embed(tokens.data(), 190, cancel);
      return test::Row(values, values + 256);
    };
    counted.begun = 0;
    counted.leaves_at = 0;
    const test::Row whole = embedding(Cancel{});
    const int all = counted.begun;
    check(all > 200, "a pass has " + std::to_string(all) + " parts");
    int most = 0;
    for (int leaves_at = 1; leaves_at <= all; leaves_at += 7) {
      Cancel cancel;
      counted.begun = 0;
      counted.after = 0;
      counted.leaves_at = leaves_at;
      counted.cancel = &cancel;
      test::check_throws(ErrorCode::cancelled, [&] { embedding(cancel); }, "a text that is given up at part " + std::to_string(leaves_at));
      most = std::max(most, counted.after.load());
      counted.cancel = nullptr;
    }
    // Another thread may have checked the flag just before it was set.
    check(most < threads, std::to_string(most) + " parts of " + std::to_string(all) + " were begun after the caller had left");
    counted.leaves_at = 0;
    check(test::same_bits(embedding(Cancel{}), whole), "the next text is not touched by those that were given up");
  }
  counts = nullptr;
}

}  // namespace
}  // namespace lectern
