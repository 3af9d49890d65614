// The GGUF reader: what a right file gives, and the sentence for everything that can be wrong with one.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "error.h"
#include "gguf/reader.h"
#include "gguf_writer.h"
#include "harness.h"
#include "tensor/dequantise.h"

namespace lectern {
namespace {

using test::ByteString;
using test::check;
using test::GgufWriter;

constexpr std::uint32_t f32 = 0;
constexpr std::uint32_t q4_k = 12;

/// The bytes in memory of their own, so that a sanitizer sees one byte too far.
std::vector<std::byte> exactly(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// A small file with a key of every type and three tensors.
GgufWriter small_file() {
  GgufWriter file;
  file.key("a.u8", 0, ByteString().number(std::uint8_t{200})).key("a.i8", 1, ByteString().number(std::int8_t{-5}));
  file.key("a.u16", 2, ByteString().number(std::uint16_t{60000})).key("a.i16", 3, ByteString().number(std::int16_t{-300}));
  file.key("a.u32", std::uint32_t{4000000000U}).key("a.i32", 5, ByteString().number(std::int32_t{-70000}));
  file.key("a.f32", 6, ByteString().number(1.5F)).key("a.bool", true).key("a.string", "some text");
  file.key("a.u64", 10, ByteString().number(std::uint64_t{1} << 60)).key("a.i64", 11, ByteString().number(-(std::int64_t{1} << 60)));
  file.key("a.f64", 12, ByteString().number(0.1));
  file.list("a.strings", std::vector<std::string>{"one", "", "three"}).list("a.floats", std::vector<float>{0.5F, -2.0F}).list("a.integers", std::vector<std::int32_t>{7, -8});
  ByteString nested = GgufWriter::list_head(9, 2);
  nested.raw(GgufWriter::list_head(0, 3).bytes()).raw("abc").raw(GgufWriter::list_head(8, 1).text("x").bytes());
  file.key("a.nested", 9, nested);
  file.tensor("plain", {2, 3}, f32, std::string(24, '\1')).tensor("blocks", {256, 2}, q4_k, std::string(288, '\2')).tensor("last", {1}, f32, std::string(4, '\3'));
  return file;
}

void check_numbers(const gguf::Metadata& metadata) {
  const auto most = std::numeric_limits<std::uint64_t>::max();
  check(metadata.get_unsigned("a.u8", most) == 200 && metadata.get_unsigned("a.u16", most) == 60000, "small integers");
  check(metadata.get_unsigned("a.u32", most) == 4000000000U && metadata.get_unsigned("a.u64", most) == std::uint64_t{1} << 60, "large integers");
  check(metadata.get_number("a.i8") == -5 && metadata.get_number("a.i16") == -300 && metadata.get_number("a.i32") == -70000, "negative ones");
  check(metadata.get_number("a.i64") == -0x1p60 && metadata.get_number("a.f32") == 1.5 && metadata.get_number("a.f64") == 0.1, "numbers of 64 bits and fractions");
}

LECTERN_TEST("gguf: every type of key and the tensors of a right file") {
  const std::vector<std::byte> bytes = exactly(small_file().bytes());
  const gguf::Contents contents = gguf::read(bytes);
  const gguf::Metadata& metadata = contents.metadata;
  check_numbers(metadata);
  check(metadata.find_bool("a.bool") == true && metadata.get_string("a.string") == "some text", "a truth and a text");
  check(metadata.find_strings("a.strings")->strings == std::vector<std::string_view>{"one", "", "three"}, "strings");
  check(metadata.find_floats("a.floats") == std::vector<float>{0.5F, -2.0F}, "floats");
  check(metadata.find_integers("a.integers") == std::vector<std::int32_t>{7, -8}, "integers");
  check(metadata.has("a.nested") && metadata.all().size() == 16, "nested arrays are passed over");
  check(!metadata.find_string("b") && metadata.find_strings("b") == nullptr && !metadata.find_floats("b"), "what is absent");
  if (!check(contents.tensors.size() == 3, "the tensors")) return;
  const Tensor& blocks = contents.tensors[1];
  check(blocks.name == "blocks" && blocks.rank == 2 && blocks.rows() == 2 && blocks.row_length() == 256 && blocks.dims[3] == 1, "a shape");
  check(blocks.dtype == DType::q4_k && blocks.bytes == 288 && blocks.data[0] == std::byte{2} && blocks.data[287] == std::byte{2}, "its bytes");
  check(contents.tensors[0].data[23] == std::byte{1} && contents.tensors[2].data + 4 == bytes.data() + bytes.size(), "the others' bytes");
}

/// The file is refused with a sentence that holds `word`.
void check_refused(std::string_view file, const std::string& word, const std::string& what) {
  const std::vector<std::byte> bytes = exactly(file);
  try {
    (void)gguf::read(bytes);
    check(false, what + ": read");
  } catch (const Error& error) {
    const std::string sentence = error.what();
    check(error.code() == ErrorCode::invalid_model && sentence.find(word) != std::string::npos && sentence.ends_with('.'), what + ": " + sentence);
  }
}
void check_refused(const GgufWriter& file, const std::string& word, const std::string& what) { check_refused(file.bytes(), word, what); }

LECTERN_TEST("gguf: a file cut off after any byte is refused") {
  const std::string whole = small_file().bytes();
  for (std::size_t length = 0; length < whole.size(); length++) check_refused(whole.substr(0, length), " ", "cut after " + std::to_string(length));
}

LECTERN_TEST("gguf: wrong heads") {
  GgufWriter file = small_file();
  file.magic = "GGUX";
  check_refused(file, "does not begin with \"GGUF\"", "the magic number");
  file = small_file();
  for (const std::uint32_t version : {0U, 1U, 4U, 0xFFFFFFFFU}) {
    file.version = version;
    check_refused(file, "version " + std::to_string(version), "the version");
  }
  file.version = 0x03000000;
  check_refused(file, "big endian", "the order of bytes");
  for (const std::uint64_t count : {std::uint64_t{1} << 20, std::uint64_t{1} << 61, UINT64_MAX}) {
    file = small_file();
    file.claimed_keys = count;
    check_refused(file, std::to_string(count) + " keys", "the number of keys");
    file = small_file();
    file.claimed_tensors = count;
    check_refused(file, std::to_string(count) + " tensors", "the number of tensors");
  }
  file = small_file();
  file.version = 2;
  check(gguf::read(exactly(file.bytes())).tensors.size() == 3, "version 2 is read");
}

LECTERN_TEST("gguf: wrong keys") {
  check_refused(GgufWriter().key("k", 13, ByteString().number(0)), "key \"k\" has the unknown type 13", "an unknown type");
  check_refused(GgufWriter().key("k", 1U).key("k", 2U), "key \"k\" stands twice", "a duplicate");
  check_refused(GgufWriter().key("k", 8, ByteString().number(UINT64_MAX)), "key \"k\" is 18446744073709551615 bytes long", "the length of a string");
  check_refused(GgufWriter().key(std::string(65536, 'k'), 1U), "key 0 is 65536 bytes long", "a long name");
  for (const std::uint32_t element : {0U, 4U, 8U, 9U, 12U}) {
    for (const std::uint64_t count : {std::uint64_t{3}, std::uint64_t{1} << 61, UINT64_MAX}) {
      check_refused(GgufWriter().key("list", 9, GgufWriter::list_head(element, count)), "key \"list\" claims " + std::to_string(count), "the length of an array");
    }
  }
  check_refused(GgufWriter().key("list", 9, GgufWriter::list_head(77, 0)), "key \"list\" has the unknown type 77", "the type of an array");
  ByteString deep;
  for (int i = 0; i < 100000; i++) deep.raw(GgufWriter::list_head(9, 1).bytes());
  check_refused(GgufWriter().key("deep", 9, deep), "key \"deep\" nests arrays too deep", "nesting without end");
  check_refused(GgufWriter().key(std::string(3000, '\xFF'), 99, ByteString()), "\"" + std::string(80, '?') + "...\"", "a name that is no text");
}

LECTERN_TEST("gguf: wrong alignment") {
  for (const std::uint32_t alignment : {0U, 3U, 48U}) {
    check_refused(GgufWriter().key("general.alignment", alignment).tensor("t", {8}, f32, std::string(32, ' ')), "alignment " + std::to_string(alignment), "no power of two");
  }
  check_refused(GgufWriter().key("general.alignment", 0x80000000U), "general.alignment", "too large");
  check_refused(GgufWriter().key("general.alignment", "32"), "general.alignment", "no number");
  check_refused(GgufWriter().tensor("t", {8}, f32, std::string(64, ' '), 16), "tensor \"t\" is not aligned to 32", "an offset between");
  GgufWriter wide;
  wide.alignment = 4096;
  wide.key("general.alignment", 4096U).tensor("t", {1}, f32, "abcd");
  const std::vector<std::byte> bytes = exactly(wide.bytes());
  check(gguf::read(bytes).tensors[0].data == bytes.data() + 4096, "another alignment is kept");
}

LECTERN_TEST("gguf: wrong tensors") {
  const auto one = [](const std::vector<std::uint64_t>& dims, std::uint32_t type, std::optional<std::uint64_t> offset = std::nullopt) {
    return GgufWriter().tensor("t", dims, type, std::string(64, ' '), offset);
  };
  check_refused(one({}, f32), "0 dimensions", "no dimension");
  check_refused(one({1, 1, 1, 1, 1}, f32), "5 dimensions", "five dimensions");
  const std::uint64_t huge = std::uint64_t{1} << 63;
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{{0}, {4, 0}, {huge}, {UINT64_MAX}, {1U << 30, 1U << 30}, {1U << 31, 2, huge, 2}, {1U << 16, 1U << 16, 1U << 16, 1U << 16}}) {
    check_refused(one(dims, f32), "tensor \"t\" has the impossible dimension", "a dimension");
  }
  check_refused(one({std::uint64_t{1} << 56}, f32), "tensor \"t\" lies past the end", "more than the file");
  for (const std::uint32_t type : {4U, 5U, 9U, 15U, 31U, 36U, 40U, UINT32_MAX}) {
    check_refused(one({32}, type), "tensor \"t\" has the type " + std::to_string(type), "an unknown type");
  }
  check_refused(one({33}, 2), "tensor \"t\" has rows of 33 elements, no multiple of Q4_0's 32", "a row of no whole blocks");
  check_refused(one({32, 8}, q4_k), "rows of 32 elements", "whole blocks only over rows");
  check_refused(one({16}, f32, 32), "tensor \"t\" lies past the end", "data beyond the end");
  check_refused(one({16}, f32, UINT64_MAX - 31), "tensor \"t\" lies past the end", "an offset that overflows");
  check_refused(GgufWriter().tensor(std::string(65, 'n'), {1}, f32, "abcd"), "name of tensor 0 is 65 bytes long", "a long name");
  check_refused(GgufWriter().tensor("t", {1}, f32, "abcd").tensor("t", {1}, f32, "abcd"), "tensor \"t\" stands twice", "a duplicate");
  check_refused(GgufWriter().tensor("t", {16}, f32, std::string(64, ' ')).tensor("u", {1}, f32, "abcd", 32), "\"t\" and \"u\" overlap", "an overlap");
  check_refused(GgufWriter().tensor("t", {1}, f32, "abcd", 0).tensor("u", {1}, f32, "abcd", 0), "overlap", "the same place");
}

LECTERN_TEST("gguf: keys of another type or size than asked for") {
  const std::vector<std::byte> bytes = exactly(small_file().list("wide", std::vector<std::string>{}).bytes());
  const gguf::Metadata metadata = gguf::read(bytes).metadata;
  const auto refused = [&](const char* key, const std::function<void()>& ask) {
    try {
      ask();
      check(false, std::string(key) + ": answered");
    } catch (const Error& error) {
      check(error.code() == ErrorCode::invalid_model && std::string(error.what()).find("\"" + std::string(key) + "\"") != std::string::npos, std::string(key) + ": " + error.what());
    }
  };
  refused("a.u32", [&] { (void)metadata.find_string("a.u32"); });
  refused("a.string", [&] { (void)metadata.find_unsigned("a.string", 9); });
  refused("a.i8", [&] { (void)metadata.find_unsigned("a.i8", 9); });
  refused("a.u8", [&] { (void)metadata.find_unsigned("a.u8", 199); });
  refused("a.f32", [&] { (void)metadata.find_unsigned("a.f32", 9); });
  refused("a.string", [&] { (void)metadata.find_number("a.string"); });
  refused("a.u8", [&] { (void)metadata.find_bool("a.u8"); });
  refused("a.u8", [&] { (void)metadata.find_strings("a.u8"); });
  refused("a.floats", [&] { (void)metadata.find_strings("a.floats"); });
  refused("a.floats", [&] { (void)metadata.find_integers("a.floats"); });
  refused("a.strings", [&] { (void)metadata.find_integers("a.strings"); });
  refused("a.nested", [&] { (void)metadata.find_floats("a.nested"); });
  refused("none", [&] { (void)metadata.get_string("none"); });
  refused("none", [&] { (void)metadata.get_unsigned("none", 9); });
  refused("none", [&] { (void)metadata.get_number("none"); });
}

/// Touches everything that a file gave, so that a view past its end is seen. What is read must be consistent.
void use(const gguf::Contents& contents, std::span<const std::byte> file) {
  for (const auto& [key, value] : contents.metadata.all()) {
    if (const auto* array = std::get_if<gguf::Array>(&value); array != nullptr && array->element != gguf::ValueType::array) {
      if (array->element == gguf::ValueType::string) (void)contents.metadata.find_strings(key);
      else (void)contents.metadata.find_floats(key);
    }
  }
  for (const Tensor& tensor : contents.tensors) {
    const bool inside = tensor.data >= file.data() && tensor.bytes <= file.size() && tensor.data + tensor.bytes <= file.data() + file.size();
    if (!inside) check(false, "a tensor outside its file");
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    dequantise(tensor.dtype, tensor.data, tensor.elements(), values.data());
  }
}

LECTERN_TEST("gguf: random damage never gets further than a refusal") {
  const std::string whole = small_file().bytes();
  const std::size_t head = whole.find("last") + 40;
  std::mt19937 random(20240607);
  int read = 0;
  int refused = 0;
  for (int round = 0; round < 20000; round++) {
    std::string damaged = whole;
    for (unsigned flips = 1 + random() % 4; flips > 0; flips--) {
      // Mostly the head: the data has nothing that can be wrong.
      const std::size_t place = random() % (random() % 4 != 0 ? head : damaged.size());
      damaged[place] = random() % 2 != 0 ? static_cast<char>(damaged[place] ^ 1 << random() % 8) : static_cast<char>(random());
    }
    const std::vector<std::byte> bytes = exactly(damaged);
    try {
      use(gguf::read(bytes), bytes);
      read++;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_model) check(false, "round " + std::to_string(round) + ": " + error.what());
      refused++;
    }
  }
  check(read > 1000 && refused > 1000, "both happen: " + std::to_string(read) + " read, " + std::to_string(refused) + " refused");
}

}  // namespace
}  // namespace lectern
