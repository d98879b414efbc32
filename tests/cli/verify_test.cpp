// What verify says of a grid: counterexamples that can be repeated, limits, values that add up.
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace memlane::test {
namespace {

using VerifyJson = nlohmann::ordered_json;

/// One request for each warp's part of n words; the claims come on top.
std::string copying(const std::string& claims, const std::string& layout = "") {
  return "param n: int = 64\nparam twice: bool = false\nfn add(x) = x + 1\n"
         "memory a[n, 4]: int" +
         layout +
         "\nkernel k() { forall i in 0..n { a[i, 0] = add(i) } }\n"
         "main { launch k() }\nverify { assert a[0, 0] > 0 }\n" +
         claims;
}

/// The claims of the only program.
VerifyJson claims_of(const Outcome& outcome) {
  INFO(outcome.out << outcome.err);
  REQUIRE(!outcome.out.empty());
  return VerifyJson::parse(outcome.out)["programs"][0]["claims"];
}

} // namespace

TEST_CASE("verify counts what a PRAM does where a claim names it, and repeats it so", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/p.lane", copying("claim k.pram_steps >= ceil(n/p) \"right\"\n"
                                                "claim pram_work == n + 1 \"wrong\"\n"));
  const VerifyJson claims =
      claims_of(playground.run("memlane verify p.lane --points 10 --model umm --format json"));
  CHECK(claims[0]["verdict"] == "holds");
  CHECK(claims[1]["verdict"] == "fails");
  const std::string command = claims[1]["counterexample"]["command"];
  CHECK(command.find(" --pram") != std::string::npos);
  const Outcome again = playground.run(command);
  INFO(command << "\n" << again.out);
  CHECK(again.out.find("pram_work == n + 1\n    FAILS: ") != std::string::npos);
  const Outcome other = playground.run("memlane run p.lane -m umm-w32 --format json");
  CHECK(VerifyJson::parse(other.out)["claims"][1]["verdict"] == "not applicable");
}

TEST_CASE("a counterexample is the command that repeats it", "[release]") {
  const Playground playground;
  const std::string program = playground.folder() + "/it's a copy.lane";
  spit(program, copying("claim stages == 1 + 3*requests when not lockstep \"nobody\"\n"
                        "claim time >= 1 + n*l \"nobody\"\n"
                        "claim requests == n + 1 when lockstep and a.layout == rows \"nobody\"\n"
                        "claim time = O(1) \"nobody\"\n"
                        "claim time ~ n^3 \"nobody\"\n",
                        " layout padded(1)"));
  for (const std::string model : {"dmm", "umm", "hmm"}) {
    const std::string verify = "memlane verify \"it's a copy.lane\" --points 20 --model " + model +
                               " --fn 'add(x) = if x > 3 then x + 2 else x + 1'";
    const Outcome table = playground.run(verify);
    CHECK(table.status == 1);
    const VerifyJson claims = claims_of(playground.run(verify + " --format json"));
    CHECK(claims.size() == 5);
    for (const VerifyJson& claim : claims) {
      const std::string text = claim["claim"];
      INFO(model << ": " << text);
      CHECK(claim["verdict"] == "fails");
      const VerifyJson& counter = claim["counterexample"];
      CHECK(counter["model"] == model);
      const std::string command = counter["command"];
      INFO(command);
      CHECK(table.out.find(command) != std::string::npos);
      const Outcome again = playground.run(command + " --format json");
      INFO(again.err);
      const VerifyJson run = VerifyJson::parse(again.out);
      CHECK(again.status == 1); // an exact claim fails in each of these runs
      CHECK(run["machine"]["lockstep"] == counter["lockstep"]);
      CHECK(run["machine"]["model"] == model);
      bool found = false;
      for (const VerifyJson& own : run["claims"]) {
        if (own["text"] != text) continue;
        found = true;
        CHECK(own["left"]["text"] == counter["left"]);
        CHECK(own["right"]["text"] == counter["right"]);
      }
      CHECK(found);
      CHECK(counter["parameters"].contains("L") == (model == "hmm"));
      CHECK(counter["parameters"].contains("d") == (model == "hmm"));
    }
    CHECK(claims[2]["counterexample"]["lockstep"] == true);
    CHECK(claims[2]["counterexample"]["layouts"] == VerifyJson({"a=rows"}));
    CHECK(table.out.find(" on " + model + ", lockstep, a=rows: ") != std::string::npos);
    if (model == "hmm") continue;
    CHECK(table.out.find("L=") == std::string::npos);
    CHECK(table.out.find("d=") == std::string::npos);
  }
}

TEST_CASE("verify runs each layout of the claims once, also the program's own", "[release]") {
  const Playground playground;
  const auto runs_with = [&](const std::string& layout) {
    spit(playground.folder() + "/copy.lane",
         copying("claim requests >= 1 when a.layout == " + layout + " \"derived\"\n",
                 " layout diagonal"));
    const Outcome outcome =
        playground.run("memlane verify copy.lane --points 20 --model dmm --format json");
    CHECK(outcome.status == 0);
    return VerifyJson::parse(outcome.out)["programs"][0]["runs"].get<int>();
  };
  CHECK(runs_with("diagonal") > 0);
  CHECK(runs_with("rows") == 2 * runs_with("diagonal"));
  CHECK(runs_with("swizzle") == 2 * runs_with("diagonal"));
}

TEST_CASE("a failed run of a grid can be repeated") {
  const Playground playground;
  spit(playground.folder() + "/wrong.lane",
       "param n: int = 64\nmemory a[n]: int\nkernel k() { forall i in 0..1 { a[i] = n } }\n"
       "main { launch k() }\nverify { assert a[0] < 100 }\n");
  const Outcome outcome = playground.run("memlane verify wrong.lane --model umm --grid n=128");
  CHECK(outcome.status == 1);
  const std::string mark = "repeat it: ";
  const std::size_t at = outcome.err.find(mark);
  REQUIRE(at != std::string::npos);
  const std::size_t end = outcome.err.find('\n', at);
  const Outcome again =
      playground.run(outcome.err.substr(at + mark.size(), end - at - mark.size()));
  CHECK(again.status == 1);
  CHECK(again.out.find("verify FAILED") != std::string::npos);
}

TEST_CASE("a grid's option given again adds its values") {
  const Playground playground;
  spit(playground.folder() + "/copy.lane", copying("claim n >= 1 \"nobody\"\n"));
  const std::string rest = " --model umm --grid w=4 --grid p=8 --grid twice=0 --format json";
  const auto points = [&](const std::string& grid) {
    const Outcome outcome = playground.run("memlane verify copy.lane " + grid + rest);
    CHECK(outcome.status == 0);
    return claims_of(outcome)[0]["points"].get<int>();
  };
  CHECK(points("--grid n=16 --grid n=64 --grid l=1") == 2);
  CHECK(points("--grid n=16 --grid l=1,5 --grid n=16,32 --grid l=5") == 4);
  CHECK(points("--grid n=16..64:pow2,100 --grid l=1..9:2") == 20);
}

TEST_CASE("values of a grid are those of an axis, and a thousand at most", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/copy.lane", copying("claim n >= 1 \"nobody\"\n"));
  const auto error = [&](const std::string& grid) {
    const Outcome outcome = playground.run("memlane verify copy.lane --grid " + grid);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK(error("n=1..1001").find("n has 1001 values, more than 1000") != std::string::npos);
  CHECK(error("n=4..1").find("the range descends from 4 to 1") != std::string::npos);
  CHECK(error("n=16,x").find("--grid:1:6: error: unknown name 'x'") != std::string::npos);
  CHECK(error("n=").find("n: a value is missing") != std::string::npos);
  CHECK(error("n").find("'n' is not NAME=VALUES") != std::string::npos);
  CHECK(error("w=8..2048:pow2").find("w=2048: a machine's width is an integer from 1 to 1024") !=
        std::string::npos);
}

TEST_CASE("values that no run used are one message for each reason") {
  const Playground playground;
  spit(playground.folder() + "/copy.lane", copying("claim n >= 1 \"nobody\"\n"));
  const Outcome outcome =
      playground.run("memlane verify copy.lane --model umm --points 20 --grid n=-10..4");
  INFO(outcome.err);
  CHECK(outcome.err.find("no run used n=-10, -9, -8, -7, -6, -5, -4, -3 and 3 more: no model or "
                         "condition allows them") != std::string::npos);
  CHECK(outcome.err.find("no run used") == outcome.err.rfind("no run used"));
}

TEST_CASE("every model runs with the latency of its point, whatever models run beside it") {
  const Playground playground;
  spit(playground.folder() + "/copy.lane", copying("claim l == 20 \"of the grid\"\n"));
  const Outcome outcome = playground.run("memlane verify copy.lane --grid n=16 --grid l=20");
  INFO(outcome.out);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("on dmm, umm, hmm") != std::string::npos);
}

TEST_CASE("values that a limit keeps from running are an error", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/copy.lane", copying("claim n >= 1 \"nobody\"\n"));
  for (const std::string grid : {"n=16,999999999", "n=16 --grid n=999999999", "n=999999999"}) {
    const Outcome outcome =
        playground.run("memlane verify copy.lane --model umm --points 5 --grid " + grid);
    INFO(grid << outcome.out << outcome.err);
    CHECK(outcome.status == 3);
    CHECK(outcome.err.find("error: ") != std::string::npos);
    CHECK(outcome.err.find("--points") != std::string::npos);
    CHECK(outcome.err.find("warning") == std::string::npos);
  }
  // A claim that fails is one, whatever was not run beside it.
  spit(playground.folder() + "/copy.lane", copying("claim n >= 100 \"nobody\"\n"));
  CHECK(playground.run("memlane verify copy.lane --model umm --grid n=16,999999999").status == 1);
}

TEST_CASE("runs whose launches do not fit on a machine say nothing of the program", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/blocks.lane",
       "param n: int = 64 where n >= 1\nparam t: int = 64 where t >= 1\nmemory a[n]: int\n"
       "kernel k() {\n  let i = block*threads + thread\n  if i < n { a[i] = i }\n}\n"
       "main { launch k() blocks=ceil_div(n, t) threads=t }\n"
       "verify { for i = 0 to n - 1 { assert a[i] == i } }\nclaim launches == 1 \"one\"\n");
  const std::string verify = "memlane verify blocks.lane --model umm --format json";
  const Outcome outcome = playground.run(verify);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  const VerifyJson program = VerifyJson::parse(outcome.out)["programs"][0];
  CHECK(program["failed_runs"] == 0);
  CHECK(program["unfit_runs"] > 0);
  CHECK(program["runs"] > 150); // others were run for most of them
  CHECK(program["claims"][0]["points"] == program["runs"]);
  // Values that fit nowhere are said; where nothing fits, the error has the launch.
  const Outcome some = playground.run(verify + " --grid t=8,100000");
  CHECK(some.status == 0);
  CHECK(some.err.find("no run used t=100000: its launches do not fit") != std::string::npos);
  const Outcome none = playground.run(verify + " --grid t=100000");
  CHECK(none.status == 2);
  CHECK(none.err.find("k is launched with 100000 threads") != std::string::npos);
}

TEST_CASE("a program's own faulty launch is a failed run") {
  const Playground playground;
  spit(playground.folder() + "/none.lane",
       "param n: int = 64\nmemory a[n]: int\nkernel k() { a[0] = 1 }\n"
       "main { launch k() blocks=n - n }\nverify { assert a[0] == 1 }\n");
  const Outcome outcome = playground.run("memlane verify none.lane --model umm --format json");
  CHECK(outcome.status == 1);
  CHECK(VerifyJson::parse(outcome.out)["programs"][0]["unfit_runs"] == 0);
}

TEST_CASE("a parameter whose condition refuses all sizes has its default in grids") {
  const Playground playground;
  spit(playground.folder() + "/modulus.lane",
       "param q: int = 10009 where q % 10007 == 2\nmemory a[1]: int\n"
       "kernel k() { if thread == 0 { a[0] = q } }\nmain { launch k() }\nverify { assert a[0] == q "
       "}\n"
       "claim q == 10009 \"no other\"\n");
  const Outcome outcome = playground.run("memlane verify modulus.lane --model umm");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
}

TEST_CASE("runs that take far more steps than their arrays have words are small ones",
          "[release]") {
  const Playground playground;
  spit(playground.folder() + "/cubic.lane",
       "param n: int = 64\nmemory a[n]: int\nkernel k() {\n  if thread == 0 {\n"
       "    var sum = 0\n    for i = 1 to n { for j = 1 to n { for x = 1 to n { sum = sum + 1 } } "
       "}\n"
       "    a[0] = sum\n  }\n}\nmain { launch k() }\nverify { assert a[0] == n*n*n }\n");
  // A run at n = 4096 would take 10^11 steps; those at 16 and 64 tell.
  const Outcome outcome =
      playground.run("memlane verify cubic.lane --model umm --grid n=16,64,4096 --format json");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("no run used n=4096") != std::string::npos);
  CHECK(VerifyJson::parse(outcome.out)["programs"][0]["runs"] > 3);
}

TEST_CASE("few points decide no bound that they do not refute", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/copy.lane",
       copying("claim time = O(n*l) \"nobody\"\nclaim time = O(1) \"nobody\"\n"
               "claim time ~ 3 \"nobody\"\n"));
  for (const std::string points : {"1", "2", "5", "8"}) {
    const Outcome outcome = playground.run("memlane verify copy.lane --model umm --seeds 4 "
                                           "--format json --points " +
                                           points);
    const VerifyJson claims = claims_of(outcome);
    INFO(points << outcome.out);
    CHECK(outcome.status == 1);
    CHECK(claims[0]["verdict"] == "not decided");
    CHECK(claims[1]["verdict"] != "holds");
    CHECK(claims[2]["verdict"] == "not decided");
    CHECK(claims[2]["reason"].get<std::string>().find("at least 8 are needed") !=
          std::string::npos);
  }
}

TEST_CASE("a bound over tiles of few sizes is not decided", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/tiles.lane",
       "const s = tensor_size\nmemory a[s, s]: int = random(0, 9)\nmemory c[s, s]: int\n"
       "kernel k() {\n  shared x[s, s], z[s, s]: int\n"
       "  forall i in 0..s, j in 0..s { x[i, j] = a[i, j]  z[i, j] = 0 }\n"
       "  if warp == 0 { tensor z[0, 0] += x[0, 0] * x[0, 0] }\n  barrier\n"
       "  forall i in 0..s, j in 0..s { c[i, j] = z[i, j] }\n}\n"
       "main { launch k() blocks=1 threads=w }\n"
       "verify { assert c[0, 0] >= 0 }\n"
       "claim time = O(L + l + tensor_latency + 1) \"lacks s^2\"\n");
  const Outcome few =
      playground.run("memlane verify tiles.lane --model hmm --grid tensor_size=4,8");
  INFO(few.out << few.err);
  CHECK(few.status == 1);
  CHECK(few.out.find("not decided") != std::string::npos);
  CHECK(few.out.find("tensor_size takes 2 values") != std::string::npos);
}

TEST_CASE("a bound that grows slowly fails, with few points too", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/copy.lane",
       copying("claim n = O(sqrt(n)*sqrt(sqrt(n))) \"nobody\"\n"));
  const auto verdict = [&](const std::string& options) {
    const VerifyJson claims =
        claims_of(playground.run("memlane verify copy.lane --model umm --format json" + options));
    return claims[0]["verdict"].get<std::string>();
  };
  CHECK(verdict("") == "fails");
  CHECK(verdict(" --points 60") == "fails");
}

TEST_CASE("values of a grid that no double has are exact in commands and results") {
  const Playground playground;
  spit(playground.folder() + "/large.lane",
       "param n: long = 64\nmemory a[4]: long\nkernel k() { forall i in 0..4 { a[i] = n } }\n"
       "main { launch k() }\nverify { assert a[0] == n }\nclaim n == 2^53 \"a made-up one\"\n");
  const Outcome outcome =
      playground.run("memlane verify large.lane --model umm --points 8 --format json "
                     "--grid n=9007199254740992,9007199254740993 --grid w=4 --grid p=8 --grid l=1");
  const VerifyJson counter = claims_of(outcome)[0]["counterexample"];
  CHECK(counter["parameters"]["n"] == 9007199254740993);
  const std::string command = counter["command"];
  CHECK(command.find("-D n=9007199254740993") != std::string::npos);
  CHECK(playground.run(command).status == 1);
  CHECK(outcome.out.find("first at w=4, n=9007199254740993, ") != std::string::npos);
}

TEST_CASE("rows of verify say what was replaced", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/copy.lane", copying("claim requests >= 1 \"a made-up one\"\n"));
  const std::string verify = "memlane verify copy.lane --model umm --points 5 "
                             "--layout 'a=padded(1)' --fn 'add(x) = x + 2' ";
  const auto rows = lines_of(playground.run(verify + "--format csv").out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].rfind("program,layouts,fns,types,claim,", 0) == 0);
  CHECK(rows[1].rfind("copy.lane,a=padded(1),add(x) = x + 2,,", 0) == 0);
  const auto json = VerifyJson::parse(playground.run(verify + "--format json").out);
  CHECK(json["programs"][0]["replaced"].size() == 2);
  CHECK(playground.run(verify + "-o v.md").status == 0);
  const std::string table = slurp(playground.folder() + "/v.md");
  CHECK(table.find("layouts") != std::string::npos);
  CHECK(table.find("a=padded(1)") != std::string::npos);
  CHECK(table.find("types") == std::string::npos);
}

TEST_CASE("run says what the engine skipped and where the seconds went, on standard error") {
  const Playground playground;
  const Outcome quiet = playground.run("memlane run contiguous -D n=65536 --timing-only");
  CHECK(quiet.err.empty());
  const Outcome verbose =
      playground.run("memlane run contiguous -D n=65536 --timing-only --verbose");
  CHECK(verbose.out == quiet.out);
  CHECK(verbose.err.rfind("engine: fast; 0 restarts\nloops: ", 0) == 0);
  CHECK(verbose.err.find(" iterations executed, the rest extrapolated or replayed\nbarriers: ") !=
        std::string::npos);
  CHECK(verbose.err.find("\nseconds: ") != std::string::npos);
  CHECK(verbose.err.find(" execution of kernels, ") != std::string::npos);
}

TEST_CASE("verify and compare say which engine served their runs, on standard error") {
  const Playground playground;
  spit(playground.folder() + "/prints.lane",
       "memory a[8]: int\nkernel k() { forall i in 0..8 { a[i] = i  print i } }\n"
       "main { launch k() }\nverify { assert a[3] == 3 }\n");
  const Outcome quiet = playground.run("memlane verify prints.lane --model umm --points 5");
  CHECK(quiet.err.find("engine") == std::string::npos);
  const Outcome verified =
      playground.run("memlane verify prints.lane --model umm --points 5 --verbose");
  CHECK(verified.out == quiet.out);
  CHECK(verified.err.find(", 1 run: engine: reference, since a kernel prints (prints.lane:2); 1 "
                          "restart\n") != std::string::npos);
  const Outcome compared = playground.run("memlane compare sum prints.lane -D n=64 --verbose");
  CHECK(compared.err.find("sum on umm-w32: engine: fast; 0 restarts\n") != std::string::npos);
  CHECK(compared.err.find(
            "sum on umm-w32: time: all 360 time units of multiprocessors simulated\n") !=
        std::string::npos);
  CHECK(compared.err.find("seconds: ") == std::string::npos);
  CHECK(compared.err.find("prints.lane on umm-w32: engine: reference, since a kernel prints") !=
        std::string::npos);
  CHECK(compared.out.find("engine") == std::string::npos);
}

TEST_CASE("points that verify and compare store have the command that repeats them", "[release]") {
  const Playground playground;
  const auto repeats = [&](const std::string& store, std::size_t least) {
    const auto rows = VerifyJson::parse(
        playground
            .run("memlane results " + store + " --columns command,time --order key --format json")
            .out)["rows"];
    REQUIRE(rows.size() >= least);
    for (std::size_t k = 0; k < rows.size(); k += 1 + rows.size() / 4) {
      const auto command = rows[k]["command"].get<std::string>();
      INFO(command);
      const auto run = VerifyJson::parse(playground.run(command + " --format json").out);
      CHECK(run["counts"]["time"] == rows[k]["time"]);
    }
  };
  playground.run("memlane verify strided --model dmm --model hmm --points 8 --layout "
                 "'a=padded(1)' --store v.db"); // its claims are about another layout
  repeats("v.db", 8);
  REQUIRE(playground
              .run("memlane compare transpose 'transpose --layout t=rows -D n=32' -D n=64 -m "
                   "hmm-titan-plain -m hmm-teaching --set launch_cost=7 --seed 3 --store c.db")
              .status == 0);
  repeats("c.db", 2);
}

} // namespace memlane::test
