"""memlane from Python: runs as dicts, sweeps as frames of pandas, both as a notebook shows them.

The program memlane does the work. It is that of the environment variable MEMLANE, or the one of this file's
installation or source tree, or the first in PATH.
"""

from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Sequence, Union

if TYPE_CHECKING:
    import pandas

__all__ = ["MemlaneError", "Run", "results", "run", "sweep"]

Program = Union[str, "os.PathLike[str]"]


class MemlaneError(Exception):
    """What memlane said: the mistake with its place, and a way out. `status` is its exit status."""

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        self.status = status


class Run(dict):
    """The result of a run, as `memlane run --format json` prints it (`memlane explain schema run`)."""

    _table = ""
    _timeline: Sequence[Any] = ()  # a program and the command's other words

    @property
    def time(self) -> Any:
        """Time units; None where the machine has no time."""
        return self.counts["time"]

    @property
    def counts(self) -> Mapping[str, Any]:
        """The counts, as `memlane explain counts` names them."""
        return self["counts"]

    def timeline(self) -> str:
        """The time chart, as `memlane timeline` prints it. It runs the program again."""
        program, arguments = self._timeline
        with tempfile.TemporaryDirectory() as folder:
            return _run_program(folder, "timeline", program, arguments)[0]

    def __repr__(self) -> str:
        return self._table or dict.__repr__(self)

    def _repr_html_(self) -> str:
        if not self._table:
            return f"<pre>{html.escape(dict.__repr__(self))}</pre>"
        try:
            chart = self.timeline()
        except MemlaneError as error:
            chart = f"no time chart: {error}"
        style = 'style="white-space: pre; overflow-x: auto; line-height: 1.2"'
        return f"<pre>{html.escape(self._table)}</pre>\n<pre {style}>{html.escape(chart)}</pre>"


def run(program: Program, machine: Optional[Program] = None, *, set: Optional[Mapping[str, Any]] = None,
        layout: Optional[Mapping[str, str]] = None, options: Iterable[str] = (), **params: Any) -> Run:
    """Run a program on a machine; keywords are parameters of the program.

    A program is a path, the name of a shipped one, or its text, which has a newline. A machine is a path or a shipped
    name. `set` has values of the machine, `layout` layouts of arrays, `options` more words of the command line:
    options=["--seed", "2"].
    """
    arguments = _arguments(machine, set, layout, params) + [str(option) for option in options]
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("run.json", "run.txt")]
        outputs = ["--format", "json", "-o", files[0], "--format", "table", "-o", files[1]]
        _, said, status = _run_program(folder, "run", program, arguments + outputs, check=False)
        if not all(map(os.path.exists, files)):
            raise MemlaneError(said, status)
        text, table = (Path(file).read_text(encoding="utf-8").replace(folder + os.sep, "") for file in files)
    result = Run(json.loads(text))
    result._table, result._timeline = table, (program, arguments)
    if status:
        warnings.warn(said or f"memlane run: exit status {status}", stacklevel=2)
    return result


def sweep(what: Union[Program, Mapping[str, Any], Sequence[Program]], machine: Any = None, *,
          store: Optional[Program] = None, set: Optional[Mapping[str, Any]] = None,
          layout: Optional[Mapping[str, Any]] = None, columns: Optional[Iterable[str]] = None,
          options: Iterable[str] = (), **axes: Any) -> pandas.DataFrame:
    """Run all combinations of values; a frame with one row a point.

    `what` is a program as of run, several, a sweep file (.json), or what such a file has, as a dict. Keywords are
    parameters: a value, several (n=[64, 128]), or a text as the command line takes it (n="2^6..2^8:pow2"); so are the
    values of `machine`, `set` and `layout`. With `store`, a path, results are kept there, only points that it lacks
    run, and the frame has all rows of the store. `columns` are as of results.
    """
    arguments = _arguments(machine, set, layout, axes) + [str(option) for option in options]
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(what, Mapping):
            file = os.path.join(folder, "sweep.json")
            Path(file).write_text(json.dumps(what), encoding="utf-8")
            what = file
        kept = os.fspath(store) if store is not None else os.path.join(folder, "sweep.db")
        output, said, status = _run_program(folder, "sweep", what, arguments + ["--store", kept, "--format", "json"],
                                            check=False)
        if not output.startswith("{"):
            raise MemlaneError(said, status)
        if status:
            warnings.warn(said or f"memlane sweep: exit status {status}", stacklevel=2)
        return results(kept, columns=columns)


def results(store: Program, *, columns: Optional[Iterable[str]] = None, where: Optional[str] = None) -> pandas.DataFrame:
    """Rows of a store as a frame: what differs and the time, or `columns` (["all"] for all), where an SQL condition holds."""
    import pandas

    arguments = ["results", os.fspath(store), "--format", "json"]
    if columns is not None:
        arguments += ["--columns", columns if isinstance(columns, str) else ",".join(columns)]
    if where is not None:
        arguments += ["--where", where]
    output, said, status = _call(arguments)
    if status:
        raise MemlaneError(said, status)
    frame = pandas.DataFrame(json.loads(output)["rows"], dtype=object)
    for name in frame:
        values = frame[name].dropna()
        whole = len(values) and all(type(value) is int and -2**63 <= value < 2**63 for value in values)
        # Whole numbers with gaps stay whole.
        frame[name] = frame[name].astype("Int64") if whole and len(values) < len(frame) else frame[name].infer_objects()
    return frame


def _executable() -> str:
    named = os.environ.get("MEMLANE")
    if named:
        return named
    here = Path(__file__).resolve().parent
    for near in ("../../../bin/memlane", "../../build/release/memlane"):  # of an installation, of a source tree
        if os.access(here / near, os.X_OK):
            return os.path.normpath(here / near)
    found = shutil.which("memlane")
    if not found:
        raise MemlaneError("there is no memlane beside this file or in PATH\n"
                           "  help: set the environment variable MEMLANE to the path of the program")
    return found


def _call(arguments: Sequence[str]) -> tuple[str, str, int]:
    program = _executable()
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              errors="replace")
    except (OSError, ValueError) as error:
        raise MemlaneError(f"{program} cannot be run: {error}\n"
                           "  help: set the environment variable MEMLANE to the path of the program") from error
    return done.stdout, done.stderr.strip(), done.returncode


def _run_program(folder: str, command: str, program: Any, arguments: Sequence[str], check: bool = True) -> tuple[str, str, int]:
    """A command with programs, of which texts become files of a folder that what it says does not name."""
    programs = [program] if isinstance(program, (str, os.PathLike)) else list(program)
    words = []
    for number, each in enumerate(map(os.fspath, programs)):
        if "\n" in each:
            path = os.path.join(folder, f"program{number or ''}.lane")
            Path(path).write_text(each, encoding="utf-8")
            each = path
        words.append(each)
    output, said, status = _call([command, *words, *arguments])
    said = said.replace(folder + os.sep, "")
    if check and status:
        raise MemlaneError(said or f"memlane {command}: exit status {status}", status)
    return output.replace(folder + os.sep, ""), said, status


def _arguments(machine: Any, settings: Optional[Mapping[str, Any]], layouts: Optional[Mapping[str, Any]],
               params: Mapping[str, Any]) -> list[str]:
    words = []
    for each in [] if machine is None else [machine] if isinstance(machine, (str, os.PathLike)) else machine:
        words += ["-m", os.fspath(each)]
    for option, pairs in (("--set", settings), ("--layout", layouts), ("-D", params)):
        for name, value in (pairs or {}).items():
            words += [option, f"{name}={_text(value)}"]
    return words


def _text(value: Any) -> str:
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return ",".join(map(_text, value))
    text = str(value)
    return text.lower() if text in ("True", "False") else text  # numpy's, too
