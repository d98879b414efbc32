// A kernel as machines time it: its instructions and those of the functions that it calls, which of
// them make requests, and the lines of the source that they were compiled from.
#pragma once

#include "exec/image.hpp"
#include "price/written_memory.hpp"

#include "memlane/engine/kernel_info.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/support/diagnostic.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace memlane::ptx {

/// The lines of the sources that a module was compiled from, as lines of Sources.
class SourcePlaces {
public:
  /// Adds the files that the module names to the sources: their texts where `read` has them, else
  /// as many empty lines as are named; and the module's own texts, of `texts`. Refers to the module
  /// and the sources.
  SourcePlaces(const Module& module, const Sources& texts, Sources& sources,
               const ReadSource& read);

  /// Of what was inlined, the line in the innermost file whose text is there; without `.loc`, the
  /// line of PTX.
  SourceLine line_of(const Operation& operation) const;
  Span span_of(SourceLine line) const;

private:
  struct File {
    std::int32_t number = -1; ///< in Sources
    bool has_text = false;
  };

  const Module& module_;
  const Sources& sources_;
  std::map<std::int32_t, std::int32_t> ptx_; ///< the module's texts in Sources, by those of `texts`
  std::map<std::int32_t, File> files_;       ///< by Module::files
  std::map<std::int32_t, std::vector<std::uint32_t>> begins_; ///< of lines, by file of Sources
};

/// An access to memory by several lanes that is a request.
struct SitesOfStep {
  std::int32_t global = -1, shared = -1; ///< indices into KernelInfo::sites; -1: makes none there
};

struct PricedKernel {
  memlane::KernelInfo info;
  /// By function of the module: the number of its first instruction; -1: the kernel does not reach
  /// it.
  std::vector<std::int64_t> first;
  std::vector<SitesOfStep> sites;           ///< by instruction
  std::vector<Span> spans;                  ///< by site
  std::vector<const Operation*> operations; ///< by instruction
  WrittenPlaces written;
};

/// Requests to local memory, parameters and constants are not timed: they are no sites.
PricedKernel priced_kernel(const Module& module, const Code& kernel, const MachineSpec& machine,
                           const SourcePlaces& places);

/// Whether its executions count as operators: loads of parameters, addresses of spaces, copies and
/// widening conversions are free.
bool is_counted(const Operation& operation);
/// What it is for units of operations (configs/README.md section 10). Whatever they access, loads
/// and stores are `other`.
OperationClass operation_of(const Operation& operation);

} // namespace memlane::ptx
