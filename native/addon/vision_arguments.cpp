#include "vision_arguments.h"

#include <limits>

#include "arguments.h"
#include "error.h"

namespace lectern::addon {
namespace {

// Of a network's picture: 4096 x 4096 are 192 MiB of floats.
constexpr double most_side = 4096;
constexpr double most_labels = 10'000;
constexpr std::size_t most_path = 4096;

int integer(const Fields& fields, std::string_view key, double least, double most) { return static_cast<int>(fields.integer(key, least, most)); }

float number(const Fields& fields, std::string_view key, double least, double most) { return static_cast<float>(fields.number(key, least, most)); }

bool boolean(const Fields& fields, std::string_view key) {
  if (!fields.has(key)) fields.refuse(key, "must be true or false");
  return fields.boolean_or(key, false);
}

Precision precision_of(const Fields& fields) {
  constexpr Precision precisions[] = {Precision::f16x3, Precision::f16, Precision::f32};
  return precisions[fields.choice("precision", {"f16x3", "f16", "f32"})];
}

/// { fit, bgr, mean, std, pad? }
vision::Preparation read_preparation(const Fields& parent) {
  const Fields fields(parent.get("preparation"), "preparation");
  fields.allow_only({"fit", "bgr", "mean", "std", "pad"});
  vision::Preparation preparation;
  constexpr vision::Fit fits[] = {vision::Fit::stretch, vision::Fit::centre, vision::Fit::corner};
  preparation.fit = fits[fields.choice("fit", {"stretch", "centre", "corner"})];
  preparation.bgr = boolean(fields, "bgr");
  preparation.mean = fields.triple("mean");
  preparation.std = fields.triple("std");
  for (const float deviation : preparation.std) {
    if (deviation <= 0) fields.refuse("std", "must be greater than 0");
  }
  if (fields.has("pad")) preparation.pad = number(fields, "pad", 0, 1);
  return preparation;
}

vision::DetectorOptions read_detector(const Fields& fields) {
  fields.allow_only({"file", "precision", "preparation", "shortestSide", "longestSide", "threshold", "boxThreshold", "unclip", "mostBoxes"});
  vision::DetectorOptions options;
  options.file = fields.text("file", most_path);
  options.precision = precision_of(fields);
  options.preparation = read_preparation(fields);
  options.shortest_side = integer(fields, "shortestSide", 1, most_side);
  options.longest_side = integer(fields, "longestSide", 32, most_side);
  options.map = {number(fields, "threshold", 0, 1), number(fields, "boxThreshold", 0, 1), static_cast<double>(number(fields, "unclip", 0, 10)), integer(fields, "mostBoxes", 1, 100'000)};
  return options;
}

vision::LineReaderOptions read_reader(const Fields& fields) {
  fields.allow_only({"file", "precision", "preparation", "dictionary", "space", "logits", "height", "leastWidth", "mostWidth"});
  vision::LineReaderOptions options;
  options.file = fields.text("file", most_path);
  options.precision = precision_of(fields);
  options.preparation = read_preparation(fields);
  if (fields.has("dictionary")) options.dictionary = fields.text("dictionary", most_path);
  options.space = boolean(fields, "space");
  options.logits = boolean(fields, "logits");
  options.height = integer(fields, "height", 8, 512);
  options.least_width = integer(fields, "leastWidth", 8, most_side);
  options.most_width = integer(fields, "mostWidth", options.least_width, 4 * most_side);
  return options;
}

vision::AngleOptions read_angle(const Fields& fields) {
  fields.allow_only({"file", "precision", "preparation", "width", "height", "threshold"});
  return {fields.text("file", most_path), read_preparation(fields), integer(fields, "width", 8, most_side), integer(fields, "height", 8, most_side), number(fields, "threshold", 0, 1), precision_of(fields)};
}

vision::LayoutOptions read_layout(const Fields& fields) {
  fields.allow_only({"file", "precision", "preparation", "answer", "width", "height", "labels", "threshold", "overlap", "mostRegions"});
  vision::LayoutOptions options;
  options.file = fields.text("file", most_path);
  options.precision = precision_of(fields);
  options.preparation = read_preparation(fields);
  constexpr vision::LayoutOutputs forms[] = {vision::LayoutOutputs::queries, vision::LayoutOutputs::finished_boxes, vision::LayoutOutputs::places, vision::LayoutOutputs::finished_rows, vision::LayoutOutputs::selected};
  options.outputs = forms[fields.choice("answer", {"queries", "finished_boxes", "places", "finished_rows", "selected"})];
  options.width = integer(fields, "width", 8, most_side);
  options.height = integer(fields, "height", 8, most_side);
  const Napi::Value labels = fields.get("labels");
  const double count = labels.IsArray() ? labels.As<Napi::Array>().Length() : 0;
  if (count < 1 || count > most_labels) fields.refuse("labels", "must hold 1 to 10000 names");
  for (std::uint32_t i = 0; i < labels.As<Napi::Array>().Length(); ++i) {
    const Napi::Value label = labels.As<Napi::Array>().Get(i);
    if (!label.IsString()) fields.refuse("labels", "must hold names alone");
    options.labels.push_back(label.As<Napi::String>().Utf8Value());
  }
  options.threshold = number(fields, "threshold", 0, 1);
  options.overlap = number(fields, "overlap", 0, 1);
  options.most_regions = integer(fields, "mostRegions", 1, 10'000);
  return options;
}

vision::TableOptions read_table(const Fields& fields) {
  vision::TableOptions options;
  options.outputs = fields.choice("answer", {"words", "separators"}) == 0 ? vision::TableOutputs::words : vision::TableOutputs::separators;
  options.file = fields.text("file", most_path);
  options.precision = precision_of(fields);
  options.preparation = read_preparation(fields);
  if (options.outputs == vision::TableOutputs::separators) {
    fields.allow_only({"answer", "file", "precision", "preparation"});
    return options;
  }
  fields.allow_only({"answer", "file", "precision", "preparation", "dictionary", "mergedCells", "paddedBoxes", "width", "height"});
  options.dictionary = fields.text("dictionary", most_path);
  options.merged_cells = boolean(fields, "mergedCells");
  options.padded_boxes = boolean(fields, "paddedBoxes");
  options.width = integer(fields, "width", 8, most_side);
  options.height = integer(fields, "height", 8, most_side);
  return options;
}

/// A typed array, copied.
template <class Number, napi_typedarray_type Type>
std::vector<Number> numbers(const Fields& fields, std::string_view key) {
  const Napi::Value value = fields.get(key);
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != Type) fields.refuse(key, Type == napi_float32_array ? "must be a Float32Array" : "must be an Int32Array");
  const auto array = value.As<Napi::TypedArrayOf<Number>>();
  return {array.Data(), array.Data() + array.ElementLength()};
}

}  // namespace

OpenVisionOptions read_open_vision(const Napi::Value& value) {
  const Fields fields(value, "options");
  fields.allow_only({"kind", "device", "threads", "workBytes", "networks"});
  OpenVisionOptions options;
  options.device = fields.choice("device", {"cpu", "cuda"}) == 0 ? DeviceKind::cpu : DeviceKind::cuda;
  if (fields.has("threads")) options.threads = integer(fields, "threads", 1, 1024);
  options.work_bytes = static_cast<std::size_t>(fields.integer("workBytes", 1, 9007199254740991.0));
  const Fields networks(fields.get("networks"), "networks");
  const auto part = [&](const char* name) { return Fields(networks.get(name), name); };
  switch (fields.choice("kind", {"text", "layout", "table", "lines"})) {
    case 0: {
      networks.allow_only({"detector", "angle", "reader"});
      vision::PageReaderOptions pages{read_detector(part("detector")), std::nullopt, read_reader(part("reader"))};
      if (networks.has("angle")) pages.angle = read_angle(part("angle"));
      options.networks = std::move(pages);
      break;
    }
    case 1:
      networks.allow_only({"layout"});
      options.networks = read_layout(part("layout"));
      break;
    case 2:
      networks.allow_only({"table"});
      options.networks = read_table(part("table"));
      break;
    default: {
      networks.allow_only({"lines"});
      const Fields lines = part("lines");
      lines.allow_only({"file"});
      options.networks = vision::LineLayoutOptions{lines.text("file", most_path)};
    }
  }
  return options;
}

vision::LineItems read_line_items(const Napi::Value& value) {
  const Fields fields(value, "items");
  fields.allow_only({"features", "neighbours", "pairs", "pairFeatures"});
  return {numbers<float, napi_float32_array>(fields, "features"), numbers<std::int32_t, napi_int32_array>(fields, "neighbours"), numbers<std::int32_t, napi_int32_array>(fields, "pairs"),
          numbers<float, napi_float32_array>(fields, "pairFeatures")};
}

ReadLinesOptions read_lines_options(const Napi::Value& value) {
  const Fields fields(value, "options");
  fields.allow_only({"dpi", "oneLine"});
  return {integer(fields, "dpi", 70, 2400), fields.boolean_or("oneLine", false)};
}

}  // namespace lectern::addon
