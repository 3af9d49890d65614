#include "llm/model.h"

#include <algorithm>

#include "error.h"

namespace lectern::llm {
namespace {

KvShape kv_shape(const Config& config, const Backend& backend, const ModelOptions& options) {
  if (options.slots < 1 || options.slots > 256) throw Error(ErrorCode::invalid_request, "A model has 1 to 256 slots, not " + std::to_string(options.slots) + ".");
  if (options.rows < 0 || options.rows > 65536) throw Error(ErrorCode::invalid_request, "A pass has 1 to 65536 rows, not " + std::to_string(options.rows) + ".");
  if (options.draft < 0 || options.draft > most_draft) throw Error(ErrorCode::invalid_request, "A draft has 0 to " + std::to_string(most_draft) + " tokens, not " + std::to_string(options.draft) + ".");
  if (options.context < 0 || options.context > config.context) {
    throw Error(ErrorCode::invalid_request, "The model was made for " + std::to_string(config.context) + " tokens, not for " + std::to_string(options.context) + ".");
  }
  const int positions = options.context > 0 ? options.context : config.context;
  // An encoder keeps nothing: there is no memory to save.
  const DType kv = config.embeds() && options.kv == DType::q8_0 ? DType::f16 : options.kv;
  if (!backend.supports(Op::attention, kv)) throw Error(ErrorCode::unsupported_format, "This device does not keep keys and values as " + std::string(info_of(kv).name) + ".");
  if (kv == DType::q8_0 && config.head_size % 32 != 0) {
    throw Error(ErrorCode::unsupported_format, "Keys and values of " + std::to_string(config.head_size) + " elements are not kept as Q8_0: it takes multiples of 32.");
  }
  return {config.embeds() ? 1 : config.layers, config.embeds() ? 1 : options.slots, positions, config.kv_heads, config.head_size, kv};
}

int pass_rows(const Backend& backend, const Config& config, const KvShape& kv, const ModelOptions& options) {
  return options.rows > 0 ? options.rows : std::max(kv.slots, std::min(config.embeds() ? backend.text_rows() : backend.pass_rows(), kv.positions));
}

/// Rows of a pass whose logits may be wanted: each slot's token, and drafts behind them as far as the scheduler lets a pass grow.
int logit_rows(const Config& config, const KvShape& kv, int rows, int draft) { return config.embeds() ? kv.slots : std::min(rows, std::max(kv.slots, std::min(kv.slots * (1 + draft), most_draft_pass))); }

OpsShape ops_shape(const Config& config, const KvShape& kv, int rows, const ModelOptions& options) {
  const int queries = config.heads * config.head_size;
  OpsShape shape{};
  shape.rows = config.embeds() ? kv.positions : rows;
  shape.part_rows = rows;
  shape.columns = std::max({config.embedding, config.widest_feed_forward(), queries});
  shape.outputs = std::max({config.embedding, config.widest_feed_forward(), queries, kv.heads * kv.head_size});
  shape.logit_rows = logit_rows(config, kv, rows, options.draft);
  shape.vocabulary = config.embeds() ? 0 : config.vocabulary;
  shape.heads = config.heads;
  shape.rotated = config.rope.rotated;
  shape.local_layers = !config.second_ropes.empty() || !config.locals.empty();
  shape.experts = config.experts;
  shape.experts_used = config.experts_used;
  shape.threads = options.threads;
  shape.kv = kv;
  shape.records = options.records;
  return shape;
}

Weights place_weights(const gguf::ModelFile& file, const Config& config, int positions, Ops& ops, const LoadWatch& watch) {
  OpsWeightLoader placement(file, ops, watch);
  return load_weights(file, config, positions, placement);
}

}  // namespace

MemoryNeed memory_need(const gguf::ModelFile& file, const Backend& backend, const ModelOptions& options) {
  const Config config = read_config(file);
  const KvShape kv = kv_shape(config, backend, options);
  CountingWeightLoader placement(backend);
  load_weights(file, config, kv.positions, placement);
  const int rows = pass_rows(backend, config, kv, options);
  return {placement.bytes(), backend.kv_bytes(kv), backend.ops_bytes(ops_shape(config, kv, rows, options)) + Forward::bytes(config, kv, rows, logit_rows(config, kv, rows, options.draft))};
}

Model::Model(const std::string& path, Backend& backend, const ModelOptions& options, const LoadWatch& watch)
    : file_(path),
      config_(read_config(file_)),
      kv_shape_(kv_shape(config_, backend, options)),
      rows_(pass_rows(backend, config_, kv_shape_, options)),
      draft_(options.draft),
      ops_(backend.make_ops(ops_shape(config_, kv_shape_, rows_, options))),
      weights_(place_weights(file_, config_, kv_shape_.positions, *ops_, watch)),
      cache_(backend, *ops_, kv_shape_),
      forward_(config_, weights_, backend, *ops_, cache_, rows_, logit_rows(config_, kv_shape_, rows_, draft_)) {}

}  // namespace lectern::llm
