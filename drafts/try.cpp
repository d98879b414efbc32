#include "memlane/ptx/module.hpp"
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <chrono>
using namespace memlane;
int main(int n, char** a) {
  for (int k = 1; k < n; ++k) {
    std::ifstream in(a[k]); std::stringstream s; s << in.rdbuf();
    Sources sources; const auto t = sources.add(a[k], s.str());
    auto t0 = std::chrono::steady_clock::now();
    auto m = ptx::parse(sources, t);
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0).count();
    if (!m) { fmt::print("{}", render(m.errors(), sources)); continue; }
    std::size_t ops = 0; for (auto& f : m->functions) ops += f.code.size();
    fmt::print("{}: {} functions, {} operations, {} variables, {} locations, {:.1f} ms for {} bytes\n", a[k], m->functions.size(), ops, m->variables.size(), m->locations.size(), ms, s.str().size());
  }
}
