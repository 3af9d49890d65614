// What the fuzzer runs: any bytes as a model's keys, tensors and vocabulary, read as at load but with nothing placed. native/test/fuzz.sh
// builds and starts it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/graph_ops.h"
#include "backend/ops.h"
#include "error.h"
#include "gguf/model_file.h"
#include "llm/model.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern::llm {
namespace {

/// Ends the process: the fuzzer keeps the input that got here.
void demand(bool holds) {
  if (!holds) std::abort();
}

/// Tells sizes and holds nothing.
class NoBackend final : public Backend {
 public:
  Device info() const override { return {DeviceKind::cpu, "none", 0, 0}; }
  void* allocate(std::size_t) override { std::abort(); }
  void release(void*) noexcept override {}
  void upload(void*, const void*, std::size_t) override {}
  void download(void*, const void*, std::size_t) override {}
  void synchronise() override {}
  int pass_rows() const override { return 256; }
  std::unique_ptr<Ops> make_ops(const OpsShape&) override { std::abort(); }
  std::unique_ptr<GraphOps> make_graph_ops(int, FloatStorage) override { std::abort(); }
  bool supports(Op op, DType dtype) const override { return op != Op::attention || dtype == DType::f16; }
  std::size_t ops_bytes(const OpsShape& shape) const override { return static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.columns); }
  std::size_t matrix_bytes(DType dtype, std::int64_t rows, std::int64_t columns, int count) const override {
    return row_bytes(dtype, columns) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(count);
  }
  std::size_t table_bytes(DType dtype, std::int64_t rows, std::int64_t columns) const override { return matrix_bytes(dtype, rows, columns, 1); }
  std::size_t kv_bytes(const KvShape& shape) const override {
    demand(shape.layers > 0 && shape.slots > 0 && shape.positions > 0 && shape.heads > 0 && shape.head_size > 0);
    std::size_t bytes = 4;
    for (const int factor : {shape.layers, shape.slots, shape.positions, shape.heads, shape.head_size}) {
      demand(bytes <= std::numeric_limits<std::size_t>::max() / static_cast<std::size_t>(factor));
      bytes *= static_cast<std::size_t>(factor);
    }
    return bytes;
  }
};

template <class Work>
void attempt(Work work) {
  try {
    work();
  } catch (const Error& error) {
    demand((error.code() == ErrorCode::invalid_model || error.code() == ErrorCode::unsupported_format) && *error.what() != '\0');
  }
}

void use(const gguf::ModelFile& file) {
  attempt([&] {
    const NoBackend backend;
    const MemoryNeed need = memory_need(file, backend, {});
    // Weights come out of the file; what is larger was made up.
    demand(need.weights <= 64 * file.tensor_bytes() + 4096);
  });
  attempt([&] {
    const Tokenizer tokenizer(file.metadata());
    const TokenId size = tokenizer.vocabulary().size();
    const std::vector<TokenId> ids = tokenizer.encode("The 12 na\xC3\xAFve <s>fo\xFFxes</s>\n  ran \xF0\x9F\x99\x82.", {true, true});
    for (const TokenId id : ids) demand(id >= 0 && id < size);
    (void)tokenizer.decode(ids);
    std::string text;
    for (TokenId id = 0; id < size && id < 1000; id++) tokenizer.append_bytes(id, true, text);
  });
}

/// A file that is nowhere but in memory.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("model", MFD_CLOEXEC)) {
    demand(descriptor_ >= 0 && ::write(descriptor_, data, size) == static_cast<ssize_t>(size));
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace
}  // namespace lectern::llm

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const lectern::llm::MemoryFile memory(data, size);
  lectern::llm::attempt([&] { lectern::llm::use(lectern::gguf::ModelFile(memory.path())); });
  return 0;
}
