#include "tokenizer_pack.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "harness.h"
#include "options.h"

namespace lectern::test {

namespace fs = std::filesystem;

std::vector<fs::path> tokenizer_pack_files() {
  const std::string& named = options().tokenizer_pack;
  const fs::path folder = named.empty() ? fs::path(LECTERN_SOURCE_DIRECTORY) / "../shared/conformance/tokenizer" : fs::path(named);
  std::vector<fs::path> files;
  if (!fs::exists(folder)) {
    note("skipped: there is no tokenizer pack at " + folder.string());
    check(named.empty(), "the pack that --tokenizer-pack names is there");
    return files;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  check(!files.empty(), "the pack holds something");
  return files;
}

std::string read_vocabulary(const fs::path& path) {
  std::string bytes;
  if (path.extension() == ".gz" && fs::exists(path) && path.string().find('\'') == std::string::npos) {
    FILE* unpacked = ::popen(("gunzip -c '" + path.string() + "' 2>/dev/null").c_str(), "r");
    if (unpacked == nullptr) return {};
    std::vector<char> piece(1 << 16);
    while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), unpacked)) bytes.append(piece.data(), count);
    return ::pclose(unpacked) == 0 ? bytes : std::string();
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

}  // namespace lectern::test
