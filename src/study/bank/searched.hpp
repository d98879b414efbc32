// The best layout for the accesses of a query, whose elements are known.
#pragma once

#include "memlane/study/bank/bank.hpp"

namespace memlane {

/// `elements` has those of each access; stages are those of the machine's memory, of an HMM those
/// in banks. Errors: an array or a width that is too large.
Result<BankSearchReport> searched(const BankQuery& query,
                                  const std::vector<BankAccessText>& accesses,
                                  const MachineSpec& machine, std::int64_t row_length,
                                  const std::vector<LaneIndices>& elements);

} // namespace memlane
