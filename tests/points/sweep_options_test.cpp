// Sweeps from the command line, alone and beside a file.
#include "sweep_files.hpp"

#include <fmt/format.h>

namespace memlane::sweep {
namespace {

using memlane::test::SweepWorld;
using OptionTexts = std::vector<std::string>;

std::string values_of(const SweepSpec& sweep) {
  std::string text;
  for (const auto& group : sweep.axes) {
    for (const SweepAxis& axis : group) {
      text += (text.empty() ? "" : "; ") + axis.title() + ":";
      for (std::int64_t k = 0; k < axis.size; ++k) text += " " + axis.value(k);
    }
  }
  return text;
}

std::string values_of(const SweepOptions& options) {
  SweepWorld world;
  const auto sweep = world.options(options);
  return sweep ? values_of(*sweep) : world.problems;
}

} // namespace

TEST_CASE("options give lists, ranges that include both ends, and doubled values") {
  SweepOptions options;
  options.programs = {"sum"};
  options.definitions = {"n=2^10..2^13:pow2", "a=1..9:4,20", "b=3..5",
                         "c=min(2, 3),n/2",   "a=-2..-1",    "d=1..2:pow2,8..16:pow2"};
  options.settings = {"shared.latency=1,10,100"};
  options.layouts = {"t=rows,padded(1)", "t=diagonal"};
  options.types = {"value=int,float"};
  options.fns = {"f(x, y) = max(x, y)", "f (x, y) = 0", "g = 3"};
  CHECK(values_of(options) ==
        "n: 1024 2048 4096 8192; a: 1 5 9 20 -2 -1; b: 3 4 5; c: min(2, 3) n/2; d: 1 2 8 16; "
        "shared.latency: 1 10 100; fn f: (x, y) = max(x, y) (x, y) = 0; fn g: = 3; "
        "type value: int float; layout t: rows padded(1) diagonal");
}

TEST_CASE("a sweep of options has the first program's name and the standard machine") {
  SweepWorld world;
  SweepOptions options;
  options.programs = {"dir/mine.lane", "sum"};
  const auto sweep = world.options(options);
  REQUIRE(sweep);
  CHECK(sweep->name == "mine");
  REQUIRE(sweep->machines.size() == 1);
  CHECK(sweep->machines.front().name == "umm-w32");
  CHECK(sweep->seeds == std::vector<std::uint64_t>{1});
  CHECK(combinations(*sweep) == 2);
}

TEST_CASE("mistakes in options say where they are") {
  const auto with = [](auto member, const char* text) {
    SweepOptions options;
    options.programs = {"sum"};
    options.*member = {text};
    return values_of(options);
  };
  using O = SweepOptions;
  CHECK(with(&O::definitions, "n").find("'n' is not NAME=VALUES") != std::string::npos);
  CHECK(with(&O::definitions, "=4").find("is not NAME=VALUES") != std::string::npos);
  CHECK(with(&O::definitions, "n=").find("-D:1:3: error: n: a value is missing") == 0);
  CHECK(with(&O::definitions, "n=4,,5").find("-D:1:5: error: n: a value is missing") == 0);
  CHECK(with(&O::definitions, "n=1..").find("-D:1:6: error: the end of a range is missing") == 0);
  CHECK(with(&O::definitions, "n=1..4:x").find("-D:1:8: error: unknown name 'x'") == 0);
  CHECK(with(&O::definitions, "n=1..4:pow").find("-D:1:8: error: unknown name 'pow'") == 0);
  CHECK(with(&O::definitions, "n=9..1").find("-D:1:3: error: the range descends") == 0);
  CHECK(with(&O::definitions, "n=4,8,4").find("-D:1:7: error: n has the value 4 twice") == 0);
  CHECK(with(&O::definitions, "n=1..3,2").find("n has the value 2 twice") != std::string::npos);
  CHECK(with(&O::definitions, "n=1..10000001").find("has 10000001 points") != std::string::npos);
  CHECK(with(&O::fns, "f").find("'f' is no fn") != std::string::npos);
  CHECK(with(&O::inputs, "a").find("is not NAME=VALUES") != std::string::npos);
  CHECK(with(&O::machines, "a").empty());
}

TEST_CASE("options replace what a file says, and add axes") {
  SweepWorld world;
  const auto file = world.read(R"({"programs": ["sum"], "machines": ["umm-w32"],
    "axes": {"n": [64, 128], "l": [1, 2]}, "zip": [{"w": [16, 32], "p": [32, 64]}],
    "where": "n > 64", "seeds": 3})");
  REQUIRE(file);
  const auto changed = [&](const SweepOptions& options) {
    const auto sweep = change_sweep(world.sources, *file, options);
    if (!sweep) return render(sweep.errors(), world.sources);
    return fmt::format("{} | {} | {} | {}", values_of(*sweep), sweep->machines.front().name,
                       sweep->where, sweep->seeds.size());
  };
  SweepOptions options;
  CHECK(changed(options) == "n: 64 128; l: 1 2; w: 16 32; p: 32 64 | umm-w32 | n > 64 | 3");
  options.definitions = {"n=256"};
  options.settings = {"ports=1,2"};
  options.machines = {"dmm-w32"};
  options.where = "n > 4";
  options.seeds = 1;
  CHECK(changed(options) == "n: 256; l: 1 2; w: 16 32; p: 32 64; ports: 1 2 | dmm-w32 | n > 4 | 1");
  options.definitions = {"p=32"};
  CHECK(changed(options).find("p advances together with other axes") != std::string::npos);
  options.programs = {"sum"};
  CHECK(changed(options).find("the sweep file has its programs") != std::string::npos);
}

} // namespace memlane::sweep
