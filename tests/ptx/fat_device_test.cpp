// The device: modules, variables, launches, what is refused, what goes wrong.
#include "fat_files.hpp"

#include "memlane/ptx/device.hpp"
#include "memlane/ptx/module_code.hpp"
#include "memlane/ptx/price.hpp"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

namespace memlane::test {

namespace {

template <class T>
T* allocated(ptx::Device& device, std::int64_t count) {
  const std::uint64_t address = device.allocate(count * static_cast<std::int64_t>(sizeof(T)));
  REQUIRE(address != 0);
  return reinterpret_cast<T*>(address);
}

struct LoadedScale {
  ptx::Device device;
  ptx::ModuleId module;

  LoadedScale() {
    const auto loaded = device.load({{"scale.ptx", fat_text(fat_file("scale_zstd.fatbin"), 75)}});
    REQUIRE(loaded);
    module = *loaded;
  }
  ptx::KernelId kernel(std::string_view name) const {
    const auto found = device.find_kernel(module, name);
    REQUIRE(found);
    return *found;
  }
  ptx::Launch launch(std::string_view name, std::int64_t blocks, std::int64_t threads) const {
    ptx::Launch made;
    made.kernel = kernel(name);
    made.grid = {blocks, 1, 1};
    made.block = {threads, 1, 1};
    made.parameters.resize(static_cast<std::size_t>(device.kernel(made.kernel).parameter_bytes));
    return made;
  }
  template <class T>
  void set(ptx::Launch& launch, std::size_t parameter, T value) const {
    const ptx::KernelParameter& at = device.kernel(launch.kernel).parameters.at(parameter);
    REQUIRE(at.bytes == static_cast<std::int64_t>(sizeof value));
    std::memcpy(launch.parameters.data() + at.offset, &value, sizeof value);
  }
};

} // namespace

TEST_CASE("a device runs a kernel of a fat binary") {
  LoadedScale loaded;
  ptx::Device& device = loaded.device;
  const ptx::KernelInfo& info = device.kernel(loaded.kernel("scale"));
  REQUIRE(info.parameters.size() == 3);
  CHECK(info.parameters[1].offset == 8);
  CHECK(info.parameters[2].offset == 16); // aligned to the double in it
  CHECK(info.parameters[2].bytes == 16);
  CHECK(info.parameter_bytes == 32);
  CHECK(info.static_shared == 256);
  CHECK(info.registers == 0); // PTX alone does not say
  const auto factors = device.find_variable(loaded.module, "factors");
  REQUIRE(factors);
  CHECK(factors->bytes == 16);
  const float given[4] = {1, 2, 3, 4};
  std::memcpy(reinterpret_cast<void*>(factors->address), given, sizeof given);
  constexpr int n = 200;
  auto* const x = allocated<float>(device, n);
  std::iota(x, x + n, 0.0F);
  ptx::Launch launch = loaded.launch("scale", 4, 64);
  struct {
    float factor = 0.5F;
    char unused = 7;
    double added = 10;
  } change;
  loaded.set(launch, 0, x);
  loaded.set(launch, 1, n);
  loaded.set(launch, 2, change);
  REQUIRE(device.refusal_of(launch) == ptx::LaunchRefusal::none);
  const ptx::LaunchResult result = device.run(launch);
  CHECK(result.faults.empty());
  CHECK(result.warp_instructions > 8 * 20);
  for (int i = 0; i < n; ++i) {
    INFO(i);
    CHECK(x[i] == static_cast<float>(i) * 0.5F * given[i % 4] + 10);
  }
  const auto calls = device.find_variable(loaded.module, "calls");
  REQUIRE(calls);
  CHECK(*reinterpret_cast<const int*>(calls->address) == n);
  CHECK_FALSE(device.find_variable(loaded.module, "scale"));
  CHECK_FALSE(device.find_kernel(loaded.module, "no_such"));
}

TEST_CASE("a write behind an allocation names line, block and thread, and freed memory is told") {
  LoadedScale loaded;
  ptx::Device& device = loaded.device;
  auto* const x = allocated<int>(device, 40);
  ptx::Launch launch = loaded.launch("write_at", 1, 32);
  loaded.set(launch, 0, x);
  loaded.set(launch, 1, 8);
  CHECK(device.run(launch).faults.empty());
  loaded.set(launch, 1, 9); // thread 31 writes x[40]
  const ptx::LaunchResult result = device.run(launch);
  REQUIRE(result.faults.size() == 1);
  const ptx::LaunchFault& fault = result.faults.front();
  CHECK(fault.kind == ptx::FaultKind::outside);
  CHECK(result.fatal() == &fault);
  CHECK(fault.thread == ptx::Dim3{31, 0, 0});
  CHECK(fault.block == ptx::Dim3{0, 0, 0});
  CHECK(fault.line == "/tmp/fat/scale.cu:24");
  const std::string text = render(Diagnostics{fault.said}, device.sources());
  INFO(text);
  CHECK(text.find("writes 4 bytes") != std::string::npos);
  CHECK(text.find("kernel write_at") != std::string::npos);
  // A thread before its beginning, too.
  loaded.set(launch, 1, -1);
  CHECK(device.run(launch).faults.size() == 1);
  CHECK(device.accessible(reinterpret_cast<std::uint64_t>(x + 30)) == 40);
  CHECK(device.free(reinterpret_cast<std::uint64_t>(x)));
  CHECK_FALSE(device.free(reinterpret_cast<std::uint64_t>(x)));
  CHECK(device.allocated() == 0);
  loaded.set(launch, 1, 0);
  const ptx::LaunchResult freed = device.run(launch);
  REQUIRE(freed.faults.size() == 1);
  CHECK(freed.faults.front().said.message.find("freed") != std::string::npos);
  // Memory of the host's is accessible once it is added, and no longer than that. What is behind it
  // belongs to it, too, lest it be memory that was freed.
  std::vector<int> own(64);
  loaded.set(launch, 0, own.data());
  CHECK(device.run(launch).faults.size() == 1);
  device.add(reinterpret_cast<std::uint64_t>(own.data()), 160);
  CHECK(device.run(launch).faults.empty());
  CHECK(own[31] == 1);
  // An allowed fault is counted, and lanes without one go on.
  ptx::FaultKinds outside;
  outside.set(static_cast<std::size_t>(ptx::FaultKind::outside));
  device.allow(outside);
  loaded.set(launch, 1, 20);
  const ptx::LaunchResult allowed = device.run(launch);
  REQUIRE(allowed.faults.size() == 1);
  CHECK(allowed.faults.front().times == 12);
  CHECK(allowed.fatal() == nullptr);
  CHECK(own[39] == 1);
  device.allow({});
  loaded.set(launch, 1, 0);
  CHECK(device.free(reinterpret_cast<std::uint64_t>(own.data())));
  CHECK(device.run(launch).faults.size() == 1);
}

TEST_CASE("a kernel for blocks of one shape is refused with others, with the shape that it has") {
  ptx::Device device;
  REQUIRE(device.load({{"shape.ptx", ".version 7.0\n.target sm_52\n.address_size 64\n.visible "
                                     ".entry k() .reqntid 16, 4 {\nret;\n}\n"}}));
  ptx::Launch launch;
  launch.kernel = ptx::KernelId{0};
  launch.block = {16, 4, 1};
  CHECK(device.refusal_of(launch) == ptx::LaunchRefusal::none);
  launch.block = {64, 1, 1};
  REQUIRE(device.refusal_of(launch) == ptx::LaunchRefusal::other_shape);
  CHECK(text_of(ptx::LaunchRefusal::other_shape, launch, device) ==
        "blocks of (64,1,1) threads; it was compiled for blocks of (16,4,1) (.reqntid): launch "
        "these, or compile it for others");
}

TEST_CASE("launches that a GPU refuses are refused, one below is not") {
  LoadedScale loaded;
  const ptx::Device& device = loaded.device;
  const auto refusal = [&](const ptx::Launch& launch) { return device.refusal_of(launch); };
  using Refusal = ptx::LaunchRefusal;
  CHECK(refusal(loaded.launch("scale", 1, 1024)) == Refusal::none);
  CHECK(refusal(loaded.launch("scale", 1, 1025)) == Refusal::shape_too_large);
  CHECK(refusal(loaded.launch("scale", 0, 32)) == Refusal::empty_shape);
  CHECK(refusal(loaded.launch("scale", 2147483648, 32)) == Refusal::shape_too_large);
  CHECK(refusal(loaded.launch("bounded", 1, 64)) == Refusal::none);
  CHECK(refusal(loaded.launch("bounded", 1, 65)) == Refusal::other_shape);
  CHECK(text_of(Refusal::other_shape, loaded.launch("bounded", 1, 65), device) ==
        "blocks of 65 threads; it was compiled for at most 64 (.maxntid): launch smaller blocks, "
        "or compile it with larger __launch_bounds__");
  ptx::Launch launch = loaded.launch("dynamic_sum", 1, 64);
  launch.dynamic_shared = 48 << 10;
  CHECK(refusal(launch) == Refusal::none);
  ++launch.dynamic_shared;
  CHECK(refusal(launch) == Refusal::shared_too_large);
  launch.shared_permitted = launch.dynamic_shared;
  CHECK(refusal(launch) == Refusal::none);
  // 16 multiprocessors with 2048 threads each.
  launch = loaded.launch("bounded", 16 * 32, 64);
  launch.cooperative = true;
  CHECK(refusal(launch) == Refusal::none);
  launch.grid[0] += 1;
  CHECK(refusal(launch) == Refusal::not_resident);
  CHECK(text_of(Refusal::not_resident, launch, device).find("513 blocks; 512") !=
        std::string::npos);
  launch.parameters.pop_back();
  launch.cooperative = false;
  CHECK(refusal(launch) == Refusal::wrong_parameters);
}

TEST_CASE("a multiprocessor holds as many blocks as threads, shared memory and registers allow") {
  ptx::Device device;
  ptx::Cubin cubin;
  ptx::CubinKernel& machine = cubin.kernels.emplace_back();
  machine.name = "bounded";
  machine.registers = 33; // portions of 256 for a warp: 1280 instead of 1056
  const auto module =
      device.load({{"scale.ptx", fat_text(fat_file("scale_zstd.fatbin"), 75)}}, &cubin);
  REQUIRE(module);
  const auto resident = [&](const char* kernel, std::int64_t threads, std::int64_t shared) {
    return device.resident_blocks(*device.find_kernel(*module, kernel), threads, shared);
  };
  CHECK(resident("dynamic_sum", 32, 0) == 32);
  CHECK(resident("dynamic_sum", 128, 0) == 16);
  CHECK(resident("dynamic_sum", 1024, 0) == 2);
  CHECK(resident("dynamic_sum", 1025, 0) == 0);
  CHECK(resident("dynamic_sum", 33, 0) == 32); // two warps
  // A kilobyte of each block is the system's.
  CHECK(resident("dynamic_sum", 32, 40 << 10) == 4);
  CHECK(resident("dynamic_sum", 32, 31 << 10) == 5);
  CHECK(resident("bounded", 64, 0) == 25); // 65536 / 1280 / 2
}

TEST_CASE("modules that use each other are one") {
  ptx::Device device;
  const auto module = device.load({{"a.ptx", fat_text(fat_file("part_a.fatbin"), 75)},
                                   {"b.ptx", fat_text(fat_file("part_b.fatbin"), 75)}});
  INFO((module ? "" : render(module.errors(), device.sources())));
  REQUIRE(module);
  auto* const x = allocated<int>(device, 32);
  const auto run = [&](const char* kernel) {
    std::iota(x, x + 32, 0);
    ptx::Launch launch;
    launch.kernel = *device.find_kernel(*module, kernel);
    launch.block = {32, 1, 1};
    launch.parameters.resize(sizeof x);
    std::memcpy(launch.parameters.data(), &x, sizeof x);
    REQUIRE(device.run(launch).faults.empty());
  };
  run("use_other");
  for (int i = 0; i < 32; ++i) CHECK(x[i] == 2 * i + 10 * (1 + i % 4) + 1);
  run("use_own");
  for (int i = 0; i < 32; ++i) CHECK(x[i] == i + 1000);
  const auto total = device.find_variable(*module, "total");
  REQUIRE(total);
  CHECK(*reinterpret_cast<const int*>(total->address) == 32);
}

TEST_CASE("a module without what it uses is refused") {
  ptx::Device device;
  const auto module = device.load({{"a.ptx", fat_text(fat_file("part_a.fatbin"), 75)}});
  REQUIRE(!module);
  CHECK(render(module.errors(), device.sources()).find("nothing defines total") !=
        std::string::npos);
}

TEST_CASE("registers and static shared memory of machine code limit what a machine holds") {
  const std::string bytes = fat_file("accesses.fatbin");
  const auto fat = ptx::read_fat_binary(bytes, "file");
  REQUIRE(fat);
  const auto code = ptx::module_code({*fat}, *fat, 0, 80, "file");
  REQUIRE(code);
  REQUIRE(code->cubin);
  MachineSpec machine;
  machine.model = Model::hmm;
  machine.width = 32;
  machine.shared = UnitSpec{UnitKind::discrete, {2}, 1, 300};
  machine.global = UnitSpec{UnitKind::unified, {10}, 1, {}};
  machine.registers = 64 * 16;
  machine.threads = 64;
  machine.resident_blocks = 2;
  // Two blocks of 64 threads: what a cubin with these numbers says of them.
  const auto said = [&](int registers, std::int64_t shared) {
    ptx::Cubin cubin = *code->cubin;
    for (ptx::CubinKernel& kernel : cubin.kernels) {
      kernel.registers = registers;
      kernel.static_shared = shared;
    }
    ptx::Device device;
    const auto module = device.load(code->texts, &cubin);
    REQUIRE(module);
    ptx::Pricing pricing(machine, {}, {});
    ptx::Launch launch;
    launch.kernel = *device.find_kernel(*module, "shared_128");
    launch.grid = {2, 1, 1};
    launch.block = {64, 1, 1};
    launch.pricing = &pricing;
    const std::uint64_t x = device.allocate(64 * 16);
    launch.parameters.resize(8);
    std::memcpy(launch.parameters.data(), &x, 8);
    const ptx::LaunchResult result = device.run(launch);
    CHECK(result.faults.empty());
    return result.unfit.empty() ? fmt::format("{}", pricing.time().value) : result.unfit[0].message;
  };
  const std::string fits = said(8, 512);
  CHECK(fits.find("needs") == std::string::npos);
  CHECK(said(16, 1024) == said(16, 1200)); // one block at a time, by its registers or shared memory
  CHECK(said(16, 512) == said(8, 1024));
  CHECK(std::stoll(said(16, 512)) > std::stoll(fits)); // else both at once
  CHECK(said(17, 512).find("registers") != std::string::npos);
  CHECK(said(8, 1201).find("301 shared words") != std::string::npos);
}

} // namespace memlane::test
