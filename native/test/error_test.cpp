// The error table, and what becomes of foreign exceptions.
#include <set>

#include "cancel.h"
#include "harness.h"

namespace lectern {
namespace {

using test::check;

template <class Thrown>
Error error_of(const Thrown& thrown) {
  return as_error(std::make_exception_ptr(thrown));
}

LECTERN_TEST("error: every code has a name of its own, in the order of the enumerators") {
  const std::set<std::string_view> names(error_code_names.begin(), error_code_names.end());
  check(names.size() == error_code_names.size(), "no name twice");
  check(!names.contains(""), "no name empty");
  check(name_of(ErrorCode::invalid_request) == "invalid_request", "the first");
  check(name_of(ErrorCode::context_overflow) == "context_overflow", "one in the middle");
  check(name_of(ErrorCode::internal) == "internal", "the last");
}

LECTERN_TEST("error: whatever is thrown has a code") {
  const Error own = error_of(Error(ErrorCode::invalid_model, "the file is short"));
  check(own.code() == ErrorCode::invalid_model && own.what() == std::string("the file is short"), "an Error stays");
  check(error_of(std::bad_alloc()).code() == ErrorCode::out_of_memory, "memory");
  const Error defect = error_of(std::out_of_range("index 7"));
  check(defect.code() == ErrorCode::internal && defect.what() == std::string("index 7"), "a defect keeps its text");
  check(error_of(42).code() == ErrorCode::internal, "no exception at all");
}

LECTERN_TEST("cancel: the flag is checked by throwing") {
  Cancel cancel;
  cancel.check();
  check(!cancel.requested(), "not set at first");
  cancel.request();
  check(cancel.requested(), "set");
  test::check_throws(ErrorCode::cancelled, [&] { cancel.check(); }, "check");
}

}  // namespace
}  // namespace lectern
