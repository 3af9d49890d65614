// The planner's interface of an ONNX operator. The operator reads its attributes once at load, then makes a plan for each set of input shapes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/graph_ops.h"
#include "onnx/array.h"
#include "onnx/attributes.h"

namespace lectern::onnx {

/// A tensor of a plan. Its address is known when the plan runs.
struct Operand {
  int slot = -1;
};

/// A step's access to its operands while it runs.
class Call {
 public:
  Call(GraphOps& graph_ops, void* const* slots, const Cancel* flag) : ops(graph_ops), cancel(flag), slots_(slots) {}

  GraphOps& ops;
  const Cancel* cancel;  // the run's flag, for operations that take long by themselves; may be null

  /// Null for an absent operand.
  template <class T = float>
  T* at(Operand operand) const {
    return operand.slot < 0 ? nullptr : static_cast<T*>(slots_[operand.slot]);
  }

 private:
  void* const* slots_;
};

using Work = std::function<void(const Call&)>;

/// NodePlan::need throws it: the node waits until the value's contents are known.
struct ContentsNeeded {
  int input;
};

/// The planning of one node. The types and shapes of its inputs are known, for some also the contents. The operator must define every output that
/// wants() names by out(), same() or result(). All functions throw Error `invalid_model` for a fault of the network.
class NodePlan {
 public:
  virtual ~NodePlan() = default;

  virtual int inputs() const = 0;
  virtual bool has(int input) const = 0;
  virtual Element element(int input) const = 0;
  virtual const Shape& shape(int input) const = 0;
  /// Null if the contents are not known at planning.
  virtual const Array* known(int input) const = 0;
  /// Throws ContentsNeeded if the contents are not known. The node is then planned again in a later part of the run, when they are.
  virtual const Array& need(int input) const = 0;

  virtual int outputs() const = 0;
  virtual bool wants(int output) const = 0;

  virtual Operand in(int input) = 0;
  virtual Operand out(int output, Element element, const Shape& shape) = 0;
  /// The output has the bytes of the input and another shape.
  virtual void same(int output, int input, const Shape& shape) = 0;
  virtual void result(int output, Array array) = 0;
  virtual Operand constant(Array array) = 0;
  /// Throws Error `too_large` for a size that out() would refuse. Call it before an allocation of that size.
  virtual void bound(Element element, const Shape& shape) const = 0;
  /// Scratch memory of this node.
  virtual Operand scratch(Element element, const Shape& shape) = 0;
  /// The output may overwrite the input's memory if no later node reads it.
  virtual void may_reuse(Operand output, Operand input) = 0;
  virtual void step(Work work) = 0;

  /// Null if the input is not a constant of the file. Otherwise as GraphOps::pack_filter and pack_matrix; all plans share the result.
  virtual const void* packed_filter(int input, const Filter& filter, bool transposed) = 0;
  virtual const void* packed_matrix(int input, std::int64_t inner, std::int64_t columns, bool transposed) = 0;
  /// For inputs 1 and 2, as GraphOps::pack_recurrent.
  virtual const void* packed_recurrent(const Recurrent& recurrent) = 0;

  /// Counts memory that planning allocates as memory of the run, until the returned handle is destroyed. Throws Error `too_large`.
  virtual std::shared_ptr<void> hold(std::size_t bytes) const = 0;
  /// Cancellation point of long planning: throws Error `cancelled` after the caller of the run has set its flag.
  virtual void check_cancel() const = 0;
  [[noreturn]] virtual void refuse(const std::string& why) const = 0;

  // --- Helpers for most operators, made from the functions above ---

  /// Throws unless the input is present and has one of these types.
  void demand(int input, std::initializer_list<Element> elements) const;
  /// The integers of an input of one axis or none, i32 or i64. Needs the contents.
  std::vector<std::int64_t> need_integers(int input) const;
  std::int64_t need_integer(int input) const;
  /// The input in another type: itself, or a cast copy.
  Operand in_as(int input, Element element);
  /// A host table that lives as long as the plan. The step captures it.
  template <class T>
  static std::shared_ptr<const std::vector<T>> keep(std::vector<T> table) {
    return std::make_shared<const std::vector<T>>(std::move(table));
  }
  /// Counts negative axes from the end. Throws for an axis outside.
  int axis_of(std::int64_t axis, int rank) const;
  /// The axis in the form that operations take.
  static Axis along(const Shape& shape, int axis) { return {shape.product(0, axis), shape[axis], shape.product(axis + 1, shape.rank)}; }
};

/// A node with its parsed attributes.
using Operator = std::function<void(NodePlan&)>;
using OperatorFactory = Operator (*)(Attributes&);

/// Operators by the op's name. Those of fused nodes begin with "lectern.".
using OperatorTable = std::map<std::string, OperatorFactory, std::less<>>;

void add_constant_operators(OperatorTable& table);
void add_convolution_operators(OperatorTable& table);
void add_elementwise_operators(OperatorTable& table);
void add_indexing_operators(OperatorTable& table);
void add_layout_operators(OperatorTable& table);
void add_matrix_operators(OperatorTable& table);
void add_normalisation_operators(OperatorTable& table);
void add_quantisation_operators(OperatorTable& table);
void add_recurrent_operators(OperatorTable& table);
void add_reduction_operators(OperatorTable& table);
void add_resize_operators(OperatorTable& table);
void add_selection_operators(OperatorTable& table);
void add_spreading_operators(OperatorTable& table);

/// Loop and If, which the runner executes itself.
bool is_control(const Node& node);

/// Throws Error `invalid_model` with the op, the domain or the attribute that is not supported.
Operator make_operator(const Node& node, std::int64_t opset);

}  // namespace lectern::onnx
