#include "emitted.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace memlane::test {

namespace fs = std::filesystem;

void compile_for_host(const Playground& playground, const std::string& name) {
  const Outcome outcome = playground.run(
      std::string(MEMLANE_HOST_COMPILER) +
      " -std=c++20 -O0 -fwrapv -ffp-contract=off -DMEMLANE_HOST -I" MEMLANE_SOURCE_DIR "/include "
      "-include " MEMLANE_HOST_HEADERS " -x c++ " +
      name + ".cu -o " + name + " -lboost_context");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
}

namespace {

/// `n=64 s=3` as `-D n=64 -D s=3`, or as `--n 64 --s 3`.
std::string as_options(const std::string& parameters, bool emitted) {
  std::istringstream words(parameters);
  std::string text;
  for (std::string word; words >> word;) {
    const std::size_t at = word.find('=');
    text += emitted ? " --" + word.substr(0, at) + " " + word.substr(at + 1) : " -D " + word;
  }
  return text;
}

std::vector<std::string> arrays_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

void check_run(const Playground& playground, const EmittedCase& emitted, const std::string& run) {
  const std::string seed = " --seed 7";
  for (const char* const order : {"forward", "reverse"}) {
    const Outcome on_host =
        playground.run("rm -rf host && mkdir host && MEMLANE_HOST_ORDER=" + std::string(order) +
                       " ./emitted --samples 0 --outputs host" + seed + as_options(run, true));
    INFO(emitted.program << " " << emitted.options << " with " << run << ", " << order << "\n"
                         << on_host.err);
    REQUIRE(on_host.status == 0);
    CHECK(on_host.out.find("\"verify\": \"passed\"") != std::string::npos);
    const std::vector<std::string> arrays = arrays_in(playground.folder() + "/host");
    REQUIRE(!arrays.empty());
    if (std::string(order) == "forward") {
      std::string outputs;
      for (const std::string& array : arrays)
        outputs += " --output " + array + "=simulated/" + array + ".bin";
      const Outcome simulated =
          playground.run("rm -rf simulated && mkdir simulated && memlane run " + emitted.program +
                         " " + emitted.options + seed + as_options(run, false) + outputs);
      INFO(simulated.err);
      REQUIRE(simulated.status == 0);
    }
    for (const std::string& array : arrays) {
      INFO(array);
      const bool equal = slurp(playground.folder() + "/host/" + array + ".bin") ==
                         slurp(playground.folder() + "/simulated/" + array + ".bin");
      CHECK(equal);
    }
  }
}

} // namespace

void check_emitted(const Playground& playground, const EmittedCase& emitted) {
  const Outcome made = playground.run("memlane emit-cuda " + emitted.program + " " +
                                      emitted.options + " -o emitted.cu");
  INFO(emitted.program << " " << emitted.options << "\n" << made.err);
  REQUIRE(made.status == 0);
  compile_for_host(playground, "emitted");
  for (const std::string& run : emitted.runs) check_run(playground, emitted, run);
}

} // namespace memlane::test
