// A program runs on a machine that fits it where none is named.
#include "shell.hpp"
#include "support/catch.hpp"

namespace memlane::test {
namespace {

/// Whether the command succeeds and prints the text.
bool prints(const Playground& playground, const std::string& command, std::string_view text) {
  const Outcome outcome = playground.run(command);
  INFO(command << "\n" << outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  return outcome.out.find(text) != std::string::npos;
}

} // namespace

TEST_CASE("the default machine has what the program uses", "[release]") {
  const Playground playground;
  const auto runs_on = [&](const std::string& source, const std::string& machine) {
    spit(playground.folder() + "/own.lane", source);
    return prints(playground, "memlane run own.lane", "configs/machines/" + machine + ".json");
  };
  const std::string plain = "memory a[64]: int\n"
                            "kernel k() { let i = thread\n a[i] = i }\n"
                            "main { launch k() threads=32 }\nverify { }\n";
  const std::string shared = "memory a[64]: int\n"
                             "kernel k() { shared s[32]: int\n s[thread] = 1\n a[thread] = 1 }\n"
                             "main { launch k() threads=32 }\nverify { }\n";
  CHECK(runs_on(plain, "umm-w32"));
  CHECK(runs_on(plain + "claim time >= L on hmm \"bound\"\n", "umm-w32"));
  CHECK(runs_on(plain + "param x: int = L\n", "hmm-titan-plain"));
  CHECK(runs_on(plain + "param x: long = Z\n", "mmm-gpu"));
  CHECK(runs_on(shared, "hmm-titan-plain"));
  CHECK(runs_on(shared + "claim launches == 1 on dmm \"one\"\n", "dmm-w32"));
  CHECK(runs_on(shared + "claim launches == 1 on dmm, hmm \"one\"\n", "hmm-titan-plain"));
}

TEST_CASE("every command that runs programs finds a machine that fits them", "[release]") {
  const Playground playground;
  const auto uses = [&](const std::string& command, std::string_view machine = "hmm-titan-plain") {
    return prints(playground, "memlane " + command, machine);
  };
  CHECK(uses("run sum_hmm --print-config"));
  CHECK(uses("run transpose --layout t=rows --explain --format json",
             "memlane run transpose -m hmm-titan-plain"));
  CHECK(uses("check sum_hmm -D n=2048"));
  CHECK(uses("compare sum sum_hmm --store compared.db"));
  CHECK(uses("results compared.db --columns command --format csv", "sum_hmm -m hmm-titan-plain"));
  CHECK(uses("compare sum convolution_dmm", "dmm-w32"));
  CHECK(uses("sweep sum sum_hmm -D n=4096 --store swept.db", "2 points"));
  CHECK(uses("results swept.db --columns command --format csv", "sum -m hmm-titan-plain"));
  CHECK(uses("tune sum_hmm -D n=2048,4096"));
  CHECK(playground.run("memlane tune sum_hmm -D n=2048,4096 --confirm hmm-titan-plain").status ==
        2);
}

TEST_CASE("an error names a machine that fits the program where another was named", "[release]") {
  const Playground playground;
  for (const auto& [run, way] : {std::pair("sum_hmm -m umm-w32", "take -m hmm-titan-plain"),
                                 std::pair("convolution_dmm -m mmm-gpu", "take -m dmm-w32"),
                                 std::pair("sum -m mmm-gpu", "take -m umm-w32")}) {
    const Outcome outcome = playground.run(std::string("memlane run ") + run);
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(way) != std::string::npos);
  }
  const Outcome fits = playground.run("memlane run sum_hmm -m hmm-titan-plain -D m=3");
  CHECK(fits.err.find("take -m") == std::string::npos);
}

} // namespace memlane::test
