// A device that runs CUDA kernels: memory, modules of PTX, launches. The runtime library and the
// command line use it; it knows nothing of CUDA's own functions.
#pragma once

#include "memlane/ptx/audit.hpp"
#include "memlane/ptx/cubin.hpp"
#include "memlane/ptx/fault.hpp"
#include "memlane/ptx/module.hpp"
#include "memlane/ptx/texture_object.hpp"
#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::ptx {

/// x, y, z.
using Dim3 = std::array<std::int64_t, 3>;

/// What a launch is told of and asked by while it runs: memlane/ptx/price.hpp.
class Pricing;

/// Bytes: arrays in memory begin at multiples of it, and so of each line of a machine, which has at
/// most 1024 words (configs/README.md section 10).
inline constexpr std::int64_t array_align = 4096;

/// What a device has. The defaults are made up: those of a small GPU of compute capability 8.0.
struct DeviceProperties {
  std::string name = "memlane";
  std::uint32_t capability = 80; ///< 10 * major + minor
  std::int64_t memory = std::int64_t{16} << 30;
  std::int64_t multiprocessors = 16;
  std::int64_t clock_khz = 1'000'000; ///< also of the memory
  std::int64_t bus_bits = 1024;       ///< of the memory, which moves them twice a cycle
  std::int64_t threads_of_block = 1024, threads_of_multiprocessor = 2048;
  std::int64_t blocks_of_multiprocessor = 32;
  std::int64_t registers_of_block = 65536, registers_of_multiprocessor = 65536;
  std::int64_t registers_of_thread = 255;
  std::int64_t local_of_thread = 512 << 10;
  /// Without and with a kernel's permission to use more (cudaFuncSetAttribute).
  std::int64_t shared_of_block = 48 << 10, shared_of_block_at_most = 163 << 10;
  std::int64_t shared_of_multiprocessor = 164 << 10;
  std::int64_t shared_of_system = 1 << 10; ///< of a block, beside its own
  /// Bytes: where allocations begin, and textures in them may; what rows of textures may have.
  std::int64_t texture_align = 512, texture_pitch_align = 32;
  Dim3 most_threads{1024, 1024, 64};
  Dim3 most_blocks{2147483647, 65535, 65535};
};

/// Numbers of what a device has loaded; they stay valid.
struct ModuleId {
  std::int32_t number = -1;
};
struct KernelId {
  std::int32_t number = -1;
  bool operator==(const KernelId&) const = default;
};

struct KernelParameter {
  std::int64_t offset = 0, bytes = 0; ///< in the launch's parameters
  Type type = Type::none;             ///< b8: a structure or an array
};

struct KernelInfo {
  std::string name;     ///< as PTX has it
  std::string readable; ///< as C++ writes it
  ModuleId module;
  std::vector<KernelParameter> parameters;
  std::int64_t parameter_bytes = 0;
  /// Bytes of a block, also of the functions that it may call: from machine code where there is
  /// some, else what the PTX declares.
  std::int64_t static_shared = 0;
  std::int64_t local = 0;           ///< bytes of a thread, of the kernel itself
  std::int64_t stack = 0;           ///< the same with the functions that it may call
  Directives directives;            ///< `.maxntid` and others
  int registers = 0;                ///< of a thread, from machine code; 0: unknown
  bool syncs_grid = false;          ///< grid.sync(): it needs a cooperative launch
  std::optional<KernelAudit> audit; ///< none: the program has no machine code of it
};

struct DeviceVariable {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
};

/// A PTX text and how messages name it.
struct PtxText {
  std::string path, text;
};

struct Launch {
  KernelId kernel;
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t dynamic_shared = 0; ///< bytes
  bool cooperative = false; ///< all blocks are resident at once: they may wait for each other
  std::vector<std::uint8_t> parameters; ///< KernelInfo::parameter_bytes
  /// Bytes of shared memory that the kernel may use: DeviceProperties::shared_of_block_at_most
  /// after permission; 0: shared_of_block.
  std::int64_t shared_permitted = 0;
  std::int64_t registers = 0; ///< of a thread, where KernelInfo does not know them; 0: unknown
  Pricing* pricing = nullptr; ///< null: not wanted
  /// Its number in the program, from 0, which results and messages show; none: its number among the
  /// priced launches.
  std::optional<std::int64_t> number = std::nullopt;
};

/// Why a launch cannot begin.
enum class LaunchRefusal : std::uint8_t {
  none,
  empty_shape,      ///< an extent that is not positive
  shape_too_large,  ///< more threads or blocks than the device has
  other_shape,      ///< the kernel demands another one (`.reqntid`, `.maxntid`)
  shared_too_large, ///< static and dynamic shared memory
  local_too_large,  ///< local memory of a thread
  registers,        ///< its threads need more than a block may have
  not_resident,     ///< a cooperative launch of more blocks than fit at once
  wrong_parameters, ///< other bytes than the kernel's
};

/// What went wrong in a kernel.
struct LaunchFault {
  FaultKind kind = FaultKind::none;
  bool allowed = false; ///< the launch went on
  std::string kernel;   ///< its readable name
  std::string line;     ///< of the source, `a.cu:12`; empty: unknown
  Dim3 block{}, thread{};
  std::int64_t times = 1;
  Diagnostic said; ///< its places are in Device::sources()
};

struct LaunchResult {
  std::int64_t warp_instructions = 0;
  std::vector<LaunchFault> faults; ///< the last one ended it, unless it was allowed
  Stop stop = Stop::none;          ///< the limits' check ended it
  Diagnostics unfit;            ///< the machine that prices it cannot run it: nothing was executed
  std::string printed;          ///< by printf, ordered by blocks
  std::int64_t lost_prints = 0; ///< calls of printf whose text was not kept

  /// The fault that ended the launch; null: it went to its end.
  const LaunchFault* fatal() const {
    return faults.empty() || faults.back().allowed ? nullptr : &faults.back();
  }
};

/// Device pointers are host pointers. Not for several threads at once.
class Device {
public:
  explicit Device(DeviceProperties properties = {});
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  const DeviceProperties& properties() const;
  /// Asked by each launch and each reading of a module.
  void set_limits(Limits limits);
  /// The most bytes that threads have by malloc at once; 8 MiB if nothing else is said.
  void set_heap(std::int64_t bytes);
  /// Launches count faults of these kinds, and of harmless_faults, and go on. Requires
  /// may_be_allowed of each.
  void allow(FaultKinds kinds);

  // Memory.

  /// New memory of so many bytes, aligned for textures; 0: there is not enough. Its contents are
  /// undefined. Requires bytes > 0.
  std::uint64_t allocate(std::int64_t bytes);
  /// Memory of the caller's that kernels may access from now on, such as pinned memory.
  void add(std::uint64_t address, std::int64_t bytes);
  /// Ends an allocation or what was added; accesses to it become faults that say so. False: nothing
  /// begins at this address, or it has been freed.
  bool free(std::uint64_t address);
  /// How many bytes kernels may access from this address on; 0: none. O(log allocations).
  std::int64_t accessible(std::uint64_t address) const;
  /// The beginning and bytes of the allocation or variable that has this address; bytes 0: none.
  DeviceVariable range_of(std::uint64_t address) const;
  std::int64_t allocated() const; ///< bytes, by allocate

  /// Textures and surfaces: kernels get their numbers.
  TextureObjects& objects();
  /// Ends all allocations and objects. The modules stay loaded, and their variables have their
  /// first values again.
  void reset();

  // Modules.

  /// Decodes and loads texts that are one module together. Errors: those of ptx::parse, with places
  /// in sources(); a variable that no text defines. `code`: what ptxas made of it.
  Result<ModuleId> load(std::vector<PtxText> texts, const Cubin* code = nullptr);
  const Sources& sources() const;
  std::optional<KernelId> find_kernel(ModuleId module, std::string_view name) const;
  const KernelInfo& kernel(KernelId kernel) const;
  std::int32_t kernels() const; ///< of all modules: numbers below this one
  /// A variable in global or constant memory.
  std::optional<DeviceVariable> find_variable(ModuleId module, std::string_view name) const;

  // Launches.

  LaunchRefusal refusal_of(const Launch& launch) const;
  /// Errors: the machine that prices the launch cannot run it.
  Status fits(const Launch& launch) const;
  /// Runs all blocks. Requires refusal_of(launch) == none.
  LaunchResult run(const Launch& launch);
  /// Blocks of this kernel that a multiprocessor holds at once. Without machine code its registers
  /// are unknown and limit nothing.
  std::int64_t resident_blocks(KernelId kernel, std::int64_t threads,
                               std::int64_t dynamic_shared) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a refusal means, as a sentence with the numbers that matter.
std::string text_of(LaunchRefusal refusal, const Launch& launch, const Device& device);

} // namespace memlane::ptx
