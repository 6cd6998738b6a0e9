"""Graphs of ONNX, written as arithmetic: tensors with operators, constants from NumPy, names made on the way."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from ..inputs.byte_sizes import readable_bytes
from ..inputs.errors import InputError, Option
from ..numerics.arrays import Array

# The operators that files use, and the format of files: those that ONNX Runtime reads from version 1.14 (2023) on.
OPSET_VERSION, IR_VERSION = 18, 8
# A file of ONNX is one message of protobuf, which may have 2 GB; some of that is left for all that is no number.
LARGEST_GRAPH_BYTES = 2**31 - 2**24
# What a constant is taken for that is the end of an axis, whatever its length.
END_OF_AXIS = np.iinfo(np.int64).max

Dimension = int | str


@dataclass(frozen=True, eq=False)
class Tensor:
    """A value that a graph computes.

    Parameters
    ----------
    graph : Graph
        That computes it.
    name : str
    dtype : dtype
        Type of its numbers.
    """

    graph: "Graph"
    name: str
    dtype: np.dtype

    # An array on the left of an operator leaves it to the tensor.
    __array_ufunc__ = None

    def __add__(self, other: Any) -> "Tensor":
        return self.graph.node("Add", self, other)

    def __sub__(self, other: Any) -> "Tensor":
        return self.graph.node("Sub", self, other)

    def __mul__(self, other: Any) -> "Tensor":
        return self.graph.node("Mul", self, other)

    def __truediv__(self, other: Any) -> "Tensor":
        return self.graph.node("Div", self, other)

    def __mod__(self, other: Any) -> "Tensor":
        return self.graph.node("Mod", self, other)

    def __matmul__(self, other: Any) -> "Tensor":
        return self.graph.node("MatMul", self, other)

    def __rsub__(self, other: Any) -> "Tensor":
        return self.graph.node("Sub", self.graph.constant(other, self.dtype), self)

    def __rmatmul__(self, other: Array) -> "Tensor":
        return self.graph.node("MatMul", self.graph.constant(other, self.dtype), self)

    def __neg__(self) -> "Tensor":
        return self.graph.node("Neg", self)

    def __and__(self, other: Any) -> "Tensor":
        return self.graph.node("BitwiseAnd", self, other)

    def __or__(self, other: Any) -> "Tensor":
        return self.graph.node("BitwiseOr", self, other)

    def __invert__(self) -> "Tensor":
        return self.graph.node("BitwiseNot", self)

    def __gt__(self, other: Any) -> "Tensor":
        return self.graph.node("Greater", self, other, dtype=np.bool_)

    def equals(self, other: Any) -> "Tensor":
        """Whether numbers are equal."""
        return self.graph.node("Equal", self, other, dtype=np.bool_)

    def where(self, one: Any, other: Any, dtype: Any = None) -> "Tensor":
        """One value where this is true, another where it is not; of the type of the first of them that is a tensor."""
        kind = next((value.dtype for value in (one, other) if isinstance(value, Tensor)), dtype)
        values = (value if isinstance(value, Tensor) else self.graph.constant(value, kind) for value in (one, other))
        return self.graph.node("Where", self, *values, dtype=kind)

    def abs(self) -> "Tensor":
        """Magnitudes."""
        return self.graph.node("Abs", self)

    def sqrt(self) -> "Tensor":
        """Square roots."""
        return self.graph.node("Sqrt", self)

    def relu(self) -> "Tensor":
        """Numbers, and zero in place of negative ones."""
        return self.graph.node("Relu", self)

    def at_least(self, other: Any) -> "Tensor":
        """The larger of two numbers."""
        return self.graph.node("Max", self, other)

    def at_most(self, other: Any) -> "Tensor":
        """The smaller of two numbers."""
        return self.graph.node("Min", self, other)

    def sum(self, *axes: int, keepdims: bool = False) -> "Tensor":
        """Sums over some axes."""
        return self._reduced("ReduceSum", axes, keepdims)

    def max(self, *axes: int, keepdims: bool = False) -> "Tensor":
        """Largest values along some axes."""
        return self._reduced("ReduceMax", axes, keepdims)

    def mean(self, *axes: int, keepdims: bool = False) -> "Tensor":
        """Means over some axes."""
        return self._reduced("ReduceMean", axes, keepdims)

    def sum_of_squares(self, *axes: int, keepdims: bool = False) -> "Tensor":
        """Sums of squares over some axes."""
        return self._reduced("ReduceSumSquare", axes, keepdims)

    def _reduced(self, operator: str, axes: Sequence[int], keepdims: bool) -> "Tensor":
        return self.graph.node(operator, self, self.graph.whole_numbers(axes), keepdims=int(keepdims))

    def softmax(self, axis: int) -> "Tensor":
        """Shares that add up to 1 along an axis."""
        return self.graph.node("Softmax", self, axis=axis)

    def reshape(self, *shape: int) -> "Tensor":
        """The same numbers in another shape; -1 is what is left, 0 is what it was."""
        return self.graph.node("Reshape", self, self.graph.whole_numbers(shape))

    def transpose(self, *axes: int) -> "Tensor":
        """Axes in another order."""
        return self.graph.node("Transpose", self, perm=list(axes))

    def unsqueeze(self, *axes: int) -> "Tensor":
        """New axes of length 1, at these places of the result."""
        return self.graph.node("Unsqueeze", self, self.graph.whole_numbers(axes))

    def take(self, indices: Any, axis: int) -> "Tensor":
        """What stands at some places of an axis; the axes of the places take its place."""
        places = indices if isinstance(indices, Tensor) else self.graph.whole_numbers(indices)
        return self.graph.node("Gather", self, places, axis=axis)

    def slice(self, axis: int, start: Any = 0, stop: Any = END_OF_AXIS) -> "Tensor":
        """A part of an axis; negative places count from its end."""
        ends = (place if isinstance(place, Tensor) else self.graph.whole_numbers([place]) for place in (start, stop))
        return self.graph.node("Slice", self, *ends, self.graph.whole_numbers([axis]))

    def join(self, *others: Any, axis: int) -> "Tensor":
        """The tensor and others, one after the other along an axis."""
        return self.graph.node("Concat", self, *others, axis=axis)

    def cast(self, dtype: Any) -> "Tensor":
        """The same numbers, of another type."""
        if self.dtype == np.dtype(dtype):
            return self
        return self.graph.node("Cast", self, dtype=dtype, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


class Graph:
    """A graph that grows: every operation adds a node, and gives the tensor that it computes.

    Nothing is in it twice: a constant, or an operation on the same tensors, that was there before is taken again. So
    parts of a model need not know what others have computed already.

    Parameters
    ----------
    real : dtype
        Type of the numbers that it computes with, float32 or float64.
    parent : Graph, optional
        Graph that this one is a loop of; it may use the tensors of that one.
    """

    def __init__(self, real: Any, parent: "Graph | None" = None) -> None:
        self.real = np.dtype(real)
        self.parent = parent
        self.nodes: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self._known: dict[Any, Tensor] = {}
        # Constants and names belong to the graph and all loops in it.
        root = self if parent is None else parent._root
        self._root: Graph = root
        if parent is None:
            self.constants: list[Any] = []
            self.n_bytes = 0
            self._constants: dict[bytes, Tensor] = {}
            self._n_names = 0
            self._part = ""

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Context in which nodes are named after a part of the model, for those who look at the graph."""
        outer, self._root._part = self._root._part, f"{self._root._part}{name}/"
        yield
        self._root._part = outer

    def input(self, name: str, shape: Sequence[Dimension], dtype: Any = None) -> Tensor:
        """What the graph is given; a dimension that has a name may be any."""
        kind = np.dtype(dtype or self.real)
        self.inputs.append(_declared(name, kind, list(shape)))
        return Tensor(self, name, kind)

    def output(self, name: str, value: Tensor, shape: Sequence[Dimension] | None) -> None:
        """Let the graph give a tensor, by this name; a shape of None may be any."""
        self.nodes.append(helper.make_node("Identity", [value.name], [name], name=name))
        self.outputs.append(_declared(name, value.dtype, shape if shape is None else list(shape)))

    def constant(self, value: Any, dtype: Any = None) -> Tensor:
        """Numbers or texts that are stored in the file; of the type of the graph by default."""
        array = _cast(np.asarray(value), np.dtype(dtype or self.real))
        root = self._root
        content = array.tobytes() if array.dtype.kind != "O" else repr(array.tolist()).encode()
        key = hashlib.sha256(repr((array.dtype.str, array.shape)).encode() + content).digest()
        if key not in root._constants:
            root.n_bytes += len(content)
            refuse_too_large(root.n_bytes)
            name = self._new_name("constant")
            root.constants.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
            root._constants[key] = Tensor(root, name, array.dtype)
        return self._here(root._constants[key])

    def whole_numbers(self, values: Any) -> Tensor:
        """Whole numbers that are stored in the file: axes, shapes, places."""
        return self.constant(values, np.int64)

    def node(self, operator: str, *operands: Any, dtype: Any = None, **attributes: Any) -> Tensor:
        """The result of an operator of ONNX; of the type of its first operand, unless said otherwise.

        Operands that are no tensors are constants of the type of the first one, which is a tensor.
        """
        first = operands[0]
        tensors = [one if isinstance(one, Tensor) else self.constant(one, first.dtype) for one in operands]
        graph = tensors[0].graph._innermost(tensors[1:])
        return graph._node(operator, tensors, np.dtype(dtype or first.dtype), attributes)

    def _node(self, operator: str, tensors: list[Tensor], dtype: np.dtype, attributes: dict[str, Any]) -> Tensor:
        key = (operator, tuple(one.name for one in tensors), repr(sorted(attributes.items())))
        if key not in self._known:
            name = self._new_name(operator)
            inputs = [one.name for one in tensors]
            self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
            self._known[key] = Tensor(self, name, dtype)
        return self._known[key]

    def loop(
        self,
        n_rounds: Any,
        one_round: Callable[..., tuple[list[Tensor], list[Tensor]]],
        *carried: Tensor,
    ) -> list[Tensor]:
        """Do the same again and again.

        Parameters
        ----------
        n_rounds : int or Tensor
            How often.
        one_round : function of (graph of the loop, number of the round, *carried)
            Gives what the next round carries, and what is collected of this one. It may use tensors of this graph.
        *carried
            What the first round is given.

        Returns
        -------
        list of Tensor
            What the last round carried on, then what was collected, with an axis of rounds first.
        """
        inside = Graph(self.real, parent=self)
        number, go_on = (Tensor(inside, self._new_name(name), kind) for name, kind in _ROUND)
        given = [Tensor(inside, self._new_name("carried"), one.dtype) for one in carried]
        on, collected = one_round(inside, number, *given)
        # What a round gives has a node of its own, even where it is what the round was given.
        results = [inside._identity(one) for one in (go_on, *on, *collected)]
        body = helper.make_graph(
            inside.nodes,
            self._new_name("round"),
            [
                *(_declared(one.name, one.dtype, []) for one in (number, go_on)),
                *(_declared(one.name, one.dtype, None) for one in given),
            ],
            [_declared(one.name, one.dtype, None) for one in results],
        )
        names = [self._new_name("Loop") for _ in results[1:]]
        rounds = n_rounds if isinstance(n_rounds, Tensor) else self.whole_numbers(n_rounds)
        inputs = [rounds.name, self.constant(True, np.bool_).name, *(one.name for one in carried)]
        self.nodes.append(helper.make_node("Loop", inputs, names, name=names[0], body=body))
        return [Tensor(self, name, one.dtype) for name, one in zip(names, results[1:], strict=True)]

    def model(self, name: str, metadata: dict[str, str], **described: str) -> Any:
        """The graph as an ONNX model, with text about it."""
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.constants)
        opset = helper.make_opsetid("", OPSET_VERSION)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION, **described)
        helper.set_model_props(model, metadata)
        return model

    def _identity(self, value: Tensor) -> Tensor:
        name = self._new_name("Identity")
        self.nodes.append(helper.make_node("Identity", [value.name], [name], name=name))
        return Tensor(self, name, value.dtype)

    def _here(self, value: Tensor) -> Tensor:
        """A tensor of an outer graph, as an operand of this one."""
        return Tensor(self, value.name, value.dtype)

    def _innermost(self, others: Sequence[Tensor]) -> "Graph":
        """The innermost of the graphs of several tensors: the others enclose it."""
        found = self
        for other in others:
            if found in other.graph._enclosing():
                found = other.graph
        return found

    def _enclosing(self) -> Iterator["Graph"]:
        graph: Graph | None = self.parent
        while graph is not None:
            yield graph
            graph = graph.parent

    def _new_name(self, operator: str) -> str:
        root = self._root
        root._n_names += 1
        return f"{root._part}{operator}_{root._n_names}"


def refuse_too_large(n_bytes: int) -> None:
    """Refuse so many bytes of numbers, if no file can hold them."""
    if n_bytes > LARGEST_GRAPH_BYTES:
        raise InputError(
            "the model has more than {most} of numbers, which is what a file of ONNX can hold; pass {precision}, or "
            "fit it with fewer layers, fewer channels or a larger pool.",
            most=readable_bytes(LARGEST_GRAPH_BYTES),
            precision=Option("precision", "float32"),
        )


def _cast(array: Array, dtype: np.dtype) -> Array:
    """Numbers or texts of another type; an error if that type has no place for a number."""
    with np.errstate(over="ignore"):
        found = array.astype(dtype, copy=False)
    if dtype.kind == "f" and array.dtype.kind == "f" and (np.isinf(found) & ~np.isinf(array)).any():
        raise InputError(
            "the model holds numbers up to {largest:.3g}, more than {kind} has a place for; pass {precision}, or fit "
            "it on samples that are scaled first.",
            largest=float(np.abs(array).max()),
            kind=dtype.name,
            precision=Option("precision", "float64"),
        )
    return found


# What a loop is given at each round: its number, and whether to go on.
_ROUND = (("number", np.dtype(np.int64)), ("go_on", np.dtype(np.bool_)))


def _declared(name: str, dtype: np.dtype, shape: list[Dimension] | None) -> Any:
    """Name, type and shape of what a graph takes or gives."""
    kind = onnx.TensorProto.STRING if dtype.kind == "O" else helper.np_dtype_to_tensor_dtype(dtype)
    return helper.make_tensor_value_info(name, kind, shape)
