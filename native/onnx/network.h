// A network from an ONNX file, ready to run: the public interface of this directory. The caller interprets its outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/precision.h"
#include "cancel.h"
#include "onnx/profile.h"
#include "tensor/element.h"
#include "tensor/shape.h"

namespace lectern::onnx {

struct NetworkOptions {
  /// Threads of the processor; 0: one for each of its cores.
  int threads = 0;
  /// The limit of one tensor, and of all memory that runs hold at once beside the weights, with the memory that is kept for the next run. A run that needs more throws Error `too_large`.
  std::size_t most_bytes = std::size_t{4} << 30;
  /// The limit of iterations of all loops of a run together.
  std::int64_t most_iterations = 100'000;
  /// Fuses patterns of nodes to one operation. Tests switch it off to compare both ways.
  bool fuse = true;
  /// The CPU backend, if the network runs on another device. Shapes, indices and all values whose size depends on contents are computed there.
  /// It must outlive the network.
  Backend* host = nullptr;
  Precision precision = Precision::f16x3;  // on a GPU
};

/// An input or output as the file declares it.
struct PortInfo {
  std::string name;
  Element element;                  // type that run() takes and returns
  std::vector<std::int64_t> sizes;  // -1: any size
};

/// A tensor of the caller, in host memory, dense and row-major.
struct Input {
  std::string_view name;
  Element element;
  Shape shape;
  const void* data;
};

struct Output {
  std::string name;
  Element element;
  Shape shape;
  std::vector<std::byte> bytes;

  /// The caller guarantees the type.
  template <class T = float>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// Not safe for concurrent use. Plans and memory are kept between runs, by the shapes of the inputs.
class Network {
 public:
  /// Reads, folds, fuses and checks the network; `backend` must outlive it. Throws Error `model_not_found`, or `invalid_model` with the name of the
  /// broken or unsupported part. External data may lie in the file's folder.
  static Network open(const std::filesystem::path& file, Backend& backend, const NetworkOptions& options = {});

  /// The same from memory, which the caller may free afterwards; without external data if `folder` is empty.
  Network(std::span<const std::byte> file, Backend& backend, const NetworkOptions& options = {}, const std::filesystem::path& folder = {});
  Network(Network&&) noexcept;
  ~Network();

  const std::vector<PortInfo>& inputs() const;
  const std::vector<PortInfo>& outputs() const;
  /// metadata_props of the file.
  const std::map<std::string, std::string>& metadata() const;
  /// The bytes of all constants, in the types of the file.
  std::size_t weight_bytes() const;

  /// Computes all outputs, in their order. The results of each picture have the same bits alone and in a batch.
  /// Throws Error `invalid_request` for inputs that are missing, unknown or of another type or shape than the file declares,
  /// `invalid_model` if the network cannot compute them, `too_large`, `out_of_memory`, and `cancelled` at the next node after the flag is set.
  std::vector<Output> run(std::span<const Input> inputs, const Cancel* cancel = nullptr, Profile* profile = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lectern::onnx
