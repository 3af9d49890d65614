// The failures that native code reports: the codes of src/errors.ts, which gives each its status and its sentence.
// C++17: the CUDA sources see this file.
#pragma once

#include <array>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lectern {

enum class ErrorCode {
  invalid_request,
  invalid_state,
  invalid_document,
  password_required,
  unsupported_format,
  too_large,
  not_found,
  model_not_found,
  invalid_model,
  context_overflow,
  out_of_memory,
  queue_full,
  timeout,
  cancelled,
  worker_crashed,
  device_lost,
  forbidden,
  internal,
};

/// The names that cross the seam, in the order of the enumerators.
inline constexpr std::array<std::string_view, 18> error_code_names = {
    "invalid_request", "invalid_state",   "invalid_document", "password_required", "unsupported_format", "too_large",
    "not_found",       "model_not_found", "invalid_model",    "context_overflow",  "out_of_memory",      "queue_full",
    "timeout",         "cancelled",       "worker_crashed",   "device_lost",       "forbidden",          "internal",
};
static_assert(error_code_names.size() == static_cast<std::size_t>(ErrorCode::internal) + 1);

constexpr std::string_view name_of(ErrorCode code) { return error_code_names[static_cast<std::size_t>(code)]; }

/// An expected failure; its message is fit for the caller of the service to read. Any other exception is a defect and
/// leaves native code as `internal`.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// What is known of any thrown value: an Error as it is, exhausted memory `out_of_memory`, everything else `internal`.
inline Error as_error(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::out_of_memory, "There is not enough memory for this work.");
  } catch (const std::exception& defect) {
    return Error(ErrorCode::internal, defect.what());
  } catch (...) {
    return Error(ErrorCode::internal, "Native code threw something that is no exception.");
  }
}

}  // namespace lectern
