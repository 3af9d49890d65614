// A network from an ONNX file, ready to run: the public interface of this directory. Callers interpret its numbers.
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
  /// Of the processor; 0: one for each of its cores.
  int threads = 0;
  /// Of one tensor, and of all that runs hold at once beside the weights, what is kept for the next run included: what would take more is an Error `too_large`.
  std::size_t most_bytes = std::size_t{4} << 30;
  /// Of all loops of a run together.
  std::int64_t most_iterations = 100'000;
  /// Patterns of nodes become one operation: off only to hold the one against the other.
  bool fuse = true;
  /// The CPU backend, where the network runs on another device: shapes, indices and everything whose size depends on contents are computed there.
  /// Must outlive the network.
  Backend* host = nullptr;
  Precision precision = Precision::f16x3;  // of a GPU
};

/// An input or output as the file declares it.
struct PortInfo {
  std::string name;
  Element element;                  // of what run() takes and gives
  std::vector<std::int64_t> sizes;  // -1: any
};

/// A tensor of the caller's, in host memory, dense and row-major.
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

  /// The caller knows the type.
  template <class T = float>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// One thread at a time. Plans and memory are kept between runs, by the shapes of the inputs.
class Network {
 public:
  /// Reads, folds, fuses and checks the network; `backend` must outlive it. Throws Error `model_not_found`, or `invalid_model` with what is
  /// broken or not supported, by name. External data may lie in the file's folder.
  static Network open(const std::filesystem::path& file, Backend& backend, const NetworkOptions& options = {});

  /// The same from memory, which may go afterwards; without external data where `folder` is empty.
  Network(std::span<const std::byte> file, Backend& backend, const NetworkOptions& options = {}, const std::filesystem::path& folder = {});
  Network(Network&&) noexcept;
  ~Network();

  const std::vector<PortInfo>& inputs() const;
  const std::vector<PortInfo>& outputs() const;
  /// metadata_props of the file.
  const std::map<std::string, std::string>& metadata() const;
  /// Of all constants, as they lie in the file's types.
  std::size_t weight_bytes() const;

  /// All outputs, in their order. Each picture's results are the same bits alone and in a batch.
  /// Throws Error `invalid_request` for inputs that are missing, unknown or of another type or shape than the file declares,
  /// `invalid_model` where the network cannot compute them, `too_large`, `out_of_memory`, and `cancelled` soon (at the next node) after the flag.
  std::vector<Output> run(std::span<const Input> inputs, const Cancel* cancel = nullptr, Profile* profile = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lectern::onnx
