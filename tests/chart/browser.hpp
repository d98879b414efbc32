// Opens pages in headless Chromium, without a network.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace memlane::test {

/// Loads the page with `script` (the text of a script element) at its end, in a window of a size
/// such as `1280,900`. The script writes a JSON text as `document.body.dataset.told`, perhaps
/// later; that is the result. `first` is a script at the page's begin. Fails the test if nothing is
/// told.
nlohmann::json told_in_browser(std::string page, const std::string& script, const std::string& size,
                               const std::string& first = "");

} // namespace memlane::test
