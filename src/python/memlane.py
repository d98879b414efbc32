"""memlane from Python: runs as dicts, sweeps as frames of pandas, both as a notebook shows them.

The program memlane does the work. It is that of the environment variable MEMLANE, or the one of this file's
installation or source tree, or the first in PATH.
"""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Sequence, Union

if TYPE_CHECKING:
    import pandas

__all__ = ["MemlaneError", "Run", "bank", "results", "run", "sweep", "worst"]

Program = Union[str, "os.PathLike[str]"]

_OPTIONS_OF_CHARTS = {"-m", "--machine", "--set", "-D", "--define", "--fn", "--type", "--layout", "--input", "--seed",
                      "--allow-races", "--atomics", "--max-steps", "--max-memory", "--max-time", "--max-seconds"}


class MemlaneError(Exception):
    """What memlane said: the mistake with its place, and a way out. `status` is its exit status."""

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        self.status = status


class Run(dict):
    """The result of a run, as `memlane run --format json` prints it (`memlane explain schema run`)."""

    _table = _markdown = ""
    _timeline: Sequence[Any] = ()  # a program and the command's other words

    @property
    def time(self) -> Any:
        """Time units; None where the machine has no time."""
        return self.counts["time"]

    @property
    def counts(self) -> Mapping[str, Any]:
        """The counts, as `memlane explain counts` names them."""
        return self["counts"]

    def timeline(self, format: str = "text") -> str:
        """The time chart, as `memlane timeline --format` prints it: "text", "svg" or "json". It runs the program again."""
        program, arguments = self._timeline
        with tempfile.TemporaryDirectory() as folder:
            return _run_program(folder, "timeline", program, [*arguments, "--format", format])[0]

    def __repr__(self) -> str:
        return self._table or dict.__repr__(self)

    def _repr_html_(self) -> str:
        if not self._table:
            return f"<pre>{html.escape(dict.__repr__(self))}</pre>"
        try:
            chart = self.timeline("svg")
        except MemlaneError as error:
            chart = f"<pre>{html.escape(f'no time chart: {error}')}</pre>"
        return f'{_html_tables(self._markdown)}\n<div style="overflow-x: auto">{chart}</div>'


def run(program: Program, machine: Optional[Program] = None, *, set: Optional[Mapping[str, Any]] = None,
        layout: Optional[Mapping[str, str]] = None, options: Union[str, Iterable[str]] = (), **params: Any) -> Run:
    """Run a program on a machine; keywords are parameters of the program.

    A program is a path, the name of a shipped one, or its text, which has a newline. A machine is a path or a shipped
    name. `set` has values of the machine, as JSON has them in machine files, `layout` layouts of arrays, `options` more
    words of the command line: options=["--seed", "2"], or "--seed 2"; a time chart takes those that decide what it shows.
    """
    named, words = _arguments(machine, set, layout, params), _words(options)
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("run.json", "run.txt", "run.md")]
        outputs = [word for file in files for word in ("-o", file)]
        output, said, status = _run_program(folder, "run", program, named + words + outputs, check=False)
        if not all(map(os.path.exists, files)):
            raise MemlaneError(said or f"memlane run wrote no result, but this:\n{output}", status)
        texts = [Path(file).read_text(encoding="utf-8").replace(folder + os.sep, "") for file in files]
    result = Run(json.loads(texts[0]))
    result._table, result._markdown, result._timeline = texts[1], texts[2], (program, named + _of_charts(words))
    if status:
        warnings.warn(said or f"memlane run: exit status {status}", stacklevel=2)
    return result


def sweep(what: Union[Program, Mapping[str, Any], Sequence[Program]], machine: Any = None, *,
          store: Optional[Program] = None, set: Optional[Mapping[str, Any]] = None,
          layout: Optional[Mapping[str, Any]] = None, seeds: Optional[int] = None,
          columns: Optional[Iterable[str]] = None, options: Union[str, Iterable[str]] = (), **axes: Any) -> pandas.DataFrame:
    """Run all combinations of values; a frame with one row a point.

    `what` is a program as of run, several, a sweep file (.json), or what such a file has, as a dict. Keywords are
    parameters: a value, several (n=[64, 128]), or a text as the command line takes it (n="2^6..2^8:pow2"); so are the
    values of `machine`, `set` and `layout`. `seeds` runs each point with the seeds 1 to `seeds`. With `store`, a path,
    results are kept there, only points that it lacks run, and the frame has all rows of the store. `columns` are as of
    results; without them the frame has a column for each parameter that the call names, and what else differs. The
    column of a parameter that is named like a count is param_NAME.
    """
    arguments = _arguments(machine, set, layout, axes) + _words(options)
    if seeds is not None:
        arguments += ["--seeds", str(seeds)]
    named = [*axes]
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(what, Mapping):
            named = [*what.get("axes", {}), *axes]
            file = os.path.join(folder, "sweep.json")
            Path(file).write_text(json.dumps(what), encoding="utf-8")
            what = file
        kept = os.fspath(store) if store is not None else os.path.join(folder, "sweep.db")
        _json_of(folder, "sweep", what, arguments + ["--store", kept])
        frame = results(kept, columns=columns)
        if columns is None and named:
            known = results(kept, columns=["all"])
            named = [f"param_{name}" if f"param_{name}" in known else name for name in named]
            lacking = [name for name in named if name not in frame]
            frame = results(kept, columns=lacking + list(frame)) if lacking else frame
        return frame


def worst(program: Program, of: str, machine: Optional[Program] = None, *, runs: Optional[int] = None,
          set: Optional[Mapping[str, Any]] = None, layout: Optional[Mapping[str, Any]] = None,
          options: Union[str, Iterable[str]] = (), **params: Any) -> dict[str, Any]:
    """Search the input for which a count is greatest, `of` as "shared_stages", in at most `runs` runs.

    Returns what `memlane worst --format json` prints (`memlane explain schema worst`). The other arguments are as of
    run; options=["--least"] searches the least value. A claim that the input refutes is a warning.
    """
    arguments = _arguments(machine, set, layout, params) + _words(options)
    if runs is not None:
        arguments += ["--runs", str(runs)]
    with tempfile.TemporaryDirectory() as folder:
        return _json_of(folder, "worst", program, ["--of", of, *arguments])


def bank(expression: str, machine: Any = None, *, further: Union[str, Iterable[str]] = (), shape: Any = None,
         best: bool = False, set: Optional[Mapping[str, Any]] = None, options: Union[str, Iterable[str]] = (),
         **names: Any) -> dict[str, Any]:
    """Banks, address groups and stages of one warp's access; keywords are names that the expression has.

    Returns what `memlane bank --format json` prints (`memlane explain schema bank`): bank("t[lane, 0]", shape=(32, 32)).
    `best` searches the layout of the array that has the fewest stages for the access and the `further` ones.
    """
    if not isinstance(expression, str):
        raise TypeError(f"an access is a text, such as \"t[lane, 0]\", not {expression!r}")
    arguments = _arguments(machine, set, None, names) + _words(options)
    for access in [further] if isinstance(further, str) else further:
        arguments += ["--with", access]
    if shape is not None:
        arguments += ["--shape", _text(shape)]
    with tempfile.TemporaryDirectory() as folder:
        return _json_of(folder, "bank", None, [expression, *arguments, *(["--best"] if best else [])])


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
    """A command with programs, of which texts become files of a folder that what it says does not name; None: without."""
    words = []
    for number, each in enumerate(_programs(command, program)):
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


def _programs(command: str, program: Any) -> list[str]:
    if program is None and command == "bank":
        return []
    several = command == "sweep" and isinstance(program, Iterable) and not isinstance(program, (str, bytes, os.PathLike))
    programs = list(program) if several else [program]
    for each in programs:
        if not isinstance(each, (str, os.PathLike)):
            also = ", a list of them, a sweep file, or a dict with its content" if command == "sweep" else ""
            raise TypeError(f"memlane.{command} takes the path of a program, the name of a shipped one (\"sum\"), or its "
                            f"text{also}, not {each!r}")
    return [os.fspath(each) for each in programs]


def _json_of(folder: str, command: str, program: Any, arguments: Sequence[str]) -> Any:
    """The JSON that a command prints; what it says beside it is a warning of the caller's caller."""
    output, said, status = _run_program(folder, command, program, [*arguments, "--format", "json"], check=False)
    if not output.startswith(("{", "[")):
        raise MemlaneError(said, status)
    result = json.loads(output)
    if status:
        warnings.warn(said or _reason_in(result) or f"memlane {command}: exit status {status}", stacklevel=3)
    return result


def _reason_in(result: Any) -> str:
    """Why a sweep or searches of worst do not end with status 0, if their JSON has it."""
    reasons = []
    for part in result if isinstance(result, list) else [result]:
        reasons += [f"claim {one['claim']} fails: {one['left']} against {one['right']}" for one in part.get("refuted", [])]
        reasons += (part.get("refuting") or {}).get("what", [])
        reasons += [found["text"] for found in part.get("findings", []) if found["about"] == "limit"]
        if part.get("interrupted"):
            reasons.append(f"interrupted: {part['missing'] - part['run']} of {part['points']} points have not run")
    return "\n".join(reasons)


def _html_tables(markdown: str) -> str:
    """Markdown tables with their captions, as memlane prints them, as HTML; that of the claims is folded."""
    parts = []
    for part in re.split(r"(?m)^(?=\*\*)", markdown):
        lines = part.strip().split("\n")
        rows = [[_html_cell(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines if line.startswith("|")]
        if len(rows) < 2:
            continue
        right = [dashes.endswith("-:") for dashes in (cell.strip() for cell in lines[3].split("|")[1:-1])]
        body = ""
        for tag, row in [("th", rows[0])] + [("td", row) for row in rows[2:]]:
            cells = (f'<{tag} style="text-align: {"right" if at_right else "left"}">{cell}</{tag}>' for cell, at_right in zip(row, right))
            body += f"<tr>{''.join(cells)}</tr>\n"
        caption = _html_cell(lines[0].strip("*").partition(":")[0])
        table = f"<table>\n{body}</table>"
        parts.append(f"<details><summary>{caption}</summary>{table}</details>" if caption == "Claims"
                     else f"<div><b>{caption}</b>{table}</div>")
    return '<div style="display: flex; flex-wrap: wrap; gap: 1em; overflow-x: auto">\n' + "\n".join(parts) + "\n</div>"


def _html_cell(text: str) -> str:
    code = re.fullmatch(r"(`+) ?(.*?) ?\1", text)
    if code:
        return "<code>" + html.escape(code[2].replace("\\|", "|")) + "</code>"
    return html.escape(re.sub(r"\\(.)", r"\1", text))


def _arguments(machine: Any, settings: Optional[Mapping[str, Any]], layouts: Optional[Mapping[str, Any]],
               params: Mapping[str, Any]) -> list[str]:
    words = []
    for each in [] if machine is None else [machine] if isinstance(machine, (str, os.PathLike)) else machine:
        words += ["-m", os.fspath(each)]
    for option, pairs in (("--set", settings), ("--layout", layouts), ("-D", params)):
        for name, value in (pairs or {}).items():
            words += [option, f"{name}={_text(value)}"]
    return words


def _words(options: Union[str, Iterable[str]]) -> list[str]:
    """Words of the command line, given one by one or as a shell has them."""
    return shlex.split(options) if isinstance(options, str) else [str(option) for option in options]


def _of_charts(options: Sequence[str]) -> list[str]:
    """The options of run that decide what a time chart shows, with their values."""
    kept, keeps = [], False
    for word in options:
        if word.startswith("-") and word != "-":
            keeps = (word.partition("=")[0] if word.startswith("--") else word[:2]) in _OPTIONS_OF_CHARTS
        if keeps:
            kept.append(word)
    return kept


def _text(value: Any) -> str:
    values = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
    value = list(value) if values else value
    if value is None or isinstance(value, Mapping) or (values and all(isinstance(each, Mapping) for each in value)):
        return json.dumps(value)  # as machine files have it
    if values:
        return ",".join(map(_text, value))
    text = str(value)
    return text.lower() if text in ("True", "False") else text  # numpy's, too
