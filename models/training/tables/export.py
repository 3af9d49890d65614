"""Writes a trained table network as ONNX with f16 weights: python3 export.py CHECKPOINT [models/lectern-tables.onnx]. Norms are folded into their convolutions."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

import separators

OPSET = 13
HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(os.path.dirname(os.path.dirname(HERE)), "lectern-tables.onnx")


class Graph:
    """Nodes and weights in the order in which they run; every weight is kept as f16 and widened by a Cast."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, values, name=None):
        name = name or f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def weight(self, values):
        name = self.constant(values.detach().numpy().astype(numpy.float16))
        return self.add("Cast", [name], to=TensorProto.FLOAT)

    def add(self, kind, inputs, output=None, **attributes):
        output = output or f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def convolution(self, x, convolution, norm=None, output=None):
        weight, bias = convolution.weight, convolution.bias
        if norm is not None:
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            weight, bias = weight * scale.reshape(-1, 1, 1, 1), norm.bias - norm.running_mean * scale
        (top, left), strides, dilations = convolution.padding, list(convolution.stride), list(convolution.dilation)
        return self.add("Conv", [x, self.weight(weight), self.weight(bias)], output, kernel_shape=list(convolution.kernel_size), strides=strides, dilations=dilations, pads=[top, left, top, left])

    def parts(self, x, kinds, output):
        """(n, PARTS * kinds, places) -> (n, kinds, places * PARTS)."""
        shape = self.constant(numpy.array([0, separators.PARTS, kinds, -1], numpy.int64))
        end = self.constant(numpy.array([0, kinds, -1], numpy.int64))
        turned = self.add("Transpose", [self.add("Reshape", [x, shape])], perm=[0, 2, 3, 1])
        return self.add("Reshape", [turned, end], output)


def model_of(network):
    """The ONNX model of separators.Separators: pictures (n, 3, h, w) -> rows (n, 2, h / 2), columns (n, 1, w / 2), spans (n, 2, h / 4, w / 4)."""
    graph = Graph()
    mean = lambda x, axis: graph.add("ReduceMean", [x], axes=[axis], keepdims=1)
    both = lambda x, axis: graph.add("Concat", [mean(x, axis), graph.add("ReduceMax", [x], axes=[axis], keepdims=1)], axis=1)
    x = graph.add("Relu", [graph.convolution("pictures", *network.first)])
    for look in network.looks:
        y = graph.convolution(x, look.around)
        if look.rows is not None:
            y = graph.add("Add", [y, graph.convolution(mean(x, 3), *look.rows)])
            y = graph.add("Add", [y, graph.convolution(mean(x, 2), *look.columns)])
        x = graph.add("Relu", [graph.add("Add", [y, x])])
    rows = graph.convolution(graph.add("Relu", [graph.convolution(both(x, 3), *network.row_step)]), network.row_end)
    columns = graph.convolution(graph.add("Relu", [graph.convolution(both(x, 2), *network.column_step)]), network.column_end)
    graph.parts(rows, 2, "rows")
    graph.parts(columns, 1, "columns")
    graph.convolution(x, network.span_end, None, "spans")
    floats = lambda name, sizes: helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes)
    outputs = [floats("rows", ["n", 2, "h_2"]), floats("columns", ["n", 1, "w_2"]), floats("spans", ["n", 2, "h_4", "w_4"])]
    made = helper.make_model(helper.make_graph(graph.nodes, "lectern-tables", [floats("pictures", ["n", 3, "h", "w"])], outputs, graph.constants), opset_imports=[helper.make_opsetid("", OPSET)], producer_name="lectern")
    made.ir_version = 7
    onnx.checker.check_model(made)
    return made


def main():
    checkpoint, target = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else TARGET
    state = torch.load(checkpoint, map_location="cpu")
    network = separators.Separators()
    network.load_state_dict(state["model"])
    network.eval()
    onnx.save(model_of(network), target)
    print(f"{target}: step {state['step']}, {os.path.getsize(target)} bytes")


if __name__ == "__main__":
    main()
