// What the project's texts cite: sections of its documents, and the literature.
#pragma once

#include <string>
#include <vector>

namespace memlane::test {

/// A text file of the project.
struct ProjectFile {
  std::string path; ///< from the root
  std::string text;
};

/// The texts that cite: code, tests, programs, machine files and documents. Recorded output
/// (`tests/golden`) and what fuzzing found are not among them.
std::vector<ProjectFile> project_files();

/// The text with comment marks and line ends as single spaces, so that a citation may be broken
/// over lines.
std::string on_one_line(const std::string& text);

/// What follows `//` in each line, also of more than two slashes, as one line.
std::string comments_of(const std::string& text);

/// All matches of a regular expression, a list of groups each, the whole match first.
std::vector<std::vector<std::string>> matches_of(const std::string& text,
                                                 const std::string& expression);

/// The pieces of the text around each occurrence of a word: from so many characters before it to
/// so many behind its begin. Expressions that begin with anything are slow on whole files.
std::vector<std::string> around(const std::string& text, const std::string& word,
                                std::size_t before, std::size_t after);

} // namespace memlane::test
