#include "run_grid.hpp"
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <chrono>
#include <cstring>
using namespace memlane; using namespace memlane::ptx;
namespace memlane::ptx { ChooseHandler best_handlers() { return plain::choose; } }
int main(int n, char** a) {
  std::ifstream in(a[1]); std::stringstream s; s << in.rdbuf();
  Sources sources; const auto t = sources.add(a[1], s.str());
  auto m = parse(sources, t); if (!m) { fmt::print("{}", render(m.errors(), sources)); return 1; }
  DeviceMemory device; Image image; auto st = image.load(*m, device); if (!st) { fmt::print("{}", render(st.errors(), sources)); return 1; }
  const int N = 256;
  std::vector<float> x(N * N), y(N * N);
  for (int i = 0; i < N * N; ++i) x[i] = i * 0.25f;
  device.add((std::uint64_t)x.data(), x.size() * 4); device.add((std::uint64_t)y.data(), y.size() * 4);
  for (auto& f : m->functions) { if (!f.kernel) continue; const Code* code = image.find(f.name);
    std::vector<std::uint8_t> params(code->param_bytes);
    std::uint64_t px = (std::uint64_t)x.data(), py = (std::uint64_t)y.data(); int nn = N;
    std::memcpy(&params[0], &px, 8); std::memcpy(&params[8], &py, 8); std::memcpy(&params[16], &nn, 4);
    std::fill(y.begin(), y.end(), -1.f);
    GridShape g; g.blocks = {N / 32, N / 32, 1}; g.threads = {32, 8, 1};
    auto t0 = std::chrono::steady_clock::now();
    GridResult r = run_grid(image, *code, g, params, device, {});
    double sec = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    int wrong = 0; for (int i = 0; i < N; ++i) for (int j = 0; j < N; ++j) wrong += y[j * N + i] != x[i * N + j];
    fmt::print("{}: {} steps, {:.1f} M/s, frame {} bytes, {} faults, wrong {}\n", f.name, r.warp_steps, r.warp_steps / sec / 1e6, code->frame.bytes, r.faults.size(), wrong);
    for (auto& q : r.faults) fmt::print("  fault {} lane {} address {:x} bytes {} {}\n", (int)q.fault.kind, q.fault.lane, q.fault.address, q.fault.bytes, sources.text(q.fault.step->op->span));
  }
}
