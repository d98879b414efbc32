// The playground as a WebAssembly module: texts in its memory, in and out.
#include "memlane/web/playground.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace {

using namespace memlane;

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string text; ///< what the page writes, then what it reads
std::unique_ptr<web::Playground> playground;

} // namespace

extern "C" {

/// Where the page writes a text of so many bytes.
__attribute__((export_name("memlane_text"))) char* memlane_text(std::size_t size) {
  text.resize(size);
  return text.data();
}
__attribute__((export_name("memlane_size"))) std::size_t memlane_size() { return text.size(); }

/// The text is an object: each shipped file's path and its text.
__attribute__((export_name("memlane_begin"))) void memlane_begin() {
  web::Shipped shipped;
  shipped.version = MEMLANE_VERSION;
  shipped.host = {"browser", "wasm32", "clang " __clang_version__};
  const nlohmann::json files = nlohmann::json::parse(text, nullptr, false);
  for (const auto& [path, content] : files.items())
    if (content.is_string()) shipped.files.emplace(path, content.get<std::string>());
  playground = std::make_unique<web::Playground>(std::move(shipped), seconds_now);
}

/// The text is a question; returns where the answer is.
__attribute__((export_name("memlane_answer"))) const char* memlane_answer() {
  text = playground->answer(text);
  return text.data();
}
}
