// Figure files, and a store that is there while figures are made.
#pragma once

#include "memlane/study/figures/figure.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// The names of the shipped figures, sorted; numbers in them by their values.
std::vector<std::string> shipped_figures();
/// The figures of these names, each a shipped one's or the path of a file that ends in `.json`;
/// without names all that are shipped, sorted. Errors: unknown names, those of all files.
Result<std::vector<FigureSpec>> load_figures(Sources& sources,
                                             const std::vector<std::string>& names, bool quick);

/// A path for a store that is removed at the end, also by a signal that ends the program.
class TemporaryStore {
public:
  static Result<TemporaryStore> make();
  TemporaryStore(TemporaryStore&& other) noexcept;
  TemporaryStore& operator=(TemporaryStore&&) = delete;
  ~TemporaryStore();

  const std::string& path() const { return path_; }

private:
  explicit TemporaryStore(std::string path) : path_(std::move(path)) {}
  std::string path_; ///< empty: another has it
};

} // namespace memlane::cli
