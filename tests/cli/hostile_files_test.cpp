// Files that are not what a command hopes for: names that mean something else to SQLite, pipes that
// no program writes, figures with a query that has no end.
#include "shell.hpp"
#include "support/catch.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <string>

namespace memlane::test {

TEST_CASE("an empty name of a file is refused by every command, and the others are paths",
          "[release]") {
  const Playground playground;
  REQUIRE(playground.run("memlane results import x.db tests/measure/synthetic.jsonl").status == 0);
  for (const char* command :
       {"sweep sum -D n=64 --store ''", "verify sum --store ''", "compare sum --store ''",
        "tune sum -D p=32,64 --store ''", "figures --store ''", "run sum -o ''",
        "run sum --trace ''", "results ''", "results merge '' x.db",
        "results import '' tests/measure/synthetic.jsonl", "plot ''", "results check ''",
        "results diff '' ''"}) {
    const Outcome outcome = playground.run(std::string("memlane ") + command);
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("is empty") != std::string::npos);
  }
  for (const char* name : {":memory:", "file:a.db?mode=memory"}) {
    const Outcome outcome =
        playground.run(std::string("memlane sweep sum -D n=64,128 -m umm-w32 --store '") + name +
                       "' && memlane results '" + name + "' --format csv --columns n");
    INFO(name << "\n" << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.ends_with("n\n64\n128\n"));
    CHECK(std::filesystem::is_regular_file(playground.folder() + "/" + name));
  }
}

TEST_CASE("a store whose catalogue lacks a column is damaged for every command") {
  const Playground playground;
  REQUIRE(playground.run("memlane sweep sum -D n=64,128 -m umm-w32 --store a.db").status == 0);
  SQLite::Database(playground.folder() + "/a.db", SQLite::OPEN_READWRITE)
      .exec("DELETE FROM columns WHERE name = 'time'");
  for (const char* command : {"plot a.db", "results a.db", "results check a.db",
                              "results best a.db "
                              "--by time --per n",
                              "sweep sum -D n=64 -m umm-w32 --store a.db"}) {
    const Outcome outcome = playground.run(std::string("memlane ") + command);
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status == 2);
  }
  CHECK(playground.run("memlane plot a.db").err.find("the store is damaged") != std::string::npos);
}

TEST_CASE("a pipe that no program writes stops at a limit or at Ctrl-C", "[release]") {
  const Playground playground;
  REQUIRE(playground.run("mkfifo p p.lane p.json p.txt").status == 0);
  for (const char* command : {"run p.lane", "run sum -m ./p.json", "run sum --input a=p.txt",
                              "replay p", "compare p.lane", "check p.lane", "verify p.lane"}) {
    const Outcome outcome =
        playground.run(std::string("timeout -k 5 60 memlane ") + command + " --max-seconds 1");
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status == 3);
  }
  for (const char* command :
       {"grade p.lane --exercise map", "sweep p.json", "sweep sum -D n=64 --input a=p.txt",
        "gpu compare p", "figures --only ./p.json", "tune p.lane -D p=32,64"}) {
    const Outcome outcome =
        playground.run(std::string("timeout -k 60 -s INT 1 memlane ") + command);
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.err.find("error") == std::string::npos);
    CHECK(outcome.status == 124); // of timeout: it ended at the first signal
  }
  const Outcome late = playground.run("(sleep 0.3; cat programs/reduction/sum.lane > p.lane) & "
                                      "memlane run p.lane --max-seconds 60");
  CHECK(late.status == 0);
}

TEST_CASE("a figure with a query that has no end stops at Ctrl-C") {
  const Playground playground;
  spit(playground.folder() + "/endless.json", R"({
  "title": "Endless", "source": "A test", "measured": "Nothing.",
  "sweeps": { "sums": { "programs": ["sum"], "machines": ["umm-w32"], "axes": { "n": [64] } } },
  "checks": [ { "finding": "None.", "says": "{n}",
    "query": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT 1 AS shown, max(n) AS n FROM c" } ]
})");
  const Outcome outcome =
      playground.run("timeout -k 60 -s INT 2 memlane figures --only ./endless.json --store f.db");
  INFO(outcome.err);
  CHECK(outcome.err.find("error") == std::string::npos);
  CHECK(outcome.status == 124);
}

TEST_CASE("one machine under two names runs once, under both", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/twin.json", R"({"extends": "configs/machines/umm-w32.json"})");
  const Outcome swept = playground.run(
      "memlane sweep sum -D n=64,128 -m umm-w32 -m ./twin.json -m dmm-w32 --store a.db");
  INFO(swept.out << swept.err);
  REQUIRE(swept.status == 0);
  const Outcome rows =
      playground.run("memlane results a.db --format csv --columns n,machine_model,machine_name");
  INFO(rows.out);
  CHECK(lines_of(rows.out).size() == 5);
  CHECK(rows.out.find("UMM of width 32 = twin") != std::string::npos);
  const Outcome compared =
      playground.run("memlane compare sum prefix_sums -m umm-w32 -m ./twin.json --store b.db && "
                     "memlane results b.db --format csv --columns program,command");
  INFO(compared.out << compared.err);
  CHECK(compared.status == 0);
  CHECK(compared.out.find("umm-w32 = ./twin.json") != std::string::npos);
  CHECK(lines_of(playground.run("memlane results b.db --format csv").out).size() == 3);
  CHECK(compared.out.find("-m umm-w32\n") != std::string::npos);
}

} // namespace memlane::test
