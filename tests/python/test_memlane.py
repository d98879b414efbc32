"""memlane.py with the memlane of the environment variable MEMLANE; MEMLANE_NOTEBOOKS=1 also runs a notebook."""

import ast
import contextlib
import io
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings
from pathlib import Path
from xml.etree import ElementTree

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "src/python"))
sys.dont_write_bytecode = True
import memlane  # noqa: E402

STRIDE = """param s: int = 4
memory a[32*s]: int = index
memory b[32]: int
kernel gather() { forall i in 0..32 { b[i] = a[s*i] } }
main { launch gather() threads=32 }
verify { for i = 0 to 31 { assert b[i] == s*i } }
"""


class Runs(unittest.TestCase):
    def test_result_is_that_of_the_command(self):
        command = [os.environ["MEMLANE"], "run", "sum", "-m", "dmm-w32", "-D", "n=64", "--set", "latency=7", "--format", "json"]
        expected = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        result = memlane.run("sum", "dmm-w32", n=64, set={"latency": 7})
        self.assertEqual(dict(result), expected)
        self.assertEqual(result.time, expected["counts"]["time"])

    def test_program_as_text(self):
        result = memlane.run(STRIDE, "dmm-w32", s=5)
        self.assertEqual((result.time, result["program"]["path"]), (40, "program.lane"))
        self.assertIn("program  program.lane\n", repr(result))
        self.assertIn("program.lane, s=5 on DMM", result.timeline())

    def test_html_has_tables_and_chart(self):
        shown = memlane.run("figure_access", "dmm-figure3")._repr_html_()
        page = ElementTree.fromstring(f"<body>{shown}</body>")
        tables = [[["".join(cell.itertext()) for cell in row] for row in table] for table in page.iter("table")]
        self.assertIn(["time", "7"], tables[0])
        self.assertIn(["8", "forall i in 0..8 { m[address[i]] = i + 1 }", "2", "3", "2", "1"], tables[3])
        svg = "{http://www.w3.org/2000/svg}"
        words = {text.text for text in page.find(f".//{svg}svg").iter(f"{svg}text")}
        self.assertLessEqual({"W0", "W1", "port", "time in units", "a further stage of its request"}, words)
        shown = memlane.run(STRIDE.replace("} }\nmain", "} } /// <b> a|b\nmain"))._repr_html_()
        self.assertIn("/// &lt;b&gt; a|b</code>", shown)
        self.assertNotIn("<b> a", shown)

    def test_html_without_a_chart_says_why(self):
        shown = memlane.run("contiguous", "agpu-teaching", n=64)._repr_html_()
        self.assertIn("no time chart: ", shown)
        self.assertIn("error: ", shown)
        self.assertIn(">time</td>", shown)

    def test_options_of_runs_alone_are_not_the_charts(self):
        with tempfile.TemporaryDirectory() as folder:
            written = os.path.join(folder, "a.csv")
            options = f"--no-verify --timing-only --pram -j 2 --seed 3 -o '{written}' --rows=lines"
            result = memlane.run(STRIDE, "dmm-w32", s=5, options=options)
            kept = Path(written).read_text()
            self.assertTrue(result.timeline("svg").startswith("<svg "))
            self.assertEqual(result._timeline[1], ["-m", "dmm-w32", "-D", "s=5", "--seed", "3"])
            self.assertEqual(Path(written).read_text(), kept)

    def test_options_that_charts_share_with_runs(self):
        run, timeline = ([re.findall(r"(?:(-\w), |  )(--[\w-]+)", line[:30])[0] for line in page.splitlines() if re.match(" +-", line)]
                         for page in (subprocess.check_output([os.environ["MEMLANE"], "help", command], text=True)
                                      for command in ("run", "timeline")))
        own = {"--format", "-o", "--out", "--rows", "--color", "-h", "--help"}
        shared = {name for option in run if option in timeline for name in option if name} - own
        self.assertEqual(shared, memlane._OPTIONS_OF_CHARTS)

    def test_values_of_machines_as_their_files_have_them(self):
        units = [{"name": "fp", "ports": 1, "latency": 2, "slots": {"other": 3}}]
        result = memlane.run("multiply", "hmm-teaching", n=8, m=4, set={"operations": units, "shared.capacity": None})
        self.assertEqual(result["machine"]["operations"], units)
        self.assertIsNone(result["machine"]["shared"]["capacity"])
        frame = memlane.sweep("multiply", "hmm-teaching", n=8, m=4, set={"shared.capacity": [None, 4096], "operations": [units, []]})
        self.assertEqual(len(frame), 4)

    def test_timeline_in_other_formats(self):
        result = memlane.run(STRIDE, "dmm-w32", s=5)
        self.assertTrue(result.timeline("svg").startswith("<svg "))
        self.assertEqual(json.loads(result.timeline("json"))["time"], 40)

    def test_failed_check_warns(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = memlane.run(STRIDE.replace("== s*i", "== s*i + 1"), "dmm-w32")
        self.assertEqual((len(caught), result.time), (1, 43))

    def test_mistakes(self):
        for arguments, part in (({"program": "nope"}, "no shipped program is named 'nope'"),
                                ({"program": "kernel\n x"}, "program.lane:2:3: error"),
                                ({"program": ""}, "error"), ({"program": "sum", "n": []}, "error"),
                                ({"program": "sum", "n": "abc"}, "unknown name 'abc'"),
                                ({"program": "sum", "options": ["--print-config"]}, "no result, but this:\n$schema"),
                                ({"program": "sum", "machine": "a\0b"}, "cannot be run")):
            with self.assertRaises(memlane.MemlaneError) as caught:
                memlane.run(**arguments)
            self.assertIn(part, str(caught.exception))

    def test_what_is_no_program(self):
        for call, part in ((lambda: memlane.run(5), "memlane.run takes the path of a program"),
                           (lambda: memlane.run(["sum"]), "or its text, not"),
                           (lambda: memlane.run(None), "not None"), (lambda: memlane.sweep(None), "or a dict"),
                           (lambda: memlane.sweep(["sum", 5]), "not 5"), (lambda: memlane.worst(5, "time"), "not 5"),
                           (lambda: memlane.bank(5), "an access is a text")):
            self.assertRaisesRegex(TypeError, part, call)

    def test_worst_is_that_of_the_command(self):
        found = memlane.worst("histogram", "shared_stages", n=256, runs=20)
        self.assertEqual((found["count"], found["runs"], found["value"]), ("shared_stages", 20, "312"))
        self.assertRaisesRegex(memlane.MemlaneError, "error", memlane.worst, "histogram", "stagesx", n=256)
        program = STRIDE.replace("= index", "= random(0, 9)\nmemory c[320]: int").replace("== s*i", ">= 0").replace("a[s*i]", "c[32*a[i]]")
        for claim, said in (("== 3", "claim shared_stages == 3 on dmm fails: "), (">= 12", "claim shared_stages >= 12 on dmm: ")):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                memlane.worst(program + f'claim shared_stages {claim} on dmm "own"', "shared_stages", "dmm-w32", runs=8)
            self.assertEqual(len(caught), 1)
            self.assertIn(said, str(caught[0].message))
        each = memlane.worst("histogram", "shared_stages", n=[64, 256], runs=20, options=["--each"])
        self.assertEqual([point["point"].split("n=")[1] for point in each], ["64", "256"])
        self.assertEqual(each[1]["value"], found["value"])
        with self.assertWarnsRegex(UserWarning, "runs stopped at the limit of --max-time"):
            memlane.worst(program, "time", "dmm-w32", runs=50, options=["--max-time", "64"])

    def test_bank_is_that_of_the_command(self):
        shown = memlane.bank("t[lane, s]", shape=(32, 32), s=3)
        self.assertEqual(shown["requests"][0]["stages"]["banks"], 32)
        search = memlane.bank("row: t[0, lane]", further=["column: t[lane, 0]"], shape=[32, 32], best=True)["search"]
        self.assertEqual((search["proof"], len(search["accesses"])), ("least", 2))
        self.assertRaisesRegex(memlane.MemlaneError, "add --best", memlane.bank, "t[lane]", further="t[0]")

    def test_which_memlane(self):
        with unittest.mock.patch.dict(os.environ, {"MEMLANE": "/nowhere/memlane"}):
            self.assertRaisesRegex(memlane.MemlaneError, "(?s)/nowhere/memlane.*help:", memlane.run, "sum")
        with tempfile.TemporaryDirectory() as folder:
            for place in ("bin", "path"):
                (Path(folder) / place).mkdir()
                fake = Path(folder) / place / "memlane"
                fake.write_text(f"#!/bin/sh\necho of {place} >&2; exit 2\n")
                fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
            module = Path(folder) / "share/memlane/python/memlane.py"
            module.parent.mkdir(parents=True)
            module.write_text((SOURCE / "src/python/memlane.py").read_text())
            program = "import memlane\ntry: memlane.run('sum')\nexcept memlane.MemlaneError as e: print(e)"
            environment = {"PATH": f"{folder}/path", "PYTHONPATH": str(module.parent), "PYTHONDONTWRITEBYTECODE": "1"}

            def said():
                return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True).stdout

            self.assertEqual(said(), "of bin\n")
            (Path(folder) / "bin/memlane").unlink()
            self.assertEqual(said(), "of path\n")
            (Path(folder) / "path/memlane").unlink()
            self.assertIn("set the environment variable MEMLANE", said())


    def test_old_python_and_no_pandas(self):
        ast.parse((SOURCE / "src/python/memlane.py").read_text(), feature_version=(3, 9))
        program = "import sys; sys.modules['pandas'] = None; import memlane; print(memlane.run('sum', n=64).time)"
        environment = {**os.environ, "PYTHONPATH": str(SOURCE / "src/python"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.assertEqual(subprocess.check_output([sys.executable, "-c", program], env=environment), b"360\n")


class Sweeps(unittest.TestCase):
    def test_frame(self):
        frame = memlane.sweep("sum", n=[64, 128], machine=["dmm-w32", "umm-w32"])
        self.assertEqual(len(frame), 4)
        self.assertEqual([str(frame[name].dtype) for name in ("n", "time")], ["int64", "int64"])
        for row in frame.itertuples():
            self.assertEqual(row.time, memlane.run("sum", row.machine, n=row.n).time)

    def test_text_ranges_files_and_dicts(self):
        self.assertEqual(list(memlane.sweep(STRIDE, "dmm-w32", s="1..3").s), [1, 2, 3])
        plan = {"programs": ["sum"], "machines": ["umm-w32"], "axes": {"n": [64, 128]}}
        self.assertEqual(list(memlane.sweep(plan).time), [360, 421])

    def test_store_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "s.db"
            memlane.sweep(STRIDE, "dmm-w32", s=[1, 2], store=store)
            self.assertEqual(list(memlane.sweep(STRIDE, "dmm-w32", s=[2, 3], store=store).s), [1, 2, 3])
            rows = memlane.results(store, where="s >= 2", columns=["s", "shared_stages"])
            self.assertEqual(list(rows.columns), ["s", "shared_stages"])
            self.assertEqual(len(rows), 2)
            self.assertRaisesRegex(memlane.MemlaneError, "error", memlane.results, store, where="nothing = 1")

    def test_columns_of_the_parameters_of_a_call(self):
        frame = memlane.sweep("sum", "dmm-w32", n=64)
        self.assertEqual((list(frame.columns), list(frame.iloc[0])), (["n", "time"], [64, 360]))
        self.assertEqual(list(memlane.sweep({"programs": ["sum"], "machines": ["dmm-w32"], "axes": {"n": [64]}}).n), [64])
        self.assertEqual(list(memlane.sweep("sum", n=64, columns=["time"]).columns), ["time"])
        self.assertEqual(list(memlane.sweep("sum", n=64, p=32).iloc[0]), [64, 32, 360])
        self.assertEqual(list(memlane.sweep("sum", n=64, p=[32, 64]).p), [32, 64])
        program = STRIDE.replace("s: int", "time: int").replace("*s", "*time").replace("s*", "time*")
        for value in (5, [5, 6]):
            frame = memlane.sweep(program, "dmm-w32", time=value)
            self.assertEqual((frame.param_time[0], frame.time[0]), (5, 40))

    def test_interrupted_sweep_says_what_has_not_run(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(folder) / "memlane"
            fake.write_text(f"""#!/bin/sh
"{os.environ['MEMLANE']}" "$@" | sed 's/"missing": 1/"missing": 5/; s/"points": 1/"points": 6/; s/"interrupted": false/"interrupted": true/'
[ "$1" = sweep ] && exit 130
exit 0
""")
            fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
            with unittest.mock.patch.dict(os.environ, {"MEMLANE": str(fake)}), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                memlane.sweep("sum", n=64)
        self.assertEqual([str(one.message) for one in caught], ["interrupted: 4 of 6 points have not run"])

    def test_seeds(self):
        frame = memlane.sweep("histogram", n=256, seeds=3)
        self.assertEqual(list(frame.seed), [1, 2, 3])

    def test_mistakes(self):
        self.assertRaisesRegex(memlane.MemlaneError, "error", memlane.sweep, "sum", m=[1])
        self.assertRaisesRegex(memlane.MemlaneError, "error", memlane.sweep, {"nothing": 1})


class Documents(unittest.TestCase):
    def test_block_prints_what_the_page_shows(self):
        page = (SOURCE / "programs/README-commands.md").read_text()
        code, shown = re.search(r"## Python\n.*?```python\n(.*?)```.*?```text\n(.*?)```", page, re.S).groups()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, {})
        self.assertEqual(printed.getvalue(), shown)

    @unittest.skipUnless(os.environ.get("MEMLANE_NOTEBOOKS") == "1", "no nbconvert")
    def test_notebook(self):
        cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "id": "a",
                "source": "import memlane\nmemlane.run('figure_access', 'dmm-figure3')"}
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": [cell]}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a.ipynb").write_text(json.dumps(notebook))
            done = subprocess.run([sys.executable, "-m", "nbconvert", "--execute", "--to", "notebook", "--output", "b", "a.ipynb"],
                                  cwd=folder, env={**os.environ, "PYTHONPATH": str(SOURCE / "src/python"), "HOME": folder},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            data = json.loads((Path(folder) / "b.ipynb").read_text())["cells"][0]["outputs"][0]["data"]
        for part in ("<table>", "<svg", ">W1</text>"):
            self.assertIn(part, "".join(data["text/html"]))


if __name__ == "__main__":
    unittest.main()
