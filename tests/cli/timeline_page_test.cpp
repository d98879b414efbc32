// memlane timeline --html: the page as a reader uses it, in a browser.
#include "chart/browser.hpp"
#include "shell.hpp"
#include "support/catch.hpp"

namespace memlane::test {

TEST_CASE("a page of a timeline is small, and has the command that makes it again", "[release]") {
  const Playground playground;
  const Outcome made =
      playground.run("memlane timeline sum -m umm-w32 -D 'n=2^17' --html -o page.html");
  CHECK(made.status == 0);
  CHECK(made.out.rfind("page.html: 9992 requests, ", 0) == 0);
  const std::string page = slurp(playground.folder() + "/page.html");
  CHECK(page.size() < 3'000'000);
  CHECK(page.find("<h1>sum.lane, n=131072 on UMM of width 32</h1>") != std::string::npos);
  CHECK(page.find("\"mt-command\">memlane timeline sum -m umm-w32 -D ") != std::string::npos);
  CHECK(page.find(" --html -o page.html</p>") != std::string::npos);
  const Outcome printed = playground.run("memlane timeline figure_access -m dmm-figure3 --html");
  CHECK(printed.status == 0);
  CHECK(printed.out.rfind("<!DOCTYPE html>", 0) == 0);
  CHECK(playground.run("memlane timeline sum --html --format json").status == 2);
}

#ifdef MEMLANE_CHROMIUM
namespace {

/// Uses the page by its keys as a reader does; `state` is all that it shows of a time unit.
constexpr const char* use_page = R"js(
(async () => {
  const host = document.querySelector(".memlane-timeline");
  while (!host.memlaneTimeline) await new Promise((done) => setTimeout(done, 5));
  const player = host.memlaneTimeline, { json } = player.model;
  const text = (query) => [...host.querySelectorAll(query)].map((node) => `${node.className} ${node.textContent}`).join("\n");
  const values = () => json.arrays.map((array, i) => Array.from({ length: array.words }, (_, word) => player.value(i, word)));
  const scrolls = () => [...host.querySelectorAll(".mt-memory-rows")].some((node) => node.scrollHeight > node.clientHeight);
  const state = () => [".mt-say", ".mt-pipe", ".mt-queue", ".mt-lines li", ".mt-thread", ".mt-units", ...(scrolls() ? [] : [".mt-cell"])]
    .map(text).join("\n") + JSON.stringify(values());
  const press = (key, shiftKey = false) => document.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));
  const say = () => host.querySelector(".mt-say").textContent;
  const told = { errors, resources: performance.getEntriesByType("resource").length, total: player.model.to, first: say() };
  const forward = [], back = [];
  for (let time = 0; time < player.model.to; ++time) forward.push(state()), press("ArrowRight");
  told.last = player.time(), told.end = say();
  told.values = values();
  for (let time = 0; time < player.model.to; ++time) press("ArrowLeft"), back.unshift(state());
  told.returned = player.time() === 0 && forward.every((text, i) => text === back[i]);
  told.different = new Set(forward.map((text) => text.slice(0, text.indexOf("\n")))).size;
  press("c"), (told.conflict = [player.time(), say(), host.querySelectorAll(".mt-enters.mt-extra").length > 0]);
  press("C"), (told.before = say());
  press("Home"), press("b"), (told.barrier = [player.time(), say()]);
  press("Home"), press("l"), (told.line = [player.time(), host.querySelectorAll(".mt-chosen").length]);
  press("?"), (told.keys = !host.querySelector(".mt-keys").hidden);
  press("Home"), press("ArrowRight", true), (told.ten = player.time());
  told.unnamed = [...host.querySelectorAll("button, select, input, [tabindex]")].filter((node) =>
    !(node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.length)).length;
  told.wide = [document.documentElement.scrollWidth, innerWidth];
  told.nodes = document.querySelectorAll("*").length;
  press("Home"), press(" ");
  await new Promise((done) => setTimeout(done, 1600));
  press(" ");
  told.played = player.time();
  document.body.dataset.told = JSON.stringify(told);
})();
)js";

constexpr const char* catch_errors = R"js(
const errors = [];
addEventListener("error", (event) => errors.push(event.message));
addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => errors.push(event.violatedDirective));
)js";

nlohmann::json use(const Playground& playground, const std::string& options,
                   const std::string& size) {
  const Outcome made = playground.run("memlane timeline " + options + " --html -o page.html");
  INFO(made.err);
  REQUIRE(made.status == 0);
  return told_in_browser(slurp(playground.folder() + "/page.html"), use_page, size, catch_errors);
}

/// All that the page of a run says, at all times, and what its program marks.
nlohmann::json said_by(const Playground& playground, const std::string& options) {
  const Outcome made = playground.run("memlane timeline " + options + " --html -o page.html");
  INFO(made.err);
  REQUIRE(made.status == 0);
  constexpr const char* read_page = R"js(
(async () => {
  const host = document.querySelector(".memlane-timeline");
  while (!host.memlaneTimeline) await new Promise((done) => setTimeout(done, 5));
  let spare = 0;
  const texts = new Set(), press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const list = (query) => [...host.querySelectorAll(query)].map((node) => node.textContent);
  press("?");
  for (let time = 0; time <= host.memlaneTimeline.model.to; ++time) {
    for (const node of host.querySelectorAll("*")) {
      if (node.closest(".mt-source")) continue;
      node.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
      for (const text of [node.title, node.getAttribute("aria-label"), node.children.length ? "" : node.textContent])
        if (text) texts.add(text);
    }
    for (const node of host.querySelectorAll(".mt-legend span")) texts.add(node.textContent);
    spare = Math.max(spare, list(".mt-memory-row .mt-spare").length);
    press("ArrowRight");
  }
  document.body.dataset.told = JSON.stringify({ errors, texts: [...texts].join("\n"), removed: list(".mt-lines del"),
    added: list(".mt-lines ins"), spare, wide: document.documentElement.scrollWidth - innerWidth });
})();
)js";
  nlohmann::json told = told_in_browser(slurp(playground.folder() + "/page.html"), read_page,
                                        "1280,900", catch_errors);
  CHECK(told.at("errors").empty());
  CHECK(told.at("wide") <= 0);
  return told;
}

/// What a page of any run must do.
void check_used(const nlohmann::json& told, int width) {
  INFO(told.dump(2));
  CHECK(told.at("errors").empty());
  CHECK(told.at("resources") == 0);
  CHECK(told.at("last") == told.at("total"));
  CHECK(told.at("returned") == true);
  CHECK(told.at("different") > 3);
  CHECK(told.at("keys") == true);
  CHECK(told.at("unnamed") == 0);
  CHECK(told.at("wide")[0] <= told.at("wide")[1]);
  CHECK(told.at("wide")[1] == width);
  CHECK(told.at("played") >= 1);
}

/// The array after a run, as the page has it at its end.
nlohmann::json after_run(const Playground& playground, const std::string& options,
                         const std::string& array) {
  const Outcome run = playground.run("memlane run " + options + " --output " + array +
                                     "=out.txt >/dev/null && tr -s ' ,\\n' ',' <out.txt");
  REQUIRE(run.status == 0);
  std::string list = run.out;
  while (!list.empty() && list.back() == ',') list.pop_back();
  return nlohmann::json::parse("[" + list + "]");
}

} // namespace

TEST_CASE("in a browser, a reader steps through Figure 3 by keys, forward and back", "[release]") {
  const Playground playground;
  const auto told = use(playground, "figure_access -m dmm-figure3", "1280,800");
  check_used(told, 1280);
  CHECK(told.at("total") == 7);
  CHECK(told.at("first") ==
        "Time unit 0. Launch 0 begins: kernel access, 1 block of 8 threads. Stage 1 of 2 of warp "
        "0's write (line 8) enters the pipeline: words 0, 5 and 7. Bank 3 has 2 of its words (7 "
        "and 15): a conflict. Warp 1 waits at the port.");
  CHECK(told.at("conflict") ==
        nlohmann::json::array({1,
                               "Time unit 1. Stage 2 of 2 of warp 0's write (line 8) enters the "
                               "pipeline: word 15, which had to wait for bank 3. Warp 1 waits "
                               "at the port.",
                               true}));
  CHECK(told.at("before") == "There is no earlier conflict in this timeline.");
  CHECK(told.at("barrier")[0] == 6);
  CHECK(told.at("line") == nlohmann::json::array({2, 1}));
  CHECK(told.at("ten") == 7);
  CHECK(told.at("values")[0] == after_run(playground, "figure_access -m dmm-figure3", "m"));
  CHECK(told.at("nodes") < 1500);
}

TEST_CASE("in a browser of a phone's width, a reader follows a transpose through shared memory",
          "[release]") {
  const Playground playground;
  const std::string options = "transpose -m hmm-teaching -D n=8 --layout t=rows";
  const auto told = use(playground, options, "390,844");
  check_used(told, 390);
  CHECK(told.at("total") == 88);
  CHECK(told.at("conflict")[2] == true);
  CHECK(told.at("conflict")[1].get<std::string>().find("Stage 2 of 4 of warp 0 of block 0's") !=
        std::string::npos);
  const std::string barrier = told.at("barrier")[1];
  CHECK(barrier.find("arrives at a barrier") != std::string::npos);
  CHECK(told.at("values")[1] == after_run(playground, options, "c"));
}

TEST_CASE(
    "in a browser of a phone's width, the program is the file that runs, and no number is cut",
    "[release]") {
  const Playground playground;
  constexpr const char* look = R"js(
(async () => {
  const host = document.querySelector(".memlane-timeline");
  while (!host.memlaneTimeline) await new Promise((done) => setTimeout(done, 5));
  const file = host.querySelector(".mt-source select");
  const text = document.createRange();
  const cut = [...host.querySelectorAll(".mt-place")].filter((node) => {
    text.selectNodeContents(node); // what runs out on the left is in no scrollWidth
    return node.textContent && text.getBoundingClientRect().left < node.getBoundingClientRect().left - 0.5;
  });
  document.body.dataset.told = JSON.stringify({ errors, file: file?.selectedOptions[0].textContent, places: host.querySelectorAll(".mt-place").length,
    current: host.querySelectorAll(".mt-lines .mt-current").length, says: host.querySelector(".mt-say").textContent,
    cut: cut.map((node) => node.textContent), wide: document.documentElement.scrollWidth - innerWidth });
})();
)js";
  const auto looked = [&](const std::string& options) {
    const Outcome made = playground.run("memlane timeline " + options + " --html -o page.html");
    INFO(made.err);
    REQUIRE(made.status == 0);
    nlohmann::json told =
        told_in_browser(slurp(playground.folder() + "/page.html"), look, "390,844", catch_errors);
    INFO(told.dump(2));
    CHECK(told.at("errors").empty());
    CHECK(told.at("cut").empty());
    CHECK(told.at("places") > 5);
    CHECK(told.at("wide") <= 0);
    return told;
  };
  const auto used = looked("reduction_tree -m hmm-teaching -D n=32 -D r=2");
  CHECK(used.at("file").get<std::string>().ends_with("/reduction.lane"));
  CHECK(used.at("current") > 0);
  CHECK(used.at("says").get<std::string>().find("(line 16 of reduction.lane)") !=
        std::string::npos);
  looked("sum -m hmm-h200 -D n=4096");
}

TEST_CASE("in a browser, a program's text and the names of its files are only shown", "[release]") {
  const Playground playground;
  const std::string text = "memory a[4]: int = index\n"
                           "kernel k() { forall i in 0..4 { a[i] = i } }\n"
                           "main { launch k() }\n"
                           "verify { for i = 0 to 3 { assert a[i] == i } }\n"
                           "// </script><script>errors.push('evil')</script><!-- \"'&<b>\t\n";
  spit(playground.folder() + "/a <b>'\"&.lane", text);
  const auto told = use(playground, "'a <b>'\"'\\\"\"'&.lane' -m umm-figure3 ", "1280,800");
  check_used(told, 1280);
  CHECK(told.at("total") == 5);
  CHECK(told.at("values")[0] == nlohmann::json::array({0, 1, 2, 3}));
}
TEST_CASE("a page speaks of what its memory has, and shows the layouts in force", "[release]") {
  const Playground playground;
  const auto has = [](const nlohmann::json& told, const std::string& part) {
    return told.at("texts").get<std::string>().find(part) != std::string::npos;
  };
  const auto groups = said_by(playground, "strided -m umm-teaching -D n=4 -D s=3 --set threads=4");
  CHECK_FALSE(has(groups, "bank"));
  CHECK_FALSE(has(groups, "onflict"));
  CHECK(has(groups, "It touches 3 address groups: 0–2."));
  const auto banks = said_by(playground, "strided -m dmm-teaching -D n=4 -D s=4 --set threads=4");
  CHECK(has(banks, "bank 0"));
  CHECK(has(banks, "conflict"));
  const std::string transpose = "transpose -m hmm-teaching -D n=4";
  const auto rows = said_by(playground, transpose + " --layout t=rows");
  CHECK(rows.at("removed") == nlohmann::json{"layout padded(1)"});
  CHECK(rows.at("added") == nlohmann::json{"layout rows"});
  CHECK(rows.at("spare") == 0);
  const auto padded = said_by(playground, transpose);
  CHECK(padded.at("removed").empty());
  CHECK(padded.at("added").empty());
  CHECK(padded.at("spare").get<int>() > 0);
  CHECK(has(padded, "t[1, 0]"));
  CHECK(has(padded, "spare words of a layout"));
}

TEST_CASE("a page tells requests with empty stages and those of own ports as they happen",
          "[release]") {
  const Playground playground;
  const auto write = [&](const std::string& text) {
    spit(playground.folder() + "/p.lane", text + "\nverify { assert true }\n");
  };
  const auto says = [&](const std::string& options, const std::string& part) {
    const auto told = said_by(playground, "p.lane " + options);
    INFO(part << " in\n" << told.at("texts").get<std::string>());
    CHECK(told.at("texts").get<std::string>().find(part) != std::string::npos);
  };
  const std::string own = "-m hmm-figure1 --set multiprocessors=1 --set global.own_port=true";
  write("memory a[4]: int\nkernel k() { shared s[4]: int  s[lane] = lane  a[lane] = s[lane] }\n"
        "main { launch k() threads=4 }");
  const std::string least = "-m hmm-figure1 --set shared.least_stages=2 ";
  says(least, "(line 2) enters the pipeline: words 0–3. Its words need 1 stage, and the request "
              "takes 2: lanes of an atomic take turns");
  says(least, "Stage 2 of 2 of warp 0's write (line 2) enters the pipeline without a word.");
  write("memory a[8]: int = index\nkernel k() { let x = a[lane]  let y = a[lane + 4] }\n"
        "main { launch k() threads=4 }");
  says(own, "Time unit 7. Warp 0's read is completed.");
  write(
      "memory a[8]: int = index\nkernel k() { let x = a[2*lane] }\nmain { launch k() threads=4 }");
  says(own, "It touches 2 lines: 0 and 1.");
  says(own, "(word 5, line 1)");
  write("memory c[4]: int\nkernel k() { atomic c[0] += 1 }\nmain { launch k() threads=4 }");
  says("-m umm-figure3", "Warp 0's write is completed. The run is over: it took 8 time units.");
  write("memory a[8]: int = index\n"
        "kernel read() { let x = if warp == 2 then a[2 + lane] else a[lane] }\n"
        "main { launch read() threads=12 }");
  const std::string reuse = own + " --set threads=12 --set global.latency=20 --set global.group=2 "
                                  "--set global.least_stages=2 --set global.reuse=block "
                                  "--set global.reuse_latency=3";
  says(reuse, "Time unit 7. Warp 1's read is completed.");
  says(reuse, "Time unit 23. Warp 0's read is completed.");
  write("memory a[64]: int\nkernel k() { a[thread + 8*block] = 1 }\n"
        "main { launch k() blocks=2 threads=8 }");
  says(own + " --set global.latency=5 --set global.group=1 --set requests_in_flight=2 "
             "--window 10:",
       "Warp 1 of block 1's write is completed. The run is over");
  write("memory a[8]: int = index\nkernel k() { a[thread] = 2*a[thread] + 1 }\n"
        "main { launch k() threads=8 }");
  says("-m hmm-figure1 --set "
       "'operations=[{\"name\":\"alu\",\"slots\":{\"other\":2}}]'",
       "its warp waits at the port.");
}
#endif

} // namespace memlane::test
