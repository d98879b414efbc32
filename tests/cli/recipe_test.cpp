// Runs that are derived from a run are made of the same recipe: its inputs, seed and limits.
#include "shell.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace memlane::test {
namespace {

using RecipeJson = nlohmann::json;

RecipeJson recipe_json_of(const Playground& playground, const std::string& command) {
  const Outcome outcome = playground.run(command);
  INFO(command << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return RecipeJson::parse(outcome.out);
}

/// Every change that --explain suggests gives the time that it promises, tried by its own command.
/// The number of suggestions.
std::size_t try_advice(const Playground& playground, const std::string& run) {
  const RecipeJson explained = recipe_json_of(playground, run + " --explain --format json");
  const RecipeJson& suggestions = explained.at("explanation").at("advice").at("suggestions");
  for (const RecipeJson& one : suggestions) {
    const auto command = one.at("command").get<std::string>();
    const RecipeJson tried = recipe_json_of(playground, command + " --format json");
    INFO(command);
    CHECK(tried.at("counts").at("time") == explained.at("counts").at("time"));
    CHECK(tried.at("tries").at(0).at("time") == one.at("predicted_time"));
  }
  return suggestions.size();
}

/// The line of a text that is a command.
std::string command_in(const std::string& text) {
  for (const std::string& line : lines_of(text))
    if (const std::size_t at = line.find("memlane run "); at != std::string::npos)
      return line.substr(at);
  FAIL("no command in " << text);
  return "";
}

} // namespace

TEST_CASE("commands of verify and compare have the limits of their runs", "[release]") {
  const Playground playground;
  playground.run("memlane verify strided --model dmm --points 8 --max-time 600 --store v.db");
  playground.run("memlane compare congestion 'congestion --layout t=padded(1)' -m dmm-w32 -m "
                 "dmm-teaching --input cell=equal --max-time 600 --seed 4 --store c.db");
  for (const char* store : {"v.db", "c.db"}) {
    const RecipeJson rows = recipe_json_of(
        playground,
        fmt::format("memlane results {} --columns command,time,status --format json", store));
    std::set<int> statuses;
    for (const RecipeJson& row : rows.at("rows")) {
      const auto command = row.at("command").get<std::string>();
      INFO(command);
      CHECK(command.find("--max-time 600") != std::string::npos);
      const bool stopped = row.at("status") == "stopped";
      const Outcome again = playground.run(command + " --format json");
      REQUIRE(again.status == (stopped ? 3 : 0));
      statuses.insert(again.status);
      if (!stopped) CHECK(RecipeJson::parse(again.out).at("counts").at("time") == row.at("time"));
    }
    CHECK(statuses == std::set<int>{0, 3});
  }
}

TEST_CASE("the command of a grade has the seed of its run") {
  const Playground playground;
  // Its time depends on its data, which are declared as those of the exercise.
  spit(playground.folder() + "/slow.lane",
       "param n: int = 1000 where n >= 1\n"
       "memory a[n], b[n]: int = random(-100, 100)\n"
       "memory c[n]: int\n"
       "kernel zip() {\n"
       "  let size = ceil_div(n, threads)\n"
       "  for k = 0 to size - 1 {\n"
       "    let i = thread*size + k\n"
       "    if i < n { if a[i] > b[i] { c[i] = a[i] } else { c[i] = b[i] } }\n"
       "  }\n"
       "}\n"
       "main   { launch zip() }\n"
       "verify { for i = 0 to n - 1 { assert c[i] == max(a[i], b[i]) } }\n");
  const std::string grade = "memlane grade slow.lane --exercise 02_zip --seed 5";
  const std::string command = command_in(playground.run(grade).out);
  INFO(command);
  const RecipeJson again = recipe_json_of(playground, command + " --format json");
  const RecipeJson graded = RecipeJson::parse(playground.run(grade + " --format json").out);
  CHECK(std::any_of(graded.at("runs").begin(), graded.at("runs").end(), [&](const RecipeJson& run) {
    return run.at("seed") == again.at("seed") && run.at("time") == again.at("counts").at("time");
  }));
}

TEST_CASE("advice is simulated with the run's inputs, seed and limits", "[release]") {
  const Playground playground;
  std::string cells;
  for (int i = 0; i < 1024; ++i) cells += "5\n";
  spit(playground.folder() + "/same.txt", cells);
  // Random cells, which the program would have without --input, take more stages.
  CHECK(try_advice(playground, "memlane run congestion -m dmm-w32 --input cell=same.txt") > 0);
  CHECK(try_advice(playground, "memlane run congestion -m dmm-w32 --input cell=descending") > 0);
  CHECK(try_advice(playground, "memlane run congestion -m dmm-w32 --seed 7 --no-verify") > 0);
  CHECK(try_advice(playground, "memlane run congestion -m dmm-w32 --layout 't=padded(2)' "
                               "--max-memory 3G --max-steps 123456789") == 0);
}

TEST_CASE("printed commands have the limits of the run") {
  const Playground playground;
  const RecipeJson run =
      recipe_json_of(playground, "memlane run congestion -m dmm-w32 --input cell=equal "
                                 "--max-memory 3G --max-time 99999 --explain --format json");
  const auto command =
      run.at("explanation").at("advice").at("suggestions").at(0).at("command").get<std::string>();
  CHECK(command.find("--input cell=equal") != std::string::npos);
  CHECK(command.find("--max-memory 3221225472") != std::string::npos);
  CHECK(command.find("--max-time 99999") != std::string::npos);
}

TEST_CASE("a program makes an input, with the parameters of the program that reads it") {
  const Playground playground;
  spit(playground.folder() + "/worst.lane", "param n: int = 4 where n >= 1\n"
                                            "memory other[1]: int\n"
                                            "memory a[n]: int = 3 * index\n"
                                            "main   { }\n"
                                            "verify { assert a[0] == other[0] }\n");
  spit(playground.folder() + "/reader.lane",
       "param n: int = 8 where n >= 1\n"
       "memory a[n]: int = random(5, 9)\n"
       "memory b[n/2, 2]: double\n"
       "kernel copy() { forall i in 0..n { a[i] = a[i] } }\n"
       "main   { launch copy() }\n"
       "verify { for i = 0 to n - 1 { assert a[i] == 3*i and b[i/2, i%2] >= 0 } }\n");
  const Outcome made =
      playground.run("memlane run reader.lane -D n=64 --input a=worst.lane --input b=descending "
                     "--output a=a.txt --output b=b.txt");
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK(slurp(playground.folder() + "/a.txt").starts_with("0\n3\n6\n"));
  CHECK(slurp(playground.folder() + "/b.txt").starts_with("63 62\n61 60\n"));

  const Outcome unknown = playground.run("memlane run reader.lane --input a=descnding");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("descending") != std::string::npos);
  const Outcome shape = playground.run("memlane run reader.lane --input b=worst.lane");
  CHECK(shape.status == 2);
  CHECK(shape.err.find("2 memory arrays, and none of them is called b") != std::string::npos);
}

TEST_CASE("the shipped programs that make inputs pass their checks for many sizes", "[release]") {
  const Playground playground;
  for (const char* name :
       {"ascending", "descending", "equal", "organ_pipe", "bit_reversed", "interleaved", "latin"})
    for (const char* size : {"1", "2", "8", "64"}) {
      const Outcome outcome =
          playground.run(std::string("memlane run ") + name + " -D size=" + size);
      INFO(name << " " << size << "\n" << outcome.err);
      CHECK(outcome.status == 0);
    }
  for (const char* words : {"", "-D size=96 -D each=3 --set width=8", "-D size=512 -D each=1"})
    CHECK(playground.run(std::string("memlane run merge_worst ") + words).status == 0);
  // Its parameters are no options of the run that it makes an input for.
  const Outcome other =
      playground.run("memlane run merge_pairwise -D n=480 -D team=32 --input a=merge_worst");
  CHECK(other.status == 2);
  CHECK(other.err.find("-D size") == std::string::npos);
  CHECK(other.err.find("its size is the number of elements of a, 480") != std::string::npos);
}

TEST_CASE("inputs are an axis of sweeps, a column of stores and a series of plots", "[release]") {
  const Playground playground;
  const std::string sweep = "memlane sweep congestion -m dmm-w32 -m umm-w32 "
                            "--input cell=descending,equal,same.txt --store s.db";
  std::string cells;
  for (int i = 0; i < 1024; ++i) cells += "5\n";
  spit(playground.folder() + "/same.txt", cells);
  REQUIRE(playground.run(sweep).status == 0);
  const Outcome rows = playground.run("memlane results s.db --columns machine,inputs,input_hashes,"
                                      "time,command --format jsonl");
  INFO(rows.err);
  REQUIRE(rows.status == 0);
  std::set<std::string> inputs, hashes;
  for (const std::string& line : lines_of(rows.out)) {
    const RecipeJson row = RecipeJson::parse(line);
    inputs.insert(row.at("inputs").get<std::string>());
    hashes.insert(row.at("input_hashes").get<std::string>());
    // The stored command repeats the run.
    const RecipeJson again =
        recipe_json_of(playground, row.at("command").get<std::string>() + " --format json");
    CHECK(again.at("counts").at("time") == row.at("time"));
  }
  CHECK(inputs == std::set<std::string>{"cell=descending", "cell=equal", "cell=same.txt"});
  CHECK(hashes.size() == 3);
  const Outcome plot = playground.run("memlane plot s.db --x machine_latency --y time -o p.svg");
  INFO(plot.err);
  REQUIRE(plot.status == 0);
  const std::string svg = slurp(playground.folder() + "/p.svg");
  CHECK(svg.find("descending") != std::string::npos);
  CHECK(svg.find("differ in their seed") == std::string::npos);

  // A file's other content is another point.
  spit(playground.folder() + "/same.txt", cells.replace(0, 1, "6"));
  REQUIRE(playground.run(sweep).status == 0);
  const Outcome more = playground.run("memlane results s.db --columns time --format csv");
  CHECK(lines_of(more.out).size() == 1 + 8);
}

} // namespace memlane::test
