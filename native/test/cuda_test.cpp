// The CUDA kernels on the emulation, and on a device where there is one, against the reference; the same bits beside any other rows.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "cpu/backend.h"
#include "cuda/emulation/fibers.h"
#include "cuda/runtime/runtime.h"
#include "cuda_places.h"
#include "harness.h"
#include "made_model.h"
#include "opened_model.h"

namespace lectern {
namespace {

using llm::BatchToken;
using test::check;
using test::feed;
using test::has_emulation;
using test::make_model;
using test::MadeModel;
using test::MadeShape;
using test::open_model;
using test::open_model_on;
using test::OpenedModel;
using test::Place;
using test::places;
using test::places_and_warpgroups;
using test::relative_distance;
using test::Row;
using test::same_bits;
using test::some_tokens;

MadeShape small(DType dtype) {
  MadeShape shape;
  shape.dtype = dtype;
  shape.layers = 1;
  shape.heads = 2;
  shape.kv_heads = 1;
  shape.feed_forward = 256;
  shape.context = 160;
  return shape;
}

std::vector<MadeShape> shapes() {
  std::vector<MadeShape> all;
  for (const DTypeInfo& type : dtype_table) all.push_back(small(type.dtype));
  all.push_back({.architecture = "qwen2", .dtype = DType::q8_0, .layers = 1, .heads = 7, .kv_heads = 1, .head_size = 48, .feed_forward = 416, .tied = true});
  all.push_back({.architecture = "qwen3", .dtype = DType::q4_k, .layers = 1, .heads = 2, .kv_heads = 1, .head_size = 128, .feed_forward = 256});
  all.push_back({.dtype = DType::f32, .layers = 2, .embedding = 40, .heads = 5, .kv_heads = 5, .head_size = 8, .feed_forward = 52, .vocabulary = 51});
  all.push_back({.dtype = DType::q4_k, .layers = 1, .feed_forward = 256, .experts = 4});
  all.push_back({.dtype = DType::f32, .layers = 1, .embedding = 64, .head_size = 16, .feed_forward = 96, .experts = 5});
  return all;
}

std::string describe(const MadeShape& shape, const std::string& place) {
  return shape.architecture + " " + std::string(info_of(shape.dtype).name) + (shape.experts > 0 ? " experts" : "") + ", " + place;
}

/// Exact weights, but activations of 8 or 16 bits.
double allowed(const MadeShape& shape) { return shape.dtype == DType::bf16 ? 4e-3 : info_of(shape.dtype).block_elements == 1 ? 2e-3 : 4e-2; }

LECTERN_TEST("cuda: models of every weight type and architecture agree with the reference") {
  for (const Place& place : places()) {
    for (const MadeShape& shape : shapes()) {
      const MadeModel made = make_model(shape);
      const std::vector<std::int32_t> tokens = some_tokens(11, shape.vocabulary);
      const Row exact = feed(*open_model(made, cpu::Arithmetic::plain).model, tokens, 11);
      const double distance = relative_distance(feed(*open_model_on(place.make(), made).model, tokens, 11), exact);
      check(distance > 0 && distance < allowed(shape), describe(shape, place.name) + ": distance " + std::to_string(distance));
    }
  }
}

/// A prompt of `prompt` tokens, then decode, beside the same in `others` further slots; the last logits of slot 0.
Row answer(llm::Model& model, const std::vector<std::int32_t>& tokens, int prompt, int others = 0) {
  for (int slot = 0; slot <= others; slot++) {
    std::vector<std::int32_t> begin(tokens.begin(), tokens.begin() + prompt);
    // Others write something else, at other positions.
    if (slot > 0) begin.resize(static_cast<std::size_t>(std::max(1, prompt - slot)), tokens[static_cast<std::size_t>(slot)]);
    feed(model, begin, prompt, slot);
  }
  Row last;
  for (int i = prompt; i < static_cast<int>(tokens.size()); i++) {
    std::vector<BatchToken> steps{{tokens[static_cast<std::size_t>(i)], 0, i, true, true}};
    for (int slot = 1; slot <= others; slot++) steps.push_back({tokens[static_cast<std::size_t>((i + slot) % 5)], slot, std::max(1, prompt - slot) + i - prompt, true, true});
    const float* logits = model.forward().decode(steps.data(), static_cast<int>(steps.size()));
    last.assign(logits, logits + model.config().vocabulary);
  }
  return last;
}

LECTERN_TEST("cuda: decode agrees with the reference for every weight type and architecture") {
  const std::vector<Place> all = places_and_warpgroups();
  for (std::size_t p = 0; p < all.size(); p++) {
    const Place& place = all[p];
    std::size_t turn = p;
    for (const MadeShape& shape : shapes()) {
      // The short form takes each shape at one place.
      if (turn++ % all.size() != 0 && !test::is_long_form()) continue;
      const MadeModel made = make_model(shape);
      const std::vector<std::int32_t> tokens = some_tokens(9, shape.vocabulary);
      const Row exact = feed(*open_model(made, cpu::Arithmetic::plain).model, tokens, 9);
      const double distance = relative_distance(answer(*open_model_on(place.make(), made).model, tokens, 4), exact);
      check(distance > 0 && distance < allowed(shape), describe(shape, place.name) + ": distance " + std::to_string(distance));
    }
  }
}

LECTERN_TEST("cuda: decode has the same bits alone, beside other rows, and with the threads in reverse") {
  for (const Place& place : places_and_warpgroups()) {
    for (const DType dtype : {DType::f16, DType::q4_k, DType::q6_k}) {
      MadeShape shape = small(dtype);
      // Longer than one iteration of a warp's lanes.
      if (dtype != DType::f16) shape.embedding = 1280;
      const MadeModel made = make_model(shape);
      llm::ModelOptions options;
      options.slots = 5;
      const OpenedModel opened = open_model_on(place.make(), made, options);
      const std::vector<std::int32_t> tokens = some_tokens(5, shape.vocabulary);
      const std::string name = describe(shape, place.name);
      const Row alone = answer(*opened.model, tokens, 3);
      // Also more rows than one launch takes.
      for (const int others : test::is_long_form() ? std::vector{1, 4} : std::vector{4}) check(same_bits(answer(*opened.model, tokens, 3, others), alone), name + ": beside " + std::to_string(others));
      cuda::emulation::set_reverse(true);
      check(same_bits(answer(*opened.model, tokens, 3, 1), alone), name + ": threads in reverse");
      cuda::emulation::set_reverse(false);
    }
  }
}

LECTERN_TEST("cuda: decode after many positions agrees, for every cache type, head size and number of heads that share keys") {
  for (const Place& place : places_and_warpgroups()) {
    for (const DType kv : {DType::f16, DType::f32}) {
      for (const int heads : {1, 5}) {
        MadeShape shape = small(DType::q8_0);
        shape.embedding = 64;
        shape.heads = heads;
        shape.head_size = heads == 5 ? 24 : 160;
        shape.feed_forward = 64;
        const MadeModel made = make_model(shape);
        llm::ModelOptions options;
        options.kv = kv;
        const std::vector<std::int32_t> tokens = some_tokens(150, shape.vocabulary);
        const Row exact = feed(*open_model(made, cpu::Arithmetic::plain, options).model, tokens, 150);
        const OpenedModel opened = open_model_on(place.make(), made, options);
        // The last position alone, then also those around the end of a split.
        for (const int prompt : {149, 126}) {
          const double distance = relative_distance(answer(*opened.model, tokens, prompt), exact);
          check(distance < 4e-2, describe(shape, place.name) + ", heads of " + std::to_string(shape.head_size) + ": distance " + std::to_string(distance));
        }
      }
    }
  }
}

LECTERN_TEST("cuda: prefill chunks, a busy neighbour and the order of threads change no bit") {
  for (const Place& place : places_and_warpgroups()) {
    for (const DType dtype : {DType::f16, DType::q4_k, DType::q6_k}) {
      const MadeShape shape = small(dtype);
      const MadeModel made = make_model(shape);
      const std::string name = describe(shape, place.name);
      const std::vector<std::int32_t> tokens = some_tokens(12, shape.vocabulary);
      const OpenedModel opened = open_model_on(place.make(), made);
      llm::Model& model = *opened.model;
      const Row whole = feed(model, tokens, 12);
      for (const int chunk : test::is_long_form() ? std::vector{9, 4, 2, 1} : std::vector{9, 2}) check(same_bits(feed(model, tokens, chunk), whole), name + ": in passes of " + std::to_string(chunk));
      Row beside;
      for (int i = 0; i < 12; i += 6) {
        std::vector<BatchToken> steps;
        for (int k = i; k < i + 6; k++) steps.push_back({(k * 5 + 1) % shape.vocabulary, 0, k, k % 6 == 5});
        for (int k = i; k < i + 6; k++) steps.push_back({tokens[static_cast<std::size_t>(k)], 1, k, k == 11});
        const float* logits = model.forward().decode(steps.data(), static_cast<int>(steps.size()));
        if (i == 6) beside.assign(logits + shape.vocabulary, logits + 2 * shape.vocabulary);
      }
      check(same_bits(beside, whole), name + ": with the other slot busy");
      cuda::emulation::set_reverse(true);
      check(same_bits(feed(model, tokens, 12), whole), name + ": threads in reverse, tiles");
      check(same_bits(feed(model, tokens, 3), whole), name + ": threads in reverse, few rows");
      cuda::emulation::set_reverse(false);
    }
  }
}

LECTERN_TEST("cuda: more positions than an attention tile, copied prefixes, caches of every type") {
  for (const Place& place : places_and_warpgroups()) {
    for (const DType kv : {DType::f16, DType::f32}) {
      MadeShape shape = small(DType::q8_0);
      shape.embedding = 64;
      shape.head_size = 32;
      shape.feed_forward = 64;
      const MadeModel made = make_model(shape);
      llm::ModelOptions options;
      options.kv = kv;
      const std::vector<std::int32_t> tokens = some_tokens(150, shape.vocabulary);
      const Row exact = feed(*open_model(made, cpu::Arithmetic::plain, options).model, tokens, 150);
      const OpenedModel opened = open_model_on(place.make(), made, options);
      const Row whole = feed(*opened.model, tokens, 150);
      const double distance = relative_distance(whole, exact);
      check(distance < 4e-2, describe(shape, place.name) + ": distance " + std::to_string(distance));
      opened.model->ops().copy_positions(opened.model->cache().kv(), 0, 1, 128);
      check(same_bits(feed(*opened.model, {tokens.begin() + 128, tokens.end()}, 22, 1, 128), whole), place.name + ": after a copied prefix");
    }
  }
}

LECTERN_TEST("cuda: embeddings agree with the reference") {
  for (const Place& place : places_and_warpgroups()) {
    for (const DType dtype : {DType::f16, DType::q8_0}) {
      const MadeShape shape{.architecture = "bert", .dtype = dtype, .layers = 1, .heads = 2, .kv_heads = 2, .feed_forward = 256};
      const MadeModel made = make_model(shape);
      const std::vector<std::int32_t> tokens = some_tokens(20, shape.vocabulary);
      const Cancel never;
      const auto embedding = [&](const OpenedModel& opened) {
        const float* values = opened.model->forward().embed(tokens.data(), static_cast<int>(tokens.size()), never);
        return Row(values, values + shape.embedding);
      };
      const double distance = relative_distance(embedding(open_model_on(place.make(), made)), embedding(open_model(made, cpu::Arithmetic::plain)));
      check(distance < allowed(shape), describe(shape, place.name) + ": distance " + std::to_string(distance));
    }
  }
}

LECTERN_TEST("cuda: a deadlock of threads is an error, not a hang") {
  if (!has_emulation()) return;
  bool thrown = false;
  try {
    cuda::emulation::run_grid({1, 1, 1}, 64, [] {
      // Half of the warp waits for the other half, which waits for the block.
      if (cuda::emulation::thread_index.x % 2 == 0) cuda::emulation::exchange(1, 0);
      else cuda::emulation::block_barrier();
    });
  } catch (const std::logic_error&) {
    thrown = true;
  }
  check(thrown, "the deadlock is seen");
}

LECTERN_TEST("cuda: a shuffle in a warp of which lanes have ended is an error") {
  if (!has_emulation()) return;
  for (const unsigned leaving : {0U, 1U, 31U}) {
    bool thrown = false;
    try {
      cuda::emulation::run_grid({1, 1, 1}, 64, [leaving] {
        if (cuda::emulation::thread_index.x >= 64 - leaving) return;
        cuda::emulation::exchange(1, 0);
      });
    } catch (const std::logic_error&) {
      thrown = true;
    }
    check(thrown == (leaving > 0), std::to_string(leaving) + " lanes have ended");
  }
}

LECTERN_TEST("cuda: a thread that ends without waiting for the previous kernels is an error in dependent launches, and nowhere else") {
  if (!has_emulation()) return;
  for (const bool early : {false, true}) {
    for (const unsigned hasty : {0U, 1U, 64U}) {
      bool thrown = false;
      try {
        const auto run = early ? cuda::emulation::run_dependent_grid : cuda::emulation::run_grid;
        run({2, 1, 1}, 64, [hasty] {
          if (cuda::emulation::thread_index.x >= hasty) cuda::emulation::wait_for_previous_kernels();
        }, 0);
      } catch (const std::logic_error&) {
        thrown = true;
      }
      check(thrown == (early && hasty > 0), std::to_string(hasty) + " threads do not wait");
    }
  }
}

LECTERN_TEST("cuda: prefetches are of multiples of 16 bytes of allocated memory") {
  if (!has_emulation()) return;
  const cuda_emulated::DeviceArray<std::uint8_t> memory(96);
  struct Asked {
    int at, bytes;
    bool taken;
  };
  for (const Asked& asked : {Asked{0, 96, true}, Asked{80, 16, true}, Asked{80, 32, false}, Asked{96, 16, false}, Asked{8, 16, false}, Asked{0, 24, false}, Asked{0, 0, false}}) {
    bool thrown = false;
    try {
      cuda_emulated::prefetch(memory.get() + asked.at, asked.bytes);
    } catch (const std::logic_error&) {
      thrown = true;
    }
    check(thrown != asked.taken, std::to_string(asked.bytes) + " bytes at " + std::to_string(asked.at));
  }
}

LECTERN_TEST("cuda: a write beside a block's shared memory is detected") {
  if (!has_emulation()) return;
  for (const std::size_t at : {std::size_t{63}, std::size_t{64}}) {
    bool thrown = false;
    try {
      cuda::emulation::run_grid({1, 1, 1}, 32, [at] { cuda::emulation::shared_memory()[at] = 1; }, 64);
    } catch (const std::logic_error&) {
      thrown = true;
    }
    check(thrown == (at == 64), "byte " + std::to_string(at) + " of 64");
  }
}

}  // namespace
}  // namespace lectern
