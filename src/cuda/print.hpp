// The device tree as text: brackets where precedence asks for them, indentation, and comments in a
// column of their own. It decides nothing else.
#pragma once

#include "device_tree.hpp"

#include <string>

namespace memlane::cuda {

/// Statements, their lines `depth` levels deep.
std::string print(const Block& body, int depth);
/// A function of the file, or a member of a class.
std::string print(const Function& function, int depth);
/// What is the program's own in a file, before the harness and behind it.
std::string print_kernels(const File& file);
std::string print_host(const File& file);

} // namespace memlane::cuda
