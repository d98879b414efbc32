// A run as an address of the playground.
#pragma once

#include "memlane/points/recipe.hpp"

#include <string>
#include <string_view>

namespace memlane::sweep {

/// The fragment of the playground's address that shows the recipe's program, machine and numbers:
/// `#1.` and letters of base64url that hold a deflated JSON object (src/pages/playground/storage.js
/// reads it). `path`: the program's, in the project or any other. `text`: the program's; empty: the
/// text that the playground has under this path. Errors: the recipe has what a playground cannot
/// set, each named: a machine's file, `--fn`, `--type`, inputs, an order of atomics, a command.
/// What only changes the output is left out, as are limits and `--allow-races`: the playground
/// reports the first race instead.
Result<std::string> playground_fragment(const Recipe& recipe, std::string_view path,
                                        std::string_view text = {});

} // namespace memlane::sweep
