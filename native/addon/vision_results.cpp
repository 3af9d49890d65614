#include "vision_results.h"

#include <algorithm>

namespace lectern::addon {
namespace {

Napi::Number number(Napi::Env env, double value) { return Napi::Number::New(env, value); }

Napi::Object cell_value(Napi::Env env, const vision::FoundCell& found) {
  Napi::Object value = Napi::Object::New(env);
  value.Set("row", number(env, found.cell.row));
  value.Set("column", number(env, found.cell.column));
  value.Set("rowSpan", number(env, found.cell.row_span));
  value.Set("columnSpan", number(env, found.cell.column_span));
  value.Set("header", Napi::Boolean::New(env, found.cell.header));
  Napi::Array box = Napi::Array::New(env, 8);
  for (std::uint32_t corner = 0; corner < 4; ++corner) {
    box.Set(2 * corner, number(env, found.box[corner].x));
    box.Set(2 * corner + 1, number(env, found.box[corner].y));
  }
  value.Set("box", box);
  return value;
}

Napi::Float32Array floats(Napi::Env env, const std::vector<float>& values) {
  auto array = Napi::Float32Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

}  // namespace

Napi::Value to_value(Napi::Env env, const std::vector<NamedRegion>& regions) {
  Napi::Array list = Napi::Array::New(env, regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Napi::HandleScope scope(env);
    const auto& [region, label] = regions[i];
    Napi::Object value = Napi::Object::New(env);
    value.Set("label", Napi::String::New(env, label));
    value.Set("score", number(env, static_cast<double>(region.score)));
    value.Set("left", number(env, region.left));
    value.Set("top", number(env, region.top));
    value.Set("right", number(env, region.right));
    value.Set("bottom", number(env, region.bottom));
    list.Set(static_cast<std::uint32_t>(i), value);
  }
  return list;
}

Napi::Value to_value(Napi::Env env, const vision::FoundTable& table) {
  Napi::Object value = Napi::Object::New(env);
  value.Set("rows", number(env, table.grid.rows));
  value.Set("columns", number(env, table.grid.columns));
  value.Set("score", number(env, static_cast<double>(table.score)));
  Napi::Array cells = Napi::Array::New(env, table.cells.size());
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    const Napi::HandleScope scope(env);
    cells.Set(static_cast<std::uint32_t>(i), cell_value(env, table.cells[i]));
  }
  value.Set("cells", cells);
  return value;
}

Napi::Value to_value(Napi::Env env, const vision::LineClasses& found) {
  Napi::Object value = Napi::Object::New(env);
  value.Set("classes", floats(env, found.classes));
  value.Set("joined", floats(env, found.joined));
  return value;
}

}  // namespace lectern::addon
