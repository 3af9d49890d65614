#include "text_results.h"

namespace lectern::addon {
namespace {

template <class Item, class ToValue>
Napi::Array list_value(Napi::Env env, const std::vector<Item>& items, ToValue to_js) {
  Napi::Array value = Napi::Array::New(env, items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Napi::HandleScope scope(env);
    value.Set(static_cast<std::uint32_t>(i), to_js(env, items[i]));
  }
  return value;
}

Napi::Object word_value(Napi::Env env, const vision::ReadWord& word) {
  Napi::Object value = Napi::Object::New(env);
  value.Set("text", Napi::String::New(env, word.text));
  value.Set("left", Napi::Number::New(env, word.box.left));
  value.Set("top", Napi::Number::New(env, word.box.top));
  value.Set("right", Napi::Number::New(env, word.box.right));
  value.Set("bottom", Napi::Number::New(env, word.box.bottom));
  value.Set("confidence", Napi::Number::New(env, static_cast<double>(word.confidence)));
  return value;
}

Napi::Object line_value(Napi::Env env, const vision::ReadLine& line) {
  Napi::Array baseline = Napi::Array::New(env, 4);
  const float points[] = {line.baseline_left_x, line.baseline_left_y, line.baseline_right_x, line.baseline_right_y};
  for (std::uint32_t i = 0; i < 4; ++i) baseline.Set(i, Napi::Number::New(env, static_cast<double>(points[i])));
  Napi::Object value = Napi::Object::New(env);
  value.Set("baseline", baseline);
  value.Set("words", list_value(env, line.words, word_value));
  return value;
}

Napi::Object ruling_value(Napi::Env env, const vision::Ruling& ruling) {
  Napi::Object value = Napi::Object::New(env);
  value.Set("horizontal", Napi::Boolean::New(env, ruling.horizontal));
  value.Set("position", Napi::Number::New(env, static_cast<double>(ruling.position)));
  value.Set("start", Napi::Number::New(env, static_cast<double>(ruling.start)));
  value.Set("end", Napi::Number::New(env, static_cast<double>(ruling.end)));
  value.Set("thickness", Napi::Number::New(env, static_cast<double>(ruling.thickness)));
  return value;
}

Napi::Object tick_box_value(Napi::Env env, const vision::TickBox& tick_box) {
  Napi::Object value = Napi::Object::New(env);
  value.Set("left", Napi::Number::New(env, tick_box.box.left));
  value.Set("top", Napi::Number::New(env, tick_box.box.top));
  value.Set("right", Napi::Number::New(env, tick_box.box.right));
  value.Set("bottom", Napi::Number::New(env, tick_box.box.bottom));
  value.Set("ticked", Napi::Boolean::New(env, tick_box.ticked));
  return value;
}

Napi::Object fill_value(Napi::Env env, const vision::Fill& fill) {
  Napi::Object value = Napi::Object::New(env);
  value.Set("left", Napi::Number::New(env, static_cast<double>(fill.left)));
  value.Set("top", Napi::Number::New(env, static_cast<double>(fill.top)));
  value.Set("right", Napi::Number::New(env, static_cast<double>(fill.right)));
  value.Set("bottom", Napi::Number::New(env, static_cast<double>(fill.bottom)));
  value.Set("grey", Napi::Number::New(env, fill.grey));
  return value;
}

}  // namespace

Napi::Value to_value(Napi::Env env, const vision::ReadPage& page) {
  Napi::Object value = Napi::Object::New(env);
  value.Set("lines", list_value(env, page.lines, line_value));
  value.Set("rulings", list_value(env, page.rulings, ruling_value));
  if (!page.tick_boxes.empty()) value.Set("tickBoxes", list_value(env, page.tick_boxes, tick_box_value));
  if (!page.fills.empty()) value.Set("fills", list_value(env, page.fills, fill_value));
  if (page.turned) value.Set("turned", Napi::Boolean::New(env, true));
  return value;
}

Napi::Value to_value(Napi::Env env, const vision::LineVotes& votes) {
  Napi::Object value = Napi::Object::New(env);
  value.Set("upright", Napi::Number::New(env, votes.upright));
  value.Set("turned", Napi::Number::New(env, votes.turned));
  value.Set("neither", Napi::Number::New(env, votes.neither));
  value.Set("lines", Napi::Number::New(env, votes.lines));
  return value;
}

}  // namespace lectern::addon
