// A citation names a section that exists; a link leads somewhere.
#include "citations.hpp"
#include "cli/shell.hpp"
#include "markdown.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>

namespace memlane::test {
namespace {

namespace fs = std::filesystem;

const fs::path root = MEMLANE_SOURCE_DIR;

/// "3" is a section of the page if it has a heading "3. …".
bool has_section(const std::vector<Heading>& headings, const std::string& number) {
  return std::any_of(headings.begin(), headings.end(), [&](const Heading& heading) {
    return heading.text.rfind(number + ". ", 0) == 0;
  });
}

bool has_title(const std::vector<Heading>& headings, const std::string& title) {
  return std::any_of(headings.begin(), headings.end(),
                     [&](const Heading& heading) { return heading.text == title; });
}

bool has_anchor(const std::vector<Heading>& headings, const std::string& anchor) {
  return std::any_of(headings.begin(), headings.end(),
                     [&](const Heading& heading) { return heading.anchor == anchor; });
}

} // namespace

TEST_CASE("every cited section of a document exists") {
  // configs/README.md section 3 · sections 2 and 3 · sections 3 to 5 · section 3, "Ports"
  const std::string numbered = R"re((\w+/README\.md),? sections? (\d+)(?: (?:to|and) (\d+))?)re"
                               R"re((?:, (?:phase \d, )?"([^"]+)")?)re";
  // programs/README.md, "Names"
  const std::string titled = R"re(((?:\w+/)?README\.md),? \(?"([^"]+)")re";
  int found = 0;
  for (const ProjectFile& file : project_files()) {
    for (const std::string& near : around(on_one_line(file.text), "README.md", 20, 120)) {
      INFO(file.path << ": " << near);
      for (const auto& cited : matches_of(near, numbered)) {
        const auto headings = headings_of(slurp((root / cited[1]).string()));
        CHECK(has_section(headings, cited[2]));
        if (!cited[3].empty()) CHECK(has_section(headings, cited[3]));
        if (!cited[4].empty()) CHECK(has_title(headings, cited[4]));
        ++found;
      }
      for (const auto& cited : matches_of(near, titled)) {
        CHECK(has_title(headings_of(slurp((root / cited[1]).string())), cited[2]));
        ++found;
      }
    }
  }
  CHECK(found >= 30);
}

TEST_CASE("every document that a comment names exists") {
  int found = 0;
  for (const ProjectFile& file : project_files()) {
    const fs::path folder = (root / file.path).parent_path();
    for (const std::string& near : around(comments_of(file.text), ".md", 60, 3)) {
      for (const auto& named : matches_of(near, R"re([\w./-]*\w\.md$)re")) {
        INFO(file.path << ": " << named[0]);
        CHECK((fs::exists(root / named[0]) || fs::exists(folder / named[0])));
        ++found;
      }
    }
  }
  CHECK(found >= 30);
}

TEST_CASE("explain machine names every section of the definition that makes a choice") {
  const Playground playground;
  const std::string told = playground.run("memlane explain machine").out;
  const std::string text = slurp((root / "configs/README.md").string());
  int sections = 0;
  for (const Heading& heading : headings_of(text)) {
    const std::size_t dot = heading.text.find(". ");
    if (heading.level != 2 || dot == std::string::npos) continue;
    if (section_of(text, "## " + heading.text).find("**Choice**") == std::string::npos &&
        section_of(text, "## " + heading.text).find("(Choice)") == std::string::npos)
      continue;
    INFO(heading.text);
    CHECK(told.find("(section " + heading.text.substr(0, dot) + ")") != std::string::npos);
    ++sections;
  }
  CHECK(sections >= 5);
  CHECK(told.find("\nlaunches (section 3)\n") != std::string::npos); // of a concurrent
  for (const auto& cited : matches_of(told, R"re(\(section (\d+)\))re"))
    CHECK(has_section(headings_of(text), cited[1]));
}

TEST_CASE("every link of a document leads to a file and a heading") {
  int found = 0;
  for (const ProjectFile& file : project_files()) {
    if (fs::path(file.path).extension() != ".md") continue;
    const fs::path folder = (root / file.path).parent_path();
    for (const std::string& near : around(file.text, "](", 0, 200)) {
      for (const auto& link : matches_of(near, R"re(^\]\(([^)#\s]*)(?:#([^)\s]*))?\))re")) {
        if (link[1].rfind("http", 0) == 0) continue;
        INFO(file.path << ": " << link[0]);
        const fs::path target = link[1].empty() ? root / file.path : folder / link[1];
        REQUIRE(fs::exists(target));
        if (!link[2].empty()) CHECK(has_anchor(headings_of(slurp(target.string())), link[2]));
        ++found;
      }
    }
  }
  CHECK(found >= 20);
}

} // namespace memlane::test
