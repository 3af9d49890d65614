// One model held open and timed on command, so that a benchmark can take turns with another engine.
#pragma once

#include <string>

namespace lectern::test {

/// Opens the model and prints `ready LOAD_SECONDS KV_BYTES THREADS INSTRUCTIONS` on standard output, then replies to each line of standard input with one:
/// `prefill N`, `decode SLOTS N`, `embed N` with `done SECONDS`; `bandwidth` with `done BYTES_A_SECOND`. What goes wrong is `failed SENTENCE`. Returns at the end of
/// the input. Nothing is kept between commands.
void serve_model_bench(const std::string& path, int threads);

}  // namespace lectern::test
