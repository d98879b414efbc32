// No command writes over a file that it reads or has open as a store: a table of commands, their
// inputs and their outputs makes the tests.
#include "shell.hpp"
#include "support/catch.hpp"

#include <filesystem>

namespace memlane::test {
namespace {

namespace fs = std::filesystem;

/// A command, in which $F is the file that is both read and written.
struct Overwriting {
  const char* command;
  const char* file; ///< whose content it has
};

constexpr Overwriting overwriting[] = {
    {"run $F -o $F", "p.lane"},
    {"run user.lane -o used.lane", "used.lane"},
    {"run p.lane -m $F -o $F", "m.json"},
    {"run p.lane --input a=$F -o $F", "a.txt"},
    {"run p.lane --input a=$F --output a=$F", "a.txt"},
    {"run p.lane --input a=make.lane -o make.lane", "make.lane"},
    {"run p.lane --trace $F -m $F", "m.json"},
    {"run p.lane --prices $F -o $F", "prices.json"},
    {"run $F --explain -o $F", "p.lane"},
    {"results $F -o $F", "s.db"},
    {"results s.db --format csv -o $F", "s.db"},
    {"results $F -o $F-wal", "s.db"},
    {"results best $F --per n -o $F", "s.db"},
    {"results diff $F $F -o $F", "s.db"},
    {"results merge $F $F", "s.db"},
    {"results merge s.db ./sub/../s.db", "s.db"},
    {"sweep $F -m umm-w32 --store t.db -o $F", "p.lane"},
    {"sweep $F --store t.db -o $F", "sweep.json"},
    {"sweep p.lane -m umm-w32 --input a=$F --store t.db -o $F", "a.txt"},
    {"sweep p.lane -m umm-w32 --store $F -o $F", "s.db"},
    {"sweep p.lane -m umm-w32 --dry-run --store $F -o $F", "s.db"},
    {"verify $F -o $F --points 2", "p.lane"},
    {"verify p.lane --points 2 --store $F -o $F", "s.db"},
    {"compare $F -m umm-w32 -m dmm-w32 -o $F", "p.lane"},
    {"compare p.lane -m umm-w32 --store $F -o $F", "s.db"},
    {"compare p.lane --all-models -o $F", "p.lane"},
    {"tune $F -D n=8,16 -m umm-w32 -o $F", "p.lane"},
    {"tune p.lane -D n=8,16 -m umm-w32 --store $F -o $F", "s.db"},
    {"plot $F -o $F", "s.db"},
    {"figures --only congestion --quick --store $F -o $F", "q.html"},
    {"timeline $F -o $F", "p.lane"},
    {"timeline p.lane --input a=$F -o $F", "a.txt"},
    {"emit-cuda $F -o $F", "p.lane"},
    {"replay $F -m umm-w32 -o $F", "t.jsonl"},
    {"replay $F -m umm-w32 -o link.jsonl", "t.jsonl"},
    {"gpu compare $F -o $F", "measured.jsonl"},
    {"gpu compare $F --page $F", "measured.jsonl"},
    {"gpu fit $F -o $F", "measured.jsonl"},
    {"explain relations $F -o $F", "p.lane"},
};

} // namespace

TEST_CASE("no command writes over a file that it reads", "[release]") {
  const Playground playground;
  const std::string folder = playground.folder() + "/";
  const std::string program = "param n: int = 8 where n >= 1\n"
                              "memory a[n]: int = index\n"
                              "kernel copy() { forall i in 0..n { a[i] = a[i] } }\n"
                              "main   { launch copy() }\n"
                              "verify { assert a[0] == a[0] }\n";
  fs::create_directory(folder + "sub");
  spit(folder + "p.lane", program);
  spit(folder + "make.lane", program);
  spit(folder + "used.lane", program);
  spit(folder + "user.lane", "use used\n");
  spit(folder + "a.txt", "0\n1\n2\n3\n4\n5\n6\n7\n");
  spit(folder + "m.json",
       R"({"name": "m", "model": "umm", "width": 4, "latency": 2, "threads": 8})");
  spit(folder + "prices.json", R"({"io": {}})");
  spit(folder + "sweep.json", R"({"programs": ["p.lane"], "machines": ["umm-w32"]})");
  REQUIRE(playground.run("memlane run p.lane -m m.json --trace t.jsonl").status == 0);
  REQUIRE(playground.run("memlane sweep p.lane -D n=8,16 -m umm-w32 --store s.db").status == 0);
  spit(folder + "measured.jsonl", slurp(MEMLANE_SOURCE_DIR "/tests/measure/synthetic.jsonl"));
  fs::copy_file(folder + "s.db", folder + "q.html");
  fs::create_symlink("t.jsonl", folder + "link.jsonl");
  for (const Overwriting& one : overwriting) {
    std::string command = one.command;
    for (std::size_t at = 0; (at = command.find("$F", at)) != std::string::npos;)
      command.replace(at, 2, one.file);
    const std::string before = slurp(folder + one.file);
    const Outcome outcome = playground.run("memlane " + command);
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    const bool named = outcome.err.find("would be written over") != std::string::npos ||
                       outcome.err.find("would be merged into itself") != std::string::npos ||
                       outcome.err.find("would be written twice") != std::string::npos;
    CHECK(named);
    CHECK(slurp(folder + one.file) == before);
  }
}

} // namespace memlane::test
