// Pages of timelines: what is in them, and, in a browser, that strange timelines are shown or
// refused.
#include "chart/browser.hpp"
#include "support/catch.hpp"

#include "memlane/timeline/page.hpp"

#include <nlohmann/json.hpp>

#include <iterator>

namespace memlane::test {
namespace {

using Json = nlohmann::ordered_json;

std::size_t count_in(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
}

/// A timeline without a request.
Json empty_timeline() {
  return Json::parse(R"({"memlane_timeline": 1, "sources": [], "window": {"from": 0, "to": 0},
    "time": 0, "width": 4, "units": [], "arrays": [], "placements": [], "launches": [],
    "requests": {"launch": [], "block": [], "warp": [], "multiprocessor": [], "unit": [],
      "write": [], "source": [], "line": [], "column": [], "array": [], "issued": [],
      "dispatched": [], "port": [], "last": [], "stages": [], "completed": [], "addresses": [], "values": []},
    "waiting": {"launch": [], "block": [], "warp": [], "unit": [], "source": [], "line": [],
      "issued": []},
    "barriers": {"launch": [], "block": [], "warp": [], "arrived": [], "released": []},
    "computes": {"launch": [], "block": [], "warp": [], "from": [], "to": []},
    "done": {"launch": [], "block": [], "warp": [], "from": []},
    "blocks": {"launch": [], "block": [], "multiprocessor": [], "slot": [], "from": [], "to": []},
    "registers": null,
    "host_writes": {"time": [], "array": [], "word": [], "value": []}, "notes": []})");
}

/// One warp of width 4 that reads word 0 and words 4, 8 and 12 of the same bank, the run stopped
/// behind it. `name`: of all that has a name.
Json small_timeline(const std::string& name) {
  Json all = empty_timeline();
  all["sources"] = {{{"path", name}, {"text", name + "\nread\n"}}};
  all["window"]["to"] = 9;
  all["time"] = nullptr;
  all["units"] = {{{"unit", "shared"},
                   {"multiprocessor", nullptr},
                   {"kind", "discrete"},
                   {"latency", 3},
                   {"ports", 1}}};
  all["arrays"] = {{{"name", name},
                    {"unit", 0},
                    {"launch", nullptr},
                    {"block", nullptr},
                    {"first", 0},
                    {"words", 16},
                    {"extents", {16}},
                    {"type", "long"},
                    {"layout", "rows"},
                    {"words_of", nullptr},
                    {"initial", nullptr}}};
  all["launches"] = {{{"launch", 0},
                      {"kernel", name},
                      {"source", 0},
                      {"line", 2},
                      {"begin", 0},
                      {"end", nullptr},
                      {"blocks", 1},
                      {"threads", 4},
                      {"warps", 1}}};
  const auto add = [&](const char* table, const Json& row) {
    for (const auto& [column, value] : row.items()) all[table][column].push_back(value);
  };
  add("requests", {{"launch", 0},
                   {"block", 0},
                   {"warp", 0},
                   {"multiprocessor", 0},
                   {"unit", 0},
                   {"write", false},
                   {"source", 0},
                   {"line", 2},
                   {"column", 1},
                   {"array", 0},
                   {"issued", 0},
                   {"dispatched", 0},
                   {"port", 0},
                   {"last", 3},
                   {"stages", 4},
                   {"completed", 6},
                   {"addresses", {{"base", 0}, {"stride", 4}, {"lanes", {0, 3}}}},
                   {"values", {"9223372036854775807", nullptr, true, "nan"}}});
  add("waiting", {{"launch", 0},
                  {"block", 0},
                  {"warp", 0},
                  {"unit", 0},
                  {"source", nullptr},
                  {"line", nullptr},
                  {"issued", 6}});
  add("blocks", {{"launch", 0},
                 {"block", 0},
                 {"multiprocessor", 0},
                 {"slot", 0},
                 {"from", 0},
                 {"to", nullptr}});
  all["notes"] = {"What " + name + " was is left out."};
  return all;
}

const std::string hostile = "</script><script>document.body.dataset.evil=1</script><!--\"'&`\x01";

} // namespace

TEST_CASE(
    "a page with a timeline holds its words, its data and its player, and nothing from outside") {
  const std::string page =
      timeline_page({"a <title>", "memlane timeline \"a\"", "the text"}, small_timeline("a"));
  for (const char* part :
       {"<title>a &lt;title&gt;</title>", "<h1>a &lt;title&gt;</h1>",
        "memlane timeline &quot;a&quot;</p>", "<pre>the text</pre>",
        "<script type=\"application/json\" id=\"timeline-data\">{\"memlane_timeline\":1,",
        "Content-Security-Policy\" content=\"default-src 'none'"})
    CHECK(page.find(part) != std::string::npos);
  CHECK(count_in(page, "<script") == 2);
  CHECK(count_in(page, "</script>") == 2);
  for (const char* address : {"https:", " src=", "url(", "@import"})
    CHECK(page.find(address) == std::string::npos);
  CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("texts of a timeline end no element of its page, and long timelines are compressed") {
  const std::string page = timeline_page({hostile, hostile, hostile}, small_timeline(hostile));
  CHECK(count_in(page, "<script") == 2);
  CHECK(count_in(page, "<!--") == 0);
  Json large = small_timeline("a");
  for (int i = 0; i < 40000; ++i) large["notes"].push_back("again");
  const std::string packed = timeline_page({"a", "b", "c"}, large);
  CHECK(packed.find("\"again\"") == std::string::npos);
  CHECK(packed.size() < page.size() + 10000);
}

TEST_CASE("a page that is written polls its stop token at least once a MiB", "[release]") {
  Json large = small_timeline("a");
  for (int i = 0; i < 300'000; ++i)
    large["notes"].push_back("note " + std::to_string(std::int64_t{i} * 7919));
  std::size_t polls = 0;
  Limits limits;
  limits.check = [&] { return ++polls, Stop::none; };
  Watch watch(limits);
  CHECK(timeline_page({"a", "b", "c"}, large, &watch) == timeline_page({"a", "b", "c"}, large));
  CHECK(polls > large.dump().size() >> 20);
  Limits stopping;
  stopping.check = [] { return Stop::interrupted; };
  Watch stopped(stopping);
  timeline_page({"a", "b", "c"}, large, &stopped);
  CHECK(stopped.stopped());
}

#ifdef MEMLANE_CHROMIUM
namespace {

/// Tells what each timeline of the page shows, once those that are unpacked have come.
constexpr const char* look_at_players = R"js(
(async () => {
  const told = { errors, evil: document.body.dataset.evil ?? null, shown: {} };
  const packed = document.getElementById("packed");
  while (!packed.memlaneTimeline && !packed.querySelector("[role=alert]")) await new Promise((done) => setTimeout(done, 5));
  for (const host of document.querySelectorAll(".memlane-timeline")) {
    const say = () => host.querySelector(".mt-say")?.textContent ?? null;
    const one = (told.shown[host.id] = { refused: host.querySelector("[role=alert]")?.textContent ?? null, first: say() });
    const handle = host.memlaneTimeline;
    if (!handle) continue;
    const press = (key) => host.firstChild.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const picture = () => ({ hidden: host.querySelector(".mt-moment > div")?.hidden ?? null, says: host.querySelector(".mt-moment .mt-says")?.textContent ?? null,
      cells: [...host.querySelectorAll(".mt-moment td")].map((cell) => `${cell.className}:${cell.lastChild?.data ?? ""}`).filter((cell) => !/^:/.test(cell)) });
    press("c"), (one.conflict = handle.time()), (one.picture = picture());
    press("End"), (one.end = say()), (one.last = handle.time()), (one.last_picture = picture());
    one.values = [0, 1, 4, 8, 12].map((word) => (handle.model.json.arrays.length ? handle.value(0, word) ?? "unknown" : "none"));
    one.cells = [...host.querySelectorAll(".mt-cell")].map((cell) => cell.textContent);
    one.code = host.querySelector(".mt-lines code")?.textContent ?? null;
    one.heading = host.querySelector(".mt-heading .mt-label")?.textContent ?? null;
  }
  for (const host of document.querySelectorAll(".memlane-memory"))
    told.shown[host.id] = { refused: host.querySelector("[role=alert]")?.textContent ?? null, says: host.querySelector(".mt-says")?.textContent ?? null,
      cells: [...host.querySelectorAll("td")].map((cell) => `${cell.className}:${cell.textContent}`), titles: [...host.querySelectorAll("td")].map((cell) => cell.title) };
  document.body.dataset.told = JSON.stringify(told);
})();
)js";

constexpr const char* listen = R"js(
const errors = [];
addEventListener("error", (event) => errors.push(event.message));
addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => errors.push(event.violatedDirective));
)js";

} // namespace

TEST_CASE("in a browser, strange timelines are shown or refused, several on a page", "[release]") {
  Json newer = small_timeline("a"), damaged = small_timeline("a"), large = small_timeline("a");
  newer["memlane_timeline"] = 2;
  damaged.erase("blocks");
  for (int i = 0; i < 40000; ++i) large["notes"].push_back("again");
  std::string page = "<!DOCTYPE html>\n<html><head>" + timeline_style_element() + "</head>\n<body>";
  for (const auto& [id, timeline] :
       {std::pair("hostile", small_timeline(hostile)), std::pair("empty", empty_timeline()),
        std::pair("newer", newer), std::pair("damaged", damaged),
        std::pair("other", Json::parse("{\"a\": 1}")), std::pair("packed", large)})
    page += timeline_element(id, timeline, hostile);
  page += memory_element("memory", small_timeline(hostile), hostile, nullptr, 2) +
          memory_element("no-request", empty_timeline(), hostile) +
          memory_element("no-memory", damaged, hostile);
  page += timeline_script_element() + "</body></html>";
  const auto told = told_in_browser(page, look_at_players, "1280,800", listen);
  INFO(told.dump(2));
  CHECK(told.at("errors").empty());
  CHECK(told.at("evil") == nullptr);
  const auto& shown = told.at("shown");
  CHECK(shown.at("newer").at("refused") ==
        "This timeline is of version 2; this page reads version 1.");
  CHECK(shown.at("damaged").at("refused") ==
        "This timeline is damaged: it lacks the member blocks.");
  CHECK(shown.at("other").at("refused") ==
        "This is no timeline of memlane: it lacks the member memlane_timeline.");
  CHECK(shown.at("empty").at("end") == "There is no later conflict in this timeline.");
  const auto& strange = shown.at("hostile");
  CHECK(strange.at("refused") == nullptr);
  CHECK(strange.at("conflict") == 1);
  CHECK(strange.at("last") == 9);
  CHECK(strange.at("code") == hostile);
  CHECK(strange.at("heading") == hostile + "[16]: long");
  CHECK(strange.at("values") ==
        nlohmann::json::array({"9223372036854775807", "unknown", "unknown", true, "nan"}));
  // In the time unit of the conflict: a stage in the pipeline, one that enters, two that wait.
  const nlohmann::json cells = {"mt-flies:0", "mt-extra:1", "mt-waits:2", "mt-waits:3"};
  CHECK(strange.at("picture").at("cells") == cells);
  CHECK(strange.at("picture").at("says") ==
        "Warp 0's read. " + shown.at("memory").at("says").get<std::string>());
  CHECK(strange.at("last_picture").at("hidden") == true);
  CHECK(shown.at("empty").at("picture").at("hidden") == nullptr);
  CHECK(shown.at("packed").at("values") == strange.at("values"));
  const auto& memory = shown.at("memory");
  CHECK(memory.at("says") == "Line 2: 4 lanes of a warp read 4 words of " + hostile +
                                 " in 1 bank; a bank delivers one word a stage, so the request "
                                 "takes 4 stages instead of 1.");
  CHECK(memory.at("cells").at(0) == "mt-first:00");
  CHECK(memory.at("cells").at(4) == "mt-extra:41");
  CHECK(memory.at("titles").at(4) == hostile + "[4]: lane 1, stage 2");
  CHECK(shown.at("no-request").at("says") == "No request is in this timeline.");
  CHECK(shown.at("no-memory").at("refused") ==
        "This timeline is damaged: it lacks the member blocks.");
}
#endif

} // namespace memlane::test
