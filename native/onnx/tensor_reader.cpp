#include "onnx/tensor_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "error.h"
#include "onnx/wire.h"
#include "tensor/quoted.h"

namespace lectern::onnx {
namespace {

namespace fs = std::filesystem;

struct Outside {
  std::string location;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool has_length = false;
};

std::uint64_t whole_number(std::string_view text, const std::string& of) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) refuse(of + " is no number");
  return number;
}

void read_outside_entry(std::span<const std::byte> message, Outside& outside) {
  std::string_view key;
  std::string_view value;
  Field field;
  for (Wire wire(message); wire.next(field);) {
    if (field.number == 1) key = field.text();
    if (field.number == 2) value = field.text();
  }
  if (key == "location") outside.location = value;
  if (key == "offset") outside.offset = whole_number(value, "the offset of external data");
  if (key == "length") {
    outside.length = whole_number(value, "the length of external data");
    outside.has_length = true;
  }
}

/// Accepts only files below the model's own folder, by a plain relative path, whatever links the path contains.
fs::path inside(const fs::path& folder, const std::string& location) {
  const fs::path relative(location);
  const auto fault = [&](const char* why) { refuse("its external data " + quoted_name(location) + " " + why); };
  if (folder.empty()) fault("cannot be read: the network came without a folder");
  if (location.empty() || relative.is_absolute() || location.find('\0') != std::string::npos) fault("is no path below its folder");
  for (const fs::path& part : relative) {
    if (part == "..") fault("leaves its folder");
  }
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  const fs::path path = error ? fs::path() : fs::canonical(folder / relative, error);
  if (error) fault("is not there");
  const auto [at, _] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  if (at != root.end()) fault("leaves its folder");
  if (!fs::is_regular_file(path, error) || error) fault("is no file");
  return path;
}

Bytes read_outside(const Outside& outside, std::size_t wanted, const fs::path& folder) {
  const fs::path path = inside(folder, outside.location);
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  const std::string field = "the external data " + quoted_name(outside.location);
  if (outside.has_length && outside.length != wanted) refuse(field + " is not as long as its tensor");
  if (error || outside.offset > size || wanted > size - outside.offset) refuse(field + " runs past the end of its file");
  std::ifstream file(path, std::ios::binary);
  Bytes bytes(wanted);
  file.seekg(static_cast<std::streamoff>(outside.offset));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(wanted));
  if (!file || static_cast<std::size_t>(file.gcount()) != wanted) refuse(field + " cannot be read");
  return bytes;
}

/// The values in a field of their own type instead of raw bytes.
class Typed {
 public:
  explicit Typed(std::size_t most) : most_(most) {}

  template <class T>
  void add(T value) {
    if (bytes.size() + sizeof value > most_) refuse("a tensor has more values than its shape");
    const auto* data = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), data, data + sizeof value);
  }
  void add_integer(Element element, std::int64_t value) {
    switch (element) {
      case Element::i64: return add(value);
      case Element::i32: return add(static_cast<std::int32_t>(value));
      case Element::f16: return add(static_cast<std::uint16_t>(value));
      case Element::i8: return add(static_cast<std::int8_t>(value));
      case Element::u8: return add(static_cast<std::uint8_t>(value));
      case Element::boolean: return add(static_cast<std::uint8_t>(value != 0));
      default: refuse("a tensor of floats has integer values");
    }
  }

  Bytes bytes;

 private:
  std::size_t most_;
};

constexpr Element elements[] = {Element::f32, Element::f16, Element::f64, Element::i64, Element::i32, Element::i8, Element::u8, Element::boolean};

struct Head {
  std::string name;
  Shape shape;
  std::int64_t type = 0;
  bool is_outside = false;
  bool has_raw = false;
  std::span<const std::byte> raw;
  Outside outside;
};

Head read_head(std::span<const std::byte> message) {
  Head head;
  Field field;
  for (Wire wire(message); wire.next(field);) {
    switch (field.number) {
      case 1:
        each_integer(field, [&](std::int64_t size) {
          if (head.shape.rank == max_rank) refuse("a tensor has more than 8 dimensions");
          head.shape.push(size);
        });
        break;
      case 2: head.type = field.integer(); break;
      case 3: refuse("a tensor comes in segments");
      case 8: head.name = field.text(); break;
      case 9: head.raw = field.message(), head.has_raw = true; break;
      case 13: read_outside_entry(field.message(), head.outside); break;
      case 14: head.is_outside = field.integer() == 1; break;
      default: break;
    }
  }
  return head;
}

Bytes read_typed(std::span<const std::byte> message, Element element, std::size_t size) {
  Typed typed(size);
  Field field;
  for (Wire wire(message); wire.next(field);) {
    if (field.number == 4 && element == Element::f32) each_fixed(field, 4, [&](std::uint64_t bits) { typed.add(static_cast<std::uint32_t>(bits)); });
    if (field.number == 10 && element == Element::f64) each_fixed(field, 8, [&](std::uint64_t bits) { typed.add(bits); });
    if (field.number == (element == Element::i64 ? 7U : 5U) && element != Element::f32 && element != Element::f64) {
      each_integer(field, [&](std::int64_t value) { typed.add_integer(element, value); });
    }
  }
  return std::move(typed.bytes);
}

}  // namespace

const Element* find_element(std::int64_t type) {
  switch (type) {
    case 1: return &elements[0];
    case 10: return &elements[1];
    case 11: return &elements[2];
    case 7: return &elements[3];
    case 6: return &elements[4];
    case 3: return &elements[5];
    case 2: return &elements[6];
    case 9: return &elements[7];
    default: return nullptr;
  }
}

NamedArray read_tensor(std::span<const std::byte> message, const fs::path& folder) {
  const Head head = read_head(message);
  const std::string field = "tensor " + quoted_name(head.name);
  const Element* element = find_element(head.type);
  if (element == nullptr) throw Error(ErrorCode::invalid_model, "The network's " + field + " has the type " + std::to_string(head.type) + ", which is not supported.");
  for (int axis = 0; axis < head.shape.rank; axis++) {
    if (head.shape[axis] < 0) refuse(field + " has a negative dimension");
  }
  const std::int64_t count = head.shape.elements();
  if (!head.shape.is_sane()) refuse(field + " has the impossible shape " + head.shape.text());
  const std::size_t size = static_cast<std::size_t>(count) * bytes_of(*element);
  Bytes bytes;
  if (head.is_outside) {
    bytes = read_outside(head.outside, size, folder);
  } else if (head.has_raw) {
    if (head.raw.size() != size) refuse(field + " of shape " + head.shape.text() + " has " + std::to_string(head.raw.size()) + " bytes");
    bytes.assign(head.raw.begin(), head.raw.end());
  } else {
    bytes = read_typed(message, *element, size);
    if (bytes.size() != size) refuse(field + " has fewer values than its shape " + head.shape.text());
  }
  if (*element == Element::boolean) {
    for (std::byte& value : bytes) value = value == std::byte{0} ? value : std::byte{1};
  }
  return {head.name, make_array(*element, head.shape, std::move(bytes))};
}

}  // namespace lectern::onnx
