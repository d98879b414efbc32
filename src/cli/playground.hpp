// The playground: the page that runs programs in a browser.
#pragma once

#include "run_request.hpp"

#include <string>

namespace memlane::cli {

/// A page is not that large.
inline constexpr std::size_t most_playground_bytes = std::size_t{16} << 20;

/// The path of the page. An error: it is not built.
Result<std::string> playground_page();
/// Its address with this run, relative to the page's folder. A shipped program has the path by
/// which the page knows it.
Result<std::string> playground_address(const RunRequest& request, const PreparedRun& run);
/// The same of what `memlane run WORDS` runs.
Result<std::string> playground_address(const std::string& words);

} // namespace memlane::cli
