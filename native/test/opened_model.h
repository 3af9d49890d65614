// Made models loaded as the service loads them, fed with tokens and compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "error.h"
#include "llm/model.h"
#include "made_model.h"

namespace lectern::test {

using Row = std::vector<float>;

struct OpenedModel {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<llm::Model> model;
};

/// With two threads, whatever the options say.
OpenedModel open_model(const MadeModel& made, cpu::Arithmetic arithmetic = cpu::Arithmetic::fast, llm::ModelOptions options = {},
                       Instructions level = available_instructions());

/// On a backend that the caller brings.
OpenedModel open_model_on(std::unique_ptr<Backend> backend, const MadeModel& made, llm::ModelOptions options = {});

/// The same ones every time, below `vocabulary`.
std::vector<std::int32_t> some_tokens(int count, int vocabulary);

/// Feeds tokens to `slot` from `position` on in passes of `chunk`; the logits of the last.
Row feed(llm::Model& model, const std::vector<std::int32_t>& tokens, int chunk, int slot = 0, int position = 0);

/// The size of the difference by the size of `exact`.
double relative_distance(const Row& a, const Row& exact);

bool same_bits(const Row& a, const Row& b);

/// Checks that the model is refused with this code and a sentence that holds `part`.
void check_refused(ErrorCode code, const std::string& part, const MadeModel& made, const std::string& what, const llm::ModelOptions& options = {});

}  // namespace lectern::test
