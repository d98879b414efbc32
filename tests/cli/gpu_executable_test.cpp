// Executables measured and compared: memlane's own runtime library stands for a GPU's.
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#ifdef MEMLANE_LAUNCHES
namespace memlane::test {
namespace {

using Json = nlohmann::ordered_json;

/// A folder with the program of tests/cudart/launches, as ./launches.
struct LaunchPlayground : Playground {
  LaunchPlayground() {
    REQUIRE(run("cp " MEMLANE_LAUNCHES " launches && cp " + std::string(MEMLANE_SOURCE_DIR) +
                "/tests/ptx/fat/scale_zstd.fatbin scale.fatbin")
                .status == 0);
  }
  /// Measures the program's `words` with options.
  Outcome measure(const std::string& words, const std::string& options = "") const {
    return run("memlane gpu measure " + options + " -o m.jsonl ./launches scale.fatbin " + words);
  }
  Outcome compare(const std::string& options = "") const {
    return run("memlane gpu compare m.jsonl -m hmm-titan-plain " + options);
  }
  std::vector<Json> lines() const {
    std::vector<Json> all;
    for (const std::string& line : lines_of(slurp(folder() + "/m.jsonl")))
      if (!line.empty()) all.push_back(Json::parse(line));
    return all;
  }
};

bool tells_of(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("each function that launches is measured, with the kernel and the shape") {
  const LaunchPlayground playground;
  const Outcome outcome = playground.measure("ways", "--runs 3");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out == "the program has ended\n"); // of the first run
  CHECK(outcome.err == "m.jsonl: 5 launches of ./launches, 3 runs, on memlane\n");
  const std::vector<Json> lines = playground.lines();
  REQUIRE(lines.size() == 5);
  const std::vector<std::string> kernels = {"dynamic_sum", "write_at", "write_at", "write_at",
                                            "dynamic_sum"};
  const std::vector<Json> grids = {{1, 1, 1}, {1, 2, 1}, {1, 1, 2}, {2, 1, 1}, {1, 1, 1}};
  const std::vector<int> shared = {128, 0, 0, 0, 256};
  for (std::size_t k = 0; k < lines.size(); ++k) {
    INFO(lines[k].dump());
    CHECK(lines[k].at("kernel") == kernels[k]);
    CHECK(lines[k].at("grid") == grids[k]);
    CHECK(lines[k].at("block") == Json({32, 1, 1}));
    CHECK(lines[k].at("dynamic_shared") == shared[k]);
    CHECK(lines[k].at("parameters").at("launch") == k);
    CHECK(lines[k].at("program_launches") == 5);
    CHECK(lines[k].at("samples_ns").size() == 3);
    CHECK(lines[k].at("median_ns").get<double>() > 1000); // of memlane's clock without a machine
    CHECK(lines[k].at("device").at("name") == "memlane");
  }
}

TEST_CASE("a comparison has each launch's time on the machine, and ranks the kernels") {
  const LaunchPlayground playground;
  REQUIRE(playground.measure("twice").status == 0);
  const Outcome table = playground.compare();
  INFO(table.err);
  REQUIRE(table.status == 0);
  CHECK(tells_of(table.out, "bounded<<<1,64>>>"));
  CHECK(tells_of(table.out, "write_at<<<2,32>>>"));
  CHECK(tells_of(table.out, "does the model put the kernels of a program in the measured order?"));
  CHECK(!tells_of(table.out, "emitted kernels"));
  const Json json = Json::parse(playground.compare("--format json").out);
  REQUIRE(json.at("points").size() == 3);
  const Json alone =
      Json::parse(playground
                      .run("memlane cuda -m hmm-titan-plain --format json -o run.json ./launches "
                           "scale.fatbin twice >out 2>err; cat run.json")
                      .out);
  std::int64_t sum = 0;
  for (const Json& point : json.at("points")) {
    CHECK(point.at("variant") == "executable");
    CHECK(point.at("problem") == "./launches scale.fatbin twice");
    CHECK(point.at("predicted_ns").is_number());
    sum += point.at("time").get<std::int64_t>();
  }
  CHECK(sum == alone.at("counts").at("time"));
  CHECK(json.at("points")[0].at("time") == json.at("points")[1].at("time"));
  CHECK(json.at("executables").at("pairs") == 1);
  CHECK(json.at("executables").at("sizes")[0].at("problem") == "./launches scale.fatbin twice");
  CHECK(json.at("costs").at("points") == 3);
  REQUIRE(playground.compare("--page page.html").status == 0);
  CHECK(tells_of(slurp(playground.folder() + "/page.html"), "launches of programs"));
}

TEST_CASE("a program's events and clock rate are those of the machine that prices it") {
  const LaunchPlayground playground;
  const auto timed = [&](const std::string& clock) {
    const Outcome outcome = playground.run(
        "memlane cuda -m hmm-titan-plain " + clock +
        " --format json -o run.json ./launches scale.fatbin time 2>err | head -1; cat run.json");
    const std::size_t end = outcome.out.find('\n');
    REQUIRE(end != outcome.out.npos);
    const Json run = Json::parse(outcome.out.substr(end));
    return std::pair(Json::parse(outcome.out.substr(0, end)),
                     run.at("counts").at("time").get<double>());
  };
  const auto [plain, time] = timed("");
  CHECK(plain.at(0) == 1'000'000);
  CHECK(plain.at(1) == 512); // 32 words a time unit, on both edges of the clock
  CHECK(std::abs(plain.at(2).get<double>() * 1e6 - time) < 0.01);
  const auto [fast, same] = timed("--set clock=4000000000 --set global.ports=2");
  CHECK(fast.at(0) == 4'000'000);
  CHECK(fast.at(1) == 1024);
  CHECK(std::abs(fast.at(2).get<double>() * 1e6 - same / 4) < 0.01);
  CHECK(same > 100);
}

TEST_CASE("a fault makes a status of 0 an error") {
  const LaunchPlayground playground;
  const Outcome fault = playground.run("memlane cuda ./launches scale.fatbin fault");
  CHECK(fault.status == 2);
  CHECK(fault.out == "the program has ended\n");
  CHECK(tells_of(fault.err, "(out-of-bounds in launch 0, kernel write_at)"));
  CHECK(playground.run("memlane cuda --allow-out-of-bounds ./launches scale.fatbin fault").status ==
        0);
  CHECK(playground.run("memlane cuda ./launches scale.fatbin fault fail").status == 7);
}

TEST_CASE("measured launches can be imported, and are no points of a fit") {
  const LaunchPlayground playground;
  REQUIRE(playground.measure("twice", "--runs 1").status == 0);
  REQUIRE(playground.run("memlane results import gpu.db m.jsonl").status == 0);
  CHECK(
      playground
          .run("memlane results gpu.db --columns program,kernel,launch --format csv --order launch")
          .out == "program,kernel,launch\n"
                  "./launches scale.fatbin twice,\"bounded<<<1,64>>>\",0\n"
                  "./launches scale.fatbin twice,\"write_at<<<2,32>>>\",1\n"
                  "./launches scale.fatbin twice,\"bounded<<<1,64>>>\",2\n");
  const Outcome fitted = playground.run("memlane gpu fit m.jsonl -m hmm-titan-plain");
  CHECK(fitted.status == 2);
}

TEST_CASE("captured launches have no time and are said, and those of graphs are not compared") {
  const LaunchPlayground playground;
  const Outcome outcome = playground.measure("twice capture");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(tells_of(outcome.err, "3 launches of"));
  CHECK(tells_of(outcome.err, "1 launch captured into a graph: not measured"));
  const Outcome compared = playground.compare();
  INFO(compared.err);
  CHECK(compared.status == 0);
  CHECK(tells_of(compared.out, "not measured: 1 launch captured into a graph"));
  const Outcome only = playground.measure("capture");
  CHECK(only.status == 2);
  CHECK(tells_of(only.err, "1 launch captured into a graph, and no other"));
}

TEST_CASE("measuring leaves the program's last error as it was") {
  const LaunchPlayground playground;
  const Outcome outcome = playground.measure("errors");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(tells_of(outcome.err, "warning: 1 launch not measured: the launch of bounded fails: "
                              "cudaErrorInvalidConfiguration"));
  CHECK(playground.lines().size() == 2);
  CHECK(playground.compare().status == 0);
}

TEST_CASE("launches are told however many there are, and before the device is reset") {
  const LaunchPlayground playground;
  REQUIRE(playground.measure("many reset", "--runs 1").status == 0);
  CHECK(playground.lines().size() == 201);
}

TEST_CASE("a program that cannot be measured is told, and leaves no file") {
  const LaunchPlayground playground;
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"twice fail", "the program ends with status 7"},
      {"twice abort", "the program was ended by signal 6 (Aborted)"},
      {"twice _exit", "the program ended before its launches were told"},
      {"", "the program launches no kernel"},
      {"fault", "the launch of write_at fails: cudaErrorIllegalAddress"},
  };
  for (const auto& [words, message] : mistakes) {
    const Outcome outcome = playground.measure(words);
    INFO(words << ": " << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(tells_of(outcome.err, message));
    CHECK(playground.run("test ! -e m.jsonl").status == 0);
  }
  CHECK(tells_of(playground.run("memlane gpu measure ./nowhere").err, "cannot read './nowhere'"));
  CHECK(tells_of(playground.run("memlane gpu measure /bin/true").err, "no CUDA in this program"));
  CHECK(tells_of(playground.run("memlane gpu measure my.cu").err, "nvcc -cudart shared"));
  CHECK(tells_of(playground.run("memlane gpu measure --minutes 3 ./launches").err,
                 "this is for the shipped programs"));
  CHECK(tells_of(playground.run("memlane gpu measure --runs 3").err, "this is for an executable"));
}

TEST_CASE("launches that differ from the measured ones are an error that says how") {
  const LaunchPlayground playground;
  REQUIRE(playground.run("BLOCKS=4 memlane gpu measure -o m.jsonl ./launches scale.fatbin blocks")
              .status == 0);
  const Outcome shape = playground.compare();
  CHECK(shape.status == 2);
  CHECK(tells_of(shape.err,
                 "launch 0 is write_at<<<4,32>>> on the GPU, but write_at<<<1,32>>> on the "
                 "machine"));
  REQUIRE(playground
              .run("BLOCKS=1 memlane gpu measure -o m.jsonl ./launches scale.fatbin blocks "
                   "more")
              .status == 0);
  const Outcome number = playground.compare();
  CHECK(number.status == 2);
  CHECK(tells_of(number.err, "it makes 2 launches on the GPU, but 1 launch on the machine"));
}

TEST_CASE("files that are cut off, and other programs, are told") {
  const LaunchPlayground playground;
  REQUIRE(playground.measure("twice", "--runs 2").status == 0);
  REQUIRE(playground.run("cp m.jsonl whole.jsonl; head -2 whole.jsonl >m.jsonl").status == 0);
  CHECK(tells_of(playground.compare().err, "launches 2 to 2 are missing: the file was cut off"));
  playground.run("sed -n '1p;3p' whole.jsonl >m.jsonl");
  const Outcome hole = playground.compare();
  CHECK(hole.status == 2);
  CHECK(tells_of(hole.err, "launch 1 is missing before launch 2"));
  playground.run("cp whole.jsonl m.jsonl; printf x >>launches");
  const Outcome changed = playground.compare();
  CHECK(changed.status == 2);
  CHECK(
      tells_of(changed.err, "points of ./launches left out: it has changed since it was measured"));
  CHECK(playground.compare("--any-version").status == 0);
  playground.run("rm launches");
  CHECK(tells_of(playground.compare().err, "cannot read './launches'"));
}

TEST_CASE("an executable that fails on the machine is an error with the end of its output") {
  const LaunchPlayground playground;
  REQUIRE(playground.measure("twice", "--runs 1").status == 0);
  playground.run("sed -i 's/\"twice\"/\"twice\",\"fail\"/' m.jsonl");
  const Outcome outcome = playground.compare();
  CHECK(outcome.status == 2);
  CHECK(tells_of(outcome.err, "run on the machine, the program ends with status 7"));
  const Outcome machine = playground.run("memlane gpu compare m.jsonl -m umm-w32");
  CHECK(machine.status == 2);
}

} // namespace memlane::test
#endif
