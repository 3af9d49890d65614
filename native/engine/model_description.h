// The description of a model file, in values that outlive the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "backend/backend.h"
#include "backend/device.h"
#include "engine/log.h"
#include "llm/model.h"

namespace lectern {

/// Empty where an array was not requested or is beyond bounds.
struct MetadataValue {
  std::variant<std::monostate, std::uint64_t, std::int64_t, double, bool, std::string, std::vector<MetadataValue>> value;
};

struct TensorDescription {
  std::string name;
  std::string type;
  std::vector<std::int64_t> shape;  // as the file has it: the first runs fastest
};

struct ModelDescription {
  std::string architecture;  // empty where the file has none
  std::optional<std::string> unsupported;  // why it cannot run here
  llm::ModelKind kind;
  std::uint64_t parameter_count;
  std::uint64_t weight_bytes;
  std::uint64_t context;           // these three are 0 where the file lacks them
  std::uint64_t embedding_length;
  std::uint64_t vocabulary_size;
  std::vector<std::pair<std::string, MetadataValue>> metadata;
  std::vector<TensorDescription> tensors;
};

/// Where and how a model is to be opened.
struct OpenOptions {
  DeviceKind device = DeviceKind::cpu;
  llm::ModelOptions model;
  Log log = {};  // what a device does not do as it should, once it is open
};

/// Throws Error `model_not_found`, and `invalid_model` for a file that is no whole GGUF; one that is and cannot run is described.
ModelDescription describe_model(const std::string& path, bool arrays);

/// Throws what opening the model would throw.
llm::MemoryNeed memory_need(const std::string& path, const OpenOptions& options);

/// Throws Error `invalid_request` for a kind of device that runs no language models here.
std::unique_ptr<Backend> make_language_backend(DeviceKind device);

}  // namespace lectern
