#include "memlane/support/terminal.hpp"

#include <sys/ioctl.h>

namespace memlane {

std::size_t columns_of(int descriptor) {
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : std::size_t{80};
}

} // namespace memlane
