// A made model with a tokenizer and a scheduler, on a backend of the caller's.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grammar_vocabulary.h"
#include "llm/scheduler.h"
#include "opened_model.h"

namespace lectern::test {

struct ScheduledModel {
  /// Byte-level tokens; the model's vocabulary is as large.
  ScheduledModel(std::unique_ptr<Backend> backend, MadeShape shape, std::vector<std::string> tokens) : tokenizer(byte_level_file(std::move(tokens))) {
    shape.vocabulary = tokenizer->vocabulary().size();
    llm::ModelOptions options;
    options.threads = 2;
    opened = open_model_on(std::move(backend), make_model(shape), options);
    scheduler = std::make_unique<llm::Scheduler>(*opened.model, *tokenizer);
  }

  OwnedTokenizer tokenizer;
  OpenedModel opened;
  std::unique_ptr<llm::Scheduler> scheduler;
};

}  // namespace lectern::test
