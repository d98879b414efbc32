// Results as programs read them, arrays and traces through files, hostile surroundings.
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

namespace memlane::test {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Playground& playground, const std::string& command) {
  const Outcome outcome = playground.run(command + " --format json");
  INFO(command << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out);
}

/// The only memory unit of a DMM or UMM.
const Json& unit_of(const Json& result) {
  const Json& units = result["counts"]["units"];
  return (units.contains("global") ? units["global"] : units["shared"])[0];
}

std::int64_t number(const Json& object, const char* name) {
  return object[name].get<std::int64_t>();
}

} // namespace

TEST_CASE("every time unit of a run is explained") {
  const Playground playground;
  for (const char* run : {"sum", "strided -D s=3", "scan_kogge_stone", "figure_access"}) {
    for (const char* machine : {"dmm-w32", "umm-teaching"}) {
      const Json result = json_of(playground, std::string("memlane run ") + run + " -m " + machine);
      const Json& unit = unit_of(result);
      INFO(run << " on " << machine);
      CHECK(number(unit, "busy") + number(unit, "idle_latency") + number(unit, "idle_barrier") +
                number(unit, "idle_drain") + number(unit, "idle_empty") ==
            number(result["counts"], "time"));
      CHECK(number(unit, "reads") + number(unit, "writes") == number(unit, "requests"));
      std::int64_t requests = 0, stages = 0;
      for (const Json& entry : unit["congestion"]) {
        requests += number(entry, "requests");
        stages += number(entry, "requests") * number(entry, "stages");
      }
      CHECK(requests == number(unit, "requests"));
      CHECK(stages == number(unit, "stages"));
    }
  }
}

TEST_CASE("a result says the same in every format, and formats pair with files") {
  const Playground playground;
  const Outcome outcome = playground.run(
      "memlane run figure_access --format table --format json -o r.json -o r.csv -o r.jsonl");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("time units") != std::string::npos);
  const Json json = Json::parse(slurp(playground.folder() + "/r.json"));
  CHECK(Json::parse(slurp(playground.folder() + "/r.jsonl")) == json);
  const auto csv = lines_of(slurp(playground.folder() + "/r.csv"));
  REQUIRE(csv.size() == 2);
  CHECK(csv[0].rfind("version,semantics,program,sha256,parameters,", 0) == 0);
}

TEST_CASE("without -m the result says which machine it was") {
  const Playground playground;
  CHECK(playground.run("memlane run figure_access").out.find("umm-w32") != std::string::npos);
}

TEST_CASE("a trace replays to the run's own time, compressed or not, from a file or a pipe",
          "[release]") {
  const Playground playground;
  for (const char* name : {"t.jsonl", "t.jsonl.gz"}) {
    const std::string file(name);
    const Json run =
        json_of(playground, "memlane run sum -D n=256 -m dmm-teaching --trace " + file);
    const Json replay = json_of(playground, "memlane replay " + file + " -m dmm-teaching");
    CHECK(replay["counts"]["time"] == run["counts"]["time"]);
    CHECK(replay["counts"]["units"] == run["counts"]["units"]);
    CHECK(replay["trace"]["path"] == file);
    CHECK(!replay.contains("program"));
  }
  // An atomic is no write: its equal words are not merged.
  const std::string atomics = "histogram -m hmm-titan-plain -D n=256";
  const Json counted = json_of(playground, "memlane run " + atomics + " --trace h.jsonl");
  CHECK(json_of(playground, "memlane replay h.jsonl -m hmm-titan-plain")["counts"]["time"] ==
        counted["counts"]["time"]);
  // Hoisted operations have classes.
  const std::string hoisted = " -m hmm-titan-plain --set schedule=hoisted";
  spit(playground.folder() + "/halves.lane",
       "memory a[4]: int = index\nkernel k() { a[lane] = a[lane] / 2 }\n"
       "main { launch k() threads=4 }\nverify { assert a[3] == 1 }\n");
  const Json issued = json_of(playground, "memlane run halves.lane" + hoisted + " --trace g.jsonl");
  CHECK(json_of(playground, "memlane replay g.jsonl" + hoisted)["counts"]["time"] ==
        issued["counts"]["time"]);
  const Json piped = json_of(playground, "memlane replay - -m dmm-teaching < t.jsonl");
  CHECK(piped["counts"]["time"] ==
        json_of(playground, "memlane replay t.jsonl -m dmm-teaching")["counts"]["time"]);
}

TEST_CASE("a replay reports races, between launches of one stage too, and refuses none",
          "[release]") {
  const Playground playground;
  spit(playground.folder() + "/both.lane",
       "memory a[8]: int\nkernel k(x[s]: int) { forall i in 0..s { x[i] = i } }\n"
       "main { concurrent { launch k(a[0..5])  launch k(a[4..8]) } }\nverify { assert a[1] == 1 "
       "}\n");
  playground.run("memlane run both.lane -m umm-w32 --allow-races --trace both.jsonl");
  const Outcome replay = playground.run("memlane replay both.jsonl -m umm-w32");
  CHECK(replay.status == 0);
  CHECK(replay.out.find("\n1 race: ") != std::string::npos);
  CHECK(json_of(playground, "memlane replay both.jsonl -m umm-w32")["counts"]["races"] == 1);
  playground.run("sed -i 's/, \"stage\": 0//' both.jsonl");
  CHECK(json_of(playground, "memlane replay both.jsonl -m umm-w32")["counts"]["races"] == 0);
}

TEST_CASE("arrays survive the way through files of every format") {
  const Playground playground;
  spit(playground.folder() + "/copy.lane",
       "param n: int = 6\nmemory a[2, n]: int = random(-9, 9)\nmemory b[2, n]: int\n"
       "memory x[n]: float = random(0, 99)\n"
       "kernel k() {\n  forall i in 0..2, j in 0..n { b[i, j] = a[i, j] }\n"
       "  forall j in 0..n { x[j] = x[j] / 3 }\n}\nmain { launch k() }\n"
       "verify { for j = 0 to n - 1 { assert b[1, j] == initial(a)[1, j] } }\n");
  for (const std::string end : {"csv", "txt", "bin", "npy"}) {
    INFO(end);
    const Outcome out = playground.run("memlane run copy.lane --seed 7 --output b=b1." + end +
                                       " --output x=x1." + end);
    INFO(out.err);
    REQUIRE(out.status == 0);
    const Outcome again =
        playground.run("memlane run copy.lane --input a=b1." + end + " --output b=b2." + end);
    INFO(again.err);
    REQUIRE(again.status == 0);
    CHECK(slurp(playground.folder() + "/b1." + end) == slurp(playground.folder() + "/b2." + end));
    CHECK(playground.run("memlane run copy.lane --input x=x1." + end).status == 0);
  }
  CHECK(lines_of(slurp(playground.folder() + "/b1.csv")).size() == 2);
  CHECK(lines_of(slurp(playground.folder() + "/x1.csv")).size() == 6);
  CHECK(slurp(playground.folder() + "/b1.bin").size() == 48);
  const std::string numpy = slurp(playground.folder() + "/b1.npy");
  CHECK(numpy.size() == 128 + 48);
  CHECK(numpy.find("'shape': (2, 6)") != std::string::npos);
  const Outcome shape = playground.run("memlane run copy.lane --input x=b1.npy");
  CHECK(shape.status == 2);
  CHECK(shape.err.find("<i4") != std::string::npos);
}

TEST_CASE("no command leaves the log of a store behind", "[release]") {
  const Playground playground;
  for (const char* command :
       {"sweep sum -D n=64,128 --store a.db", "sweep sum -D n=256 --store b.db",
        "compare sum prefix_sums --store b.db", "results import c.db tests/measure/synthetic.jsonl",
        "results merge all.db a.db b.db", "results merge all.db c.db", "results all.db",
        "results best all.db --per program", "results diff a.db all.db", "results check all.db",
        "plot all.db --x n -o all.svg", "tune sum -D n=64,128 --store all.db"}) {
    const Outcome outcome = playground.run(std::string("memlane ") + command);
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status < 2);
    CHECK(playground.run("ls *-wal *-shm 2>/dev/null").out == "");
  }
}

TEST_CASE("a failed check is status 1") {
  const Playground playground;
  spit(playground.folder() + "/wrong.lane",
       "memory a[8]: int\nkernel k() { forall i in 0..8 { a[i] = i } }\nmain { launch k() }\n"
       "verify { assert a[7] == 8 }\n");
  const Outcome verify = playground.run("memlane run wrong.lane");
  CHECK(verify.status == 1);
  CHECK(verify.out.find("verify FAILED") != std::string::npos);
  const Outcome skipped = playground.run("memlane run wrong.lane --no-verify");
  CHECK(skipped.status == 0);
  CHECK(skipped.out.find("--no-verify") != std::string::npos);
  spit(playground.folder() + "/claim.lane",
       "memory a[8]: int\nkernel k() { forall i in 0..8 { a[i] = i } }\nmain { launch k() }\n"
       "verify { assert a[7] == 7 }\nclaim time == 1 \"nobody\"\nclaim time = O(1) \"nobody\"\n");
  const Outcome claim = playground.run("memlane run claim.lane");
  CHECK(claim.status == 1);
  CHECK(claim.out.find("FAILS") != std::string::npos);
}

TEST_CASE("odd surroundings are no trouble", "[release]") {
  const Playground playground;
  playground.run("cp programs/reduction/sum.lane \"$(printf 'b\\377d.lane')\"");
  const Outcome odd = playground.run("memlane run \"$(printf 'b\\377d.lane')\" --format json");
  INFO(odd.err);
  CHECK(odd.status == 0);
  CHECK_NOTHROW(Json::parse(odd.out));

  spit(playground.folder() + "/long.lane", "// " + std::string(10'000'000, 'x') + "\n");
  CHECK(playground.run("memlane check long.lane").status != 139);
  spit(playground.folder() + "/long.txt", std::string(10'000'000, '7'));
  const Outcome number = playground.run("memlane run sum --input a=long.txt");
  CHECK(number.status == 2);
  CHECK(number.err.size() < 10'000);

  // A pipe is written directly; nothing is left behind.
  const Outcome pipe = playground.run(
      "mkfifo p; cat p > got & memlane run figure_access --format csv -o p; wait; cat got");
  INFO(pipe.err);
  CHECK(pipe.out.find("figure_access") != std::string::npos);
  CHECK(playground.run("ls | grep part").out.empty());
}

TEST_CASE("Ctrl-C ends a run cleanly with what was reached", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/endless.lane",
       "memory a[8]: int\nkernel k() {\n  var i: long = 0\n  while a[0] == 0 { i += a[1] + 1 }\n}\n"
       "main { launch k() }\nverify { assert true }\n");
  spit(playground.folder() + "/r.json", "whole");
  // The shell's own status of the background job is what wait gives. A shell without job control
  // lets background jobs ignore SIGINT, so SIGTERM stands for both.
  const Outcome outcome = playground.run("memlane run endless.lane -o r.json & pid=$!; sleep 1; "
                                         "kill -TERM $pid; wait $pid");
  INFO(outcome.err);
  CHECK(outcome.status == 130);
  CHECK(outcome.err.find("interrupted\n") != std::string::npos);
  CHECK(outcome.err.find("reached: ") != std::string::npos);
  CHECK(outcome.err.find("'r.json' is not written: the work was stopped; what is known is in "
                         "'r.json.partial'\n") != std::string::npos);
  CHECK(slurp(playground.folder() + "/r.json") == "whole");
  const Json result = Json::parse(slurp(playground.folder() + "/r.json.partial"));
  CHECK(result["stop"] == "interrupted");
  CHECK(result["counts"]["time"] > 0);
  CHECK(
      playground
          .run("env --default-signal=INT timeout -s INT 1 memlane run endless.lane --format csv > "
               "c.csv; "
               "cut -d, -f1 c.csv")
          .out == "version\n0.1.0\n");
  CHECK(playground.run("memlane run endless.lane --max-seconds 1").status == 3);
}

TEST_CASE("nothing finished is lost, and nothing half-written is left") {
  const Playground playground;
  spit(playground.folder() + "/r.json", "old");
  const Outcome stopped = playground.run("memlane run sum --max-time 10 -o r.json");
  CHECK(stopped.status == 3);
  CHECK(Json::parse(slurp(playground.folder() + "/r.json"))["stop"] == "time");
  spit(playground.folder() + "/r.json", "old");
  CHECK(playground.run("memlane run sum -D n=3 -o r.json").status == 2);
  CHECK(slurp(playground.folder() + "/r.json") == "old");
  CHECK(playground.run("ls | grep part").out.empty());
}

TEST_CASE("a partial trace never takes the place of a whole one") {
  const Playground playground;
  REQUIRE(playground.run("memlane run sum -D n=64 --trace t.jsonl").status == 0);
  const std::string whole = slurp(playground.folder() + "/t.jsonl");
  CHECK(lines_of(whole).back().rfind("{\"end\": true, \"requests\": ", 0) == 0);
  const Outcome stopped = playground.run("memlane run sum --trace t.jsonl --max-time 100");
  CHECK(stopped.status == 3);
  CHECK(stopped.err.find("'t.jsonl' is not written: the run stopped; the partial trace is "
                         "'t.jsonl.partial'\n") != std::string::npos);
  CHECK(slurp(playground.folder() + "/t.jsonl") == whole);
  const std::string partial = slurp(playground.folder() + "/t.jsonl.partial");
  CHECK(lines_of(partial).size() > 1);
  CHECK(partial.find("\"end\"") == std::string::npos);
  const Outcome priced = playground.run("memlane replay t.jsonl.partial -m umm-w32 --format json");
  CHECK(priced.status == 0);
  CHECK(priced.err.find("warning: t.jsonl.partial: the trace has no end line") == 0);
  CHECK(Json::parse(priced.out)["trace"]["whole"] == false);
  const Outcome good = playground.run("memlane replay t.jsonl -m umm-w32 --format json");
  CHECK(good.err.empty());
  CHECK(Json::parse(good.out)["trace"]["whole"] == true);
  const Outcome piped = playground.run(
      "memlane run sum --trace - -o r.txt --max-time 100 > out.jsonl; cat out.jsonl");
  CHECK(lines_of(piped.out).size() > 1);
  CHECK(piped.err.find("the trace in '/dev/stdout' is partial: the run stopped\n") !=
        std::string::npos);
}

TEST_CASE("temporary files are new, keep the mode of the old file, and go with any signal") {
  const Playground playground;
  spit(playground.folder() + "/endless.lane",
       "memory a[8]: int\nkernel k() {\n  var i: long = 0\n  while a[0] == 0 { i += a[1] + 1 }\n}\n"
       "main { launch k() }\nverify { assert true }\n");
  spit(playground.folder() + "/victim", "untouched");
  // The name that the first temporary file would get is taken, by a link to another file.
  const Outcome linked = playground.run(
      "echo old > r.json; chmod 640 r.json; sh -c 'ln -s victim r.json.$$-0.part; exec memlane run "
      "sum -o r.json'; stat -c %a r.json; cat victim; ls | grep -c part");
  INFO(linked.err);
  CHECK(linked.out == "640\nuntouched1\n");
  CHECK(Json::parse(slurp(playground.folder() + "/r.json")).contains("counts"));
  playground.run("rm -f *.part");

  for (const std::string signal : {"HUP", "TERM"}) {
    const Outcome ended =
        playground.run("memlane run endless.lane -o r.json --trace t.jsonl & "
                       "pid=$!; until [ $(ls | grep -c 'part$') = 2 ]; do sleep 0.1; "
                       "kill -0 $pid || break; done; ls | grep -c 'part$'; kill -" +
                       signal + " $pid; wait $pid; ls | grep -c 'part$'");
    INFO(signal << ended.err);
    CHECK(lines_of(ended.out).back() == "0");
    CHECK(lines_of(ended.out).front() == "2");
  }
  const Outcome full =
      playground.run("rm -f t.jsonl* *.partial; (ulimit -f 100; memlane run endless.lane "
                     "--trace t.jsonl --max-seconds 60); ls | grep -c part");
  CHECK(full.out == "0\n");
  CHECK(full.err.find("cannot write 't.jsonl'") != std::string::npos);
}

TEST_CASE("a reader that closes its pipe ends the program quietly") {
  const Playground playground;
  // Writes until the reader is gone, in a shell of its own that survives that.
  const std::string until_closed = "until ! (trap '' PIPE; printf x) 2>/dev/null; do :; done; ";
  const Outcome outcome = playground.run(
      "{ " + until_closed + "memlane run sum -o r.json --trace -; echo $? >&2; } | true");
  CHECK(outcome.err.find("cannot write '/dev/stdout'") != std::string::npos);
  const Outcome data =
      playground.run("{ " + until_closed + "memlane explain program sum; echo $? >&2; } | true");
  CHECK(data.err == "141\n");
  CHECK(playground.run("ls | grep -c part").out == "0\n");
}

TEST_CASE("CSV has a row for the run, each kernel, each launch or each line") {
  const Playground playground;
  spit(playground.folder() + "/two.lane", "memory a[8]: int\n"
                                          "kernel one() { a[lane] = 1 }\n"
                                          "kernel two() { a[2*lane] = a[lane] + 1 }\n"
                                          "main { launch one()  launch two()  launch one() }\n"
                                          "verify { assert true }\n");
  const auto rows = [&](const std::string& what) {
    const Outcome outcome =
        playground.run("memlane run two.lane -m agpu-teaching --format csv --rows " + what);
    CHECK(outcome.status == 0);
    // Counts of other models are empty cells: as many as there are models.
    std::string text = outcome.out.substr(outcome.out.find('\n') + 1);
    for (std::size_t at = text.find(",,"); at != std::string::npos; at = text.find(",,", at))
      text.erase(at, 1);
    return text;
  };
  CHECK(rows("kernels") == "one,2,2,0,0,0,2,2,0,8,\ntwo,4,1,0,1,0,4,3,0,8,\n");
  CHECK(rows("launches") == "one,0,1,4,1,1,1,0,8,\ntwo,1,1,4,4,4,3,0,8,\none,2,1,4,1,1,1,0,8,\n");
  CHECK(rows("lines") == "two.lane,2,2,2,1,0,2,2,0,1\ntwo.lane,3,2,3,2,1,4,3,1,1.5\n");
  const Outcome table = playground.run("memlane run two.lane --rows lines");
  CHECK(table.status == 2);
  CHECK(table.err.find("--rows: error: they are the rows of CSV") == 0);
}

TEST_CASE("the replay on an AGPU gives I/O and shared words, and says that it has no time",
          "[release]") {
  const Playground playground;
  REQUIRE(playground
              .run("memlane run reduction_tree -D n=100 -m hmm-teaching --set threads=4 --trace "
                   "t.jsonl --format json -o run.json")
              .status == 0);
  const auto run =
      nlohmann::json::parse(slurp(playground.folder() + "/run.json"))["counts"]["agpu"];
  const Outcome outcome = playground.run("memlane replay t.jsonl -m agpu-teaching --format json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto counts = nlohmann::json::parse(outcome.out)["counts"];
  CHECK(counts["time"].is_null());
  CHECK(counts["agpu"]["time"].is_null());
  CHECK(counts["agpu"]["global_words"].is_null());
  CHECK(counts["agpu"]["io"] == run["io"]);
  CHECK(counts["agpu"]["shared_words"] == run["shared_words"]);
  CHECK(playground.run("memlane replay t.jsonl -m agpu-teaching")
            .out.find("time unknown: a trace has no statements") != std::string::npos);
  CHECK(playground.run("memlane replay t.jsonl -m agpu-teaching --max-time 9").status == 2);
  CHECK(playground.run("memlane replay t.jsonl -m agpu-teaching --set width=8").status == 2);
}

TEST_CASE("own ports are columns of results and counts of claims") {
  const Playground playground;
  // The example of the definition: warps 0 and 1 read the same words, warp 2 half of them.
  spit(playground.folder() + "/reuse.lane",
       "memory a[8]: int = index\n"
       "kernel read() { let x = if warp == 2 then a[2 + lane] else a[lane] }\n"
       "main { launch read() threads=12 }\nverify { assert a[7] == 7 }\n"
       "claim port_groups_reused == 3 \"one of warp 1's two groups more than of warp 2's\"\n"
       "claim port_groups + port_lines == 10 \"two groups for each warp\"\n");
  const std::string point = "reuse.lane -m hmm-figure1 --set threads=12 --set multiprocessors=1 "
                            "--set global.latency=20 --set global.group=2 ";
  const std::string ports = "--set global.own_port=true --set global.least_stages=2 "
                            "--set global.reuse=block --set global.reuse_latency=3 ";
  const Outcome run = playground.run("memlane run " + point + ports + "--claims");
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  REQUIRE(playground.run("memlane sweep " + point + ports + "--store r.db").status == 0);
  CHECK(playground
            .run("memlane results r.db --format csv --columns port_requests,port_stages,"
                 "port_lines,port_groups,port_groups_reused,claims_hold")
            .out == "port_requests,port_stages,port_lines,port_groups,port_groups_reused,"
                    "claims_hold\n3,6,4,6,3,2\n");
  const Outcome plain = playground.run("memlane run " + point + "--claims");
  CHECK(plain.out.find("the multiprocessors have no own ports") != std::string::npos);
}

TEST_CASE("a key's value none is a value of results and null is none") {
  const Playground playground;
  REQUIRE(playground
              .run("memlane sweep sum -D n=64 -m hmm-t4 --set global.reuse=none,block "
                   "--set shared.capacity=null,4096 --store r.db")
              .status == 0);
  const std::string query = "memlane results r.db --columns global.reuse,shared.capacity "
                            "--format csv --where ";
  CHECK(playground.run(query + "\"global.reuse = 'none' and shared.capacity > 0\"").out ==
        "global.reuse,shared.capacity\nnone,4096\n");
  CHECK(playground.run(query + "\"global.reuse = 'block' and shared.capacity is null\"").out ==
        "global.reuse,shared.capacity\nblock,\n");
}

TEST_CASE("products of tiles are columns of results") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep tensor_scan -D n=256 -m hmm-tensor --store t.db").status ==
          0);
  const std::string columns = "tensor_operations,tensor_busy,tensor_idle,";
  const Outcome stored =
      playground.run("memlane results t.db --columns " + columns + "time --format csv");
  INFO(stored.out << stored.err);
  CHECK(stored.status == 0);
  CHECK(stored.out.starts_with(columns));
  long operations = 0, busy = 0;
  REQUIRE(std::sscanf(stored.out.c_str() + stored.out.find('\n'), "%ld,%ld", &operations, &busy) ==
          2);
  CHECK(operations > 0);
  CHECK(busy > operations);
  CHECK(playground.run("memlane plot t.db --x n --y tensor_busy -o t.svg").status == 0);
  CHECK(playground.run("memlane explain counts tensor_idle").out.find("time units") !=
        std::string::npos);
  // A machine without the unit has no such count.
  REQUIRE(playground.run("memlane sweep sum -D n=64 -m umm-w32 --store t.db").status == 0);
  CHECK(playground
            .run("memlane results t.db --where 'tensor_busy IS NULL' --columns program "
                 "--format csv")
            .out == "program\nsum\n");
}

} // namespace memlane::test
