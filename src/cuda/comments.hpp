// The comments of the program, for the code that is made of the lines they belong to.
#pragma once

#include "memlane/support/source.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace memlane::cuda {

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
