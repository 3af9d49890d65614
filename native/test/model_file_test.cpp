// Models on disk: whole files and numbered parts, and what is wrong with a part.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "error.h"
#include "gguf/model_file.h"
#include "gguf_writer.h"
#include "harness.h"
#include "made_model.h"

namespace lectern {
namespace {

using test::check;
using test::GgufWriter;
namespace fs = std::filesystem;

constexpr std::uint32_t f32 = 0;

fs::path part_path(int part) { return test::scratch_file("split-0000" + std::to_string(part) + "-of-00003.gguf"); }

GgufWriter part(std::uint32_t number, std::uint32_t count = 3) {
  GgufWriter file;
  if (number == 0) file.key("general.architecture", "llama").key("split.tensors.count", 3U);
  file.key("split.no", number).key("split.count", count);
  file.tensor("part." + std::to_string(number), {8}, f32, std::string(32, static_cast<char>('a' + number)));
  return file;
}

void write_parts() {
  for (int i = 0; i < 3; i++) part(static_cast<std::uint32_t>(i)).write(part_path(i + 1));
}

void check_refused(const fs::path& path, ErrorCode code, const std::string& word, const std::string& what) {
  try {
    const gguf::ModelFile file(path);
    check(false, what + ": opened");
  } catch (const Error& error) {
    check(error.code() == code && std::string(error.what()).find(word) != std::string::npos, what + ": " + error.what());
  }
}
void check_refused(const std::string& word, const std::string& what) { check_refused(part_path(1), ErrorCode::invalid_model, word, what); }

LECTERN_TEST("model file: one file") {
  const fs::path path = test::scratch_file("one.gguf");
  GgufWriter().key("general.architecture", "llama").tensor("t", {8}, f32, std::string(32, 'x')).write(path);
  const gguf::ModelFile file(path);
  check(file.metadata().get_string("general.architecture") == "llama" && file.tensors().size() == 1 && file.tensor_bytes() == 32, "what is in it");
  check(file.find("t") == &file.get("t") && file.find("u") == nullptr, "a tensor by its name");
  test::check_throws(ErrorCode::invalid_model, [&] { (void)file.get("u"); }, "one that is missing");
  file.drop(file.get("t"));
  check(file.get("t").data[31] == std::byte{'x'}, "what was dropped comes back");
}

LECTERN_TEST("model file: three parts are one model") {
  write_parts();
  const gguf::ModelFile file(part_path(1));
  check(file.tensors().size() == 3 && file.tensor_bytes() == 96, "the tensors of all");
  check(file.get("part.2").data[0] == std::byte{'c'}, "the last part's bytes");
  check(file.metadata().get_string("general.architecture") == "llama", "the first part's keys");
}

LECTERN_TEST("model file: what is no file") {
  check_refused(test::scratch_file("none.gguf"), ErrorCode::model_not_found, "none.gguf", "absent");
  check_refused(test::scratch_file("none.gguf").parent_path(), ErrorCode::invalid_model, "cannot be mapped", "a folder");
  const fs::path empty = test::scratch_file("empty.gguf");
  std::ofstream(empty).close();
  check_refused(empty, ErrorCode::invalid_model, "empty", "empty");
}

LECTERN_TEST("model file: wrong parts are refused by their names") {
  write_parts();
  check_refused(part_path(2), ErrorCode::invalid_model, "name the first part", "another part than the first");
  fs::remove(part_path(3));
  check_refused("00003-of-00003.gguf is missing", "a part that is missing");
  fs::copy_file(part_path(2), part_path(3));
  check_refused("00003-of-00003.gguf is not part 3", "a part that stands twice");
  GgufWriter().key("split.count", 3U).tensor("part.1", {8}, f32, std::string(32, 'x')).write(part_path(3));
  check_refused("\"part.1\" stands in two parts", "a tensor in two parts");
  GgufWriter().key("split.no", 2U).write(part_path(3));
  check_refused("2 tensors, not the 3 of split.tensors.count", "a tensor too few");
  std::ofstream(part_path(3)) << "no model";
  check_refused("does not begin with \"GGUF\"", "a part that is no model");
  write_parts();
  part(1).write(part_path(1));
  check_refused("00001-of-00003.gguf is not part 1", "a first part that is another");
  part(0, 2).write(part_path(1));
  check_refused("split.count 2", "another count than the name's");
  const fs::path nameless = test::scratch_file("nameless.gguf");
  part(0).write(nameless);
  check_refused(nameless, ErrorCode::invalid_model, "does not say which", "a name without a number");
}

}  // namespace
}  // namespace lectern
