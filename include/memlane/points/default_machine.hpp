// The machine of a program for which none is named.
#pragma once

#include "memlane/lang/typed.hpp"
#include "memlane/machine/spec.hpp"

#include <string_view>
#include <vector>

namespace memlane::sweep {

/// The machine of commands that are not told one and run no program.
inline constexpr std::string_view standard_machine = "umm-w32";

/// A shipped machine.
struct DefaultMachine {
  Model model = Model::umm;
  std::string_view name = standard_machine;
};

/// umm-w32, unless a program uses what a UMM does not have. Shared arrays need hmm-titan, or
/// dmm-w32 if claims are about the DMM and not the HMM; so do letters of one model. Of several
/// programs that differ, the later of umm-w32, dmm-w32, hmm-titan, mmm-gpu.
DefaultMachine default_machine(const std::vector<const lang::Checked*>& programs);

} // namespace memlane::sweep
