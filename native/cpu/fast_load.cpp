// Work of FastOps at load: memory, and weights in the kernels' order.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "cpu/fast_ops.h"
#include "cpu/packed.h"
#include "error.h"

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace lectern::cpu {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

std::size_t product(std::int64_t a, std::int64_t b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); }

std::size_t float_bytes(std::int64_t rows, std::int64_t columns) { return product(rows, columns) * sizeof(float) + 64; }

/// Rows that one operation multiplies.
int most_rows(const OpsShape& shape) { return std::max(shape.part_rows, 2 * shape.logit_rows); }

/// Rows of activations that are multiplied with one chunk of a matrix: they stay in the first two caches.
constexpr std::size_t least_products = 32768;

/// Sizes of the buffers, in bytes; those of the products in floats.
struct Sizes {
  explicit Sizes(const OpsShape& shape)
      : products_floats(std::max(product(most_rows(shape), group_rows), least_products)),
        quantised(product(most_rows(shape), shape.columns / 32 + 1) * quantised_bytes),
        wide(product(most_rows(shape), shape.columns / 32 + 1) * wide_bytes),
        floats(float_bytes(most_rows(shape), shape.columns)),
        qkv(float_bytes(shape.part_rows, (shape.heads + 2 * shape.kv.heads) * shape.kv.head_size)),
        logit_rows(float_bytes(2 * shape.logit_rows, shape.columns)),
        expert_rows(shape.experts > 0 ? float_bytes(shape.part_rows, shape.columns) : 0),
        expert_hidden(shape.experts > 0 ? float_bytes(shape.part_rows, shape.outputs) : 0),
        expert_out(shape.experts > 0 ? float_bytes(shape.part_rows, std::int64_t{shape.experts_used} * shape.outputs) : 0),
        angles(product(shape.rows, shape.rotated / 2)) {}

  std::size_t products_floats, quantised, wide, floats, qkv, logit_rows, expert_rows, expert_hidden, expert_out, angles;
};

}  // namespace

LargeMemory::LargeMemory(std::size_t bytes) : data_(nullptr), bytes_((std::max<std::size_t>(bytes, 64) + 63) / 64 * 64) {
#if defined(__linux__)
  // Space to align to a large page: only then does the kernel use large pages.
  const std::size_t slack = bytes_ >= large_page ? large_page : 0;
  void* mapped = mmap(nullptr, bytes_ + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped != MAP_FAILED && slack == 0) data_ = static_cast<std::byte*>(mapped);
  if (mapped != MAP_FAILED && slack > 0) {
    const auto small_page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));  // 4 KiB, 16 KiB or 64 KiB on arm64
    const auto rounded = [](std::uintptr_t address, std::size_t page) { return (address + page - 1) / page * page; };
    const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
    const std::uintptr_t used = rounded(begin, large_page);
    const std::uintptr_t used_end = rounded(used + bytes_, small_page);
    const std::uintptr_t end = rounded(begin + bytes_ + slack, small_page);
    if (used > begin) munmap(mapped, used - begin);
    if (end > used_end) munmap(reinterpret_cast<void*>(used_end), end - used_end);
    data_ = reinterpret_cast<std::byte*>(used);
    madvise(data_, bytes_, MADV_HUGEPAGE);
  }
#else
  data_ = static_cast<std::byte*>(std::aligned_alloc(64, bytes_));
  if (data_ != nullptr) std::memset(data_, 0, bytes_);
#endif
  if (data_ == nullptr) throw Error(ErrorCode::out_of_memory, "There is no memory for " + std::to_string(bytes_ >> 20) + " MiB more.");
}

LargeMemory::LargeMemory(LargeMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

LargeMemory::~LargeMemory() {
  if (data_ == nullptr) return;
#if defined(__linux__)
  munmap(data_, bytes_);
#else
  std::free(data_);
#endif
}

FastOps::FastOps(const OpsShape& shape, const Kernels& kernels)
    : shape_(shape),
      kernels_(kernels),
      threads_(shape.threads),
      products_floats_(Sizes(shape).products_floats),
      quantised_(Sizes(shape).quantised),
      wide_(Sizes(shape).wide),
      floats_(Sizes(shape).floats),
      qkv_(Sizes(shape).qkv),
      logit_rows_(Sizes(shape).logit_rows),
      expert_rows_(Sizes(shape).expert_rows),
      expert_hidden_(Sizes(shape).expert_hidden),
      expert_out_(Sizes(shape).expert_out) {
  const int group = shape.heads / shape.kv.heads;
  for (int thread = 0; thread < threads_.count(); thread++) {
    Scratch& scratch = scratch_.emplace_back(Scratch{LargeMemory(2 * products_floats_ * sizeof(float)), {}, {}, {}, {}, {}, {}, {}, {}});
    scratch.row.resize(static_cast<std::size_t>(std::max(shape.columns, shape.outputs)) + 16);
    const std::size_t queries = product(shape.part_rows, group);
    scratch.queries.resize(queries);
    scratch.outs.resize(queries);
    scratch.first.resize(queries);
    scratch.visible.resize(queries);
    scratch.cells.resize(queries);
    scratch.slopes.resize(queries);
    scratch.sinks.resize(queries);
  }
  for (int which = 0; which < (shape.local_layers ? 2 : 1); which++) {
    cosines_[which].resize(Sizes(shape).angles);
    sines_[which].resize(Sizes(shape).angles);
  }
  attention_parts_.reserve(product(shape.part_rows, shape.kv.heads));
  expert_scores_.resize(product(shape.part_rows, shape.experts));
  chosen_.resize(product(shape.part_rows, shape.experts_used));
  chosen_weights_.resize(chosen_.size());
  expert_list_.reserve(chosen_.size());
}

std::unique_ptr<Ops> make_fast_ops(const OpsShape& shape, Instructions level) {
  const Kernels* kernels = kernels_of(level);
  return std::make_unique<FastOps>(shape, kernels == nullptr ? baseline_kernels() : *kernels);
}

std::size_t fast_ops_bytes(const OpsShape& shape) {
  const Sizes sizes(shape);
  const std::size_t threads = shape.threads > 0 ? static_cast<std::size_t>(shape.threads) : std::max(1U, std::thread::hardware_concurrency());
  // Per head of a part's rows two addresses and five numbers; the lists of an expert's rows are smaller.
  const std::size_t scratch = 2 * sizes.products_floats * sizeof(float) + float_bytes(1, std::max(shape.columns, shape.outputs)) +
                              product(shape.part_rows, shape.heads / shape.kv.heads) * 36;
  return sizes.quantised + sizes.wide + sizes.floats + sizes.qkv + sizes.logit_rows + sizes.expert_rows + sizes.expert_hidden + sizes.expert_out +
         (shape.local_layers ? 4 : 2) * sizes.angles * sizeof(float) + threads * scratch;
}

std::size_t packed_matrix_bytes(DType dtype, std::int64_t rows, std::int64_t columns, int count) {
  return product(count, group_count(static_cast<int>(rows))) * packed_group_bytes(dtype, static_cast<int>(columns));
}

bool fast_supports(Op op, DType dtype) { return op != Op::attention || dtype == DType::f16 || dtype == DType::f32; }

Matrix FastOps::load_matrix(const Tensor* parts, int count) {
  const auto rows = static_cast<int>(parts->rows());
  const auto columns = static_cast<int>(parts->row_length());
  const std::size_t group_bytes = packed_group_bytes(parts->dtype, columns);
  const int groups = group_count(rows);
  const std::size_t part_bytes = product(groups, 1) * group_bytes;
  const PackedMatrix& packed = packed_.emplace_back(PackedMatrix{
      parts->dtype, rows, columns, group_bytes, part_bytes, LargeMemory(part_bytes * product(count, 1))});
  const std::size_t source_group = row_bytes(parts->dtype, columns) * group_rows;
  auto pack = [&](int index, int) {
    const int part = index / groups;
    const int group = index % groups;
    pack_group(packed.dtype, parts[part].data + product(group, 1) * source_group, columns, std::min(group_rows, rows - group * group_rows),
               packed.memory.data() + product(part, 1) * part_bytes + product(group, 1) * group_bytes);
  };
  threads_.each(count * groups, pack);
  return {parts->dtype, rows, columns, count, &packed};
}

Matrix FastOps::load_table(const Tensor& table) {
  const Tensor& kept = tables_.emplace_back(table);
  return {table.dtype, static_cast<std::int32_t>(table.rows()), static_cast<std::int32_t>(table.row_length()), 1, &kept};
}

const float* FastOps::load_vector(const float* values, std::size_t count) {
  std::vector<float>& kept = vectors_.emplace_back(values, values + count);
  return kept.data();
}

}  // namespace lectern::cpu
