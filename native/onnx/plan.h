// A plan: the steps of a graph, or of a part of it, for given shapes, with the memory of every tensor laid out. Making one is planner.h.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph.h"
#include "onnx/operator.h"

namespace lectern::onnx {

/// What is known of a value before anything runs.
struct Known {
  Element element = Element::f32;
  Shape shape;
  std::optional<Array> contents;
};

/// Where an operand lies.
struct Slot {
  enum class Kind { arena, constant, given };  // given: a value from before the plan, bound when it runs
  Kind kind = Kind::arena;
  Element element = Element::f32;
  Shape shape;
  int storage = -1;      // arena
  Array array;           // constant
  std::shared_ptr<const void> placed;  // where the operations read it
  ValueId value = absent;  // given
};

/// A piece of the arena and the nodes (in the plan's order) between which it is needed.
struct Storage {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
  std::size_t offset = 0;
};

struct Step {
  Work work;
  int node;  // of the graph
};

struct Plan {
  std::vector<Slot> slots;
  std::vector<Storage> storages;
  std::size_t arena_bytes = 0;
  std::vector<Step> steps;

  struct Result {
    ValueId value;
    Known known;
    int slot = -1;  // -1: its contents are known
  };
  std::vector<Result> results;  // what later parts, controls or the caller read
  std::vector<int> controls;    // Loop and If nodes that are to run after the steps
  std::vector<int> rest;        // nodes that are to be planned after that
  std::vector<ValueId> needs;   // values whose contents that takes

  std::map<std::string, std::unique_ptr<Plan>> next;  // plans of the rest, by what they depend on
};

/// Lays the storages out so that those needed at the same time do not overlap; each aligned to 64 bytes. Returns the size of all.
/// The largest first, each at the lowest place that is free: within a few percent of the best for networks like ours.
std::size_t lay_out(std::vector<Storage>& storages);

}  // namespace lectern::onnx
