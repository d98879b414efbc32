// Several modules that use each other's functions and variables (nvcc -rdc=true), as one.
#pragma once

#include "memlane/ptx/module.hpp"
#include "memlane/support/diagnostic.hpp"

#include <cstdint>
#include <vector>

namespace memlane::ptx {

/// Joins modules: a function or variable that one declares `.extern` is the one that another
/// defines. What nothing defines stays as it is: undefined_names reports it. Names with `$`
/// are a module's own (texts of printf); other variables of the same name and size, such as
/// those of templates, are one. Requires at least one module. Cost: linear.
Module joined(std::vector<Module> modules);

/// Functions that are called and variables that are declared, but that neither the module defines
/// nor memlane: an error for each, at its first call or its declaration. None: the module can run.
/// Cost: linear.
Diagnostics undefined_names(const Module& module);

/// By function of the module: whether it is the kernel, or the kernel may call it. A call by
/// address may reach any function that is no kernel. Cost: linear in functions and calls.
std::vector<bool> reached_from(const Module& module, std::size_t kernel);

/// Whether a function names a variable of the module. Cost: linear in its operations.
bool names_variable(const Function& function, std::size_t variable);

/// Bytes of static shared memory that a block of a kernel takes: of what the kernel and functions
/// that it may call declare, and of variables of the module that they name. Cost: linear in their
/// operations, for each shared variable of the module.
std::int64_t static_shared_of(const Module& module, std::size_t kernel);

} // namespace memlane::ptx
