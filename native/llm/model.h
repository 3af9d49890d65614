// A language model from its file to its first pass: the parts that are loaded, and their order.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "backend/ops.h"
#include "gguf/model_file.h"
#include "llm/config.h"
#include "llm/forward.h"
#include "llm/kv_cache.h"
#include "llm/speculation/text_draft.h"
#include "llm/weights.h"

namespace lectern::llm {

struct ModelOptions {
  int slots = 2;       // sequences that are kept side by side; an embedding model keeps one
  int context = 0;     // tokens per slot; 0: what the model was trained for
  int rows = 0;        // tokens of one pass; 0: what suits the device, within the context
  int threads = 0;     // on the CPU; 0: one per processor
  DType kv = DType::f16;
  bool records = true;  // OpsShape::records
  int draft = most_draft;  // tokens of a draft that a pass may verify for each slot, 0 .. most_draft
};

/// Bytes on the device.
struct MemoryNeed {
  std::size_t weights;  // but for tables, which are read from the mapped file
  std::size_t kv;
  std::size_t work;
};

/// What a Model of this file would allocate, known before anything is. Throws what the Model would throw, but for damaged values of
/// matrices and for `out_of_memory`.
MemoryNeed memory_need(const gguf::ModelFile& file, const Backend& backend, const ModelOptions& options);

/// One thread at a time. Throws what its parts throw; a model that cannot run is refused here and never later.
class Model {
 public:
  Model(const std::string& path, Backend& backend, const ModelOptions& options, const LoadWatch& watch = {});

  const gguf::ModelFile& file() const { return file_; }
  const Config& config() const { return config_; }
  /// ModelOptions::draft.
  int draft() const { return draft_; }
  KvCache& cache() { return cache_; }
  Forward& forward() { return forward_; }
  Ops& ops() { return *ops_; }

 private:
  gguf::ModelFile file_;
  Config config_;
  KvShape kv_shape_;
  int rows_;  // of a pass
  int draft_;
  std::unique_ptr<Ops> ops_;
  Weights weights_;
  KvCache cache_;
  Forward forward_;
};

}  // namespace lectern::llm
