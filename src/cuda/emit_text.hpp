// Lines of C++, and the comments of the program that go with them.
#pragma once

#include "memlane/support/source.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace memlane::cuda {

/// Indented lines.
class Writer {
public:
  explicit Writer(int depth = 1) : depth_(depth) {}
  void line(const std::string& text, const std::string& comment = "");
  /// `text {`, and everything up to close() deeper.
  void open(const std::string& text, const std::string& comment = "");
  void close(const std::string& end = "}");
  void gap() { text_ += "\n"; } ///< an empty line
  void indent() { ++depth_; }
  void unindent() { --depth_; }
  std::string text() const { return text_; }
  bool empty() const { return text_.empty(); }

private:
  std::string text_;
  int depth_;
};

/// The statement that returns a value.
inline std::string returning(const std::string& value) { return "return " + value + ";"; }
/// A one-line function, on three lines if it is long.
std::string wrapped(const std::string& function);
/// The names in a piece of C++.
void add_words(const std::string& text, std::set<std::string>& words);
/// Whether a piece of C++ calls a function.
bool contains_call(const std::string& text);

/// The `//` comments of the program: each goes once to the first code that asks for its line.
class Comments {
public:
  explicit Comments(const Sources& sources) : sources_(sources) {}
  /// The comments that open a file speak of the whole of it: no code gets them.
  void leave_out_head(std::int32_t file);
  /// The comment lines right above a place, with their `//` or `///`.
  std::vector<std::string> above(Span place);
  /// The comment behind the code of a line; empty if there is none or it was taken.
  std::string behind(Span place);

private:
  struct Line {
    bool code = false;
    std::string comment;
  };
  const std::vector<Line>& lines(std::int32_t file);

  const Sources& sources_;
  std::map<std::int32_t, std::vector<Line>> files_;
  std::set<std::pair<std::int32_t, std::int32_t>> taken_;
};

} // namespace memlane::cuda
