// The key-value part of a GGUF file: typed getters by key, whose errors name the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lectern::gguf {

/// The format's numbers.
enum class ValueType : std::uint32_t {
  u8 = 0, i8 = 1, u16 = 2, i16 = 3, u32 = 4, i32 = 5, f32 = 6, boolean = 7, string = 8, array = 9, u64 = 10, i64 = 11, f64 = 12,
};

/// Strings as views into the file; numbers as their bytes, of any alignment. Arrays of arrays keep their count only.
struct Array {
  ValueType element;
  std::uint64_t count;
  const std::byte* numbers;               // null for strings and arrays
  std::vector<std::string_view> strings;  // empty for numbers
};

/// Integers are widened, floats too.
using Value = std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, Array>;

/// One of an array's elements, widened; `index` below its count. Not of arrays of arrays.
Value element(const Array& array, std::uint64_t index);

/// Views point into the mapped file and live as long as it. Every getter throws Error `invalid_model` naming the key when the
/// value has another type or lies out of range; `find_` returns nothing for an absent key, `get_` throws.
class Metadata {
 public:
  /// False when the key is there already.
  bool add(std::string_view key, Value value);

  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }
  std::optional<std::string_view> find_string(std::string_view key) const;
  std::optional<std::uint64_t> find_unsigned(std::string_view key, std::uint64_t most) const;
  std::optional<double> find_number(std::string_view key) const;
  std::optional<bool> find_bool(std::string_view key) const;
  /// Null when absent.
  const Array* find_strings(std::string_view key) const;
  /// Numbers of any integer type as 32 bits; throws when one does not fit.
  std::optional<std::vector<std::int32_t>> find_integers(std::string_view key) const;
  std::optional<std::vector<float>> find_floats(std::string_view key) const;

  std::string_view get_string(std::string_view key) const;
  std::uint64_t get_unsigned(std::string_view key, std::uint64_t most) const;
  double get_number(std::string_view key) const;

  const std::map<std::string_view, Value, std::less<>>& all() const { return values_; }

 private:
  const Value* find(std::string_view key) const;

  std::map<std::string_view, Value, std::less<>> values_;
};

}  // namespace lectern::gguf
