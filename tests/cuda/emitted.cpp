#include "emitted.hpp"

#include "support/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

namespace memlane::test {

namespace fs = std::filesystem;

void compile_for_host(const Playground& playground, const std::string& name,
                      const std::string& options) {
  const Outcome outcome = playground.run(
      std::string(MEMLANE_HOST_COMPILER) +
      " -std=c++20 -O0 -fwrapv -ffp-contract=off -DMEMLANE_HOST -I" MEMLANE_SOURCE_DIR "/include "
      "-include " MEMLANE_HOST_HEADERS " -x c++ " +
      options + " " + name + ".cu -o " + name + " -lboost_context");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
}

namespace {

std::string file_of(std::size_t k) { return fmt::format("program_{}.cu", k); }

/// Texts as one program. The harness is the same in all of them and stands before them once. Their
/// directives inside a namespace include nothing again.
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
    bodies += fmt::format("#undef MEMLANE_FACTS\nnamespace number_{} {{\n#line 1 \"{}\"\n{}{}}}\n",
                          k, file_of(k), text.substr(0, begin), text.substr(end + end_line.size()));
    mains += fmt::format("  case {0}: return number_{0}::main(count - 1, words + 1);\n", k);
  }
  return harness + bodies +
         "int main(int count, char** words) {\n  switch (std::atoi(words[1])) {\n" + mains +
         "  }\n  return 127;\n}\n";
}

} // namespace

void compile_together(const Playground& playground, const std::vector<std::string>& programs) {
  spit(playground.folder() + "/emitted.cu", joined(programs)); // what they include is precompiled
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

/// `starts` are the beginnings of command lines that start the emitted program, `results` options
/// for the simulator's result.
void check_run(const Playground& playground, const EmittedCase& emitted,
               const std::vector<std::string>& starts, const std::string& run,
               const std::string& results = "") {
  const std::string seed = " --seed 7";
  std::string outputs;
  for (const std::string& start : starts) {
    const Outcome host =
        playground.run("rm -rf host && mkdir host && " + start + " --samples 0 --outputs host" +
                       seed + as_options(run, true));
    INFO(emitted.program << " " << emitted.options << " with " << run << "\n"
                         << start << "\n"
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
      const auto& unordered = emitted.unordered;
      if (std::find(unordered.begin(), unordered.end(), array) != unordered.end()) continue;
      const bool equal = slurp(playground.folder() + "/host/" + array + ".bin") ==
                         slurp(playground.folder() + "/simulated/" + array + ".bin");
      CHECK(equal);
    }
  }
}

/// The texts of the cases, also as files.
std::vector<std::string> emitted_texts(const Playground& playground,
                                       const std::vector<EmittedCase>& cases,
                                       const std::string& more) {
  std::vector<std::string> programs;
  for (const EmittedCase& emitted : cases) {
    const std::string file = file_of(programs.size());
    const Outcome made = playground.run("memlane emit-cuda " + emitted.program + " " +
                                        emitted.options + more + " -o " + file);
    INFO(emitted.program << " " << emitted.options << "\n" << made.err);
    REQUIRE(made.status == 0);
    programs.push_back(slurp(playground.folder() + "/" + file));
  }
  return programs;
}

} // namespace

void check_emitted(const Playground& playground, const std::vector<EmittedCase>& cases) {
  compile_together(playground, emitted_texts(playground, cases, ""));
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const std::string start = "./emitted " + std::to_string(k);
    for (const std::string& run : cases[k].runs)
      check_run(playground, cases[k],
                {"MEMLANE_HOST_ORDER=forward " + start, "MEMLANE_HOST_ORDER=reverse " + start},
                run);
  }
}

// Under `memlane cuda`.

namespace {

using LineCosts = std::map<std::string, LineCost>;

/// Of a result with details: the lines of programs by file and number; all others are one line
/// without a name.
LineCosts line_costs(const std::string& path) {
  LineCosts costs;
  const auto result = nlohmann::json::parse(slurp(path));
  for (const auto& line : result["counts"]["lines"]) {
    const std::string file = fs::path(line["file"].get<std::string>()).filename();
    const bool of_program = file.ends_with(".lane");
    if (line["requests"] == 0) continue;
    LineCost& cost = costs[of_program ? fmt::format("{}:{}", file, line["line"].get<int>()) : ""];
    cost.requests += line["requests"].get<long long>();
    cost.stages += line["stages"].get<long long>();
  }
  return costs;
}

/// The options that choose the machine. A block of CUDA has shared memory besides, which a DMM and
/// a UMM lack.
std::string machine_options(const std::string& options) {
  std::istringstream words(options);
  std::string text, option, value;
  while (words >> option >> value) {
    if (value == "dmm-w32" || value == "umm-w32") value = "hmm-h200-plain";
    if (option == "-m" || (option == "--set" && value.rfind("latency=", 0) != 0))
      text += option + " " + value + " ";
  }
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The tables, and which of their rows were true of a run.
struct KnownDifferences {
  const std::vector<OtherRequests>& others;
  const std::vector<WideLines>& wide;
  std::set<std::pair<const void*, std::string>> true_rows = {}; ///< with the line that they name

  void check(const EmittedCase& emitted, const std::string& run, const std::string& line,
             LineCost compiled, LineCost simulated);
  void check_true(const std::vector<EmittedCase>& cases) const;
};

void KnownDifferences::check(const EmittedCase& emitted, const std::string& run,
                             const std::string& line, LineCost compiled, LineCost simulated) {
  if (compiled == simulated) return;
  INFO(emitted.program << " " << emitted.options << " with " << run << ", " << line << ": "
                       << compiled.requests << " requests, " << compiled.stages
                       << " stages; simulated: " << simulated.requests << ", " << simulated.stages);
  for (const OtherRequests& row : others) {
    if (row.program != emitted.program || row.run != run || row.line != line) continue;
    true_rows.insert({&row, line});
    INFO("differs as the table says: " << row.why);
    CHECK(compiled == row.compiled);
    return;
  }
  for (const WideLines& row : wide) {
    const bool named = std::count(row.lines.begin(), row.lines.end(), line) > 0;
    if (row.program != emitted.program || !has(emitted.options, row.option) ||
        !(named || row.lines.empty()))
      continue;
    true_rows.insert({&row, named ? line : ""});
    CHECK(compiled.requests == simulated.requests);
    CHECK(compiled.stages > simulated.stages);
    CHECK(compiled.stages <= 4 * simulated.stages);
    return;
  }
  FAIL_CHECK("the line is in no table");
}

/// Each row of these cases was true.
void KnownDifferences::check_true(const std::vector<EmittedCase>& cases) const {
  std::set<std::string> programs;
  for (const EmittedCase& emitted : cases) programs.insert(emitted.program);
  const auto check = [&](const auto& row, const std::string& line) {
    if (programs.count(row.program) == 0) return;
    INFO(row.program << " " << line << ": the table says otherwise, but it is as simulated");
    CHECK(true_rows.count({&row, line}) == 1);
  };
  for (const OtherRequests& row : others) check(row, row.line);
  for (const WideLines& row : wide) {
    if (row.lines.empty()) check(row, "");
    for (const std::string& line : row.lines) check(row, line);
  }
}

/// As a user compiles it, but without machine code, which is not executed, and without -O3: that is
/// of the host's code, and nvcc optimises kernels anyway.
void compile_with_nvcc(const Playground& playground, const std::string& nvcc,
                       const std::vector<std::string>& programs) {
  std::string includes;
  for (const std::string& line : lines_of(programs[0]))
    if (line.rfind("#include <", 0) == 0 && !has(line, "memlane")) includes += line + "\n";
  spit(playground.folder() + "/emitted.cu", includes + joined(programs));
  const Outcome compiled =
      playground.run(nvcc + " -std=c++20 -fmad=false -Xcompiler -fwrapv -cudart shared -lineinfo "
                            "-gencode arch=compute_75,code=compute_75 emitted.cu -o emitted");
  INFO(compiled.err);
  REQUIRE(compiled.status == 0);
}

} // namespace

void check_executed(const Playground& playground, const std::string& nvcc,
                    const std::vector<EmittedCase>& cases, const std::vector<OtherRequests>& others,
                    const std::vector<WideLines>& wide) {
  compile_with_nvcc(playground, nvcc, emitted_texts(playground, cases, " --lines"));
  KnownDifferences known{others, wide};
  const std::string results = " --details --format json -o ";
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const EmittedCase& emitted = cases[k];
    const std::string start = fmt::format("memlane cuda {}{}executed.json ./emitted {}",
                                          machine_options(emitted.options), results, k);
    std::size_t requests = 0; // the smallest runs may have none
    for (const std::string& run : emitted.runs) {
      check_run(playground, emitted, {start}, run, results + "simulated.json");
      LineCosts compiled = line_costs(playground.folder() + "/executed.json");
      LineCosts simulated = line_costs(playground.folder() + "/simulated.json");
      INFO(emitted.program << " " << emitted.options << " with " << run);
      requests += simulated.size();
      if (!emitted.unordered.empty()) continue;
      // The harness has one request. Besides, kernels copy a DMM's memory, and read the random
      // numbers of layouts.
      const bool more = has(emitted.options, "dmm") || has(emitted.options, "random_");
      CHECK((compiled[""].requests > 1) == more);
      compiled.erase("");
      for (const auto& [line, cost] : simulated) compiled.try_emplace(line);
      for (const auto& [line, cost] : compiled)
        known.check(emitted, run, line, cost, simulated[line]);
    }
    INFO(emitted.program << " " << emitted.options);
    CHECK(requests > 0);
  }
  known.check_true(cases);
}

} // namespace memlane::test
