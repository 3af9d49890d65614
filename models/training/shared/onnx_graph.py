"""An ONNX graph being written: what the exports of all networks put together theirs with."""

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

OPSET = 13


class Graph:
    """Nodes and constants in the order in which they run; every weight is kept as f16 and widened by a Cast."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, values):
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def weight(self, values):
        return self.add("Cast", [self.constant(values.detach().numpy().astype(numpy.float16))], to=TensorProto.FLOAT)

    def add(self, kind, inputs, output=None, **attributes):
        output = output or f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def convolution(self, x, convolution, norm=None, output=None):
        """The norm's scale and shift go into the convolution's weights: at run time they are constants."""
        weight, bias = convolution.weight, convolution.bias
        if norm is not None:
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            weight, bias = weight * scale.reshape(-1, 1, 1, 1), norm.bias - norm.running_mean * scale
        (top, left), strides, dilations = convolution.padding, list(convolution.stride), list(convolution.dilation)
        return self.add("Conv", [x, self.weight(weight), self.weight(bias)], output, kernel_shape=list(convolution.kernel_size), strides=strides, dilations=dilations, pads=[top, left, top, left])

    def doubled(self, x):
        """Every cell four times: twice as high and as wide."""
        return self.add("Resize", [x, "", self.constant(numpy.array([1, 1, 2, 2], dtype=numpy.float32))], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    def model(self, name, inputs, outputs, metadata=None):
        """`inputs` and `outputs` are (name, shape) of floats. Throws where ONNX finds it wrong."""
        ports = [[helper.make_tensor_value_info(port, TensorProto.FLOAT, shape) for port, shape in side] for side in (inputs, outputs)]
        made = helper.make_model(helper.make_graph(self.nodes, name, *ports, self.constants), opset_imports=[helper.make_opsetid("", OPSET)], producer_name="lectern")
        made.ir_version = 7
        helper.set_model_props(made, metadata or {})
        onnx.checker.check_model(made)
        return made
