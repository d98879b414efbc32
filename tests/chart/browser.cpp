#include "browser.hpp"

#include "support/catch.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#ifdef MEMLANE_CHROMIUM
namespace memlane::test {
namespace {

std::string unescaped(std::string text) {
  for (const auto& [from, to] : {std::pair("&quot;", "\""), std::pair("&lt;", "<"),
                                 std::pair("&gt;", ">"), std::pair("&amp;", "&")})
    for (std::size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, std::string(from).size(), to);
  return text;
}

/// The document after its scripts have run, and what they wait for.
std::string document_in_browser(const std::string& page, const std::string& size) {
  std::string pattern = (std::filesystem::temp_directory_path() / "memlane-page-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  const std::filesystem::path folder = pattern;
  std::ofstream(folder / "page.html") << page;
  const std::string command =
      "timeout 60 " MEMLANE_CHROMIUM " --headless --no-sandbox --disable-gpu --disable-quic "
      "--no-first-run --disable-background-networking --disable-component-update --disable-sync "
      "--proxy-server=127.0.0.1:9 --virtual-time-budget=10000 --user-data-dir=" +
      (folder / "profile").string() + " --window-size=" + size + " --dump-dom file://" +
      (folder / "page.html").string() + " 2>/dev/null";
  std::string document;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    document.append(buffer, got);
  pclose(pipe);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return document;
}

/// A page with that page in a frame, since a window is at least 500 pixels wide.
std::string in_frame(const std::string& page, const std::string& size) {
  std::string text;
  for (const char c : page) {
    if (c == '"')
      text += "&quot;";
    else if (c == '&')
      text += "&amp;";
    else
      text += c;
  }
  const std::size_t comma = size.find(',');
  return "<!DOCTYPE html>\n<html><body><iframe style=\"border: 0; width: " + size.substr(0, comma) +
         "px; height: " + size.substr(comma + 1) + "px\" srcdoc=\"" + text +
         "\"></iframe><script>\nconst frame = document.querySelector(\"iframe\");\n"
         "const look = () => {\n  const told = frame.contentDocument?.body?.dataset.told;\n"
         "  if (told) frame.remove(), (document.body.dataset.told = told);\n"
         "  else setTimeout(look, 5);\n};\nlook();\n</script></body></html>\n";
}

} // namespace

nlohmann::json told_in_browser(std::string page, const std::string& script, const std::string& size,
                               const std::string& first) {
  page.replace(page.rfind("</body>"), 7, "<script>\n" + script + "\n</script></body>");
  if (!first.empty()) page.insert(page.find("<body"), "<script>\n" + first + "\n</script>");
  if (std::stoi(size) < 500) page = in_frame(page, size);
  const std::string document = document_in_browser(page, size);
  INFO(document.substr(0, 2000));
  const std::string mark = "data-told=\"";
  const std::size_t begin = document.find(mark);
  REQUIRE(begin != std::string::npos);
  const std::size_t from = begin + mark.size();
  return nlohmann::json::parse(unescaped(document.substr(from, document.find('"', from) - from)));
}

} // namespace memlane::test
#endif
