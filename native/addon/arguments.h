// Converts JavaScript values to plain structs, once, at the seam. An invalid value throws `invalid_request` with the name of its key.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <napi.h>

#include "cancel.h"
#include "cuda/runtime/kernel_options.h"
#include "vision/image.h"
#include "vision/line_orientation.h"
#include "vision/tesseract.h"
#include "vision/text_recognizer.h"

namespace lectern::addon {

/// An object argument, called `name` in messages.
class Fields {
 public:
  /// Throws Error `invalid_request` when the value is no object.
  Fields(const Napi::Value& value, std::string name);

  /// Throws Error `invalid_request` when there is a key that is none of these.
  void allow_only(std::initializer_list<std::string_view> known) const;

  Napi::Value get(std::string_view key) const;
  /// Whether the key is there and not undefined.
  bool has(std::string_view key) const { return !get(key).IsUndefined(); }
  /// `otherwise` where the key is absent.
  bool boolean_or(std::string_view key, bool otherwise) const;
  /// The place among `names` of a string that is one of them.
  std::size_t choice(std::string_view key, std::initializer_list<std::string_view> names) const;
  /// A string of 1 to `most` bytes without NUL.
  std::string text(std::string_view key, std::size_t most) const;
  /// An integral number within [least, most].
  double integer(std::string_view key, double least, double most) const;
  /// A number within [least, most].
  double number(std::string_view key, double least, double most) const;
  /// Three finite numbers.
  std::array<float, 3> triple(std::string_view key) const;
  /// Empty where the key is absent or undefined.
  Napi::Function function(std::string_view key) const;

  [[noreturn]] void refuse(std::string_view key, std::string_view must) const;

 private:
  Napi::Object object_;
  std::string name_;
};

struct BitmapArgument {
  vision::Bitmap view;
  Napi::Object owner;  // what must stay alive for the view to hold
};

/// To be read last: a getter of another argument could take the memory away again.
BitmapArgument read_bitmap(const Napi::Value& value);

vision::TesseractOptions read_tesseract_options(const Napi::Value& value);
vision::RecogniseOptions read_recognise_options(const Napi::Value& value);
vision::VoteOptions read_vote_options(const Napi::Value& value);

/// The key `kernels` of an engine's options; none where it is absent.
std::optional<cuda::KernelOptions> read_kernel_options(const Fields& engine);

/// The flag of a CancelHandle, or a new one that is never set where the value is undefined.
std::shared_ptr<Cancel> read_cancel(const Napi::Value& value);

}  // namespace lectern::addon
