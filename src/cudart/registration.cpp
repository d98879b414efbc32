// What executables register before main, and modules as they are loaded.
#include "runtime.hpp"

#include "memlane/ptx/module_code.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace memlane::cudart {

namespace {

/// The path of the program, for messages.
std::string program_path() {
  char path[PATH_MAX] = {};
  const ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
  return bytes > 0 ? std::string(path, static_cast<std::size_t>(bytes)) : "the program";
}

/// The fat binaries that one registration stands for: its own, or those linked into it.
Result<std::vector<ptx::FatBinary>> fats_of(const FatWrapper& wrapper, const std::string& place) {
  std::vector<ptx::FatBinary> fats;
  const auto add = [&](const void* data) -> Status {
    Result<ptx::FatBinary> fat = ptx::read_fat_binary(ptx::fat_binary_at(data), place);
    if (!fat) return fat.errors();
    fats.push_back(std::move(*fat));
    return Done{};
  };
  if (Status own = add(wrapper.data); !own) return own.errors();
  if (wrapper.version >= 2)
    for (const void* const* linked = wrapper.linked; linked && *linked; ++linked)
      if (Status one = add(*linked); !one) return one.errors();
  return fats;
}

/// Whether the program has named a kernel or a variable of the module.
bool is_used(const Runtime& all, const RegisteredModule& module) {
  const auto is_its = [&](const auto& entry) { return entry.second.owner == &module; };
  return std::any_of(all.kernels.begin(), all.kernels.end(), is_its) ||
         std::any_of(all.symbols.begin(), all.symbols.end(), is_its);
}

Error no_text(Runtime& all, RegisteredModule& module) {
  // nvcc gives programs without any kernel a fat binary, too.
  if (!is_used(all, module)) return Error::no_kernel_image;
  const std::string message = fmt::format(
      "error: {} has machine code for GPUs, but no PTX that memlane could execute\nhelp: compile "
      "with -gencode arch=compute_75,code=[sm_75,compute_75], or without -gencode and with "
      "-arch=sm_75",
      program_path());
  say(message);
  all.report.add_error(message);
  return module.failure = Error::no_kernel_image;
}

/// Tries the texts from the best one on: another may do without what memlane does not execute.
Error load_texts(Runtime& all, RegisteredModule& module) {
  const std::string place = program_path();
  const auto fail = [&](const Diagnostics& errors, const Sources& sources) {
    const std::string message = render(errors, sources);
    say(message);
    all.report.add_error(message);
    return module.failure = Error::invalid_ptx;
  };
  if (module.wrapper->magic != FatWrapper::magic_number)
    return fail(
        {error_in(place, "a fat binary was registered in a form that memlane does not know")},
        Sources());
  auto fats = fats_of(*module.wrapper, place);
  if (!fats) return fail(fats.errors(), Sources());
  // Of linked ones the first is what the linker made: it has the machine code.
  const ptx::FatBinary machine_code = fats->front();
  if (fats->size() > 1) fats->erase(fats->begin());
  std::optional<Diagnostics> first_errors;
  for (std::size_t rank = 0;; ++rank) {
    Result<ptx::ModuleCode> code =
        ptx::module_code(*fats, machine_code, rank, all.device.properties().capability, place);
    if (!code) return fail(code.errors(), Sources());
    if (code->texts.empty()) break;
    Result<ptx::ModuleId> id =
        all.device.load(std::move(code->texts), code->cubin ? &*code->cubin : nullptr);
    if (id) {
      module.module = *id;
      module.text_architecture = code->text_architecture;
      module.code_architecture = code->code_architecture;
      return Error::success;
    }
    if (!first_errors) first_errors = id.errors();
  }
  if (first_errors) return fail(*first_errors, all.device.sources());
  return no_text(all, module);
}

} // namespace

void set_managed(Runtime& all, const RegisteredModule& module) {
  for (const ManagedVariable& managed : module.managed) {
    const auto variable = all.device.find_variable(*module.module, managed.name);
    if (!variable) continue;
    *managed.pointer = reinterpret_cast<void*>(variable->address);
    all.memory[variable->address] = MemoryKind::managed;
  }
}

Error load(Runtime& all, RegisteredModule& module) {
  if (module.tried) return module.failure;
  module.tried = true;
  const Error error = load_texts(all, module);
  if (error == Error::success) set_managed(all, module);
  return error;
}

void load_all(Runtime& all) {
  for (auto& [handle, module] : all.modules) load(all, *module);
}

Error find_kernel(Runtime& all, const void* function, Kernel*& kernel) {
  const auto found = all.kernels.find(function);
  if (found == all.kernels.end()) return Error::invalid_device_function;
  kernel = &found->second;
  if (const Error error = load(all, *kernel->owner); error != Error::success) return error;
  if (!kernel->id) kernel->id = all.device.find_kernel(*kernel->owner->module, kernel->name);
  return kernel->id ? Error::success : Error::invalid_device_function;
}

Error find_symbol(Runtime& all, const void* symbol, ptx::DeviceVariable& variable) {
  const auto found = all.symbols.find(symbol);
  if (found == all.symbols.end()) return Error::invalid_symbol;
  RegisteredModule& owner = *found->second.owner;
  if (const Error error = load(all, owner); error != Error::success) return error;
  const auto there = all.device.find_variable(*owner.module, found->second.name);
  if (!there) return Error::invalid_symbol;
  variable = *there;
  return Error::success;
}

// Registration cannot fail: what is wrong is said when the module is needed.

MEMLANE_API void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& all = runtime();
  const std::lock_guard<std::recursive_mutex> guard(all.lock);
  auto module = std::make_unique<RegisteredModule>();
  module->wrapper = static_cast<const FatWrapper*>(wrapper);
  auto* const handle = reinterpret_cast<void**>(module.get());
  all.modules.emplace(handle, std::move(module));
  return handle;
}
MEMLANE_API void __cudaRegisterFatBinaryEnd(void**) {}
/// At the program's end, or when a library of it is closed: its kernels cannot be launched any
/// more.
MEMLANE_API void __cudaUnregisterFatBinary(void** handle) {
  const std::unique_lock<std::recursive_mutex> guard = lock_soon();
  if (!guard) return; // the program ends in the middle of a launch
  Runtime& all = runtime();
  const auto found = all.modules.find(handle);
  if (found == all.modules.end()) return;
  const RegisteredModule* const gone = found->second.get();
  std::erase_if(all.kernels, [&](const auto& entry) { return entry.second.owner == gone; });
  std::erase_if(all.symbols, [&](const auto& entry) { return entry.second.owner == gone; });
  all.modules.erase(found);
}
MEMLANE_API char __cudaInitModule(void** handle) {
  Runtime& all = runtime();
  const std::lock_guard<std::recursive_mutex> guard(all.lock);
  const auto found = all.modules.find(handle);
  return found != all.modules.end() && load(all, *found->second) == Error::success ? 1 : 0;
}

namespace {

RegisteredModule* registered(Runtime& all, void** handle) {
  const auto found = all.modules.find(handle);
  return found == all.modules.end() ? nullptr : found->second.get();
}

} // namespace

MEMLANE_API void __cudaRegisterFunction(void** handle, const char* function, char*,
                                        const char* name, int, void*, void*, void*, void*, int*) {
  Runtime& all = runtime();
  const std::lock_guard<std::recursive_mutex> guard(all.lock);
  if (RegisteredModule* owner = registered(all, handle))
    all.kernels[function] = Kernel{owner, name, {}, 0};
}
MEMLANE_API void __cudaRegisterVar(void** handle, char* variable, char*, const char* name, int,
                                   std::size_t, int, int) {
  Runtime& all = runtime();
  const std::lock_guard<std::recursive_mutex> guard(all.lock);
  if (RegisteredModule* owner = registered(all, handle))
    all.symbols[variable] = Symbol{owner, name};
}
MEMLANE_API void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name,
                                          int, std::size_t, int, int) {
  Runtime& all = runtime();
  const std::lock_guard<std::recursive_mutex> guard(all.lock);
  RegisteredModule* owner = registered(all, handle);
  if (!owner) return;
  owner->managed.push_back({pointer, name});
  all.symbols[pointer] = Symbol{owner, name};
}

} // namespace memlane::cudart
