// The list of sources (configs/README.md, "Sources") has what is cited, and nothing else.
#include "citations.hpp"
#include "cli/shell.hpp"
#include "markdown.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <set>

namespace memlane::test {
namespace {

const char* const list_path = "configs/README.md";
const char* const list_heading = "## Sources";

std::string list() {
  return section_of(slurp(std::string(MEMLANE_SOURCE_DIR) + "/" + list_path), list_heading);
}

/// The forms in which the entries are cited: the first cells of the list's tables.
std::set<std::string> cited_forms() {
  std::set<std::string> forms;
  for (const Table& table : tables_of(list())) {
    REQUIRE(table.front().front() == "cited as");
    for (std::size_t row = 1; row < table.size(); ++row) {
      const auto quoted = matches_of(table[row].front(), R"re(`([^`]+)`)re");
      REQUIRE(!quoted.empty());
      for (const auto& form : quoted) {
        INFO(form[1]);
        CHECK(forms.insert(form[1]).second);
      }
    }
  }
  return forms;
}

/// All texts on one line each, without the list itself and the tests of the documents.
std::vector<ProjectFile> citing_texts() {
  std::vector<ProjectFile> texts;
  for (ProjectFile& file : project_files()) {
    if (file.path.rfind("tests/documents/", 0) == 0) continue;
    if (file.path == list_path) file.text.resize(file.text.find(std::string(list_heading) + "\n"));
    texts.push_back({file.path, on_one_line(file.text)});
  }
  return texts;
}

/// What looks like a citation: [N]; Nakano & Ito 2014; Salmon et al. 2011; RFC 8259; arXiv
/// 2402.13499; IEICE E97-D 3063; GPU Gems 3.
std::vector<std::string> citations_in(const std::string& text) {
  struct Form {
    const char* anchor;
    std::size_t before, after;
    const char* expression;
  };
  const char* const names_and_year =
      R"re((?:^|[^A-Za-z])([A-Z][a-z]+(?:(?:, [A-Z][a-z]+(?: [A-Z][a-z]+)?)* & (?:Van )?[A-Z][a-z]+| et al\.)? (?:19|20)\d\d)[^\d]$)re";
  const char* const bracketed = R"re(^.(\[[A-Z]{1,3}\]))re";
  const Form forms[] = {
      {" [", 0, 6, bracketed},
      {"([", 0, 6, bracketed},
      {" 19", 70, 6, names_and_year},
      {" 20", 70, 6, names_and_year},
      {"arXiv ", 0, 20, R"re(^(arXiv \d+\.\d+))re"},
      {"RFC ", 0, 10, R"re(^(RFC \d+))re"},
      {"IEICE ", 0, 20, R"re(^(IEICE E\d+-D \d+))re"},
      {"GPU Gems ", 0, 12, R"re(^(GPU Gems \d))re"},
  };
  std::vector<std::string> citations;
  for (const Form& form : forms) {
    for (const std::string& near : around(text + " ", form.anchor, form.before, form.after))
      for (const auto& match : matches_of(near, form.expression)) citations.push_back(match[1]);
  }
  return citations;
}

/// The `///` lines that a program begins with.
std::string description_of(const std::string& program) {
  std::string description;
  for (const std::string& line : lines_of(program)) {
    if (line.rfind("///", 0) != 0) break;
    description += line + "\n";
  }
  return description;
}

/// A claim begins a line; its source is the string behind it.
std::vector<std::string> sources_of_claims(const std::string& text) {
  std::vector<std::string> sources;
  for (std::size_t at = text.find("claim "); at != std::string::npos;
       at = text.find("claim ", at + 1)) {
    const std::size_t open = text.find('"', at);
    const std::size_t close = open == std::string::npos ? open : text.find('"', open + 1);
    if ((at > 0 && text[at - 1] != '\n') || close == std::string::npos) continue;
    sources.push_back(text.substr(open + 1, close - open - 1));
  }
  return sources;
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

} // namespace

TEST_CASE("every citation is in the list of sources") {
  const auto forms = cited_forms();
  REQUIRE(forms.size() >= 20);
  int found = 0;
  for (const ProjectFile& file : citing_texts()) {
    for (const std::string& citation : citations_in(file.text)) {
      INFO(file.path << ": " << citation);
      CHECK(forms.count(citation) == 1);
      ++found;
    }
  }
  CHECK(found >= 100);
}

TEST_CASE("every source of the list is cited, in each of its forms") {
  std::string all;
  for (const ProjectFile& file : citing_texts()) all += in_lower_case(file.text) + "\n";
  for (const std::string& form : cited_forms()) {
    INFO(form);
    CHECK(all.find(in_lower_case(form)) != std::string::npos);
  }
}

TEST_CASE("a claim that cites a place in a paper names the paper, or its program does") {
  const auto forms = cited_forms();
  int found = 0;
  for (const ProjectFile& file : project_files()) {
    if (file.path.rfind("programs/", 0) != 0) continue;
    const std::string description = description_of(file.text);
    for (const std::string& source : sources_of_claims(file.text)) {
      if (matches_of(source, R"re(\b(?:Theorem|Lemma|Table|Algorithm|section|Fig\.) ?\d)re")
              .empty())
        continue;
      INFO(file.path << ": " << source);
      const auto in = [&](const std::string& text) {
        return std::any_of(forms.begin(), forms.end(), [&](const std::string& form) {
          return text.find(form) != std::string::npos;
        });
      };
      CHECK((in(source) || in(description)));
      ++found;
    }
  }
  CHECK(found >= 20);
}

} // namespace memlane::test
