#include "version.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

namespace memlane::cli {

HostInfo host_info() {
  HostInfo host;
  utsname names{};
  if (uname(&names) == 0) {
    host.system = names.sysname;
    host.architecture = names.machine;
  }
#ifdef __clang__
  host.compiler = fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
  host.compiler = fmt::format("gcc {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
  return host;
}

} // namespace memlane::cli
