"""Writes a trained table network as ONNX with f16 weights: python3 export.py CHECKPOINT [models/lectern-tables.onnx]."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "shared"))
sys.dont_write_bytecode = True

import numpy
import onnx
import torch
from onnx import TensorProto, helper

import separators
from onnx_graph import Graph

OPSET = 13
HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(os.path.dirname(os.path.dirname(HERE)), "lectern-tables.onnx")


class TableGraph(Graph):
    def parts(self, x, kinds, output):
        """(n, PARTS * kinds, places) -> (n, kinds, places * PARTS)."""
        shape = self.constant(numpy.array([0, separators.PARTS, kinds, -1], numpy.int64))
        end = self.constant(numpy.array([0, kinds, -1], numpy.int64))
        turned = self.add("Transpose", [self.add("Reshape", [x, shape])], perm=[0, 2, 3, 1])
        return self.add("Reshape", [turned, end], output)


def model_of(network):
    """The ONNX model of separators.Separators: pictures (n, 3, h, w) -> rows (n, 2, h / 2), columns (n, 1, w / 2), spans (n, 2, h / 4, w / 4)."""
    graph = TableGraph()
    mean = lambda x, axis: graph.add("ReduceMean", [x], axes=[axis], keepdims=1)
    both = lambda x, axis: graph.add("Concat", [mean(x, axis), graph.add("ReduceMax", [x], axes=[axis], keepdims=1)], axis=1)
    x = graph.add("Relu", [graph.convolution("pictures", network.first)])
    for look in network.looks:
        y = graph.convolution(x, look.around)
        if look.rows is not None:
            y = graph.add("Add", [y, graph.convolution(mean(x, 3), look.rows)])
            y = graph.add("Add", [y, graph.convolution(mean(x, 2), look.columns)])
        x = graph.add("Relu", [graph.add("Add", [y, x])])
    rows = graph.convolution(graph.add("Relu", [graph.convolution(both(x, 3), network.row_step)]), network.row_end)
    columns = graph.convolution(graph.add("Relu", [graph.convolution(both(x, 2), network.column_step)]), network.column_end)
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
    network.load_state_dict(state["mean"])
    onnx.save(model_of(network), target)
    print(f"{target}: step {state['step']}, {os.path.getsize(target)} bytes")


if __name__ == "__main__":
    main()
