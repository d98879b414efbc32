// Uses only installed headers and libraries: simulates the accesses of Nakano 2014, figure 3, as a
// stream of two warps with one request each.
#include "memlane/engine/run.hpp"

#include <cstdio>

namespace {

class FigureAccess : public memlane::WarpStream {
public:
  memlane::Status start(std::int64_t, memlane::Tally&) override { return memlane::Done{}; }
  memlane::Result<memlane::Step> next(memlane::WarpRef warp) override {
    memlane::Step step;
    if (!asked_[warp.warp]) {
      step.kind = memlane::StepKind::request;
      step.request = &requests_[warp.warp];
      asked_[warp.warp] = true;
    }
    return step;
  }
  memlane::Status perform(memlane::WarpRef) override { return memlane::Done{}; }
  void released(std::int64_t) override {}
  void finish(std::int64_t) override {}

private:
  bool asked_[2] = {false, false};
  memlane::Request requests_[2] = {
      {memlane::UnitId::shared, memlane::AccessKind::read, {7, 5, 15, 0}},
      {memlane::UnitId::shared, memlane::AccessKind::read, {10, 11, 12, 9}},
  };
};

} // namespace

int main() {
  memlane::MachineSpec machine;
  machine.model = memlane::Model::dmm;
  machine.width = 4;
  machine.threads = 8;
  machine.shared =
      memlane::UnitSpec{memlane::UnitKind::discrete, memlane::Cycles{5}, 1, std::nullopt};

  FigureAccess warps;
  const auto outcome = memlane::run_launch(machine, {1, 8, 0}, warps, 0, memlane::Cycles{0}, {});
  std::printf("%lld time units\n", static_cast<long long>(outcome.tally.time.value));
  return outcome.stop == memlane::Stop::none && outcome.tally.time.value == 7 ? 0 : 1;
}
