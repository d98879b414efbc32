#include "memlane/ptx/names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace memlane::ptx {

std::string readable_name(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol; // else `s` of a C kernel were the type short
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : symbol;
}

std::string source_name(const std::string& symbol) {
  std::string text = readable_name(symbol);
  const std::string nameless = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = text.find(nameless, at)) != text.npos;)
    text.erase(at, nameless.size());
  text = text.substr(0, text.find('('));
  const std::size_t parameters = text.find('<');
  const std::size_t type = text.rfind(' ', parameters);
  if (type != std::string::npos) text.erase(0, type + 1);
  return text;
}

std::string shared_array_name(const std::string& symbol) {
  const std::string text = readable_name(symbol);
  const std::size_t scope = text.rfind("::");
  return scope == std::string::npos ? text : text.substr(scope + 2);
}

} // namespace memlane::ptx
