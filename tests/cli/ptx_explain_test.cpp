// What `memlane ptx --explain` says of kernels and what it suggests, and changed machines of --try,
// carried out.
#include "ptx_commands.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memlane::test {
namespace {

using Json = nlohmann::ordered_json;

TEST_CASE("what helps a short kernel is found beside a long one") {
  const Playground playground;
  const std::string both =
      "memlane ptx " + std::string(MEMLANE_SOURCE_DIR) +
      "/programs/cuda/transpose.ptx --explain --launch 'naive<<<(16,16),(32,8)>>>(out: "
      "float[512*512], in: float[512*512], 512)' --launch 'tiled<<<(2,2),(32,8)>>>(out, in, 64)'";
  const Outcome outcome = playground.run(both);
  INFO(outcome.out);
  CHECK(outcome.out.find("1990 time units instead of 2331") != std::string::npos);
  CHECK(outcome.out.find("(the run: ") != std::string::npos);
}

TEST_CASE("what helps a kernel is found beside the cost of its launch") {
  const Playground playground;
  const std::string tiled =
      "memlane ptx programs/cuda/transpose.ptx --launch 'tiled<<<(8,8),(32,8)>>>"
      "(out: float[65536], in: float[65536] = random, 256)' -m hmm-rtx3080 "
      "--explain";
  // Of 14655 time units 10260 are the launch; a spare word saves 412 of the others.
  const Outcome explained = playground.run(tiled);
  INFO(explained.err);
  const std::string text = on_one_line(explained.out);
  CHECK(text.find("1. a spare word behind each 32 words of the shared array part in kernel tiled: "
                  "14243 time units instead of 14655") != std::string::npos);
  CHECK(text.find("at least 5 % of the time, beside the cost of launches.") != std::string::npos);
  const std::string free = on_one_line(playground.run(tiled + " --set launch_cost=0").out);
  CHECK(free.find("at least 5 % of the time.") != std::string::npos);
}

TEST_CASE("memlane ptx --explain accounts for kernels, launches and lines, and what it suggests "
          "comes true") {
  const Playground playground;
  const std::string file = std::string(MEMLANE_SOURCE_DIR) + "/programs/cuda/transpose.ptx";
  const std::string three =
      transpose_command("naive", "--launch 'tiled<<<(8,8),(32,8)>>>(out, in, 256)' "
                                 "--launch 'padded<<<(8,8),(32,8)>>>(out, in, 256)'");
  const Json run = priced_json(playground, three + " --explain");
  const Json& cuda = run["explanation"]["cuda"];
  REQUIRE(cuda["kernels"].size() == 3);
  CHECK(cuda["kernels"][0]["kernel"] == "naive");
  std::int64_t time = 0;
  for (const Json& kernel : cuda["kernels"]) time += kernel["time"].get<std::int64_t>();
  CHECK(time == run["counts"]["time"]);
  CHECK(cuda["launches"].size() == 3);
  CHECK(cuda["kernels"][0]["lines"][0]["lost"] == 63488);
  // A column of the tile: all words in one bank.
  const Json& tiled = cuda["kernels"][1]["costliest_line"];
  CHECK(tiled["line"] == 22);
  // The changes: a machine's key is tried by its command, a padding is the kernel `padded`.
  std::int64_t checked = 0;
  for (const Json& one : run["explanation"]["advice"]["suggestions"]) {
    if (one["kind"] != "machine") continue;
    const Json changed = Json::parse(playground.run(one["command"].get<std::string>()).out);
    CHECK(changed["counts"]["time"] == one["predicted_time"]);
    ++checked;
  }
  const Json alone = priced_json(playground, transpose_command("tiled", "--explain"));
  const Json padded = priced_json(playground, transpose_command("padded"));
  for (const Json& one : alone["explanation"]["advice"]["suggestions"]) {
    if (one["kind"] != "layout") continue;
    CHECK(one["change"] == "layout tiled::part=padded(1) in rows of 32");
    CHECK(one["predicted_time"] == padded["counts"]["time"]);
    CHECK(one["extra_stages"] == Json::array({63488, 0}));
    ++checked;
  }
  CHECK(checked >= 1);
  const Outcome text = playground.run(three + " --explain");
  INFO(text.out);
  CHECK(text.status == 0);
  CHECK(text.out.find("kernel naive: 70176 time units in 1 launch (76.6 %)") != std::string::npos);
  CHECK(text.out.find("what each source line costs") != std::string::npos);
  CHECK(text.out.find("where the time of each launch went") != std::string::npos);
  CHECK(text.out.find("what would help") != std::string::npos);
  const Outcome paper = playground.run(three + " --explain --format markdown");
  CHECK(paper.out.find("**kernel naive: 70176 time units in 1 launch (76.6 %)**") !=
        std::string::npos);
}

TEST_CASE("where no change of kernels can gain anything, the changes are named") {
  const Playground playground;
  const std::string text = on_one_line(
      playground
          .run(transpose_command("padded", "-m hmm-titan-plain --set shared.latency=1 --set "
                                           "global.latency=1 --explain"))
          .out);
  INFO(text);
  CHECK(text.find("memlane changes only spare words in shared memory, how many blocks a "
                  "multiprocessor holds and how many requests a warp may have on their way, and "
                  "none of these can gain here.") != std::string::npos);
}

TEST_CASE("of a CUDA program the line whose extra stages cost most is named") {
  const Playground playground;
  const Json run =
      priced_json(playground, transpose_command("naive", "--launch 'tiled<<<(8,8),(32,8)>>>(out, "
                                                         "in, 256)' -m hmm-rtx3080 --explain"));
  const Json& free = run["explanation"]["advice"]["conflict_free_line"];
  INFO(free.dump());
  std::int64_t most = 0, lines = 0;
  for (const Json& kernel : run["explanation"]["cuda"]["kernels"])
    for (const Json& line : kernel["lines"]) {
      const Json time = line.value("conflict_free_time", Json());
      if (time.is_null()) continue;
      most = std::max(most, run["counts"]["time"].get<std::int64_t>() - time.get<std::int64_t>());
      ++lines;
    }
  CHECK(lines > 1);
  CHECK(free["predicted_gain"] == most);
}

TEST_CASE("memlane ptx --try gives the run on the changed machine, line by line", "[release]") {
  const Playground playground;
  const std::string both =
      transpose_command("naive", "-m hmm-rtx3080 --launch 'tiled<<<(8,8),(32,8)>>>(out, in, 256)'");
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"requests_in_flight=4", "--set requests_in_flight=4"},
      {"shared.latency=100; d=2", "--set shared.latency=100 --set multiprocessors=2"},
      {"schedule=hoisted", "--set schedule=hoisted"}};
  std::string tries;
  for (const auto& [change, options] : changes) tries += " --try '" + change + "'";
  const Json run = priced_json(playground, both + tries);
  REQUIRE(run["tries"].size() == changes.size());
  const Json alone = priced_json(playground, both);
  CHECK(run["counts"] == alone["counts"]);
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const Json changed = priced_json(playground, both + ' ' + changes[k].second);
    const Json& tried = run["tries"][k];
    INFO(tried.dump());
    CHECK(tried["state"] == "done");
    CHECK(tried["time"] == changed["counts"]["time"]);
    CHECK(tried["gain"] == run["counts"]["time"].get<std::int64_t>() -
                               changed["counts"]["time"].get<std::int64_t>());
    CHECK(tried["predicted_time"].is_null());
    // Lines are those of the CUDA source, matched by their numbers.
    CHECK(tried.at("lines").at("rows").size() == run.at("counts").at("lines").size());
    std::int64_t a = 0, b = 0;
    for (const auto& [cause, time] : tried["causes"]["a"].items()) a += time.get<std::int64_t>();
    for (const auto& [cause, time] : tried["causes"]["b"].items()) b += time.get<std::int64_t>();
    CHECK(a == run["counts"]["time"]);
    CHECK(b == changed["counts"]["time"]);
  }
  const Outcome shown = playground.run(both + " --try global.latency=1");
  INFO(shown.out << shown.err);
  CHECK(shown.status == 0);
  CHECK(shown.out.find("global.latency=1: ") != std::string::npos);
  CHECK(shown.out.find("times as fast.") != std::string::npos);
  CHECK(shown.out.find("predicted") == std::string::npos);
  CHECK(shown.out.find("hmm-rtx3080 with global.latency=1") != std::string::npos);
}

TEST_CASE("a --try of kernels that is wrong, does not fit or does not end is told") {
  const Playground playground;
  const auto refused = [&](const std::string& options, const std::string& text) {
    const Outcome outcome = playground.run(transpose_command("naive", options));
    INFO(options << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(text) != std::string::npos);
    CHECK(outcome.out.empty());
  };
  refused("--try requests", "--try requests_in_flight=4");
  refused("--try global.latencies=4", "no key of this machine is called 'global.latencies'");
  refused("--try global.latencies=4", "did you mean 'global.latency'");
  refused("--try 'layout out=rows'", "no array is called 'out'");
  refused("--try global.latency=0", "global.latency");
  refused("--try width=16", "width");
  refused("--try 'd=2; multiprocessors=3'", "twice");
  refused("--sample-blocks 8 --try d=2", "--try");
  // Blocks of 256 threads do not fit: the run has its result, and says why the change has none.
  const Outcome unfit = playground.run(transpose_command("naive", "--try threads=128"));
  INFO(unfit.out << unfit.err);
  CHECK(unfit.status == 2);
  CHECK(unfit.out.find("threads=128: the changed run did not come to its end: ") !=
        std::string::npos);
  const Outcome stopped = playground.run(
      transpose_command("padded", "--try global.latency=100000 --max-time 100000 --format json"));
  INFO(stopped.err);
  CHECK(stopped.status == 3);
  const Json result = Json::parse(stopped.out);
  CHECK(result["stop"] == "none");
  CHECK(result["tries"][0]["state"] == "stopped");
  CHECK(result["tries"][0]["time"].is_null());
}

} // namespace
} // namespace memlane::test
