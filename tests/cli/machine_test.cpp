// memlane machine, with a driver of the tests' own (driver/cuda_driver.cpp).
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace memlane::test {
namespace {

/// `memlane machine from-gpu` with the tests' driver and these variables.
Outcome from_gpu(const Playground& playground, const std::string& options,
                 const std::string& variables = "") {
  return playground.run("LD_LIBRARY_PATH=" MEMLANE_TEST_DRIVER " " + variables +
                        " memlane machine from-gpu " + options);
}

void check_mention(const std::string& text, const std::string& part) {
  INFO(text << "\nlacks " << part);
  CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("the machine of a shipped GPU is the shipped one, and programs run on it") {
  const Playground playground;
  const Outcome made = from_gpu(playground, "> mine.json");
  REQUIRE(made.status == 0);
  CHECK(made.err == "the machine of this GPU is shipped: -m hmm-rtx3080\n");
  const auto time_on = [&](const std::string& machine) {
    const Outcome run = playground.run("memlane run transpose -D n=64 --format json -m " + machine);
    INFO(run.err);
    REQUIRE(run.status == 0);
    nlohmann::json result = nlohmann::json::parse(run.out);
    result["machine"].erase("name");
    result["machine"].erase("notes");
    return std::pair(result["machine"], result["counts"]["time"]);
  };
  CHECK(time_on("./mine.json") == time_on("hmm-rtx3080"));
  const nlohmann::json machine = nlohmann::json::parse(slurp(playground.folder() + "/mine.json"));
  CHECK(machine["name"] == "NVIDIA GeForce RTX 3080");
  const std::string notes = machine["notes"].dump();
  check_mention(notes, "68 multiprocessors, 1.71 GHz, 760 GB/s (320 bits at 9501 MHz) and 10 GiB");
  check_mention(notes, "1536 resident threads, 16 blocks, 65536 registers and 100 KiB");
  check_mention(notes, "which a block takes 1024 bytes itself");
  check_mention(notes, "compute capability 8.6");
  check_mention(notes, "Guesses, those of hmm-rtx3080 in clocks");
}

TEST_CASE("the machine of another GPU has the guesses of its generation") {
  const Playground playground;
  const Outcome made = from_gpu(playground, "--device 1 > mine.json");
  CHECK(made.status == 0);
  CHECK(made.err.empty());
  const nlohmann::json machine = nlohmann::json::parse(slurp(playground.folder() + "/mine.json"));
  CHECK(machine["name"] == "NVIDIA \"X\"?");
  CHECK(machine["multiprocessors"] == 170);
  CHECK(machine["resident_blocks"] == 24);
  CHECK(machine["global"]["capacity"] == std::int64_t{8} << 30);
  check_mention(machine["notes"].dump(), "those of hmm-rtx4090");
  CHECK(playground.run("memlane run sum_hmm -D n=4096 -m ./mine.json").status == 0);
}

TEST_CASE("what an older driver does not tell is a guess, too") {
  const Playground playground;
  const nlohmann::json machine =
      nlohmann::json::parse(from_gpu(playground, "", "MEMLANE_TEST_LACKS=111").out);
  CHECK(machine["shared"]["reserved"] == 256);
  check_mention(machine["notes"].dump(), "a launch, reserved shared memory.");
  const nlohmann::json other =
      nlohmann::json::parse(from_gpu(playground, "", "MEMLANE_TEST_LACKS=106").out);
  CHECK(other["resident_blocks"] == 16);
  check_mention(other["notes"].dump(), "a launch, resident blocks.");
}

TEST_CASE("without a GPU a machine of one has a way out") {
  const Playground playground;
  const auto refused = [&](const Outcome& outcome, const std::string& message) {
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    check_mention(outcome.err, message);
    check_mention(outcome.err, "take a shipped machine, such as -m hmm-rtx3080");
  };
  spit(playground.folder() + "/libcuda.so.1", "no library");
  refused(playground.run("LD_LIBRARY_PATH=. memlane machine from-gpu"),
          "there is no driver of NVIDIA's on this computer (libcuda.so.1)");
  for (const char* gpus : {"0", "-1"})
    refused(from_gpu(playground, "", std::string("MEMLANE_TEST_GPUS=") + gpus),
            "NVIDIA's driver finds no GPU on this computer");
  refused(from_gpu(playground, "--device 2"), "there is no GPU 2: the driver finds 2");
  refused(from_gpu(playground, "", "MEMLANE_TEST_LACKS=36"),
          "NVIDIA's driver does not tell the memory's clock of GPU 0");
  CHECK(from_gpu(playground, "--device one").status == 2);
  CHECK(playground.run("memlane machine").status == 2);
}

} // namespace memlane::test
