// What bank --best promises, carried out by programs with that layout; mapped layouts in both
// engines.
#include "shell.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace memlane::test {
namespace {

using BankJson = nlohmann::ordered_json;

BankJson bank_json_of(const Playground& playground, const std::string& command) {
  const Outcome outcome = playground.run("memlane " + command + " --format json");
  INFO(command << "\n" << outcome.out << outcome.err);
  REQUIRE(outcome.status == 0);
  return BankJson::parse(outcome.out);
}

struct SoughtLayout {
  std::vector<std::string> accesses;
  std::string shape;
  std::int64_t width;
};

/// A warp makes each access once.
std::int64_t stages_with(const Playground& playground, const SoughtLayout& sought,
                         const std::string& model, const std::string& layout,
                         const std::string& engine) {
  std::string text = fmt::format("memory t[{}]: int = index\nmemory o[w]: int\nkernel k() {{\n  "
                                 "var sum = 0\n",
                                 sought.shape);
  for (const std::string& access : sought.accesses) text += "  sum += " + access + "\n";
  spit(playground.folder() + "/sought.lane", text + "  if sum < 0 { o[lane] = sum }\n}\n"
                                                    "main { launch k() }\nverify { }\n");
  return bank_json_of(
      playground,
      fmt::format("run sought.lane -m {3}-w32 --set width={0} --set threads={0} "
                  "--layout 't={1}' --engine {2}",
                  sought.width, layout, engine,
                  model))["counts"]["units"][model == "dmm" ? "shared" : "global"][0]["stages"];
}

} // namespace

TEST_CASE("the layouts of bank --best take the stages that it says", "[release]") {
  const Playground playground;
  const std::vector<SoughtLayout> all = {
      {{"t[0, lane]", "t[lane, 0]"}, "32,32", 32},
      {{"t[0, lane]", "t[lane, 0]", "t[lane / 4, lane % 4]", "t[lane / 4 * 4, lane % 4 * 4]"},
       "16,16",
       16},
      {{"t[lane / 8, lane % 8 * 4]", "t[lane % 8, lane / 8]"}, "8,32", 32},
      {{"t[lane, lane]", "t[lane, 31 - lane]", "t[lane, 3]"}, "32,33", 32},
      {{"t[0, 3*lane, 1]", "t[1, lane, 0]"}, "2,64,2", 16}};
  for (const std::string model : {"dmm", "umm"})
    for (const SoughtLayout& sought : all) {
      std::string command = fmt::format(
          "bank '{0}' --shape '{1}' -m {3}-w32 --set width={2} --set threads={2} --best",
          sought.accesses[0], sought.shape, sought.width, model);
      for (std::size_t k = 1; k < sought.accesses.size(); ++k)
        command += fmt::format(" --with '{}'", sought.accesses[k]);
      const BankJson search = bank_json_of(playground, command)["search"];
      std::int64_t least = -1;
      for (const BankJson& one : search["classes"]) {
        INFO(model << ' ' << one.dump());
        const std::int64_t sum = one["sum"];
        if (least < 0 || sum < least) least = sum;
        for (const char* const engine : {"fast", "reference"})
          CHECK(stages_with(playground, sought, model, one["layout"], engine) == sum);
      }
      CHECK(stages_with(playground, sought, model, search["best"], "fast") == least);
    }
}

TEST_CASE("bank --best counts the stages of wide elements as bank does for a given layout") {
  const Playground playground;
  for (const std::string model : {"dmm", "umm"})
    for (const std::int64_t bytes : {8, 16}) {
      const std::string access =
          fmt::format("bank 't[lane, 0]' --shape 32,32 -m {}-w32 --bytes {}", model, bytes);
      INFO(access);
      std::int64_t rows = 0;
      const BankJson shown = bank_json_of(playground, access);
      for (const BankJson& part : shown["requests"][0]["split"])
        rows += part[model == "dmm" ? "banks" : "address_groups"].get<std::int64_t>();
      const BankJson search =
          bank_json_of(playground, access + " --with 't[0, lane]' --best")["search"];
      const std::int64_t parts = bytes / 4;
      CHECK(search["classes"][0]["layout"] == "rows");
      CHECK(search["classes"][0]["stages"] == BankJson({rows, parts}));
      for (const BankJson& one : search["accesses"]) {
        CHECK(one["least_stages"] == parts);
        CHECK(one["words"] == 32 * parts);
      }
    }
}

TEST_CASE("bank --best knows how many stages a request takes at least", "[release]") {
  // One access takes 3 stages in columns and 1 as bits, the others 1 and 2: only where a request
  // takes two stages anyway are the bits better.
  const Playground playground;
  spit(playground.folder() + "/sought.lane",
       "memory a[1]: int = 0\nkernel k() {\n  shared t[32, 32]: int\n"
       "  for i = 0 to 31 { t[i, lane] = 0 }\n"
       "  for r = 1 to 3 { let x = t[lane, 31 - lane] }\n"
       "  for r = 1 to 1 { let x = t[4*(lane/4), 4*(lane%4)] }\n"
       "  for r = 1 to 2 { let x = t[lane, 0] }\n"
       "  for r = 1 to 4 { let x = t[(lane*3)%32, lane/4] }\n}\n"
       "main { launch k() threads=32 }\nverify { }\n");
  for (const std::string least : {"1", "2", "3"}) {
    const std::string machine = " -m hmm-titan-plain --set shared.least_stages=" + least;
    const BankJson search = bank_json_of(
        playground, "bank 'x0*3: t[lane,31-lane]' --with 'x1*1: t[4*(lane/4),4*(lane%4)]' --with "
                    "'x2*2: t[lane,0]' --with 'x3*4: t[(lane*3)%32,lane/4]' --shape 32,32 --best" +
                        machine)["search"];
    INFO(least << search.dump());
    for (const BankJson& access : search["accesses"]) CHECK(access["least_stages"].dump() == least);
    std::int64_t best = 0, smallest = INT64_MAX;
    for (const BankJson& one : search["classes"]) {
      const std::string layout = one["layout"];
      std::int64_t stages = 0;
      const BankJson run = bank_json_of(
          playground, fmt::format("run sought.lane{} --layout 't={}'", machine, layout));
      for (const BankJson& line : run["counts"]["lines"])
        if (line["line"] > 4) stages += line["stages"].get<std::int64_t>();
      INFO(layout);
      CHECK(one["sum"] == stages);
      smallest = std::min(smallest, stages);
      if (search["best"] == layout) best = stages;
    }
    CHECK(best == smallest);
  }
}

TEST_CASE("blanks around an access of bank --best do not matter") {
  const Playground playground;
  const Outcome spaced = playground.run(
      "memlane bank ' t[lane,0] ' --with 'col:  t[0,lane]' --best --shape 32,32 --format latex");
  const Outcome plain = playground.run(
      "memlane bank 't[lane,0]' --with 'col:t[0,lane]' --best --shape 32,32 --format latex");
  CHECK(spaced.err.empty());
  CHECK(spaced.status == 0);
  CHECK(spaced.out == plain.out);
}

TEST_CASE("bank --best does not write its table into a file of a program") {
  const Playground playground;
  for (const std::string ending : {"cu", "cuh", "h", "lane"}) {
    const Outcome outcome =
        playground.run("memlane bank 't[lane,0]' --best --shape 32,32 -o x." + ending);
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("'x." + ending + "' would be the table") != std::string::npos);
    CHECK(outcome.err.find("help: its line") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(playground.folder() + "/x." + ending));
  }
}

TEST_CASE("both engines agree on maps of bits and on strides", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/p.lane",
       "memory a[24, 36]: int = index\nmemory b[864]: long = index\n"
       "proc add(v[n]: int) { forall i in 0..n { v[i] += 7 } }\n"
       "kernel k() {\n  for r = 0 to 9 {\n    forall i in 0..24, j in 0..36 { a[i, j] += "
       "int(b[i*36 + "
       "j]) }\n"
       "    forall j in 0..36, i in 0..24 { b[i*36 + j] = a[i, j] * r }\n"
       "    forall i in 0..12 { a[2*i + 1, 3*i] = a[2*i, r] }\n  }\n  add(a[5])\n  var s = 0\n"
       "  for r = 0 to 23 { s += a[r, lane % 36]  s += int(b[36*r + lane]) }\n  barrier\n"
       "  if thread < 864 { b[thread] = s }\n}\n"
       "main { launch k() blocks=1 }\nverify { }\n");
  for (const std::string machine : {"dmm-w32", "umm-w32", "dmm-teaching", "umm-teaching"})
    for (const std::string layout :
         {"'a=bits(1, 2, 5, 10)'", "'a=bits(16, 1, 3, 4, 8)'", "'a=strides(1, 25)'",
          "'a=strides(37, 1)'", "'a=strides(((4, 6), 36):((1, 144), 4))'",
          "'a=strides((24, (3, 12)):(3, (1, 72)))'", "'b=bits(4, 2, 1, 8, 17)'", "'b=strides(3)'",
          "'b=strides((2, 12, 36):(36, 72, 1))'"}) {
      INFO(machine << ' ' << layout);
      const std::string command = "run p.lane -m " + machine + " --layout " + layout + " --engine ";
      BankJson fast = bank_json_of(playground, command + "fast"),
               reference = bank_json_of(playground, command + "reference");
      CHECK(fast["time"] == reference["time"]);
      CHECK(fast["counts"] == reference["counts"]);
    }
}

TEST_CASE("a search for a layout is of one array") {
  const Playground playground;
  const Outcome outcome =
      playground.run("memlane bank 't[0, lane]' --shape 32,32 --best --with 'u[lane, 0]'");
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("'u[lane, 0]' is an access of another array") != std::string::npos);
}

} // namespace memlane::test
