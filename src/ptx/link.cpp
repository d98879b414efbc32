#include "memlane/ptx/link.hpp"

#include "exec/builtins.hpp"

#include "memlane/ptx/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace memlane::ptx {

namespace {

/// Where the names and numbers of one module are in the joined one.
struct Renumbering {
  std::vector<std::int32_t> functions, variables;
  std::int32_t locations = 0, files = 0; ///< added to each number
};

bool is_own_name(std::string_view name) { return name.find('$') != std::string_view::npos; }
bool is_dynamic_shared(const Variable& variable) {
  return variable.space == Space::shared && variable.bytes == 0;
}

class Joining {
public:
  explicit Joining(std::vector<Module> modules) : modules_(std::move(modules)) {}

  Module join() {
    for (std::size_t m = 0; m < modules_.size(); ++m) add_names(m);
    for (std::size_t m = 0; m < modules_.size(); ++m) number(m);
    for (std::size_t m = 0; m < modules_.size(); ++m) add(m);
    return std::move(joined_);
  }

private:
  struct Owner {
    std::size_t module = 0;
    std::int32_t index = -1;
  };

  void add_names(std::size_t m) {
    const Module& module = modules_[m];
    for (std::size_t k = 0; k < module.functions.size(); ++k)
      if (module.functions[k].defined)
        functions_.try_emplace(module.functions[k].name, Owner{m, static_cast<std::int32_t>(k)});
    for (std::size_t k = 0; k < module.variables.size(); ++k) {
      const Variable& variable = module.variables[k];
      if (!variable.is_extern && !is_own_name(variable.name))
        variables_.try_emplace(variable.name, Owner{m, static_cast<std::int32_t>(k)});
    }
  }

  /// The definition in another module that takes a variable's place; null: it stays.
  const Owner* definition_of(const Variable& variable, Owner own) const {
    if (is_dynamic_shared(variable) || is_own_name(variable.name)) return nullptr;
    const auto found = variables_.find(variable.name);
    if (found == variables_.end()) return nullptr;
    const Owner& owner = found->second;
    if (owner.module == own.module && owner.index == own.index) return nullptr;
    const Variable& other = modules_[owner.module].variables[static_cast<std::size_t>(owner.index)];
    return variable.is_extern || other.bytes == variable.bytes ? &owner : nullptr;
  }

  /// Numbers what the module defines; what others define is numbered with them.
  void number(std::size_t m) {
    const Module& module = modules_[m];
    Renumbering& numbers = numbers_.emplace_back();
    numbers.locations = locations_;
    numbers.files = files_;
    locations_ += static_cast<std::int32_t>(module.locations.size());
    if (!module.files.empty()) files_ += module.files.rbegin()->first + 1;
    for (std::size_t k = 0; k < module.functions.size(); ++k)
      numbers.functions.push_back(function_count_++);
    for (std::size_t k = 0; k < module.variables.size(); ++k) {
      const Owner own{m, static_cast<std::int32_t>(k)};
      const bool elsewhere = definition_of(module.variables[k], own) != nullptr;
      numbers.variables.push_back(elsewhere ? -1 : variable_count_++);
    }
  }

  std::int32_t function_number(std::size_t m, std::int32_t index) const {
    if (index < 0) return index;
    const Function& function = modules_[m].functions[static_cast<std::size_t>(index)];
    if (!function.defined)
      if (const auto found = functions_.find(names_[m][static_cast<std::size_t>(index)]);
          found != functions_.end())
        return numbers_[found->second.module]
            .functions[static_cast<std::size_t>(found->second.index)];
    return numbers_[m].functions[static_cast<std::size_t>(index)];
  }
  std::int32_t variable_number(std::size_t m, std::int32_t index) const {
    return variable_numbers_[m][static_cast<std::size_t>(index)];
  }

  void renumber(std::size_t m, Operand& operand) const {
    if (operand.kind == OperandKind::function) operand.index = function_number(m, operand.index);
    if (operand.kind == OperandKind::variable && operand.of_module)
      operand.index = variable_number(m, operand.index);
  }
  void renumber(std::size_t m, Variable& variable) const {
    for (Relocation& relocation : variable.relocations) renumber(m, relocation.address);
  }
  void renumber(std::size_t m, Function& function) const {
    for (Operation& op : function.code) {
      for (Operand* operand : {&op.d, &op.q, &op.a, &op.b, &op.c, &op.e, &op.m, &op.n})
        renumber(m, *operand);
      if (op.location >= 0) op.location += numbers_[m].locations;
    }
    for (Operand& operand : function.elements) renumber(m, operand);
    for (Call& call : function.calls) {
      call.function = function_number(m, call.function);
      renumber(m, call.address);
    }
    for (Variable& variable : function.variables) renumber(m, variable);
  }

  /// Before anything is moved: the numbers of all variables, and names of functions.
  void prepare() {
    for (std::size_t m = 0; m < modules_.size(); ++m) {
      std::vector<std::int32_t>& numbers = variable_numbers_.emplace_back();
      for (std::size_t k = 0; k < modules_[m].variables.size(); ++k) {
        const Owner own{m, static_cast<std::int32_t>(k)};
        const Owner* other = definition_of(modules_[m].variables[k], own);
        numbers.push_back(
            other ? numbers_[other->module].variables[static_cast<std::size_t>(other->index)]
                  : numbers_[m].variables[k]);
      }
      std::vector<std::string>& names = names_.emplace_back();
      for (const Function& function : modules_[m].functions) names.push_back(function.name);
    }
  }

  void add(std::size_t m) {
    if (m == 0) {
      prepare();
      joined_.version = modules_[0].version;
      joined_.target = modules_[0].target;
      joined_.text = modules_[0].text;
    }
    Module& module = modules_[m];
    joined_.version = std::max(joined_.version, module.version);
    for (auto& [number, path] : module.files)
      joined_.files[number + numbers_[m].files] = std::move(path);
    for (Location location : module.locations) {
      location.file += numbers_[m].files;
      if (location.inlined_at >= 0) location.inlined_at += numbers_[m].locations;
      joined_.locations.push_back(location);
    }
    for (std::size_t k = 0; k < module.variables.size(); ++k) {
      if (numbers_[m].variables[k] < 0) continue;
      Variable& variable = joined_.variables.emplace_back(std::move(module.variables[k]));
      renumber(m, variable);
    }
    for (Function& function : module.functions) renumber(m, function);
    // The flags `defined` of later modules are asked for while they are still there.
    for (const Function& function : module.functions) joined_.functions.push_back(function);
  }

  std::vector<Module> modules_;
  std::unordered_map<std::string, Owner> functions_, variables_;
  std::vector<Renumbering> numbers_;
  std::vector<std::vector<std::int32_t>> variable_numbers_;
  std::vector<std::vector<std::string>> names_;
  std::int32_t locations_ = 0, files_ = 0, function_count_ = 0, variable_count_ = 0;
  Module joined_;
};

} // namespace

Module joined(std::vector<Module> modules) {
  if (modules.size() == 1) return std::move(modules.front());
  return Joining(std::move(modules)).join();
}

namespace {

/// Kernels that launch kernels, and other calls of CUDA's runtime for devices.
bool is_of_device_runtime(std::string_view name) {
  const auto begins = [&](std::string_view start) { return name.substr(0, start.size()) == start; };
  return begins("cuda") || begins("__cuda") || begins("cnp"); // cnp…: what libcudadevrt calls
}

/// Functions of it that cannot run: nothing defines them, or they call such a function. Kernels
/// that do are not among them: they are the user's.
std::vector<bool> lacking_of_device_runtime(const Module& module) {
  const auto of_runtime = [](const Function& function) {
    return is_of_device_runtime(function.name) && !function.kernel && !is_builtin(function.name);
  };
  std::vector<bool> lacking(module.functions.size());
  const auto lacks = [&](const Call& call) {
    return call.function >= 0 && lacking[static_cast<std::size_t>(call.function)];
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < lacking.size(); ++k) {
      const Function& function = module.functions[k];
      if (lacking[k] || !of_runtime(function)) continue;
      lacking[k] =
          !function.defined || std::any_of(function.calls.begin(), function.calls.end(), lacks);
      more = more || lacking[k];
    }
  }
  return lacking;
}

Diagnostic undefined_function(const Module& module, const Function& function,
                              const Operation& call) {
  if (!is_of_device_runtime(function.name))
    return error_at(call.span, fmt::format("nothing defines the function {}", function.name),
                    {"link the program with the file that does (nvcc -rdc=true)"});
  const std::string line = source_line(module, call);
  return error_at(call.span,
                  fmt::format("a kernel calls {}{}: memlane does not have CUDA's runtime for "
                              "devices",
                              function.name,
                              line.empty() ? "" : fmt::format(", which {} needs", line)),
                  {"launch kernels from the host's side"});
}

} // namespace

Diagnostics undefined_names(const Module& module) {
  Diagnostics errors;
  for (const Variable& variable : module.variables)
    if (variable.is_extern && variable.space != Space::shared)
      errors.push_back(error_at(variable.span, fmt::format("nothing defines {}", variable.name),
                                {"link the program with the file that does (nvcc -rdc=true)"}));
  Diagnostics of_runtime; // inside it: said if nothing else is
  const std::vector<bool> lacking = lacking_of_device_runtime(module);
  std::vector<bool> said(module.functions.size());
  for (std::size_t k = 0; k < module.functions.size(); ++k) {
    const Function& function = module.functions[k];
    for (const Operation& op : function.code) {
      if (op.opcode != Opcode::call) continue;
      const std::int32_t number = function.calls[static_cast<std::size_t>(op.target)].function;
      if (number < 0) continue;
      const auto callee = static_cast<std::size_t>(number);
      const Function& called = module.functions[callee];
      const bool runs = called.defined && !lacking[callee];
      if (runs || said[callee] || is_builtin(called.name)) continue;
      if (!lacking[k]) said[callee] = true;
      (lacking[k] ? of_runtime : errors).push_back(undefined_function(module, called, op));
    }
  }
  return errors.empty() ? of_runtime : errors;
}

std::vector<bool> reached_from(const Module& module, std::size_t kernel) {
  std::vector<bool> reached(module.functions.size());
  std::vector<std::size_t> open{kernel};
  reached[kernel] = true;
  const auto reach = [&](std::size_t function) {
    if (reached[function]) return;
    reached[function] = true;
    open.push_back(function);
  };
  while (!open.empty()) {
    const Function& function = module.functions[open.back()];
    open.pop_back();
    for (const Call& call : function.calls) {
      if (call.function >= 0) {
        reach(static_cast<std::size_t>(call.function));
        continue;
      }
      // Whatever has an address may be called by it.
      for (std::size_t other = 0; other < module.functions.size(); ++other)
        if (!module.functions[other].kernel) reach(other);
    }
  }
  return reached;
}

bool names_variable(const Function& function, std::size_t variable) {
  const auto is_named = [variable](const Operand& operand) {
    return operand.kind == OperandKind::variable && operand.of_module &&
           operand.index == static_cast<std::int32_t>(variable);
  };
  return std::any_of(function.elements.begin(), function.elements.end(), is_named) ||
         std::any_of(function.code.begin(), function.code.end(), [&](const Operation& op) {
           for (const Operand* operand : {&op.d, &op.q, &op.a, &op.b, &op.c, &op.e, &op.m, &op.n})
             if (is_named(*operand)) return true;
           return false;
         });
}

std::int64_t static_shared_of(const Module& module, std::size_t kernel) {
  std::int64_t bytes = 0;
  const auto add = [&](const Variable& variable) {
    if (variable.space == Space::shared)
      bytes = (bytes + variable.align - 1) / variable.align * variable.align + variable.bytes;
  };
  const std::vector<bool> reached = reached_from(module, kernel);
  for (std::size_t k = 0; k < module.variables.size(); ++k) {
    bool is_named = false;
    if (module.variables[k].space == Space::shared && module.variables[k].bytes > 0)
      for (std::size_t f = 0; f < reached.size() && !is_named; ++f)
        is_named = reached[f] && names_variable(module.functions[f], k);
    if (is_named) add(module.variables[k]);
  }
  for (std::size_t f = 0; f < reached.size(); ++f)
    if (reached[f])
      for (const Variable& variable : module.functions[f].variables) add(variable);
  return bytes;
}

} // namespace memlane::ptx
