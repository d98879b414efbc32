// Grades of programs, in a folder as students have it.
#pragma once

#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace memlane::test {

/// What `memlane grade --format json` printed.
struct Grade {
  int status = 0; ///< exit status
  nlohmann::json json;

  std::string word() const { return json.at("status"); }
  std::int64_t points() const { return json.at("points"); }
  /// The criterion of this name.
  nlohmann::json criterion(const std::string& name) const {
    for (const auto& criterion : json.at("criteria"))
      if (criterion.at("name") == name) return criterion;
    FAIL("no criterion " << name);
    return {};
  }
  /// The names of all that are not fulfilled.
  std::vector<std::string> missing() const {
    std::vector<std::string> names;
    for (const auto& criterion : json.at("criteria"))
      if (!criterion.at("fulfilled")) names.push_back(criterion.at("name"));
    return names;
  }
};

inline Grade grade(const Playground& playground, const std::string& arguments) {
  const Outcome outcome = playground.run("memlane grade " + arguments + " --format json");
  INFO(arguments << "\n" << outcome.err);
  CHECK(outcome.err.empty());
  return {outcome.status, nlohmann::json::parse(outcome.out)};
}

/// The grade of a text for an exercise.
inline Grade grade_text(const Playground& playground, const std::string& exercise,
                        const std::string& text) {
  spit(playground.folder() + "/own.lane", text);
  return grade(playground, "own.lane --exercise " + exercise);
}

inline std::string text_of_solution(const std::string& exercise) {
  return slurp(MEMLANE_SOURCE_DIR "/tests/exercises/" + exercise + ".lane");
}
inline std::string text_of_skeleton(const std::string& exercise) {
  return slurp(MEMLANE_SOURCE_DIR "/programs/exercises/" + exercise + ".lane");
}

/// The text with one part replaced, which must be there.
inline std::string with(std::string text, const std::string& part, const std::string& other) {
  const std::size_t at = text.find(part);
  INFO(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), other);
}

/// Names of the shipped exercises, for programs of the language or for CUDA: their files are found
/// as memlane finds them.
inline std::vector<std::string> shipped_exercises(bool cuda = false) {
  std::vector<std::string> names;
  const std::string ending = ".grade.json";
  for (const auto& entry :
       std::filesystem::directory_iterator(MEMLANE_SOURCE_DIR "/programs/exercises")) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(ending)) continue;
    const std::string stem = name.substr(0, name.size() - ending.size());
    const bool kernels =
        std::filesystem::exists(MEMLANE_SOURCE_DIR "/programs/exercises/" + stem + ".cu");
    if (kernels == cuda) names.push_back(stem);
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace memlane::test
