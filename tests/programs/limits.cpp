// Limits bound reading and running: programs, inputs, measurements, registers, nested lists.
#include "cli/shell.hpp"
#include "support/catch.hpp"

namespace memlane::test {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Runs with a limit of the address space, so that memory beyond a limit cannot be allocated.
Outcome run_within(const Playground& playground, int kib, const std::string& command) {
#ifdef MEMLANE_SANITIZED // AddressSanitizer reserves terabytes of addresses
  return playground.run(command + " # within " + std::to_string(kib) + " KiB elsewhere");
#else
  return playground.run("ulimit -v " + std::to_string(kib) + "; " + command);
#endif
}

} // namespace

TEST_CASE("a program's own tree counts against --max-memory") {
  const Playground playground;
  std::string lets;
  for (int i = 0; i < 32000; ++i) lets += "let x" + std::to_string(i) + " = 1\n";
  spit(playground.folder() + "/lets.lane", "memory a[8]: int\nkernel k() {\n" + lets +
                                               "}\nmain { launch k() }\nverify { assert true }\n");
  for (const char* command :
       {"check lets.lane", "run lets.lane", "compare lets.lane -m umm-w32 -m dmm-w32"}) {
    const Outcome outcome = playground.run(std::string("memlane ") + command + " --max-memory 1M");
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status == 3);
    CHECK(first_line(outcome.err) == "stopped at the limit of --max-memory");
  }
  CHECK(playground.run("memlane check lets.lane").status == 0);
}

TEST_CASE("an endless input is read only as far as the array can need") {
  const Playground playground;
  for (const char* name : {"zero.bin", "zero.txt", "zero.npy", "zero.png"})
    REQUIRE(playground.run(std::string("ln -s /dev/zero ") + name).status == 0);
  spit(playground.folder() + "/two.lane", "memory a[8, 8]: int\nkernel k() { }\n"
                                          "main { launch k() }\nverify { assert a[0, 0] == 0 }\n");
  for (const char* name : {"zero.bin", "zero.txt", "zero.npy", "zero.png"}) {
    const Outcome outcome = run_within(
        playground, 200'000, std::string("memlane run two.lane --max-memory 1M --input a=") + name);
    INFO(name << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("cannot read") != std::string::npos);
  }
  const Outcome large =
      playground.run("memlane run sum -D n=2^28 --max-memory 1M --input a=zero.bin");
  CHECK(large.status == 3);
  CHECK(first_line(large.err) == "stopped at the limit of --max-memory");
}

TEST_CASE("the registers of a launch's threads count against --max-memory in both engines",
          "[release]") {
  const Playground playground;
  for (const char* engine : {"reference", "fast"}) {
    const std::string run = "memlane run contiguous -D n=1024 --set threads=1048576 --engine ";
    const Outcome little = playground.run(run + engine + " --max-memory 1M");
    INFO(engine << "\n" << little.err);
    CHECK(little.status == 3);
    CHECK(little.err.find("registers of the threads of kernel write, need ") != std::string::npos);
    CHECK(playground.run(run + engine).status == 0);
  }
}

TEST_CASE("registers count against --max-memory if the engine stores them") {
  const Playground playground;
  const std::string run = "memlane run sum -m umm-w32 -D n=2^20 --set threads=524288 --no-verify "
                          "--max-memory 16M --engine ";
  const Outcome fast = playground.run(run + "fast");
  INFO(fast.err);
  CHECK(fast.status == 0);
  const Outcome reference = playground.run(run + "reference");
  INFO(reference.err);
  CHECK(reference.status == 3);
  CHECK(reference.err.find("registers of the threads of kernel ") != std::string::npos);
}

TEST_CASE("every reader rejects JSON that is nested too deeply") {
  const Playground playground;
  const std::string open(60000, '['), close(60000, ']');
  spit(playground.folder() + "/deep.json", open + close);
  spit(playground.folder() + "/deep.jsonl",
       "{\"memlane_measurement\": 1, \"program\": " + open + close + "}\n");
  const std::string many(30000, '{');
  std::string objects;
  for (int i = 0; i < 10000; ++i) objects += "{\"a\":";
  spit(playground.folder() + "/objects.jsonl",
       "{\"memlane_trace\": 1, \"width\": " + objects + "1" + std::string(10000, '}') + "}\n");
  for (const char* command :
       {"gpu fit deep.jsonl -m hmm-h200-plain", "gpu compare deep.jsonl -m hmm-h200-plain",
        "run sum -m ./deep.json", "replay objects.jsonl"}) {
    const Outcome outcome = playground.run(std::string("memlane ") + command);
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("nested more than 64 deep") != std::string::npos);
  }
}

TEST_CASE("verify plans only the runs that it makes") {
  const Playground playground;
  const Outcome outcome = run_within(
      playground, 1'000'000,
      "memlane verify congestion --model dmm --grid w=4 --seeds 1000000 --max-seconds 1 --jobs 2");
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("stopped at the limit of --max-seconds in ") != std::string::npos);
}

} // namespace memlane::test
