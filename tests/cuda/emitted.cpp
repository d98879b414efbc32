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

// The harness is the same in all of them and stands before them once. What they include is
// precompiled, so that a directive inside a namespace includes nothing again.
void compile_together(const Playground& playground, const std::vector<std::string>& programs) {
  const std::string end_line = "// ---- End of the harness ----\n";
  std::string harness, joined, mains;
  for (std::size_t k = 0; k < programs.size(); ++k) {
    const std::string& text = programs[k];
    const std::size_t begin = text.find("// ---- The harness");
    const std::size_t end = text.find(end_line, begin);
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    if (k == 0) harness = text.substr(begin, end - begin);
    const bool same = text.compare(begin, end - begin, harness) == 0;
    REQUIRE(same);
    const std::string number = std::to_string(k);
    joined += "#undef MEMLANE_FACTS\nnamespace number_" + number + " {\n#line 1 \"program " +
              number + "\"\n" + text.substr(0, begin) + text.substr(end + end_line.size()) + "}\n";
    mains += "  case " + number + ": return number_" + number + "::main(count - 1, words + 1);\n";
  }
  spit(playground.folder() + "/emitted.cu",
       harness + joined +
           "int main(int count, char** words) {\n  switch (std::atoi(words[1])) {\n" + mains +
           "  }\n  return 127;\n}\n");
  compile_for_host(playground, "emitted");
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

/// `on_host` starts the emitted program.
void check_run(const Playground& playground, const EmittedCase& emitted, const std::string& on_host,
               const std::string& run) {
  const std::string seed = " --seed 7";
  std::string outputs;
  for (const char* const order : {"forward", "reverse"}) {
    const Outcome host = playground.run(
        "rm -rf host && mkdir host && MEMLANE_HOST_ORDER=" + std::string(order) + " " + on_host +
        " --samples 0 --outputs host" + seed + as_options(run, true));
    INFO(emitted.program << " " << emitted.options << " with " << run << ", " << order << "\n"
                         << host.err);
    REQUIRE(host.status == 0);
    CHECK(host.out.find("\"verify\": \"passed\"") != std::string::npos);
    const std::vector<std::string> arrays = arrays_in(playground.folder() + "/host");
    REQUIRE(!arrays.empty());
    if (outputs.empty()) {
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

void check_emitted(const Playground& playground, const std::vector<EmittedCase>& cases) {
  std::vector<std::string> programs;
  for (const EmittedCase& emitted : cases) {
    const Outcome made =
        playground.run("memlane emit-cuda " + emitted.program + " " + emitted.options);
    INFO(emitted.program << " " << emitted.options << "\n" << made.err);
    REQUIRE(made.status == 0);
    programs.push_back(made.out);
  }
  compile_together(playground, programs);
  for (std::size_t k = 0; k < cases.size(); ++k)
    for (const std::string& run : cases[k].runs)
      check_run(playground, cases[k], "./emitted " + std::to_string(k), run);
}

} // namespace memlane::test
