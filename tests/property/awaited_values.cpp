// For which reads a warp of a program waits: random programs whose time a second reading of
// configs/README.md, "Requests in flight", finds statement by statement, lane by lane.
#include "compiling.hpp"
#include "random_text.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"
#include "support/sanitized.hpp"

#include "memlane/count/simulate.hpp"
#include "memlane/support/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace memlane::test {
namespace {

constexpr std::size_t warp_width = 4;
constexpr std::int64_t latency = 20;

/// One warp. Every request is for words side by side, one stage, and takes `latency` time units.
class Awaiting : RandomText {
public:
  Awaiting(std::uint64_t seed, std::int64_t k) : RandomText(seed, 41), k_(k) {
    for (Variable& variable : variables_) variable = {};
    depth_ = 1;
    text_ = "memory x[4], y[4], z[4]: int = (index*3 + 1) % 4\nmemory o[4]: int\n"
            "kernel k() {\n  var t[2]: int\n";
    for (std::size_t v = 0; v < scalars; ++v) text_ += fmt::format("  var v{} = 0\n", v);
    for (std::int64_t count = 4 + pick(20); count > 0; --count) statement();
    text_ += "}\nmain { launch k() threads=4 }\nverify { assert x[0] == 1 }\n";
  }

  const std::string& text() const { return text_; }
  /// The end of the launch: all requests are complete.
  std::int64_t time() const { return std::max(now_, last_); }

private:
  struct Lane {
    std::int64_t value = 0;
    std::int64_t known = 0; ///< the time at which its value has come
  };
  using Variable = std::array<Lane, warp_width>;
  using Mask = std::array<bool, warp_width>;
  static constexpr std::size_t scalars = 3; ///< then the two elements of t

  std::string name(std::size_t v) const {
    return v < scalars ? fmt::format("v{}", v) : fmt::format("t[{}]", v - scalars);
  }
  std::size_t variable() { return static_cast<std::size_t>(pick(scalars + 2)); }
  void line(const std::string& code) { text_ += indent() + code + "\n"; }
  template <class F>
  void each_active(F f) {
    for (std::size_t lane = 0; lane < warp_width; ++lane)
      if (mask_[lane]) f(lane);
  }

  /// The warp goes on when the values of its active lanes have come.
  void need(std::size_t v) {
    each_active([&](std::size_t lane) { now_ = std::max(now_, variables_[v][lane].known); });
  }
  /// Returns when it is complete.
  std::int64_t request() {
    const std::int64_t complete = now_ + latency;
    under_way_.push_back(complete);
    last_ = std::max(last_, complete);
    ++now_;
    const auto incomplete = [&] {
      return std::count_if(under_way_.begin(), under_way_.end(),
                           [&](std::int64_t end) { return end > now_; });
    };
    while (incomplete() >= k_) ++now_;
    return complete;
  }

  void statement() {
    const bool any = std::find(mask_.begin(), mask_.end(), true) != mask_.end();
    const std::size_t to = variable(), from = variable();
    switch (pick(depth_ == 1 ? 8 : 6)) {
    case 0:
    case 1: { // a read
      const std::string array = std::array{"x", "y", "z"}[static_cast<std::size_t>(pick(3))];
      line(name(to) + " = " + array + "[lane]");
      if (!any) return;
      const std::int64_t complete = request();
      each_active([&](std::size_t lane) {
        variables_[to][lane] = {(static_cast<std::int64_t>(lane) * 3 + 1) % 4, complete};
      });
      return;
    }
    case 2: // a copy
      line(name(to) + " = " + name(from));
      each_active([&](std::size_t lane) { variables_[to][lane] = variables_[from][lane]; });
      return;
    case 3: // an operator
      line(name(to) + " = " + name(from) + " + 1");
      need(from);
      each_active([&](std::size_t lane) {
        variables_[to][lane] = {variables_[from][lane].value + 1, 0};
      });
      return;
    case 4: // a write
      line("o[lane] = " + name(from));
      need(from);
      if (any) request();
      return;
    case 5: choice(to, from); return;
    default: branch(from); return;
    }
  }

  /// A conditional expression, which copies.
  void choice(std::size_t to, std::size_t condition) {
    const std::size_t a = variable(), b = variable();
    const std::int64_t limit = pick(4);
    line(fmt::format("{} = if {} > {} then {} else {}", name(to), name(condition), limit, name(a),
                     name(b)));
    need(condition);
    Variable chosen = variables_[to];
    each_active([&](std::size_t lane) {
      chosen[lane] = variables_[variables_[condition][lane].value > limit ? a : b][lane];
    });
    variables_[to] = chosen;
  }

  void branch(std::size_t condition) {
    const std::int64_t limit = pick(4);
    const Mask around = mask_;
    std::string text = fmt::format("if {} > {}", name(condition), limit);
    need(condition);
    std::array<bool, warp_width> holds{};
    for (std::size_t lane = 0; lane < warp_width; ++lane)
      holds[lane] = variables_[condition][lane].value > limit;
    if (const std::int64_t more = pick(3); more > 0) { // needed where the first does not decide
      const bool conjunction = more == 1;
      const std::size_t second = variable();
      text += fmt::format(" {} {} > {}", conjunction ? "and" : "or", name(second), limit);
      for (std::size_t lane = 0; lane < warp_width; ++lane)
        mask_[lane] = around[lane] && holds[lane] == conjunction;
      need(second);
      each_active([&](std::size_t lane) { holds[lane] = variables_[second][lane].value > limit; });
    }
    line(text + " {");
    for (const bool then : {true, false}) {
      for (std::size_t lane = 0; lane < warp_width; ++lane)
        mask_[lane] = around[lane] && holds[lane] == then;
      ++depth_;
      for (std::int64_t count = 1 + pick(3); count > 0; --count) statement();
      --depth_;
      line(then ? "} else {" : "}");
    }
    mask_ = around;
  }

  std::int64_t k_;
  std::string text_;
  std::array<Variable, scalars + 2> variables_;
  Mask mask_ = {true, true, true, true};
  std::int64_t now_ = 0, last_ = 0;
  std::vector<std::int64_t> under_way_; ///< when they are complete
};

} // namespace

TEST_CASE("the time of random statements is that of a second reading of what they wait for") {
  MachineSpec machine = umm(warp_width, latency, warp_width);
  for (std::uint64_t seed = 1; seed <= (sanitized ? 200 : 2000); ++seed) {
    const std::int64_t k = 1 + static_cast<std::int64_t>(seed) % 6;
    machine.requests_in_flight = k;
    const Awaiting program(seed, k);
    Sources sources;
    const auto code = compiled(sources, program.text(), machine);
    if (!code) FAIL(render(code.errors(), sources) << program.text());
    Observer no_observer;
    const RunResult run = simulate(*code, machine, {}, sources, no_observer);
    INFO(program.text() << "k " << k);
    REQUIRE(run.stop == Stop::none);
    CHECK(run.counts.time.value == program.time());
    const RunResult fast = simulate_fast(*code, machine, {}, sources, &no_observer);
    CHECK(fast.engine.fast);
    CHECK(fast.counts.time == run.counts.time);
  }
}

} // namespace memlane::test
