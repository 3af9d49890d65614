// The queue between a model that generates and a slow reader: finished text gathers here until it is fetched.
#pragma once

#include <mutex>

#include "llm/scheduler.h"

namespace lectern {

/// The finished text and tokens of one sequence. The lane pushes, the reader's thread takes.
class TokenSink {
 public:
  /// True when the reader is to be called: never while an earlier call has not taken yet.
  bool push(llm::TokenChunk chunk);

  /// All that came since the last one.
  llm::TokenChunk take();

 private:
  std::mutex mutex_;
  llm::TokenChunk gathered_;
  bool called_ = false;
};

}  // namespace lectern
