// Pages of lessons: what they link to, and what a browser makes of them.
#include "shell.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>

namespace memlane::test {
namespace {

namespace fs = std::filesystem;

bool page_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string without_scripts(std::string page) {
  const std::string end = "</script>";
  for (std::size_t at = 0; (at = page.find("<script", at)) != std::string::npos;)
    page.erase(at, page.find(end, at) + end.size() - at);
  return page;
}

} // namespace

TEST_CASE("the site of all lessons links only to what is there", "[release]") {
  const Playground playground;
  const Outcome made = playground.run("memlane demo --all --html -o site/lessons");
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK(made.out == "14 lessons and an index, in site/lessons\n");
  const fs::path folder = playground.folder() + "/site/lessons";
  int pages = 0;
  int links = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string page = slurp(entry.path().string());
    const std::string words = without_scripts(page);
    ++pages;
    for (std::size_t at = 0; (at = words.find(" href=\"", at)) != std::string::npos; ++at) {
      const std::size_t begin = at + 7;
      const std::string address = words.substr(begin, words.find('"', begin) - begin);
      INFO(entry.path() << ": " << address);
      if (address.rfind('#', 0) == 0) continue;
      CHECK(fs::exists(folder / address));
      ++links;
    }
    CHECK((!page_has(words, "http:") && !page_has(words, "https:")));
  }
  CHECK(pages == 15);
  CHECK(links == 14 + 14 + 13 + 13 + 13);
}

TEST_CASE("if the playground is built, lessons open it with their runs", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/playground.html", "the page");
  REQUIRE(playground.run("memlane demo --all --html -o site").status == 0);
  CHECK(slurp(playground.folder() + "/site/playground.html") == "the page");
  int linked = 0;
  for (const auto& entry : fs::directory_iterator(playground.folder() + "/site"))
    linked += page_has(slurp(entry.path().string()), "<a href=\"playground.html#1.") ? 1 : 0;
  CHECK(linked == 13); // all but that on CUDA
  // `memlane run --share` says the same address.
  const std::string lesson =
      slurp(std::string(MEMLANE_SOURCE_DIR) + "/configs/lessons/01-banks.json");
  const std::string play = nlohmann::json::parse(lesson).at("play");
  const std::string said = playground.run("memlane run " + play + " --share").err;
  const std::string address = said.substr(said.find("playground.html#"));
  CHECK(page_has(slurp(playground.folder() + "/site/banks.html"),
                 "<a href=\"" + address.substr(0, address.find('\n')) + "\">"));
}

#ifdef MEMLANE_CHROMIUM
TEST_CASE("in a browser, pages of lessons have no script errors, and fit a phone", "[release]") {
  const Playground playground;
  REQUIRE(playground.run("memlane demo --all --html -o site").status == 0);
  // All pages in frames as wide as a phone, in one document.
  std::string outer = "<!DOCTYPE html><html><body>\n";
  std::size_t pages = 0;
  for (const auto& entry : fs::directory_iterator(playground.folder() + "/site")) {
    std::string page = slurp(entry.path().string());
    page.insert(page.find("<style>"),
                "<script>window.faults = []; addEventListener('error', (e) => "
                "faults.push(e.message));</script>");
    std::string quoted;
    for (const char c : page)
      quoted += c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    outer += fmt::format("<iframe width=390 height=800 title=\"{}\" srcdoc=\"{}\"></iframe>\n",
                         entry.path().stem().string(), quoted);
    ++pages;
  }
  outer += R"js(<script>addEventListener("load", () => setTimeout(() => {
const told = [...document.querySelectorAll("iframe")].map((frame) => {
  const view = frame.contentWindow, root = view.document.documentElement;
  return { page: frame.title, faults: view.faults, wide: root.scrollWidth - view.innerWidth,
    charts: view.document.querySelectorAll("figure").length,
    details: view.document.querySelectorAll("figure .detail").length,
    timelines: view.document.querySelectorAll(".memlane-timeline").length,
    memories: view.document.querySelectorAll(".memlane-memory").length,
    drawn: view.document.querySelectorAll(".memlane-memory table").length,
    closed: [...view.document.querySelectorAll(".after")].filter((after) => !after.open).length,
    played: view.document.querySelectorAll(".memlane-timeline .mt-bar").length };
});
document.body.replaceChildren();
document.body.dataset.told = JSON.stringify(told).replaceAll('"', "'");
}, 500));</script></body></html>)js";
  spit(playground.folder() + "/frames.html", outer);
  const Outcome seen = playground.run(
      "timeout 90 " MEMLANE_CHROMIUM " --headless --no-sandbox --disable-gpu --disable-quic "
      "--no-first-run --disable-background-networking --disable-component-update --disable-sync "
      "--proxy-server=127.0.0.1:9 --user-data-dir=$T/profile --window-size=1280,900 "
      "--virtual-time-budget=20000 --dump-dom file://$T/frames.html");
  const std::string begin = "data-told=\"";
  const std::size_t at = seen.out.find(begin);
  INFO(seen.err.substr(0, 2000));
  REQUIRE(at != std::string::npos);
  std::string told = seen.out.substr(at + begin.size());
  told.resize(told.find('"'));
  std::replace(told.begin(), told.end(), '\'', '"');
  const nlohmann::json all = nlohmann::json::parse(told);
  REQUIRE(all.size() == pages);
  int played = 0, drawn = 0, closed = 0;
  for (const nlohmann::json& page : all) {
    INFO(page.dump());
    played += page.at("played").get<int>();
    drawn += page.at("drawn").get<int>();
    closed += page.at("closed").get<int>();
    CHECK(page.at("faults").empty());
    CHECK(page.at("wide") <= 0);
    CHECK(page.at("details") == page.at("charts"));
    CHECK(page.at("played") == page.at("timelines"));
    CHECK(page.at("drawn") == page.at("memories"));
  }
  int charts = 0, memories = 0;
  for (const auto& entry :
       fs::directory_iterator(std::string(MEMLANE_SOURCE_DIR) + "/configs/lessons")) {
    const auto lesson = nlohmann::json::parse(slurp(entry.path().string()));
    for (const char* part : {"pictures", "after"})
      for (const auto& picture : lesson.value(part, nlohmann::json::array())) {
        charts += picture.contains("chart") ? 1 : 0;
        memories += picture.contains("memory") ? 1 : 0;
      }
  }
  CHECK(played == charts);
  CHECK(drawn > memories); // the index has some of them, too
  CHECK(closed == 14);     // before a guess
}
#endif

} // namespace memlane::test
