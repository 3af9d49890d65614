// Registration, counting and the TAP stream.
#include "harness.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace lectern::test {
namespace {

std::vector<Test>& registered() {
  static std::vector<Test> tests;
  return tests;
}

// Checks are made on the main thread only: what happens on lanes is brought back first.
int checks = 0;
int failed_checks = 0;

}  // namespace

Registration::Registration(Test test) { registered().push_back(test); }

bool check(bool holds, const std::string& what, std::source_location where) {
  ++checks;
  if (holds) return true;
  ++failed_checks;
  std::printf("# failed: %s (%s:%u)\n", what.c_str(), where.file_name(), static_cast<unsigned>(where.line()));
  return false;
}

bool check_near(double value, double expected, double tolerance, const std::string& what, std::source_location where) {
  const bool near = std::isfinite(value) && std::abs(value - expected) <= tolerance;
  return check(near, near ? what : what + ": " + std::to_string(value) + " instead of " + std::to_string(expected), where);
}

void note(const std::string& text) { std::printf("# %s\n", text.c_str()); }

bool is_long_form() {
  const char* full = std::getenv("CI_FULL");
  return full != nullptr && std::string(full) == "1";
}

int run(const std::vector<std::string>& filters, Share share) {
  std::printf("TAP version 14\n");
  int position = 0;
  int tests = 0;
  int failed_tests = 0;
  int checks_of_all = 0;
  std::vector<bool> found(filters.size());
  for (const Test& test : registered()) {
    bool wanted = filters.empty();
    for (std::size_t i = 0; i < filters.size(); ++i) {
      if (std::string(test.title).find(filters[i]) == std::string::npos) continue;
      wanted = true;
      found[i] = true;
    }
    if (!wanted || position++ % share.count != share.index) continue;
    const auto began = std::chrono::steady_clock::now();
    checks = 0;
    failed_checks = 0;
    try {
      test.body();
    } catch (const std::exception& thrown) {
      check(false, std::string("threw ") + thrown.what());
    }
    if (checks == 0) check(false, "checked nothing");
    ++tests;
    checks_of_all += checks;
    failed_tests += failed_checks > 0;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    std::printf("%s %d - %s # time=%.0fms\n", failed_checks > 0 ? "not ok" : "ok", tests, test.title, took.count());
    std::fflush(stdout);
  }
  std::printf("1..%d\n# %d passed, %d failed, %d checks\n", tests, tests - failed_tests, failed_tests, checks_of_all);
  bool all_found = true;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (found[i]) continue;
    all_found = false;
    std::printf("# no test matches '%s'\n", filters[i].c_str());
  }
  return all_found && tests > 0 && failed_tests == 0 ? 0 : 1;
}

}  // namespace lectern::test
