// Writes GGUF files into memory, right ones and wrong ones: every field can be made to lie.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lectern::test {

/// Numbers and strings as the format lays them out, one behind the other.
class ByteString {
 public:
  template <class Number>
  ByteString& number(Number value) {
    const auto* first = reinterpret_cast<const char*>(&value);
    bytes_.append(first, sizeof value);
    return *this;
  }
  ByteString& text(std::string_view value) {
    number(std::uint64_t{value.size()});
    bytes_ += value;
    return *this;
  }
  ByteString& raw(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class GgufWriter {
 public:
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::optional<std::uint64_t> claimed_keys;
  std::optional<std::uint64_t> claimed_tensors;
  std::size_t alignment = 32;  // of the data section; the key is the caller's

  /// `type` is the format's number, `value` what follows it.
  GgufWriter& key(std::string_view name, std::uint32_t type, const ByteString& value) {
    keys_.text(name).number(type).raw(value.bytes());
    key_count_++;
    return *this;
  }
  GgufWriter& key(std::string_view name, std::uint32_t value) { return key(name, 4, ByteString().number(value)); }
  GgufWriter& key(std::string_view name, bool value) { return key(name, 7, ByteString().number(std::uint8_t{value})); }
  GgufWriter& key(std::string_view name, const char* value) { return key(name, 8, ByteString().text(value)); }

  GgufWriter& list(std::string_view name, const std::vector<std::string>& values) {
    ByteString bytes = list_head(8, values.size());
    for (const std::string& value : values) bytes.text(value);
    return key(name, 9, bytes);
  }
  GgufWriter& list(std::string_view name, const std::vector<float>& values) { return numbers(name, 6, values); }
  GgufWriter& list(std::string_view name, const std::vector<std::int32_t>& values) { return numbers(name, 5, values); }

  static ByteString list_head(std::uint32_t element_type, std::uint64_t count) { return ByteString().number(element_type).number(count); }

  /// Without an offset the data lies behind what is there already.
  GgufWriter& tensor(std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type, std::string_view data,
                     std::optional<std::uint64_t> offset = std::nullopt) {
    pad(data_);
    entries_.text(name).number(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t dim : dims) entries_.number(dim);
    entries_.number(type).number(offset.value_or(data_.size()));
    data_ += data;
    tensor_count_++;
    return *this;
  }

  std::string bytes() const {
    ByteString head;
    head.raw(magic).number(version).number(claimed_tensors.value_or(tensor_count_)).number(claimed_keys.value_or(key_count_));
    std::string file = head.bytes() + keys_.bytes() + entries_.bytes();
    if (tensor_count_ > 0) pad(file);
    return file + data_;
  }

  void write(const std::filesystem::path& path) const {
    std::ofstream file(path, std::ios::binary);
    file << bytes();
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path.string());
  }

 private:
  template <class Number>
  GgufWriter& numbers(std::string_view name, std::uint32_t type, const std::vector<Number>& values) {
    ByteString bytes = list_head(type, values.size());
    for (const Number value : values) bytes.number(value);
    return key(name, 9, bytes);
  }
  void pad(std::string& text) const { text.resize((text.size() + alignment - 1) / alignment * alignment); }

  ByteString keys_;
  ByteString entries_;
  std::string data_;
  std::uint64_t key_count_ = 0;
  std::uint64_t tensor_count_ = 0;
};

}  // namespace lectern::test
