// Attention against two plain loops in double precision: any window of positions, any instruction level, any company.
#include <algorithm>
#include <string>
#include <vector>

#include "attention_case.h"
#include "cpu/backend.h"
#include "harness.h"
#include "sanitized.h"

namespace lectern {
namespace {

using test::AttentionCase;
using test::AttentionRun;
using test::check;

void check_windows(Backend& backend, const std::string& name) {
  const std::vector<int> rows = {0, 1, 15, 16, 40, 62, 63, 64, 65, 100, 127, 128, 129, 190, 191, 192, 200, 255, 256, 257, 299};
  for (const int size : {32, 40, 64}) {
    const AttentionCase made(size);
    AttentionRun run(backend, made);
    for (const int window : {1, 2, 16, 63, 64, 65, 130, AttentionCase::positions}) {
      std::vector<std::int32_t> first;
      for (const int row : rows) first.push_back(std::max(0, row + 1 - window));
      const std::vector<float> together = run.attend(rows, first, static_cast<int>(rows.size()));
      const std::string what = name + ", heads of " + std::to_string(size) + ", a window of " + std::to_string(window);
      check(made.furthest(rows, first, together) < 3e-6, what);
      check(run.attend(rows, first, 1) == together, what + ": one row at a time has the same bits");
    }
  }
}

LECTERN_TEST("attention: a row sees the positions of its window and no other") {
  if (!test::thread_sanitized) check_windows(*cpu::make_backend(cpu::Arithmetic::plain), "plain");
  for (const Instructions level : instruction_levels()) {
    if (test::thread_sanitized && level < available_instructions()) continue;
    if (level > available_instructions()) {
      test::note("skipped: this processor has no " + std::string(name_of(level)));
      continue;
    }
    check_windows(*cpu::make_backend(cpu::Arithmetic::fast, level), std::string(name_of(level)));
  }
}

}  // namespace
}  // namespace lectern
