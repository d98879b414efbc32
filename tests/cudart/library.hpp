// Memlane's libcudart, loaded and called as an executable of nvcc's does it, without nvcc.
#pragma once

#include "support/catch.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>

/// Clang's sanitizers compare the names of types where a function is called.
#if defined(__clang__)
#define MEMLANE_OTHER_TYPES __attribute__((no_sanitize("function")))
#else
#define MEMLANE_OTHER_TYPES
#endif

namespace memlane::test {

/// dim3.
struct CudaDim {
  unsigned x = 1, y = 1, z = 1;
};

/// What nvcc's code registers.
struct CudaWrapper {
  int magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  const void* const* linked = nullptr;
};

class CudaLibrary {
public:
  explicit CudaLibrary(int version) {
    const std::string path =
        std::string(MEMLANE_CUDART_FOLDER) + "/libcudart.so." + std::to_string(version);
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    INFO((library_ ? "" : dlerror()));
    REQUIRE(library_);
  }

  /// Calls a function that returns an error, or a handle. As programs do, with types of its own
  /// that only look like the library's.
  template <class R = int, class... A>
  MEMLANE_OTHER_TYPES R call(const char* name, A... arguments) const {
    void* const found = dlsym(library_, name);
    // Threads call this side by side, and Catch's assertions may not stand in several.
    if (!found) FAIL(name);
    return reinterpret_cast<R (*)(A...)>(found)(arguments...);
  }
  bool has(const char* name) const { return dlsym(library_, name) != nullptr; }
  std::string error_name(int error) const { return call<const char*>("cudaGetErrorName", error); }

  /// Registers functions of a fat binary; their addresses stand for the kernels.
  void** add(const CudaWrapper& wrapper) const {
    return call<void**>("__cudaRegisterFatBinary", const_cast<CudaWrapper*>(&wrapper));
  }
  void add_kernel(void** handle, const void* function, const char* name) const {
    void* const none = nullptr;
    call<void>("__cudaRegisterFunction", handle, static_cast<const char*>(function),
               const_cast<char*>(name), name, -1, none, none, none, none,
               static_cast<int*>(nullptr));
  }
  void add_variable(void** handle, const void* variable, const char* name,
                    std::size_t bytes) const {
    call<void>("__cudaRegisterVar", handle, const_cast<char*>(static_cast<const char*>(variable)),
               const_cast<char*>(name), name, 0, bytes, 0, 0);
  }

  template <class... A>
  int launch(const void* function, CudaDim grid, CudaDim block, std::size_t shared, void* stream,
             A&... arguments) const {
    void* pointers[] = {&arguments..., nullptr};
    return call("cudaLaunchKernel", function, grid, block, static_cast<void**>(pointers), shared,
                stream);
  }
  template <class T>
  T* allocate(std::size_t count) const {
    void* pointer = nullptr;
    REQUIRE(call("cudaMalloc", &pointer, count * sizeof(T)) == 0);
    return static_cast<T*>(pointer);
  }

private:
  void* library_ = nullptr;
};

inline std::string fat_bytes(const std::string& name) {
  std::ifstream in(std::string(MEMLANE_SOURCE_DIR) + "/tests/ptx/fat/" + name, std::ios::binary);
  REQUIRE(in);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

/// The kernels of tests/ptx/fat/scale.cu.
struct ScaleProgram {
  CudaLibrary cuda;
  std::string bytes = fat_bytes("scale_zstd.fatbin");
  CudaWrapper wrapper;
  char scale = 0, write_at = 0, dynamic_sum = 0, bounded = 0, factors = 0, calls = 0;

  explicit ScaleProgram(int version) : cuda(version) {
    wrapper.data = bytes.data();
    void** const handle = cuda.add(wrapper);
    cuda.add_kernel(handle, &scale, "scale");
    cuda.add_kernel(handle, &write_at, "write_at");
    cuda.add_kernel(handle, &dynamic_sum, "dynamic_sum");
    cuda.add_kernel(handle, &bounded, "bounded");
    cuda.add_variable(handle, &factors, "factors", 16);
    cuda.add_variable(handle, &calls, "calls", 4);
    cuda.call<void>("__cudaRegisterFatBinaryEnd", handle);
  }
};

/// cudaError_t, as CUDA numbers them.
inline constexpr int invalid_value = 1, invalid_configuration = 9, invalid_symbol = 13,
                     invalid_direction = 21, invalid_function = 98, invalid_device = 101,
                     no_kernel_image = 209, invalid_handle = 400, illegal_address = 700,
                     capture_unsupported = 900;
/// cudaMemcpyKind.
inline constexpr int to_device = 1, to_host = 2, on_device = 3, by_address = 4;

} // namespace memlane::test
