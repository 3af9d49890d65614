// Products of matrices.
#include <algorithm>
#include <map>
#include <utility>

#include "onnx/operator.h"
#include "onnx/operators/activation.h"
#include "onnx/operators/walks.h"

namespace lectern::onnx {
namespace {

/// The axes before those of the matrix.
Shape batches_of(const Shape& shape) {
  Shape batches;
  for (int axis = 0; axis < shape.rank - 2; axis++) batches.push(shape[axis]);
  return batches;
}

Strides aligned_strides(const Shape& shape, const Shape& out) {
  const Strides own = strides_of(shape);
  Strides strides{};
  for (int axis = 0; axis < shape.rank - 2; axis++) {
    const int at = axis - (shape.rank - 2) + out.rank;
    strides[static_cast<std::size_t>(at)] = shape[axis] == 1 ? 0 : own[static_cast<std::size_t>(axis)];
  }
  return strides;
}

/// If all batches share the second operand and the first is contiguous, one product suffices: (batches * rows, inner) times it.
void flatten_batches(Product& product) {
  std::int64_t stride = product.rows * product.inner;
  for (int axis = product.batches.rank - 1; axis >= 0; axis--) {
    const auto at = static_cast<std::size_t>(axis);
    if (product.b_strides[at] != 0 || (product.batches[axis] != 1 && product.a_strides[at] != stride)) return;
    stride *= product.batches[axis];
  }
  product.rows *= product.batches.elements();
  product.batches = Shape{};
}

/// numpy's matmul: vectors become matrices of one row or column, which the result leaves out. Inputs a, b and, for fused nodes, a bias of
/// one number for each column.
Operator make_matmul(Attributes& a) {
  const Unary activation = read_activation(a);
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32});
    plan.demand(1, {Element::f32});
    Shape left = plan.shape(0);
    Shape right = plan.shape(1);
    if (left.rank == 0 || right.rank == 0) plan.refuse("an operand is a single number");
    const bool row = left.rank == 1;
    const bool column = right.rank == 1;
    if (row) left = Shape{1, left[0]};
    if (column) right = Shape{right[0], 1};
    Product product{};
    product.rows = left[left.rank - 2];
    product.inner = left[left.rank - 1];
    product.columns = right[right.rank - 1];
    if (right[right.rank - 2] != product.inner) plan.refuse("the matrices " + plan.shape(0).text() + " and " + plan.shape(1).text() + " do not fit");
    product.batches = broadcast_shape(plan, batches_of(left), batches_of(right));
    Shape shape = product.batches;
    if (!row) shape.push(product.rows);
    if (!column) shape.push(product.columns);
    product.a_strides = aligned_strides(left, product.batches);
    product.b_strides = aligned_strides(right, product.batches);
    product.activation = activation;
    product.bias_column_stride = 1;
    if (plan.has(2)) {
      plan.demand(2, {Element::f32});
      if (plan.shape(2) != Shape{product.columns}) plan.refuse("its bias does not fit");
    }
    flatten_batches(product);
    const Operand x = plan.in(0);
    const Operand weights = plan.in(1);
    const Operand bias = plan.has(2) ? plan.in(2) : Operand{};
    const Operand out = plan.out(0, Element::f32, shape);
    const void* packed = plan.shape(1).rank == 2 ? plan.packed_matrix(1, product.inner, product.columns, false) : nullptr;
    plan.step([=](const Call& call) { call.ops.multiply(product, call.at(x), call.at(weights), packed, call.at(bias), call.at(out)); });
  };
}

Operator make_gemm(Attributes& a) {
  const float alpha = a.number("alpha", 1);
  const float beta = a.number("beta", 1);
  const bool a_transposed = a.flag("transA", false);
  const bool b_transposed = a.flag("transB", false);
  if (a.opset() < 7) a.ignore("broadcast");
  const Unary activation = read_activation(a);
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32});
    plan.demand(1, {Element::f32});
    const Shape& left = plan.shape(0);
    const Shape& right = plan.shape(1);
    if (left.rank != 2 || right.rank != 2) plan.refuse("its operands " + left.text() + " and " + right.text() + " are no matrices");
    Product product{};
    product.rows = left[a_transposed ? 1 : 0];
    product.inner = left[a_transposed ? 0 : 1];
    product.columns = right[b_transposed ? 0 : 1];
    if (right[b_transposed ? 1 : 0] != product.inner) plan.refuse("the matrices " + left.text() + " and " + right.text() + " do not fit");
    product.a_transposed = a_transposed;
    product.b_transposed = b_transposed;
    product.alpha = alpha;
    product.beta = beta;
    product.activation = activation;
    const Shape shape{product.rows, product.columns};
    if (plan.has(2)) {
      plan.demand(2, {Element::f32});
      const Shape& bias = plan.shape(2);
      if (broadcast_shape(plan, shape, bias) != shape) plan.refuse("its bias " + bias.text() + " does not fit " + shape.text());
      const Strides strides = strides_of(bias);
      if (bias.rank > 0 && bias[bias.rank - 1] != 1) product.bias_column_stride = 1;
      if (bias.rank > 1 && bias[bias.rank - 2] != 1) product.bias_row_stride = strides[static_cast<std::size_t>(bias.rank - 2)];
    }
    const Operand x = plan.in(0);
    const Operand weights = plan.in(1);
    const Operand bias = plan.has(2) ? plan.in(2) : Operand{};
    const Operand out = plan.out(0, Element::f32, shape);
    const void* packed = plan.packed_matrix(1, product.inner, product.columns, b_transposed);
    plan.step([=](const Call& call) { call.ops.multiply(product, call.at(x), call.at(weights), packed, call.at(bias), call.at(out)); });
  };
}

struct Equation {
  std::vector<std::string> terms;
  std::string output;
};

/// Letters only: an ellipsis is refused.
Equation read_equation(Attributes& a) {
  std::string text = a.text("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  Equation equation;
  std::string term;
  std::map<char, int> uses;
  for (const char letter : text.substr(0, arrow)) {
    if (letter == ',') {
      equation.terms.push_back(std::exchange(term, {}));
    } else if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) {
      term += letter;
      uses[letter]++;
    } else {
      a.unsupported("the equation " + text);
    }
  }
  equation.terms.push_back(term);
  if (arrow != std::string::npos) {
    equation.output = text.substr(arrow + 2);
  } else {
    for (const auto& [letter, count] : uses) {
      if (count == 1) equation.output += letter;
    }
  }
  for (const char letter : equation.output) {
    if (uses.count(letter) == 0 || std::count(equation.output.begin(), equation.output.end(), letter) > 1) a.unsupported("the equation " + text);
  }
  if (equation.terms.size() > 2 || equation.output.size() > max_rank || uses.size() > max_rank) a.unsupported("the equation " + text);
  return equation;
}

/// The general form: walks the operands over all letters, multiplies, and sums over the letters that the output lacks.
Operator make_einsum(Attributes& a) {
  const Equation equation = read_equation(a);
  return [=](NodePlan& plan) {
    if (plan.inputs() != static_cast<int>(equation.terms.size())) plan.refuse("it has not one input for each term of its equation");
    std::map<char, std::int64_t> sizes;
    for (int i = 0; i < plan.inputs(); i++) {
      plan.demand(i, {Element::f32});
      const std::string& term = equation.terms[static_cast<std::size_t>(i)];
      if (plan.shape(i).rank != static_cast<int>(term.size())) plan.refuse("its input " + plan.shape(i).text() + " does not fit the term " + term);
      for (int axis = 0; axis < plan.shape(i).rank; axis++) {
        const std::int64_t size = plan.shape(i)[axis];
        if (sizes.emplace(term[static_cast<std::size_t>(axis)], size).first->second != size) plan.refuse("a letter stands for different sizes");
      }
    }
    std::string letters = equation.output;
    for (const auto& [letter, size] : sizes) {
      if (letters.find(letter) == std::string::npos) letters += letter;
    }
    const int kept = static_cast<int>(equation.output.size());
    Broadcast together{};
    Shape shape;
    for (std::size_t at = 0; at < letters.size(); at++) {
      together.shape.push(sizes[letters[at]]);
      if (static_cast<int>(at) < kept) shape.push(sizes[letters[at]]);
      for (int i = 0; i < plan.inputs(); i++) {
        const std::string& term = equation.terms[static_cast<std::size_t>(i)];
        const Strides own = strides_of(plan.shape(i));
        for (std::size_t axis = 0; axis < term.size(); axis++) {
          if (term[axis] == letters[at]) together.strides[static_cast<std::size_t>(i)][at] += own[axis];
        }
      }
    }
    const bool pair = plan.inputs() == 2;
    const Operand first = plan.in(0);
    const Operand second = pair ? plan.in(1) : Operand{};
    const Operand products = plan.scratch(Element::f32, together.shape);
    const Operand out = plan.out(0, Element::f32, shape);
    Move move;
    move.shape = together.shape;
    move.in_strides = together.strides[0];
    move.out_strides = strides_of(together.shape);
    const std::int64_t summed = together.shape.product(kept, together.shape.rank);
    const Reduction reduction{ReductionKind::sum, Shape{shape.elements()}, Shape{summed}, {summed}, {1}};
    plan.step([=](const Call& call) {
      if (pair) call.ops.binary(BinaryKind::multiply, Element::f32, together, call.at<void>(first), call.at<void>(second), call.at<void>(products));
      else call.ops.move(move, Element::f32, call.at<void>(first), call.at<void>(products));
      call.ops.reduce(reduction, Element::f32, call.at<void>(products), call.at<void>(out));
    });
  };
}

}  // namespace

void add_matrix_operators(OperatorTable& table) {
  table.insert({{"MatMul", make_matmul}, {"lectern.MatMul", make_matmul}, {"Gemm", make_gemm}, {"lectern.Gemm", make_gemm}, {"Einsum", make_einsum}});
}

}  // namespace lectern::onnx
