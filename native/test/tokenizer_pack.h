// A tokenizer pack: cases as JSON, and the vocabularies that they name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern::test {

/// The *.json of the pack that --tokenizer-pack names, or of the one beside the checkout. Empty, with the reason as a note, where there
/// is none: a failed check where one was named.
std::vector<std::filesystem::path> tokenizer_pack_files();

/// A vocabulary's bytes, unpacked in memory. Empty when the file is absent, or packed and there is no gunzip.
std::string read_vocabulary(const std::filesystem::path& path);

}  // namespace lectern::test
