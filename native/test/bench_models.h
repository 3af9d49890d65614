// The models that benchmarks run: published shapes, seeded random weights, and vocabularies, so that other engines open the files too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "made_model.h"

namespace lectern::test {

struct BenchModel {
  std::string name;  // as its publisher's, with the type of its weights
  MadeShape shape;
};

const std::vector<BenchModel>& bench_models();

/// Writes `folder`/NAME.gguf unless it is there, whole or not at all. Throws std::invalid_argument for a name that is none of the above.
void write_bench_model(const std::filesystem::path& folder, const std::string& name);

}  // namespace lectern::test
