// A plan: the steps of a graph, or of a part of it, for given shapes, with the memory layout of every tensor. planner.h makes plans.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph.h"
#include "onnx/operator.h"

namespace lectern::onnx {

/// The known properties of a value before the plan runs.
struct Known {
  Element element = Element::f32;
  Shape shape;
  std::optional<Array> contents;
};

/// The location of an operand.
struct Slot {
  enum class Kind { arena, constant, given };  // given: a value from before the plan, bound when it runs
  Kind kind = Kind::arena;
  Element element = Element::f32;
  Shape shape;
  int storage = -1;      // arena
  Array array;           // constant
  std::shared_ptr<const void> placed;  // the copy that the operations read
  ValueId value = absent;  // given
};

/// A range of the arena, and the nodes (in the plan's order) between which it is used.
struct Storage {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
  std::size_t offset = 0;
};

struct Step {
  Work work;
  int node;  // index in the graph
};

struct Plan {
  std::vector<Slot> slots;
  std::vector<Storage> storages;
  std::size_t arena_bytes = 0;
  std::vector<Step> steps;

  struct Result {
    ValueId value;
    Known known;
    int slot = -1;  // -1: the contents are known
  };
  std::vector<Result> results;  // values that later parts, controls or the caller read
  std::vector<int> controls;    // Loop and If nodes that run after the steps
  std::vector<int> rest;        // nodes that are planned after that
  std::vector<ValueId> needs;   // values whose contents that planning needs

  std::map<std::string, std::unique_ptr<Plan>> next;  // plans of the rest, by the contents on which they depend
};

/// Assigns offsets to the storages so that those in use at the same time do not overlap, each aligned to 64 bytes. Returns the total size.
/// The largest come first, each at the lowest free offset: within a few percent of the optimum for our networks.
std::size_t lay_out(std::vector<Storage>& storages);

}  // namespace lectern::onnx
