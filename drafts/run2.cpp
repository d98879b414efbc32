#include "run_grid.hpp"
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <cstring>
#include <cmath>
#include <functional>
using namespace memlane; using namespace memlane::ptx;
namespace memlane::ptx { ChooseHandler best_handlers() { return plain::choose; } }
int main(int, char** a) {
  std::ifstream in(a[1]); std::stringstream s; s << in.rdbuf();
  Sources sources; const auto t = sources.add(a[1], s.str());
  auto m = parse(sources, t); if (!m) { fmt::print("{}", render(m.errors(), sources)); return 1; }
  DeviceMemory device; Image image; auto st = image.load(*m, device); if (!st) { fmt::print("{}", render(st.errors(), sources)); return 1; }
  const int N = 1024; std::vector<int> x(N), y(8192);
  for (int i = 0; i < N; ++i) x[i] = (i * 7919 + 13) % 997;
  device.add((std::uint64_t)x.data(), x.size() * 4); device.add((std::uint64_t)y.data(), y.size() * 4);
  std::function<int(int)> fact = [&](int n) { return n <= 1 ? 1 : n * fact(n - 1); };
  std::map<std::string, std::function<int(int)>> expect = {
    {"collatz", [&](int i) { long long v = x[i] + 1; int s = 0; while (v != 1) { if (v & 1) v = 3 * v + 1; else v /= 2; if (++s > 500) break; } return s; }},
    {"calls", [&](int i) { return fact(x[i] % 10) + (x[i] & 1 ? 3 * i : 2 * i); }},
    {"switches", [&](int i) { int r; switch (x[i] % 8) { case 0: r = i * 3; break; case 1: r = i ^ 77; break; case 2: r = i / 3; break; case 3: r = i % 7; break; case 4: r = -i; break; case 5: r = i << 2; break; case 6: r = __builtin_popcount(i); break; default: r = i ? __builtin_clz(i) : 32; } return r; }},
    {"locals", [&](int i) { int b[16]; for (int k = 0; k < 16; ++k) b[(k * 5 + x[i]) & 15] = k + i; int s = 0; for (int k = 0; k < x[i] % 16; ++k) s += b[k] * k; return s; }},
    {"sums", [&](int i) { if (i >= 4) return -1; int v = 0; for (int k = 0; k < 256; ++k) v += x[i * 256 + k]; return v; }},
    {"floats", [&](int i) { double d = x[i] * 0.37 - 100; float f = x[i] * 0.01f; float h = (float)(_Float16)f; float hh = (float)(_Float16)(h * h); return (int)(std::sin(d) * 1e6) + (int)(sqrtf(f) * 1000) + (int)std::nearbyint(hh) + (int)(std::exp(d * 0.01) * 100) + (int)(f / 3.f * 77) + (int)std::floor(d) + (x[i] / 7) % 5; }}};
  for (auto& f : m->functions) { if (!f.kernel) continue; const Code* code = image.find(f.name);
    std::vector<std::uint8_t> params(code->param_bytes);
    std::uint64_t px = (std::uint64_t)x.data(), py = (std::uint64_t)y.data(); int nn = N;
    std::memcpy(&params[0], &px, 8); std::memcpy(&params[8], &py, 8); std::memcpy(&params[16], &nn, 4);
    std::fill(y.begin(), y.end(), -1); y[1000] = 0;
    GridShape g; g.blocks = {4, 1, 1}; g.threads = {256, 1, 1}; g.dynamic_shared = 256;
    GridResult r = run_grid(image, *code, g, params, device, {});
    int wrong = 0, first = -1; for (int i = 0; i < (f.name == "sums" ? 1000 : N); ++i) if (y[i] != expect[f.name](i)) { if (first < 0) first = i; ++wrong; }
    fmt::print("{}: {} steps, frame {}, faults {}, wrong {}", f.name, r.warp_steps, code->frame.bytes, r.faults.size(), wrong);
    if (first >= 0) fmt::print(" first {}: {} instead of {}", first, y[first], expect[f.name](first));
    if (f.name == "sums") { int all = 0, odd = 0; for (int k = 0; k < N; ++k) all += x[k]; for (int k = 0; k < 256; ++k) odd += x[k] & 1; fmt::print(" total {} {}; odd {} {}", y[1000], all, y[2000], odd); }
    fmt::print("\n");
    for (auto& q : r.faults) fmt::print("  fault {} lane {} address {:x} bytes {} {}\n", (int)q.fault.kind, q.fault.lane, q.fault.address, q.fault.bytes, sources.text(q.fault.step->op->span));
  }
}
