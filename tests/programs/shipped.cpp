// Runs every shipped program like a user.
#include "cli/shell.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/shipped_programs.hpp"

namespace memlane::test {

TEST_CASE("every shipped program runs, is drawn and becomes CUDA on its default machine") {
  const Playground playground;
  const auto programs = shipped_programs();
  REQUIRE(programs.size() >= 13);
  for (std::size_t k = 0; k < programs.size(); k += sanitized ? 7 : 1) {
    const ShippedProgram& program = programs[k];
    const Outcome outcome = playground.run("memlane run " + program.name);
    INFO(program.name << "\n" << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("\nverify passed\n") != std::string::npos);
    CHECK(playground.run("memlane timeline " + program.name + " --window :9").status == 0);
    CHECK(playground.run("memlane emit-cuda " + program.name + " -o x.cu").status == 0);
  }
}

TEST_CASE("the replay of a shipped program's trace has the run's time", "[release]") {
  const Playground playground;
  for (const char* const program : {"sum -D n=256", "prefix_simple -D n=64", "strided -D s=3"}) {
    for (const char* const machine : {"dmm-teaching", "umm-teaching --set lockstep=true"}) {
      const std::string on = std::string(" -m ") + machine;
      const Outcome run =
          playground.run("memlane run " + std::string(program) + on +
                         " --trace t.jsonl --format csv | cut -d, -f1-40 > run.csv");
      REQUIRE(run.status == 0);
      const auto time_of = [&](const std::string& command) {
        const Outcome outcome =
            playground.run(command + " --format json | grep -m1 '\"time\":' | tr -dc 0-9");
        REQUIRE(!outcome.out.empty());
        return outcome.out;
      };
      CHECK(time_of("memlane run " + std::string(program) + on) ==
            time_of("memlane replay t.jsonl" + on));
    }
  }
}

} // namespace memlane::test
