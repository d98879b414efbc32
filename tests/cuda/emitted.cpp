#include "emitted.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

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

// The harness is the same in all of them and stands before them once. What they include is
// precompiled, so that a directive inside a namespace includes nothing again.
std::string joined(const std::vector<std::string>& programs) {
  const std::string end_line = "// ---- End of the harness ----\n";
  std::string harness, bodies, mains;
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
    bodies += "#undef MEMLANE_FACTS\nnamespace number_" + number + " {\n#line 1 \"program " +
              number + "\"\n" + text.substr(0, begin) + text.substr(end + end_line.size()) + "}\n";
    mains += "  case " + number + ": return number_" + number + "::main(count - 1, words + 1);\n";
  }
  return harness + bodies +
         "int main(int count, char** words) {\n  switch (std::atoi(words[1])) {\n" + mains +
         "  }\n  return 127;\n}\n";
}

} // namespace

void compile_together(const Playground& playground, const std::vector<std::string>& programs) {
  spit(playground.folder() + "/emitted.cu", joined(programs));
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
/// `results`: options for the simulator's result.
void check_run(const Playground& playground, const EmittedCase& emitted, const std::string& on_host,
               const std::string& run, const std::string& results = "") {
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
                         " " + emitted.options + seed + as_options(run, false) + outputs + results);
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

namespace {

std::vector<std::string> emitted_texts(const Playground& playground,
                                       const std::vector<EmittedCase>& cases,
                                       const std::string& more) {
  std::vector<std::string> programs;
  for (const EmittedCase& emitted : cases) {
    const Outcome made =
        playground.run("memlane emit-cuda " + emitted.program + " " + emitted.options + more);
    INFO(emitted.program << " " << emitted.options << "\n" << made.err);
    REQUIRE(made.status == 0);
    programs.push_back(made.out);
  }
  return programs;
}

} // namespace

void check_emitted(const Playground& playground, const std::vector<EmittedCase>& cases) {
  compile_together(playground, emitted_texts(playground, cases, ""));
  for (std::size_t k = 0; k < cases.size(); ++k)
    for (const std::string& run : cases[k].runs)
      check_run(playground, cases[k], "./emitted " + std::to_string(k), run);
}

#ifdef MEMLANE_NVCC

namespace {

/// Requests and stages by line of the program, of a result with details.
std::map<int, std::pair<long long, long long>> requests_by_line(const std::string& path) {
  std::map<int, std::pair<long long, long long>> found;
  const auto result = nlohmann::json::parse(slurp(path));
  for (const auto& line : result["counts"]["lines"])
    if (line["file"].get<std::string>().ends_with(".lane") && line["requests"] > 0)
      found[line["line"]] = {line["requests"], line["stages"]};
  return found;
}

/// The options that choose the machine. A block of CUDA has shared memory besides, which a DMM and
/// a UMM lack.
std::string machine_options(const std::string& options) {
  std::istringstream words(options);
  std::string text, option, value;
  while (words >> option >> value) {
    if (value == "dmm-w32" || value == "umm-w32") return "-m hmm-h200 ";
    if (option == "-m" || option == "--set") text += option + " " + value + " ";
  }
  return text;
}

} // namespace

void check_executed(const Playground& playground, const std::vector<EmittedCase>& cases) {
  const std::vector<std::string> programs = emitted_texts(playground, cases, " --lines");
  std::string includes;
  for (const std::string& line : lines_of(programs[0]))
    if (line.rfind("#include <", 0) == 0 && line.find("memlane") == std::string::npos)
      includes += line + "\n";
  spit(playground.folder() + "/emitted.cu", includes + joined(programs));
  const Outcome compiled = playground.run(
      MEMLANE_NVCC " -O3 -std=c++20 -fmad=false -Xcompiler -fwrapv -cudart shared -lineinfo "
                   "emitted.cu -o emitted");
  INFO(compiled.err);
  REQUIRE(compiled.status == 0);
  const std::string results = " --details --format json -o ";
  for (std::size_t k = 0; k < cases.size(); ++k)
    for (const std::string& run : cases[k].runs) {
      const std::string executed = "memlane cuda " + machine_options(cases[k].options) + results +
                                   "executed.json ./emitted " + std::to_string(k);
      check_run(playground, cases[k], executed, run, results + "simulated.json");
      INFO(cases[k].program << " " << cases[k].options << " with " << run);
      const auto requests = requests_by_line(playground.folder() + "/executed.json");
      CHECK_FALSE(requests.empty());
      CHECK(requests == requests_by_line(playground.folder() + "/simulated.json"));
    }
}

#endif

} // namespace memlane::test
