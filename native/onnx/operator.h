// The planner's interface of an ONNX operator: attributes are read once at load, then a plan is made for each set of input shapes.
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

/// A tensor of a plan: where it lies is known when the plan runs.
struct Operand {
  int slot = -1;
};

/// A step's access to its operands while it runs.
class Call {
 public:
  Call(GraphOps& graph_ops, void* const* slots, const Cancel* flag) : ops(graph_ops), cancel(flag), slots_(slots) {}

  GraphOps& ops;
  const Cancel* cancel;  // of the run; for operations that take long by themselves. May be null

  /// Null for an Operand that is none.
  template <class T = float>
  T* at(Operand operand) const {
    return operand.slot < 0 ? nullptr : static_cast<T*>(slots_[operand.slot]);
  }

 private:
  void* const* slots_;
};

using Work = std::function<void(const Call&)>;

/// Thrown by NodePlan::need: the node waits until the value's contents are there.
struct ContentsNeeded {
  int input;
};

/// One node being planned for inputs whose types and shapes, and for some also the contents, are known. Every output that
/// wants() names must be given by out(), same() or result(). All throw Error `invalid_model` on a fault of the network.
class NodePlan {
 public:
  virtual ~NodePlan() = default;

  virtual int inputs() const = 0;
  virtual bool has(int input) const = 0;
  virtual Element element(int input) const = 0;
  virtual const Shape& shape(int input) const = 0;
  /// Null where they are not known while planning.
  virtual const Array* known(int input) const = 0;
  /// Throws ContentsNeeded where they are not known: the node is planned again, in a later part of the run, when they are.
  virtual const Array& need(int input) const = 0;

  virtual int outputs() const = 0;
  virtual bool wants(int output) const = 0;

  virtual Operand in(int input) = 0;
  virtual Operand out(int output, Element element, const Shape& shape) = 0;
  /// The output is the input's bytes in another shape.
  virtual void same(int output, int input, const Shape& shape) = 0;
  virtual void result(int output, Array array) = 0;
  virtual Operand constant(Array array) = 0;
  /// Throws Error `too_large` for a size that out() would refuse; call it before a table of such a size is made.
  virtual void bound(Element element, const Shape& shape) const = 0;
  /// Memory for this node alone.
  virtual Operand scratch(Element element, const Shape& shape) = 0;
  /// The output may overwrite the input's memory if nothing reads that afterwards.
  virtual void may_reuse(Operand output, Operand input) = 0;
  virtual void step(Work work) = 0;

  /// Null where the input is no constant of the file. As GraphOps::pack_filter and pack_matrix; kept for all plans.
  virtual const void* packed_filter(int input, const Filter& filter, bool transposed) = 0;
  virtual const void* packed_matrix(int input, std::int64_t inner, std::int64_t columns, bool transposed) = 0;
  /// Of inputs 1 and 2. As GraphOps::pack_recurrent.
  virtual const void* packed_recurrent(const Recurrent& recurrent) = 0;

  /// Counts memory that planning computes in as memory of the run, until the returned handle is destroyed. Throws Error `too_large`.
  virtual std::shared_ptr<void> hold(std::size_t bytes) const = 0;
  /// Cancellation point of long planning: throws Error `cancelled` once the caller of the run has set its flag.
  virtual void check_cancel() const = 0;
  [[noreturn]] virtual void refuse(const std::string& why) const = 0;

  // --- What most operators need, from the above ---

  /// Throws unless the input is there and one of these types.
  void demand(int input, std::initializer_list<Element> elements) const;
  /// The integers of an input of one axis or none, i32 or i64; needs its contents.
  std::vector<std::int64_t> need_integers(int input) const;
  std::int64_t need_integer(int input) const;
  /// The input as another type: itself, or a cast copy.
  Operand in_as(int input, Element element);
  /// A host table that lives as long as the plan, for the step that captures it.
  template <class T>
  static std::shared_ptr<const std::vector<T>> keep(std::vector<T> table) {
    return std::make_shared<const std::vector<T>>(std::move(table));
  }
  /// Counts negative axes from the end; throws where it is outside.
  int axis_of(std::int64_t axis, int rank) const;
  /// The axis as an op works along it.
  static Axis along(const Shape& shape, int axis) { return {shape.product(0, axis), shape[axis], shape.product(axis + 1, shape.rank)}; }
};

/// A node with its attributes read.
using Operator = std::function<void(NodePlan&)>;
using OperatorFactory = Operator (*)(Attributes&);

/// By name of op; those that fusion makes begin with "lectern.".
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

/// Loop and If, which the executor runs itself.
bool is_control(const Node& node);

/// Throws Error `invalid_model` that names the op, its domain or the attribute that is not supported.
Operator make_operator(const Node& node, std::int64_t opset);

}  // namespace lectern::onnx
