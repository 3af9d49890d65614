// What the fuzzer runs: any bytes as a model file. native/test/fuzz.sh builds and starts it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "error.h"
#include "gguf/reader.h"
#include "tensor/dequantise.h"

namespace lectern::gguf {
namespace {

/// Ends the process: the fuzzer keeps the input that got here.
void demand(bool holds) {
  if (!holds) std::abort();
}

/// Calls every getter for the key; a coded refusal is allowed, anything else thrown ends the process.
void ask(const Metadata& metadata, std::string_view key) {
  const auto attempt = [](const auto& getter) {
    try {
      (void)getter();
    } catch (const Error& error) {
      demand(error.code() == ErrorCode::invalid_model && *error.what() != '\0');
    }
  };
  attempt([&] { return metadata.find_string(key); });
  attempt([&] { return metadata.find_unsigned(key, UINT32_MAX); });
  attempt([&] { return metadata.find_number(key); });
  attempt([&] { return metadata.find_bool(key); });
  attempt([&] { return metadata.find_strings(key) == nullptr; });
  attempt([&] { return metadata.find_integers(key); });
  attempt([&] { return metadata.find_floats(key); });
}

void use(const Contents& contents, std::span<const std::byte> file) {
  std::size_t letters = 0;
  for (const auto& [key, value] : contents.metadata.all()) {
    ask(contents.metadata, key);
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      for (const char letter : *text) letters += letter == 'a';
    }
    if (const auto* array = std::get_if<Array>(&value)) {
      for (const std::string_view entry : array->strings) letters += !entry.empty() && entry.back() == 'a' ? 1U : 0U;
    }
  }
  std::vector<float> values;
  for (const Tensor& tensor : contents.tensors) {
    demand(tensor.data >= file.data() && tensor.bytes <= file.size() && tensor.data + tensor.bytes <= file.data() + file.size());
    demand(tensor.bytes == row_bytes(tensor.dtype, tensor.elements()));
    values.resize(static_cast<std::size_t>(tensor.elements()));
    dequantise(tensor.dtype, tensor.data, tensor.elements(), values.data());
  }
  demand(letters <= file.size());
}

}  // namespace
}  // namespace lectern::gguf

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  try {
    lectern::gguf::use(lectern::gguf::read(file), file);
  } catch (const lectern::Error& error) {
    lectern::gguf::demand(error.code() == lectern::ErrorCode::invalid_model && *error.what() != '\0');
  }
  return 0;
}
