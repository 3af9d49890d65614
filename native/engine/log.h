// The log of native code: C++ neither prints nor reads the environment.
#pragma once

#include <functional>
#include <string>

namespace lectern {

enum class LogLevel { debug, info, warn, error };

/// Called from any thread; must not throw. Empty where there is no listener.
using Log = std::function<void(LogLevel, std::string)>;

}  // namespace lectern
