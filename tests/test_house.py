"""The plan of the house: which room may import which, one name for one module, measures asked only by themselves.

A room is a folder or a file directly below ``src/redunet``. These tests read the source without importing it, and every
failure names the line that breaks the rule and says what to do.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "redunet"

# What each room may import, from the bottom up. CONTRIBUTING.md draws it.
LEAVES = {"numerics", "fast", "storage", "inputs"}
ALLOWED: dict[str, set[str]] = {
    "numerics": set(),
    "terminal": set(),
    "fast": {"numerics"},
    "inputs": {"numerics"},
    "storage": {"numerics", "inputs"},
    "data": {"numerics", "inputs", "storage"},
    "clustering": {"numerics", "storage"},
    "lift": LEAVES,
    "measures": LEAVES,
    "network": {*LEAVES, "measures"},
    "plot": {"numerics", "network"},
    "coding_rates": {"numerics", "fast", "inputs", "network"},
    "evidence": {*LEAVES, "measures", "lift", "network"},
    "report": {"numerics", "storage", "inputs", "measures", "lift", "network", "evidence"},
    "estimators": {*LEAVES, "clustering", "measures", "lift", "network", "evidence", "terminal", "report"},
    "dask": {*LEAVES, "estimators"},
    "torch": {*LEAVES, "measures", "lift", "network", "evidence", "estimators", "terminal"},
    "onnx": {*LEAVES, "measures", "lift", "network", "estimators"},
    "experiments": {
        "numerics",
        "storage",
        "inputs",
        "data",
        "lift",
        "network",
        "estimators",
        "plot",
        "coding_rates",
        "report",
        "torch",
    },
    "bench": {*LEAVES, "data", "measures", "lift", "network", "evidence", "estimators", "experiments"},
    "compiled": {"inputs", "fast", "measures", "lift", "network", "estimators"},
}
ALLOWED["cli"] = {*ALLOWED}  # the top: it may import everything below

# Names of measures. Only ``measures/`` may ask which one it has.
MEASURE_NAMES = {"softmax", "subspace", "subspaces", "code", "codes", "relu", "regression"}
# Values that are None for some measures: another way to ask which one it is.
MEASURE_FIELDS = {"rank", "rank_", "subspaces", "subspaces_"}


@dataclass(frozen=True)
class Import:
    """One import statement: where it stands, and the module that it names."""

    path: Path
    line: int
    module: str

    @property
    def rooms(self) -> tuple[str, str]:
        """Room that imports, room that is imported."""
        return room_of(module_name(self.path)), room_of(self.module)

    def __str__(self) -> str:
        return f"{place(self.path, self.line)} imports {self.module}"


def test_every_room_has_its_place_in_the_plan():
    rooms = {room_of(module_name(path)) for path in source_files()} - {""}
    missing, gone = sorted(rooms - set(ALLOWED)), sorted(set(ALLOWED) - rooms)
    assert not missing, f"add {missing} to ALLOWED, and to the map in CONTRIBUTING.md"
    assert not gone, f"remove {gone} from ALLOWED, and from the map in CONTRIBUTING.md"


def test_the_plan_has_no_cycle():
    list(TopologicalSorter(ALLOWED).static_order())


def test_rooms_import_only_what_the_plan_allows():
    broken = []
    for found in all_imports():
        room, target = found.rooms
        if room and target != room and target not in ALLOWED.get(room, set()):
            broken.append(f"{found}: {room}/ may import {sorted(ALLOWED.get(room, set())) or 'no other room'}")
    remedy = "move what is needed to a room below both, or pass it in as an argument"
    assert not broken, explained(broken, remedy)


def test_no_rooms_import_each_other_in_a_circle():
    graph: dict[str, set[str]] = {}
    for found in all_imports():
        room, target = found.rooms
        if room and target and room != target:
            graph.setdefault(room, set()).add(target)
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = list(reversed(error.args[1]))
        edges = set(pairwise(circle))
        lines = [str(found) for found in all_imports() if found.rooms in edges]
        raise AssertionError(explained(lines, f"break the circle {' -> '.join(circle)}")) from None


def test_lazy_and_type_checking_imports_are_seen():
    path = SOURCE / "lift" / "example.py"
    text = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from ..network.layer import Layer
def late():
    from .. import ReduNet, plot, __version__
    from importlib import import_module
    import_module("redunet.report.page")
    import_module("..storage.saving", __package__)
    import redunet.cli.app
"""
    found = {(one.line, one.module) for one in imports_of(path, ast.parse(text))}
    assert found == {
        (4, "redunet.network.layer"),
        (6, "redunet.estimators"),
        (6, "redunet.plot"),
        (8, "redunet.report.page"),
        (9, "redunet.storage.saving"),
        (10, "redunet.cli.app"),
    }


def test_no_two_modules_share_a_name():
    files = [path for path in source_files() if path.stem != "__init__"]
    counts = Counter(path.stem for path in files)
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir()}
    broken = []
    for path in files:
        if counts[path.stem] > 1:
            broken.append(f"{place(path, 1)} is one of {counts[path.stem]} modules named {path.stem}.py")
        if path.stem in rooms and path.parent.name != path.stem:
            broken.append(f"{place(path, 1)} has the name of the room {path.stem}/")
    assert not broken, explained(broken, "name a module after what is in it")


def test_only_measures_ask_which_measure_they_are():
    broken = []
    for path in source_files():
        if room_of(module_name(path)) != "measures":
            broken += [place(path, line) + f" {what}" for line, what in questions_about_measures(parsed(path))]
    remedy = "give every measure a method or an attribute that answers, and call that"
    assert not broken, explained(broken, remedy)


def test_questions_about_measures_are_seen():
    asked = {
        'self.membership == "code"': "compares with 'code'",
        'kind in ("softmax", "subspace")': "compares with 'softmax', 'subspace'",
        "model.rank_ is None": "asks whether rank_ is None",
        "subspaces is not None": "asks whether subspaces is None",
        "isinstance(answers, (list, CodeBooks))": "asks for the class CodeBooks",
    }
    for text, what in asked.items():
        assert [found for _, found in questions_about_measures(ast.parse(text), {"CodeBooks"})] == [what]
    for harmless in ('ReduNet(membership="code")', 'threshold == "soft"', "isinstance(x, list)", "X is None"):
        assert not list(questions_about_measures(ast.parse(harmless), {"CodeBooks"}))


# --- the source, as text and as trees -----------------------------------------------------------------------------


@cache
def source_files() -> tuple[Path, ...]:
    """Every Python file of the package."""
    return tuple(sorted(SOURCE.rglob("*.py")))


@cache
def parsed(path: Path) -> ast.Module:
    """Syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def module_name(path: Path) -> str:
    """Dotted name of a file: ``redunet.lift.banks``; of a folder for its ``__init__.py``."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """Room of a module; empty for the package itself."""
    return [*module.split("."), ""][1]


def place(path: Path, line: int) -> str:
    """File and line, as editors and terminals understand them."""
    return f"{path.relative_to(SOURCE.parent.parent)}:{line}"


def explained(broken: list[str], remedy: str) -> str:
    """All lines that break a rule, and what to do."""
    return f"{remedy}:\n" + "\n".join(broken)


# --- imports ------------------------------------------------------------------------------------------------------


@cache
def all_imports() -> tuple[Import, ...]:
    """Every import of one of our modules by another, wherever in its file it stands."""
    return tuple(found for path in source_files() for found in imports_of(path, parsed(path)))


def imports_of(path: Path, tree: ast.Module) -> Iterator[Import]:
    """Imports of our own modules in a file, those inside of functions and for the type checker included."""
    for node in ast.walk(tree):
        for module in dict.fromkeys(imported_modules(path, node)):  # once, however many names come from it
            if module.split(".")[0] == "redunet":
                yield Import(path, node.lineno, module)


def imported_modules(path: Path, node: ast.AST) -> list[str]:
    """Modules that one node of a syntax tree imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = absolute_name(path, node.level, node.module or "")
        return [found for alias in node.names for found in named_in(module, alias.name)]
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and node.args:
        name = node.args[0]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            tail = name.value.lstrip(".")
            return [absolute_name(path, len(name.value) - len(tail), tail)]
    return []


def absolute_name(path: Path, level: int, tail: str) -> str:
    """Dotted name of a module that a file names with ``level`` dots before it."""
    if not level:
        return tail
    package = path.relative_to(SOURCE.parent).parent.parts
    return ".".join([*package[: len(package) + 1 - level], *filter(None, [tail])])


def named_in(module: str, name: str) -> list[str]:
    """Module that ``from module import name`` reads: a module of that name, or the one that has the name in it."""
    folder = SOURCE.parent.joinpath(*module.split("."))
    if (folder / name).is_dir() or (folder / f"{name}.py").exists():
        return [f"{module}.{name}"]
    if module != "redunet":
        return [module]
    # The package itself: its version is for everyone, its public names are those of the rooms that they come from.
    return [public_names()[name]] if name in public_names() else []


@cache
def public_names() -> dict[str, str]:
    """Module of each name that ``redunet/__init__.py`` offers."""
    nodes = [node for node in ast.walk(parsed(SOURCE / "__init__.py")) if isinstance(node, ast.ImportFrom)]
    return {alias.name: f"redunet.{node.module}" for node in nodes if node.level for alias in node.names}


# --- questions about measures -------------------------------------------------------------------------------------


@cache
def measure_classes() -> set[str]:
    """Classes of the measures; the base class, which says nothing about which measure it is, is not among them."""
    files = (SOURCE / "measures").glob("*.py")
    classes = {node.name for path in files for node in parsed(path).body if isinstance(node, ast.ClassDef)}
    return classes - {"Measure"}


def questions_about_measures(tree: ast.AST, classes: set[str] | None = None) -> Iterator[tuple[int, str]]:
    """Line and description of every comparison that asks which measure something is."""
    classes = measure_classes() if classes is None else classes
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            question = question_of_comparison(node)
        elif isinstance(node, ast.MatchValue) and constants(node.value) & MEASURE_NAMES:
            question = f"matches {sorted(constants(node.value))[0]!r}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            question = question_of_class(node, classes)
        else:
            continue
        if question:
            yield node.lineno, question


def question_of_comparison(node: ast.Compare) -> str:
    """What a comparison asks about a measure; nothing if it is about something else."""
    sides = [node.left, *node.comparators]
    names = sorted(set().union(*map(constants, sides)) & MEASURE_NAMES)
    if names:
        return "compares with " + ", ".join(map(repr, names))
    nothing = any(isinstance(side, ast.Constant) and side.value is None for side in sides)
    fields = sorted({ast.unparse(side).rpartition(".")[2] for side in sides} & MEASURE_FIELDS)
    return f"asks whether {fields[0]} is None" if nothing and fields else ""


def question_of_class(node: ast.Call, classes: set[str]) -> str:
    """Which class of a measure a call of ``isinstance`` asks for."""
    names = {ast.unparse(part).rpartition(".")[2] for part in ast.walk(node.args[-1]) if isinstance(part, ast.expr)}
    asked = sorted(names & classes)
    return f"asks for the class {asked[0]}" if asked else ""


def constants(node: ast.expr) -> set[str]:
    """Text constants of an expression: one, or those of a tuple, list or set."""
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    return {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
