// Just enough JSON to read the expected results of a conformance pack.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lectern::test {

struct Json {
  enum class Kind { null, boolean, number, string, list, object };

  Kind kind = Kind::null;
  double number = 0;  // also of a boolean
  std::string string;
  std::vector<Json> list;
  std::map<std::string, Json, std::less<>> object;

  /// Throws std::runtime_error when this is no object or has no such member.
  const Json& operator[](std::string_view name) const;
  const Json* find(std::string_view name) const;
  std::vector<int> integers() const;
};

/// Throws std::runtime_error with the place of the fault.
Json parse_json(std::string_view text);
Json read_json(const std::string& path);

/// The floats of a base64 string of little-endian float32.
std::vector<float> floats_of(const Json& base64);

}  // namespace lectern::test
