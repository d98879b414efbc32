// Launches priced on the machine that `memlane cuda` has ordered.
#pragma once

#include "memlane/kernels/kernel_timeline.hpp"
#include "memlane/kernels/price_order.hpp"
#include "memlane/kernels/priced_run.hpp"
#include "memlane/ptx/device.hpp"
#include "memlane/ptx/price.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace memlane::cudart {

/// The variable with the path of the order (memlane/kernels/price_order.hpp); not set: launches are
/// executed without limits, and not priced.
inline constexpr const char* order_variable = "MEMLANE_CUDA_ORDER";

class PricedRun {
public:
  /// Null: nothing was ordered. Says what is wrong with an order.
  static std::unique_ptr<PricedRun> ordered();

  /// Those of the machine that prices, where it has them.
  ptx::DeviceProperties properties() const;
  Limits limits() const;
  /// Null: the launch is executed only. `number`: of the process, from 0.
  ptx::Pricing* pricing_of(std::int64_t number, const std::string& symbol) {
    return order_.prices && order_.choice.has(number, symbol) ? &pricing_ : nullptr;
  }
  /// Most blocks that the machine holds at once.
  std::int64_t resident_blocks() const {
    return order_.machine.multiprocessors * order_.machine.resident_blocks;
  }
  bool prices() const { return order_.prices; }
  /// The time units since the call before.
  std::int64_t passed();
  /// Of so many time units; on a machine without a clock each is one.
  double nanoseconds(std::int64_t time) const;
  /// After a launch: the results are written now and then, so that little is lost with a program
  /// that crashes; writing takes at most a tenth of the time. An explanation is only written at the
  /// end.
  void launched(const ptx::KernelInfo& kernel, bool priced);
  /// A launch that did not begin.
  void refused(const ptx::KernelInfo& kernel, const std::string& reason);
  /// The program has ended: the results are written, with the time chart.
  void write_end(const ptx::Device& device);

private:
  explicit PricedRun(PriceOrder order);
  RunReport report_now() const;
  /// The results as they are now.
  void write(bool ended);
  void write_chart(const RunReport& report, const ptx::Device& device);

  PriceOrder order_;
  double begun_;
  std::unique_ptr<KernelTimeline> chart_; ///< null: none was ordered
  ptx::Pricing pricing_;
  std::int64_t time_ = 0;
  std::vector<MachineCode> machine_code_; ///< of the kernels so far
  std::vector<RefusedLaunches> refused_;
  bool failed_ = false;              ///< a result could not be written
  double written_ = 0, writing_ = 0; ///< when that ended last, and how long it took
};

} // namespace memlane::cudart
