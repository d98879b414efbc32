// The order in which a warp issues its steps (configs/README.md section 10), against a reading of
// the definition that knows sets only.
#include "support/catch.hpp"

#include "memlane/engine/issue_order.hpp"
#include "memlane/support/random.hpp"

#include <algorithm>
#include <set>

namespace memlane::test {
namespace {

using Kind = IssueOrder::Kind;

struct GivenStep {
  Kind kind = Kind::operation;
  std::uint8_t memories = IssueOrder::none;
  std::vector<std::int64_t> needs;
};
using Piece = std::vector<GivenStep>;

/// Everything that a read of the piece depends on.
std::set<std::int64_t> dependences(const Piece& piece, std::int64_t read) {
  std::set<std::int64_t> all;
  const auto at = [&](std::int64_t step) -> const GivenStep& {
    return piece[static_cast<std::size_t>(step)];
  };
  std::vector<std::int64_t> left{read};
  while (!left.empty()) {
    const std::int64_t step = left.back();
    left.pop_back();
    std::vector<std::int64_t> direct = at(step).needs;
    for (std::int64_t before = 0; at(step).kind == Kind::read && before < step; ++before) {
      const bool meets = (at(before).memories & at(step).memories) != 0;
      if (at(before).kind == Kind::read || (at(before).kind == Kind::write && meets))
        direct.push_back(before);
    }
    for (const std::int64_t one : direct)
      if (all.insert(one).second) left.push_back(one);
  }
  return all;
}

std::vector<std::int64_t> hoisted(const Piece& piece) {
  std::vector<std::int64_t> order;
  const auto issue = [&](std::int64_t step) {
    if (std::find(order.begin(), order.end(), step) == order.end()) order.push_back(step);
  };
  const auto count = static_cast<std::int64_t>(piece.size());
  for (std::int64_t read = 0; read < count; ++read) {
    if (piece[static_cast<std::size_t>(read)].kind != Kind::read) continue;
    for (const std::int64_t step : dependences(piece, read)) issue(step); // sets are in order
    issue(read);
  }
  for (std::int64_t step = 0; step < count; ++step) issue(step);
  return order;
}

/// Steps that need earlier ones of their piece.
Piece random_piece(std::uint64_t seed, std::uint64_t piece) {
  std::uint64_t drawn = 0;
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return random_integer(31, seed * 100 + piece, drawn++, low, high);
  };
  Piece made;
  for (std::int64_t at = 0, count = draw(0, 14); at < count; ++at) {
    GivenStep& step = made.emplace_back();
    step.kind = static_cast<Kind>(draw(0, 2));
    if (step.kind != Kind::operation) step.memories = static_cast<std::uint8_t>(draw(1, 3));
    for (std::int64_t need = 0; need < at; ++need)
      if (draw(0, 4) == 0 && made[static_cast<std::size_t>(need)].kind != Kind::write)
        step.needs.push_back(need);
  }
  return made;
}

std::vector<std::int64_t> numbers(std::span<const IssueOrder::Issued> issued) {
  std::vector<std::int64_t> all;
  for (const IssueOrder::Issued& step : issued) all.push_back(step.number);
  return all;
}

} // namespace

TEST_CASE("reads are hoisted as the definition says") {
  std::int64_t moved = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    IssueOrder order(Schedule::hoisted), same(Schedule::program);
    std::int64_t first = 0;
    for (std::uint64_t k = 0; k < 3; ++k) {
      const Piece piece = random_piece(seed, k);
      for (const GivenStep& step : piece) {
        std::vector<std::int64_t> needs = step.needs;
        for (std::int64_t& need : needs) need += first;
        order.add(step.kind, step.memories, needs);
        same.add(step.kind, step.memories, needs);
      }
      std::vector<std::int64_t> expected = hoisted(piece), program(piece.size());
      for (std::size_t at = 0; at < piece.size(); ++at) {
        expected[at] += first;
        program[at] = first + static_cast<std::int64_t>(at);
      }
      INFO("seed " << seed << ", piece " << k);
      CHECK(numbers(order.end_piece()) == expected);
      CHECK(numbers(same.end_piece()) == program);
      moved += expected != program ? 1 : 0;
      first += static_cast<std::int64_t>(piece.size());
    }
  }
  CHECK(moved > 1000);
}

TEST_CASE("a step awaits the reads that it needs, once, wherever they were issued") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    IssueOrder order(seed % 2 == 0 ? Schedule::hoisted : Schedule::program);
    std::vector<GivenStep> all;         // of all pieces
    std::vector<std::int64_t> requests; // issued so far, by number
    std::set<std::int64_t> awaited;     // reads
    for (std::uint64_t k = 0; k < 4; ++k) {
      const auto first = static_cast<std::int64_t>(all.size());
      for (GivenStep& step : random_piece(seed, k)) {
        for (std::int64_t& need : step.needs) need += first;
        if (first > 0) step.needs.push_back(random_integer(5, seed, k, 0, first - 1));
        all.push_back(step);
        order.add(step.kind, step.memories, step.needs);
      }
      for (const IssueOrder::Issued& issued : order.end_piece()) {
        const GivenStep& step = all[static_cast<std::size_t>(issued.number)];
        std::set<std::int64_t> expected, found;
        for (const std::int64_t need : step.needs)
          if (all[static_cast<std::size_t>(need)].kind == Kind::read && awaited.insert(need).second)
            expected.insert(need);
        for (const std::uint32_t back : issued.awaited) {
          REQUIRE(back <= requests.size());
          found.insert(requests[requests.size() - back]);
        }
        INFO("seed " << seed << ", step " << issued.number);
        CHECK(found == expected);
        CHECK(std::is_sorted(issued.awaited.begin(), issued.awaited.end()));
        if (step.kind != Kind::operation) requests.push_back(issued.number);
      }
      for (std::size_t number = 0; number < all.size(); ++number)
        CHECK(order.is_open(static_cast<std::int64_t>(number)) ==
              (all[number].kind == Kind::read &&
               awaited.count(static_cast<std::int64_t>(number)) == 0));
    }
    order.complete_reads();
    CHECK_FALSE(order.is_open(0));
  }
}

TEST_CASE("a merged read is issued where its first one is, and awaited with it") {
  for (const Schedule schedule : {Schedule::program, Schedule::hoisted}) {
    IssueOrder order(schedule);
    const auto read = [&] { return order.add(Kind::read, IssueOrder::shared, {}); };
    const std::int64_t first = read(), other = read(), part = read();
    order.merge(part, first);
    order.add(Kind::operation, IssueOrder::none, std::vector{part});
    order.add(Kind::operation, IssueOrder::none, std::vector{first, other});
    const auto issued = order.end_piece();
    CHECK(numbers(issued) == std::vector<std::int64_t>{0, 1, 3, 4});
    CHECK(issued[2].awaited == std::vector<std::uint32_t>{2});
    CHECK(issued[3].awaited == std::vector<std::uint32_t>{1});
  }
}

} // namespace memlane::test
