// Launches priced on the machine that `memlane cuda` has ordered.
#pragma once

#include "memlane/kernels/price_order.hpp"
#include "memlane/kernels/priced_run.hpp"
#include "memlane/ptx/device.hpp"
#include "memlane/ptx/price.hpp"

#include <memory>
#include <string>
#include <vector>

namespace memlane::cudart {

/// The variable with the path of the order (memlane/kernels/price_order.hpp); not set: launches are
/// executed, not priced.
inline constexpr const char* order_variable = "MEMLANE_CUDA_ORDER";

class PricedRun {
public:
  /// Null: nothing was ordered. Says what is wrong with an order.
  static std::unique_ptr<PricedRun> ordered();

  /// Those of the machine, where it has them.
  ptx::DeviceProperties properties() const;
  Limits limits() const;
  ptx::Pricing& pricing() { return pricing_; }
  /// The time units since the call before.
  std::int64_t passed();
  /// After a launch: the results are written now and then, so that little is lost with a program
  /// that crashes; writing takes at most a tenth of the time.
  void launched(const ptx::KernelInfo& kernel);
  /// The results as they are now are written.
  void write();

private:
  explicit PricedRun(PriceOrder order);
  double seconds() const;

  PriceOrder order_;
  double begun_;
  ptx::Pricing pricing_;
  std::int64_t time_ = 0;
  std::vector<MachineCode> machine_code_; ///< of the kernels so far
  double written_ = 0, writing_ = 0;      ///< when that ended last, and how long it took
};

} // namespace memlane::cudart
