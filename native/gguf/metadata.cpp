#include "gguf/metadata.h"

#include <cstring>
#include <limits>
#include <utility>

#include "error.h"

namespace lectern::gguf {
namespace {

[[noreturn]] void refuse(std::string_view key, const std::string& why) {
  throw Error(ErrorCode::invalid_model, "The model file's key \"" + std::string(key) + "\" " + why + ".");
}

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Element `index` as a double, which holds every integer that the callers accept exactly.
std::optional<double> number_at(const Array& array, std::uint64_t index) {
  const auto at = [&]<class T>(T) { return static_cast<double>(load<T>(array.numbers + index * sizeof(T))); };
  switch (array.element) {
    case ValueType::u8:
    case ValueType::boolean: return at(std::uint8_t{});
    case ValueType::i8: return at(std::int8_t{});
    case ValueType::u16: return at(std::uint16_t{});
    case ValueType::i16: return at(std::int16_t{});
    case ValueType::u32: return at(std::uint32_t{});
    case ValueType::i32: return at(std::int32_t{});
    case ValueType::u64: return at(std::uint64_t{});
    case ValueType::i64: return at(std::int64_t{});
    case ValueType::f32: return at(float{});
    case ValueType::f64: return at(double{});
    case ValueType::string:
    case ValueType::array: return std::nullopt;
  }
  return std::nullopt;
}

const Array& array_of(std::string_view key, const Value& value) {
  const Array* array = std::get_if<Array>(&value);
  if (array == nullptr) refuse(key, "is not an array");
  return *array;
}

}  // namespace

Value element(const Array& array, std::uint64_t index) {
  const auto at = [&]<class T>(T) { return load<T>(array.numbers + index * sizeof(T)); };
  switch (array.element) {
    case ValueType::u8: return std::uint64_t{at(std::uint8_t{})};
    case ValueType::u16: return std::uint64_t{at(std::uint16_t{})};
    case ValueType::u32: return std::uint64_t{at(std::uint32_t{})};
    case ValueType::u64: return at(std::uint64_t{});
    case ValueType::i8: return std::int64_t{at(std::int8_t{})};
    case ValueType::i16: return std::int64_t{at(std::int16_t{})};
    case ValueType::i32: return std::int64_t{at(std::int32_t{})};
    case ValueType::i64: return at(std::int64_t{});
    case ValueType::f32: return double{at(float{})};
    case ValueType::f64: return at(double{});
    case ValueType::boolean: return at(std::uint8_t{}) != 0;
    case ValueType::string: return array.strings[index];
    case ValueType::array: break;
  }
  throw Error(ErrorCode::internal, "Elements of arrays of arrays are not kept.");
}

bool Metadata::add(std::string_view key, Value value) { return values_.emplace(key, std::move(value)).second; }

const Value* Metadata::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> Metadata::find_string(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* text = std::get_if<std::string_view>(value)) return *text;
  refuse(key, "is not a string");
}

std::optional<std::uint64_t> Metadata::find_unsigned(std::string_view key, std::uint64_t most) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  std::uint64_t number = 0;
  if (const auto* plain = std::get_if<std::uint64_t>(value)) {
    number = *plain;
  } else if (const auto* with_sign = std::get_if<std::int64_t>(value); with_sign != nullptr && *with_sign >= 0) {
    number = static_cast<std::uint64_t>(*with_sign);
  } else {
    refuse(key, "is not a whole number of zero or more");
  }
  if (number > most) refuse(key, "is " + std::to_string(number) + ", more than the " + std::to_string(most) + " that can be");
  return number;
}

std::optional<double> Metadata::find_number(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* real = std::get_if<double>(value)) return *real;
  if (const auto* plain = std::get_if<std::uint64_t>(value)) return static_cast<double>(*plain);
  if (const auto* with_sign = std::get_if<std::int64_t>(value)) return static_cast<double>(*with_sign);
  refuse(key, "is not a number");
}

std::optional<bool> Metadata::find_bool(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* truth = std::get_if<bool>(value)) return *truth;
  refuse(key, "is not true or false");
}

const Array* Metadata::find_strings(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return nullptr;
  const Array& array = array_of(key, *value);
  if (array.element != ValueType::string) refuse(key, "is not an array of strings");
  return &array;
}

std::optional<std::vector<std::int32_t>> Metadata::find_integers(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const Array& array = array_of(key, *value);
  if (array.element == ValueType::f32 || array.element == ValueType::f64) refuse(key, "is not an array of integers");
  std::vector<std::int32_t> numbers;
  numbers.reserve(array.count);
  for (std::uint64_t i = 0; i < array.count; i++) {
    const std::optional<double> number = number_at(array, i);
    if (!number) refuse(key, "is not an array of integers");
    if (*number < std::numeric_limits<std::int32_t>::min() || *number > std::numeric_limits<std::int32_t>::max()) {
      refuse(key, "holds a number beyond 32 bits at place " + std::to_string(i));
    }
    numbers.push_back(static_cast<std::int32_t>(*number));
  }
  return numbers;
}

std::optional<std::vector<float>> Metadata::find_floats(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const Array& array = array_of(key, *value);
  std::vector<float> numbers;
  numbers.reserve(array.count);
  for (std::uint64_t i = 0; i < array.count; i++) {
    const std::optional<double> number = number_at(array, i);
    if (!number) refuse(key, "is not an array of numbers");
    numbers.push_back(static_cast<float>(*number));
  }
  return numbers;
}

std::string_view Metadata::get_string(std::string_view key) const {
  if (const auto text = find_string(key)) return *text;
  refuse(key, "is missing");
}

std::uint64_t Metadata::get_unsigned(std::string_view key, std::uint64_t most) const {
  if (const auto number = find_unsigned(key, most)) return *number;
  refuse(key, "is missing");
}

double Metadata::get_number(std::string_view key) const {
  if (const auto number = find_number(key)) return *number;
  refuse(key, "is missing");
}

}  // namespace lectern::gguf
