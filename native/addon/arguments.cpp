// Validation of the arguments of JavaScript calls.
#include "arguments.h"

#include <algorithm>
#include <cmath>

#include "cancel_handle.h"
#include "error.h"

namespace lectern::addon {
namespace {

// Beyond every bitmap that fits into memory, and exact as a double.
constexpr double max_stride = 1e12;

}  // namespace

Fields::Fields(const Napi::Value& value, std::string name) : name_(std::move(name)) {
  if (!value.IsObject()) throw Error(ErrorCode::invalid_request, name_ + " must be an object.");
  object_ = value.As<Napi::Object>();
}

void Fields::allow_only(std::initializer_list<std::string_view> known) const {
  const Napi::Array keys = object_.GetPropertyNames();
  for (std::uint32_t i = 0; i < keys.Length(); ++i) {
    const std::string key = keys.Get(i).ToString();
    if (std::find(known.begin(), known.end(), key) == known.end()) refuse(key, "is not a known key");
  }
}

Napi::Value Fields::get(std::string_view key) const { return object_.Get(std::string(key)); }

double Fields::integer(std::string_view key, double least, double most) const {
  const Napi::Value value = get(key);
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : NAN;
  // NaN fails both comparisons.
  if (number >= least && number <= most && number == std::floor(number)) return number;
  refuse(key, "must be an integer from " + std::to_string(static_cast<std::int64_t>(least)) + " to " +
                  std::to_string(static_cast<std::int64_t>(most)));
}

double Fields::number(std::string_view key, double least, double most) const {
  const Napi::Value value = get(key);
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : NAN;
  if (number >= least && number <= most) return number;
  refuse(key, "must be a number from " + std::to_string(least) + " to " + std::to_string(most));
}

std::string Fields::text(std::string_view key, std::size_t most) const {
  const Napi::Value value = get(key);
  std::string found = value.IsString() ? value.As<Napi::String>().Utf8Value() : "";
  if (found.empty() || found.size() > most || found.find('\0') != std::string::npos) {
    refuse(key, "must be a text of 1 to " + std::to_string(most) + " bytes");
  }
  return found;
}

std::array<float, 3> Fields::triple(std::string_view key) const {
  const Napi::Value value = get(key);
  std::array<float, 3> numbers{};
  const bool fits = value.IsArray() && value.As<Napi::Array>().Length() == numbers.size();
  for (std::uint32_t i = 0; fits && i < numbers.size(); ++i) {
    const Napi::Value element = value.As<Napi::Array>().Get(i);
    const float number = element.IsNumber() ? element.As<Napi::Number>().FloatValue() : NAN;
    if (!std::isfinite(number)) refuse(key, "must hold three finite numbers");
    numbers[i] = number;
  }
  if (!fits) refuse(key, "must hold three finite numbers");
  return numbers;
}

bool Fields::boolean_or(std::string_view key, bool otherwise) const {
  const Napi::Value value = get(key);
  if (value.IsUndefined()) return otherwise;
  if (!value.IsBoolean()) refuse(key, "must be true or false");
  return value.As<Napi::Boolean>().Value();
}

std::size_t Fields::choice(std::string_view key, std::initializer_list<std::string_view> names) const {
  const Napi::Value value = get(key);
  const std::string text = value.IsString() ? value.As<Napi::String>().Utf8Value() : "";
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string listed;
  for (const std::string_view name : names) listed += (listed.empty() ? "" : ", ") + std::string(name);
  refuse(key, "must be one of " + listed);
}

Napi::Function Fields::function(std::string_view key) const {
  const Napi::Value value = get(key);
  if (value.IsUndefined()) return {};
  if (!value.IsFunction()) refuse(key, "must be a function");
  return value.As<Napi::Function>();
}

void Fields::refuse(std::string_view key, std::string_view must) const {
  throw Error(ErrorCode::invalid_request, name_ + "." + std::string(key) + " " + std::string(must) + ".");
}

BitmapArgument read_bitmap(const Napi::Value& value) {
  const Fields fields(value, "bitmap");
  const double width = fields.integer("width", 1, vision::max_side);
  const double height = fields.integer("height", 1, vision::max_side);
  const double stride = fields.integer("stride", width * 4, max_stride);
  const Napi::Value data = fields.get("data");
  if (!data.IsTypedArray()) fields.refuse("data", "must be a Uint8Array");
  const auto array = data.As<Napi::TypedArray>();
  const napi_typedarray_type type = array.TypedArrayType();
  if (type != napi_uint8_array && type != napi_uint8_clamped_array) fields.refuse("data", "must be a Uint8Array");
  // All three are integers below 2^53, and so is the sum.
  const double needed = stride * (height - 1) + width * 4;
  const auto bytes = data.As<Napi::Uint8Array>();
  if (static_cast<double>(bytes.ByteLength()) < needed) {
    fields.refuse("data", "has " + std::to_string(bytes.ByteLength()) + " bytes, and width, height and stride need " +
                              std::to_string(static_cast<std::uint64_t>(needed)));
  }
  return {{bytes.Data(), static_cast<int>(width), static_cast<int>(height), static_cast<std::size_t>(stride)}, array};
}

vision::TesseractOptions read_tesseract_options(const Napi::Value& value) {
  const Fields fields(value, "options");
  fields.allow_only({"dataDirectory", "languages", "dpi"});
  return {fields.text("dataDirectory", 4096), fields.text("languages", 1024), static_cast<int>(fields.integer("dpi", 70, 2400))};
}

vision::RecogniseOptions read_recognise_options(const Napi::Value& value) {
  const Fields fields(value, "options");
  fields.allow_only({"network", "dpi", "oneLine", "orientation", "detector", "workBytes"});
  vision::RecogniseOptions options{fields.text("network", 4096), static_cast<int>(fields.integer("dpi", 70, 2400)), fields.boolean_or("oneLine", false), {}, {}};
  if (fields.has("workBytes")) options.work_bytes = static_cast<std::size_t>(fields.integer("workBytes", 0, 9007199254740991.0));
  if (fields.has("orientation")) options.orientation = fields.text("orientation", 4096);
  if (fields.has("detector")) options.detector = fields.text("detector", 4096);
  return options;
}

vision::VoteOptions read_vote_options(const Napi::Value& value) {
  const Fields fields(value, "options");
  fields.allow_only({"network", "dpi"});
  return {fields.text("network", 4096), static_cast<int>(fields.integer("dpi", 70, 2400))};
}

std::optional<cuda::KernelOptions> read_kernel_options(const Fields& engine) {
  if (!engine.has("kernels")) return std::nullopt;
  const Fields fields(engine.get("kernels"), "kernels");
  fields.allow_only({"decode", "earlyLaunches", "warpgroups"});
  cuda::KernelOptions options{std::nullopt, fields.boolean_or("earlyLaunches", true), fields.boolean_or("warpgroups", true)};
  if (fields.has("decode")) {
    constexpr cuda::GemvKernel kernels[] = {cuda::GemvKernel::registers, cuda::GemvKernel::rings, cuda::GemvKernel::tiles};
    options.decode = kernels[fields.choice("decode", {"registers", "rings", "tiles"})];
  }
  return options;
}

std::shared_ptr<Cancel> read_cancel(const Napi::Value& value) {
  if (value.IsUndefined()) return std::make_shared<Cancel>();
  const CancelHandle* handle = CancelHandle::from(value);
  if (handle == nullptr) throw Error(ErrorCode::invalid_request, "cancel must be a Cancel of this addon.");
  return handle->flag();
}

}  // namespace lectern::addon
