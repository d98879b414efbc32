// The playground's page as a file, and copies of it that open at a run.
#pragma once

#include "console.hpp"
#include "pending_file.hpp"
#include "run_request.hpp"

#include "memlane/support/result.hpp"

#include <optional>
#include <string>

namespace memlane::cli {

/// Where the page is. Error: it is not built.
Result<std::string> find_playground();

/// The page's text. Errors: it is not built, or cannot be read.
Result<std::string> playground_text();

/// The page as it opens at a run whose address has this fragment (sweep::playground_fragment).
Result<std::string> playground_at(const std::string& fragment);

/// The page's address with this run, relative to the page's folder. A shipped program has the path
/// by which the page knows it.
Result<std::string> playground_address(const RunRequest& request, const PreparedRun& run);
/// The same of what `memlane run WORDS` runs.
Result<std::string> playground_address(const std::string& words);

/// Writes a page to a file, and says so; none: to standard output.
Status write_playground(const std::string& page, std::optional<PendingFile>& file,
                        Console& console);

} // namespace memlane::cli
