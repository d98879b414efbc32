// A program from its text, for tests.
#pragma once

#include "support/catch.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/checked_program.hpp"
#include "memlane/lang/parse.hpp"

#include <string>
#include <utility>

namespace memlane::test {

/// Requires that it is right and uses no other program.
inline CheckedProgram checked_text(Sources& sources, const std::string& path,
                                   const std::string& text) {
  const std::int32_t file = sources.add(path, text);
  auto tree = lang::load_program(
      sources, file, [](const auto&, const auto&) -> Result<std::int32_t> { return 0; }, {});
  REQUIRE(tree);
  auto checked = lang::check(sources, std::move(*tree), claim_counts());
  REQUIRE(checked);
  return {std::move(*checked), {}};
}

} // namespace memlane::test
