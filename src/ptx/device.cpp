#include "memlane/ptx/device.hpp"

#include "exec/grid_faults.hpp"
#include "exec/image.hpp"
#include "exec/memory.hpp"
#include "exec/run_grid.hpp"

#include "memlane/ptx/link.hpp"
#include "memlane/ptx/names.hpp"
#include "memlane/ptx/price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace memlane::ptx {

namespace {

std::int64_t threads_of(const Dim3& block) { return block[0] * block[1] * block[2]; }

/// The extents that a directive gives; those that it leaves out are 1.
Dim3 shape_of(const std::int64_t (&given)[3]) {
  return {given[0], std::max<std::int64_t>(given[1], 1), std::max<std::int64_t>(given[2], 1)};
}

/// Whether the kernel, or a function that it may call, asks where the blocks of a cooperative
/// launch count who has come.
bool syncs_grid(const Module& module, const Function& kernel) {
  const auto asks = [](const Function& function) {
    return std::any_of(function.code.begin(), function.code.end(), [](const Operation& op) {
      return op.a.kind == OperandKind::special &&
             static_cast<Special>(op.a.index) == Special::envreg2;
    });
  };
  return asks(kernel) ||
         (!kernel.calls.empty() &&
          std::any_of(module.functions.begin(), module.functions.end(),
                      [&](const Function& one) { return !one.kernel && asks(one); }));
}

KernelInfo info_of(const Module& module, const Code& code, ModuleId id, const Cubin* cubin) {
  const Function& function = *code.function;
  KernelInfo info;
  info.name = function.name;
  info.readable = readable_name(function.name);
  info.module = id;
  info.parameter_bytes = code.param_bytes;
  info.directives = function.directives;
  info.local = code.local_bytes;
  info.stack = code.stack_bytes;
  for (const std::int32_t parameter : function.parameters) {
    const auto k = static_cast<std::size_t>(parameter);
    info.parameters.push_back(
        {code.offsets[k], function.variables[k].bytes, function.variables[k].type});
  }
  info.syncs_grid = syncs_grid(module, function);
  info.static_shared = code.static_shared;
  if (const CubinKernel* machine = cubin ? cubin->find(function.name) : nullptr) {
    info.audit = audit_of(module, static_cast<std::size_t>(code.number), *cubin, *machine);
    info.registers = machine->registers;
    info.static_shared = machine->static_shared;
  }
  return info;
}

} // namespace

struct Device::State {
  /// A module with what it is lowered to, which refers to it.
  struct LoadedModule {
    Module module;
    Image image;
  };
  DeviceProperties properties;
  Limits limits;
  FaultKinds allowed = harmless_faults;
  Sources sources;
  DeviceMemory memory;
  DeviceHeap heap;                                   ///< of malloc in kernels
  std::map<std::uint64_t, std::int64_t> allocations; ///< bytes by address, by allocate
  std::int64_t allocated = 0;
  std::vector<std::unique_ptr<LoadedModule>> modules;
  struct Kernel {
    KernelInfo info;
    const Code* code = nullptr;
  };
  std::vector<Kernel> kernels;

  ~State() { free_all(); }

  void free_all() {
    for (const auto& [address, bytes] : allocations) std::free(reinterpret_cast<void*>(address));
    allocations.clear();
    allocated = 0;
  }
};

Device::Device(DeviceProperties properties) : state_(std::make_unique<State>()) {
  state_->properties = std::move(properties);
}
Device::~Device() = default;
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;

const DeviceProperties& Device::properties() const { return state_->properties; }
void Device::set_limits(Limits limits) {
  state_->sources.set_limits(limits);
  state_->limits = std::move(limits);
}

void Device::set_heap(std::int64_t bytes) { state_->heap.set_limit(bytes); }

void Device::allow(FaultKinds kinds) { state_->allowed = kinds | harmless_faults; }

std::uint64_t Device::allocate(std::int64_t bytes) {
  if (bytes > state_->properties.memory - state_->allocated) return 0;
  const std::int64_t align = std::max(state_->properties.texture_align, array_align);
  const std::int64_t whole = (bytes + align - 1) / align * align;
  void* const memory =
      std::aligned_alloc(static_cast<std::size_t>(align), static_cast<std::size_t>(whole));
  if (!memory) return 0;
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  state_->memory.add(address, static_cast<std::uint64_t>(bytes));
  state_->allocations[address] = bytes;
  state_->allocated += bytes;
  return address;
}

void Device::add(std::uint64_t address, std::int64_t bytes) {
  state_->memory.add(address, static_cast<std::uint64_t>(bytes));
}

bool Device::free(std::uint64_t address) {
  const DeviceMemory::Range* range = state_->memory.find(address);
  // A variable of a module has a name: it cannot be freed.
  if (!range || range->freed || range->begin != address || !range->name.empty()) return false;
  state_->memory.free(address);
  if (const auto own = state_->allocations.find(address); own != state_->allocations.end()) {
    state_->allocated -= own->second;
    state_->allocations.erase(own);
    std::free(reinterpret_cast<void*>(address));
  }
  return true;
}

std::int64_t Device::accessible(std::uint64_t address) const {
  const DeviceMemory::Range* range = state_->memory.find(address);
  return range && !range->freed ? static_cast<std::int64_t>(range->end - address) : 0;
}

DeviceVariable Device::range_of(std::uint64_t address) const {
  const DeviceMemory::Range* range = state_->memory.find(address);
  if (!range || range->freed) return {};
  return {range->begin, static_cast<std::int64_t>(range->end - range->begin)};
}

void Device::reset() {
  state_->free_all();
  state_->memory.clear();
  state_->heap = {};
  for (const auto& loaded : state_->modules) loaded->image.begin(state_->memory);
}

TextureObjects& Device::objects() { return state_->memory.objects; }

std::int64_t Device::allocated() const { return state_->allocated; }

Result<ModuleId> Device::load(std::vector<PtxText> texts, const Cubin* code) {
  std::vector<Module> modules;
  Diagnostics errors;
  for (PtxText& text : texts) {
    Result<Module> module =
        parse(state_->sources, state_->sources.add(std::move(text.path), std::move(text.text)));
    if (module)
      modules.push_back(std::move(*module));
    else
      errors.insert(errors.end(), module.errors().begin(), module.errors().end());
  }
  if (!errors.empty()) return errors;
  if (modules.empty()) return error_in("", "a module needs at least one PTX text");
  auto loaded = std::make_unique<State::LoadedModule>();
  loaded->module = joined(std::move(modules));
  if (Status status = loaded->image.load(loaded->module, state_->memory); !status)
    return status.errors();
  const ModuleId id{static_cast<std::int32_t>(state_->modules.size())};
  const auto& functions = loaded->module.functions;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    if (!functions[k].kernel) continue;
    const Code& lowered = loaded->image.code(static_cast<std::int32_t>(k));
    state_->kernels.push_back({info_of(loaded->module, lowered, id, code), &lowered});
  }
  state_->modules.push_back(std::move(loaded));
  return id;
}

const Sources& Device::sources() const { return state_->sources; }

std::optional<KernelId> Device::find_kernel(ModuleId module, std::string_view name) const {
  for (std::size_t k = 0; k < state_->kernels.size(); ++k) {
    const KernelInfo& info = state_->kernels[k].info;
    if (info.module.number == module.number && info.name == name)
      return KernelId{static_cast<std::int32_t>(k)};
  }
  return std::nullopt;
}

const KernelInfo& Device::kernel(KernelId kernel) const {
  return state_->kernels[static_cast<std::size_t>(kernel.number)].info;
}
std::int32_t Device::kernels() const { return static_cast<std::int32_t>(state_->kernels.size()); }

std::optional<DeviceVariable> Device::find_variable(ModuleId module, std::string_view name) const {
  std::int64_t bytes = 0;
  const std::uint8_t* at =
      state_->modules[static_cast<std::size_t>(module.number)]->image.variable(name, &bytes);
  if (!at) return std::nullopt;
  return DeviceVariable{reinterpret_cast<std::uint64_t>(at), bytes};
}

namespace {

LaunchFault launch_fault(ThreadFault fault, const KernelInfo& kernel, const Module& module,
                         bool allowed) {
  fault.kernel = kernel.readable;
  LaunchFault made;
  made.kind = fault.kind;
  made.allowed = allowed;
  made.kernel = kernel.readable;
  if (fault.operation) made.line = source_line(module, *fault.operation);
  made.block = fault.block;
  made.thread = fault.thread;
  made.times = fault.times;
  made.said = diagnostic_of(module, fault, allowed);
  return made;
}

GridShape grid_of(const KernelInfo& kernel, const Launch& launch) {
  GridShape shape;
  shape.blocks = launch.grid;
  shape.threads = launch.block;
  shape.dynamic_shared = launch.dynamic_shared;
  shape.number = launch.number;
  shape.registers = kernel.registers > 0 ? kernel.registers : launch.registers;
  shape.static_shared = kernel.static_shared;
  return shape;
}

} // namespace

Status Device::fits(const Launch& launch) const {
  if (!launch.pricing) return Done{};
  const State::Kernel& kernel = state_->kernels[static_cast<std::size_t>(launch.kernel.number)];
  const State::LoadedModule& loaded =
      *state_->modules[static_cast<std::size_t>(kernel.info.module.number)];
  return launch.pricing->fits(loaded.module, state_->sources, *kernel.code,
                              grid_of(kernel.info, launch));
}

LaunchResult Device::run(const Launch& launch) {
  const State::Kernel& kernel = state_->kernels[static_cast<std::size_t>(launch.kernel.number)];
  const State::LoadedModule& loaded =
      *state_->modules[static_cast<std::size_t>(kernel.info.module.number)];
  LaunchState launched;
  launched.allowed = state_->allowed;
  launched.heap = &state_->heap;
  launched.memory = &state_->memory;
  launched.cooperative = launch.cooperative;
  GridShape shape = grid_of(kernel.info, launch);
  shape.state = &launched;
  LaunchResult result;
  GridResult ran;
  if (launch.pricing) {
    const Result<bool> priced =
        launch.pricing->launch(loaded.module, state_->sources, loaded.image, *kernel.code, shape,
                               launch.parameters, state_->memory, ran);
    if (!priced) {
      result.unfit = priced.errors();
      return result;
    }
  } else {
    ran = run_grid(loaded.image, *kernel.code, shape, launch.parameters, state_->memory,
                   state_->limits);
  }
  result.warp_instructions = ran.warp_steps;
  result.stop = ran.stop;
  result.printed = launched.printed.text();
  result.lost_prints = launched.printed.lost();
  const auto add = [&](const ThreadFault& fault, bool allowed) {
    result.faults.push_back(launch_fault(fault, kernel.info, loaded.module, allowed));
    if (fault.kind == FaultKind::trapped && kernel.info.syncs_grid && !launch.cooperative)
      result.faults.back().said.help.emplace_back(
          "grid.sync() needs a cooperative launch: cudaLaunchCooperativeKernel");
  };
  for (const AllowedFault& fault : launched.faults)
    add(thread_fault(fault, *kernel.code, shape), true);
  for (const GridFault& fault : ran.faults) add(thread_fault(fault, *kernel.code), false);
  if (ran.waits_for_ever && ran.faults.empty()) add(thread_fault(ran.wait, *kernel.code), false);
  return result;
}

std::int64_t Device::resident_blocks(KernelId kernel, std::int64_t threads,
                                     std::int64_t dynamic_shared) const {
  const DeviceProperties& has = state_->properties;
  const KernelInfo& info = this->kernel(kernel);
  if (threads <= 0 || threads > has.threads_of_block) return 0;
  const std::int64_t warps = (threads + 31) / 32;
  std::int64_t blocks =
      std::min(has.blocks_of_multiprocessor, has.threads_of_multiprocessor / (warps * 32));
  const std::int64_t own = info.static_shared + dynamic_shared;
  if (own > has.shared_of_block_at_most) return 0;
  if (own > 0)
    blocks = std::min(blocks, has.shared_of_multiprocessor / (own + has.shared_of_system));
  if (info.registers > 0) {
    // Registers are given to warps, in portions of 256.
    const std::int64_t of_warp = (std::int64_t{info.registers} * 32 + 255) / 256 * 256;
    blocks = std::min(blocks, has.registers_of_multiprocessor / of_warp / warps);
  }
  return blocks;
}

LaunchRefusal Device::refusal_of(const Launch& launch) const {
  const DeviceProperties& has = state_->properties;
  const KernelInfo& info = kernel(launch.kernel);
  for (std::size_t k = 0; k < 3; ++k) {
    if (launch.grid[k] <= 0 || launch.block[k] <= 0) return LaunchRefusal::empty_shape;
    if (launch.grid[k] > has.most_blocks[k] || launch.block[k] > has.most_threads[k])
      return LaunchRefusal::shape_too_large;
  }
  const std::int64_t threads = threads_of(launch.block);
  if (threads > has.threads_of_block) return LaunchRefusal::shape_too_large;
  const Directives& wants = info.directives;
  if (wants.most_threads[0] > 0 && threads > threads_of(shape_of(wants.most_threads)))
    return LaunchRefusal::other_shape;
  if (wants.required_threads[0] > 0 && launch.block != shape_of(wants.required_threads))
    return LaunchRefusal::other_shape;
  const std::int64_t permitted = std::max(launch.shared_permitted, has.shared_of_block);
  if (launch.dynamic_shared < 0 || info.static_shared + launch.dynamic_shared > permitted)
    return LaunchRefusal::shared_too_large;
  if (info.stack > has.local_of_thread) return LaunchRefusal::local_too_large;
  if (info.registers * ((threads + 31) / 32 * 32) > has.registers_of_block)
    return LaunchRefusal::registers;
  if (launch.cooperative &&
      launch.grid[0] * launch.grid[1] * launch.grid[2] >
          has.multiprocessors * resident_blocks(launch.kernel, threads, launch.dynamic_shared))
    return LaunchRefusal::not_resident;
  if (static_cast<std::int64_t>(launch.parameters.size()) != info.parameter_bytes)
    return LaunchRefusal::wrong_parameters;
  return LaunchRefusal::none;
}

std::string text_of(LaunchRefusal refusal, const Launch& launch, const Device& device) {
  const DeviceProperties& has = device.properties();
  const KernelInfo& info = device.kernel(launch.kernel);
  const auto dim = [](const Dim3& d) { return fmt::format("({},{},{})", d[0], d[1], d[2]); };
  switch (refusal) {
  case LaunchRefusal::none: return "nothing is wrong";
  case LaunchRefusal::empty_shape:
    return fmt::format("a launch of {} blocks of {} threads: each extent must be at least 1",
                       dim(launch.grid), dim(launch.block));
  case LaunchRefusal::shape_too_large:
    return fmt::format(
        "a launch of {} blocks of {} threads; the most are {} blocks and {} threads, "
        "{} threads in all",
        dim(launch.grid), dim(launch.block), dim(has.most_blocks), dim(has.most_threads),
        has.threads_of_block);
  case LaunchRefusal::other_shape:
    if (info.directives.required_threads[0] > 0)
      return fmt::format("blocks of {} threads; it was compiled for blocks of {} (.reqntid): "
                         "launch these, or compile it for others",
                         dim(launch.block), dim(shape_of(info.directives.required_threads)));
    return fmt::format("blocks of {} threads; it was compiled for at most {} (.maxntid): launch "
                       "smaller blocks, or compile it with larger __launch_bounds__",
                       threads_of(launch.block),
                       threads_of(shape_of(info.directives.most_threads)));
  case LaunchRefusal::shared_too_large:
    return fmt::format("{} bytes of static and {} of dynamic shared memory; a block has {}, with "
                       "cudaFuncSetAttribute {}",
                       info.static_shared, launch.dynamic_shared, has.shared_of_block,
                       has.shared_of_block_at_most);
  case LaunchRefusal::local_too_large:
    return fmt::format("{} bytes of local memory for each thread; a GPU has at most {}: place "
                       "large arrays in global memory",
                       info.stack, has.local_of_thread);
  case LaunchRefusal::registers:
    return fmt::format("{} threads with {} registers each; a block has {}",
                       threads_of(launch.block), info.registers, has.registers_of_block);
  case LaunchRefusal::not_resident:
    return fmt::format("a cooperative launch of {} blocks; {} are resident at once",
                       launch.grid[0] * launch.grid[1] * launch.grid[2],
                       has.multiprocessors * device.resident_blocks(launch.kernel,
                                                                    threads_of(launch.block),
                                                                    launch.dynamic_shared));
  case LaunchRefusal::wrong_parameters:
    return fmt::format("{} bytes of parameters; the kernel has {}", launch.parameters.size(),
                       info.parameter_bytes);
  }
  return {};
}

} // namespace memlane::ptx
