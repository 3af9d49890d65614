#include "gguf/reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include "error.h"
#include "tensor/quoted.h"

namespace lectern::gguf {
namespace {

constexpr std::uint64_t max_key_bytes = 65535;   // the format's own limit
constexpr std::uint64_t max_name_bytes = 64;     // so is this
constexpr std::uint64_t max_alignment = 1 << 20;
constexpr int max_array_depth = 8;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid_model, "The model file is damaged: " + what + ".");
}

/// Walks forward through the file; never past its end.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> file) : file_(file) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return file_.size() - position_; }

  const std::byte* take(std::uint64_t bytes, const std::string& field) {
    if (bytes > remaining()) refuse(field + " runs past the end of the file");
    const std::byte* start = file_.data() + position_;
    position_ += bytes;
    return start;
  }

  template <class T>
  T number(const std::string& field) {
    T value;
    std::memcpy(&value, take(sizeof value, field), sizeof value);
    return value;
  }

  std::string_view string(std::uint64_t most, const std::string& field) {
    const auto length = number<std::uint64_t>("the length of " + field);
    if (length > most || length > remaining()) refuse(field + " is " + std::to_string(length) + " bytes long");
    return {reinterpret_cast<const char*>(take(length, field)), static_cast<std::size_t>(length)};
  }

 private:
  std::span<const std::byte> file_;
  std::uint64_t position_ = 0;
};

std::uint64_t bytes_of(ValueType type) {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean: return 1;
    case ValueType::u16:
    case ValueType::i16: return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32: return 4;
    case ValueType::u64:
    case ValueType::i64:
    case ValueType::f64: return 8;
    case ValueType::string: return 8;  // at least its length
    case ValueType::array: return 12;  // at least its head
  }
  return 0;
}

ValueType read_type(Cursor& cursor, const std::string& field) {
  const auto number = cursor.number<std::uint32_t>("the type of " + field);
  if (number > static_cast<std::uint32_t>(ValueType::f64)) refuse(field + " has the unknown type " + std::to_string(number));
  return static_cast<ValueType>(number);
}

Array read_array(Cursor& cursor, const std::string& field, int depth) {
  if (depth > max_array_depth) refuse(field + " nests arrays too deep");
  const ValueType element = read_type(cursor, field);
  const auto count = cursor.number<std::uint64_t>("the length of " + field);
  if (count > cursor.remaining() / bytes_of(element)) refuse(field + " claims " + std::to_string(count) + " elements");
  Array array{element, count, nullptr, {}};
  if (element == ValueType::string) {
    array.strings.reserve(count);
    for (std::uint64_t i = 0; i < count; i++) array.strings.push_back(cursor.string(cursor.remaining(), field));
  } else if (element == ValueType::array) {
    for (std::uint64_t i = 0; i < count; i++) read_array(cursor, field, depth + 1);
  } else {
    array.numbers = cursor.take(count * bytes_of(element), field);
  }
  return array;
}

Value read_value(Cursor& cursor, ValueType type, const std::string& field) {
  switch (type) {
    case ValueType::u8: return std::uint64_t{cursor.number<std::uint8_t>(field)};
    case ValueType::i8: return std::int64_t{cursor.number<std::int8_t>(field)};
    case ValueType::u16: return std::uint64_t{cursor.number<std::uint16_t>(field)};
    case ValueType::i16: return std::int64_t{cursor.number<std::int16_t>(field)};
    case ValueType::u32: return std::uint64_t{cursor.number<std::uint32_t>(field)};
    case ValueType::i32: return std::int64_t{cursor.number<std::int32_t>(field)};
    case ValueType::u64: return cursor.number<std::uint64_t>(field);
    case ValueType::i64: return cursor.number<std::int64_t>(field);
    case ValueType::f32: return static_cast<double>(cursor.number<float>(field));
    case ValueType::f64: return cursor.number<double>(field);
    case ValueType::boolean: return cursor.number<std::uint8_t>(field) != 0;
    case ValueType::string: return cursor.string(cursor.remaining(), field);
    case ValueType::array: return read_array(cursor, field, 1);
  }
  refuse(field + " has an unknown type");
}

struct Head {
  std::uint64_t tensor_count;
  std::uint64_t key_count;
};

Head read_head(Cursor& cursor) {
  const auto* magic = cursor.take(4, "the magic number");
  if (std::memcmp(magic, "GGUF", 4) != 0) {
    throw Error(ErrorCode::invalid_model, "The file is no GGUF model: it does not begin with \"GGUF\".");
  }
  const auto version = cursor.number<std::uint32_t>("the version");
  if (version == 0x02000000 || version == 0x03000000) {
    throw Error(ErrorCode::invalid_model, "The model file is big endian, which is not supported.");
  }
  if (version != 2 && version != 3) {
    throw Error(ErrorCode::invalid_model, "The model file has GGUF version " + std::to_string(version) + "; 2 and 3 are supported.");
  }
  const auto tensor_count = cursor.number<std::uint64_t>("the number of tensors");
  const auto key_count = cursor.number<std::uint64_t>("the number of keys");
  // The smallest key is 13 bytes, the smallest tensor entry 33: what claims more than fits is refused before memory is taken.
  if (key_count > cursor.remaining() / 13) refuse("it claims " + std::to_string(key_count) + " keys");
  if (tensor_count > cursor.remaining() / 33) refuse("it claims " + std::to_string(tensor_count) + " tensors");
  return {tensor_count, key_count};
}

Metadata read_metadata(Cursor& cursor, std::uint64_t count) {
  Metadata metadata;
  for (std::uint64_t i = 0; i < count; i++) {
    const std::string_view key = cursor.string(max_key_bytes, "key " + std::to_string(i));
    const std::string field = "the value of key " + quoted_name(key);
    const ValueType type = read_type(cursor, field);
    if (!metadata.add(key, read_value(cursor, type, field))) refuse("the key " + quoted_name(key) + " stands twice");
  }
  return metadata;
}

/// A tensor whose data is not placed yet: `offset` counts from the start of the data section.
struct Entry {
  Tensor tensor;
  std::uint64_t offset;
};

Entry read_entry(Cursor& cursor, std::uint64_t index) {
  const std::string_view name = cursor.string(max_name_bytes, "the name of tensor " + std::to_string(index));
  const std::string field = "tensor " + quoted_name(name);
  Tensor tensor{name, DType::f32, {1, 1, 1, 1}, 0, nullptr, 0};
  const auto rank = cursor.number<std::uint32_t>("the rank of " + field);
  if (rank < 1 || rank > 4) refuse(field + " has " + std::to_string(rank) + " dimensions");
  tensor.rank = static_cast<int>(rank);
  // 2^56 elements: no sum or product of such sizes and their bytes overflows 64 bits.
  constexpr std::uint64_t max_elements = std::uint64_t{1} << 56;
  std::uint64_t elements = 1;
  for (std::uint32_t d = 0; d < rank; d++) {
    const auto dim = cursor.number<std::uint64_t>("a dimension of " + field);
    if (dim == 0 || dim > max_elements / elements) refuse(field + " has the impossible dimension " + std::to_string(dim));
    elements *= dim;
    tensor.dims[d] = static_cast<std::int64_t>(dim);
  }
  const auto type = cursor.number<std::uint32_t>("the type of " + field);
  const DTypeInfo* info = find_dtype(type);
  if (info == nullptr) {
    throw Error(ErrorCode::invalid_model, "The model's " + field + " has the type " + std::to_string(type) + ", which is not supported.");
  }
  if (tensor.dims[0] % info->block_elements != 0) {
    refuse(field + " has rows of " + std::to_string(tensor.dims[0]) + " elements, no multiple of " + std::string(info->name) + "'s " +
           std::to_string(info->block_elements));
  }
  tensor.dtype = info->dtype;
  tensor.bytes = elements / static_cast<std::uint64_t>(info->block_elements) * static_cast<std::uint64_t>(info->block_bytes);
  return {tensor, cursor.number<std::uint64_t>("the offset of " + field)};
}

std::vector<Entry> read_entries(Cursor& cursor, std::uint64_t count) {
  std::vector<Entry> entries;
  entries.reserve(count);
  std::unordered_set<std::string_view> names;
  for (std::uint64_t i = 0; i < count; i++) {
    entries.push_back(read_entry(cursor, i));
    const std::string_view name = entries.back().tensor.name;
    if (!names.insert(name).second) refuse("the tensor " + quoted_name(name) + " stands twice");
  }
  return entries;
}

void refuse_overlaps(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < entries.size(); i++) {
    const Entry& before = entries[i - 1];
    if (before.offset + before.tensor.bytes > entries[i].offset) {
      refuse("the tensors " + quoted_name(before.tensor.name) + " and " + quoted_name(entries[i].tensor.name) + " overlap");
    }
  }
}

std::vector<Tensor> place(std::span<const std::byte> file, std::uint64_t header_bytes, std::uint64_t alignment, std::vector<Entry> entries) {
  const std::uint64_t start = (header_bytes + alignment - 1) / alignment * alignment;
  if (start > file.size() && !entries.empty()) refuse("the tensor data begins past the end of the file");
  const std::uint64_t available = start > file.size() ? 0 : file.size() - start;
  std::vector<Tensor> tensors;
  tensors.reserve(entries.size());
  for (Entry& entry : entries) {
    const std::string field = "tensor " + quoted_name(entry.tensor.name);
    if (entry.offset % alignment != 0) refuse(field + " is not aligned to " + std::to_string(alignment) + " bytes");
    if (entry.offset > available || entry.tensor.bytes > available - entry.offset) {
      refuse(field + " lies past the end of the file (" + std::to_string(entry.tensor.bytes) + " bytes at " +
             std::to_string(entry.offset) + " of " + std::to_string(available) + ")");
    }
    entry.tensor.data = file.data() + start + entry.offset;
    tensors.push_back(entry.tensor);
  }
  refuse_overlaps(std::move(entries));
  return tensors;
}

}  // namespace

Contents read(std::span<const std::byte> file) {
  Cursor cursor(file);
  const Head head = read_head(cursor);
  Metadata metadata = read_metadata(cursor, head.key_count);
  const std::uint64_t alignment = metadata.find_unsigned("general.alignment", max_alignment).value_or(32);
  if (!std::has_single_bit(alignment)) refuse("the alignment " + std::to_string(alignment) + " is no power of two");
  std::vector<Entry> entries = read_entries(cursor, head.tensor_count);
  std::vector<Tensor> tensors = place(file, cursor.position(), alignment, std::move(entries));
  return {std::move(metadata), std::move(tensors)};
}

}  // namespace lectern::gguf
