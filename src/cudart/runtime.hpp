// The state of the runtime library: one device, one lock, everything at once.
#pragma once

#include "api.hpp"
#include "priced_run.hpp"
#include "report.hpp"

#include "memlane/ptx/device.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace memlane::cudart {

/// What a registered fat binary is, from nvcc's documented-by-use layout: it has a magic number, a
/// version, a pointer to the fat binary and, of version 2, to those that were linked into it.
struct FatWrapper {
  static constexpr int magic_number = 0x466243b1;
  int magic = 0, version = 0;
  const void* data = nullptr;
  const void* const* linked = nullptr; ///< ends with null
};

/// A `__managed__` variable: programs reach it through a pointer that the library sets.
struct ManagedVariable {
  void** pointer = nullptr;
  std::string name;
};

/// A fat binary of the program, loaded when something of it is needed first.
struct RegisteredModule {
  const FatWrapper* wrapper = nullptr;
  std::vector<ManagedVariable> managed;
  bool tried = false;
  std::optional<ptx::ModuleId> module; ///< nothing: it could not be loaded
  Error failure = Error::success;
  std::uint32_t text_architecture = 0, code_architecture = 0;
};

/// A function of the program that stands for a kernel.
struct Kernel {
  RegisteredModule* owner = nullptr;
  std::string name;
  std::optional<ptx::KernelId> id; ///< once its module is loaded
  std::int64_t shared_permitted = 0;
};

struct Symbol {
  RegisteredModule* owner = nullptr;
  std::string name;
};

struct Event {
  bool recorded = false;
  double at_ns = 0;
  unsigned flags = 0;
  Graph* captured = nullptr; ///< it was recorded in a stream that is captured to this graph
};

/// What a stream does: at once, or later in a graph while the stream is captured.
using Work = std::function<Error()>;

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  Graph* captured = nullptr; ///< what it does becomes nodes of this graph; null: it is not captured
  bool begins_capture = false; ///< the capture ends in this stream
};

/// The configuration of a `kernel<<<…>>>(…)` on its way.
struct CallConfiguration {
  Dim grid, block;
  std::size_t shared = 0;
  StreamHandle stream = nullptr;
};

/// cudaArray.
struct Array {
  ChannelFormat format{};
  Extent extent; ///< as it was asked for: 0 where it has no such dimension
  unsigned flags = 0;
  ptx::TexelArray texels;
};

/// What a texture or surface object was made of.
struct MadeObject {
  ResourceDescription resource;
  std::optional<TextureDescription> texture; ///< none: a surface
};

enum class MemoryKind : std::uint8_t { device, pinned, managed, registered };

struct Runtime {
  std::recursive_mutex lock;
  std::unique_ptr<PricedRun> priced = PricedRun::ordered(); ///< null: launches are not priced
  ptx::Device device{priced ? priced->properties() : ptx::DeviceProperties()};
  std::map<void**, std::unique_ptr<RegisteredModule>> modules;
  std::unordered_map<const void*, Kernel> kernels;
  std::unordered_map<const void*, Symbol> symbols;
  std::map<std::uint64_t, MemoryKind> memory; ///< kinds by where allocations begin
  std::map<const Array*, std::unique_ptr<Array>> arrays;
  std::map<std::uint64_t, MadeObject> objects; ///< textures and surfaces by their numbers
  std::set<Stream*> streams;
  std::set<Event*> events;
  std::set<Graph*> graphs;
  std::set<GraphRun*> graph_runs;
  Stream legacy;                 ///< the stream 0
  Error sticky = Error::success; ///< of a fault: all later calls fail with it
  /// Priced launches take the seconds of their time units, a nanosecond each on a machine without a
  /// clock. Others have a time that is made up: a nanosecond a warp instruction. No two
  /// events have the same.
  double clock_ns = 0;
  bool has_unpriced = false; ///< launches that the order has left out
  double latest_event_ns = -1;
  Report report;
  std::string reason; ///< why the call at hand fails; empty: its error says enough

  /// The call fails, and why.
  Error fail(Error error, std::string why) {
    reason = std::move(why);
    return error;
  }
  void pass(double ns) { clock_ns += ns; }
};

/// Made when it is first asked for; never destroyed, since programs unregister at their very end.
Runtime& runtime();

/// The lock, if it is free soon: at a program's end another thread may wait for a launch that never
/// ends.
std::unique_lock<std::recursive_mutex> lock_soon();
/// Whether launches are over because the program ends: a thread in the middle of one does nothing
/// more, and keeps the lock.
bool are_launches_stopped();
[[noreturn]] void wait_for_end();

/// What MEMLANE_CUDA_ALLOW says.
ptx::FaultKinds allowed_faults();

/// Keeps an error as the thread's last one, and returns it.
Error note(Error error);
void forget_last_error();
/// The error of a fault, which stays.
Error sticky_error();

/// While it lives, messages name the function that makes it, and none that this calls.
class PublicCall {
public:
  explicit PublicCall(const char* function = __builtin_FUNCTION());
  ~PublicCall();
  PublicCall(const PublicCall&) = delete;
  PublicCall& operator=(const PublicCall&) = delete;

private:
  bool outermost_;
};

/// Says that a call has failed, of calls that fail alike once: many programs do not look.
void tell_failure(Runtime& all, const char* function, Error error);

/// The body of a function of the API: under the lock, not after a fault, without exceptions. A
/// failure about which nothing was said is told.
template <class F>
Error with_runtime(F f, const char* function = __builtin_FUNCTION()) {
  Runtime& all = runtime();
  const std::lock_guard<std::recursive_mutex> guard(all.lock);
  if (all.sticky != Error::success) return note(all.sticky);
  const std::int64_t said = messages_said();
  Error error = Error::memory_allocation;
  try {
    error = f(all);
  } catch (const std::bad_alloc&) { // as it is
  }
  if (error != Error::success && messages_said() == said) tell_failure(all, function, error);
  all.reason.clear();
  return note(error);
}

/// Loads the module of a fat binary, and sets the pointers of managed variables. Errors are printed
/// once.
Error load(Runtime& all, RegisteredModule& module);
void load_all(Runtime& all);
/// The program's pointers to the managed variables of a module that is loaded.
void set_managed(Runtime& all, const RegisteredModule& module);

/// Null: no such stream. 0, 1 and 2 are the default streams.
Stream* find_stream(Runtime& all, StreamHandle handle);
/// Does the work at once, or keeps it for a graph.
Error enqueue(Runtime& all, StreamHandle stream, Work work, int node_kind);
/// Appends what a captured stream does.
void append(Graph& graph, Work work, int node_kind);
Graph* make_graph(Runtime& all);
void forget_graphs(Runtime& all);
/// Memory, objects, streams, events and graphs are gone, and variables have their first values.
/// What is loaded stays (cudaDeviceReset).
void reset(Runtime& all);

/// The function behind a pointer to a host function, with its module loaded.
Error find_kernel(Runtime& all, const void* function, Kernel*& kernel);
/// The work of a launch, with copies of its parameters.
Error prepare_launch(Runtime& all, Kernel& kernel, Dim grid, Dim block, void** parameters,
                     std::size_t shared, bool cooperative, Work& work);

/// The address as the device knows it: it is the host's.
inline std::uint64_t number_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}
/// Whether all `bytes` from an address are memory of the device.
bool is_device_memory(const Runtime& all, const void* address, std::size_t bytes);
/// What is wrong with a copy; Error::success: nothing.
Error check_copy(Runtime& all, const void* to, const void* from, std::size_t bytes, Copy kind);
Error copy_bytes(Runtime& all, void* to, const void* from, std::size_t bytes, Copy kind,
                 StreamHandle stream);
Error copy_rows(Runtime& all, void* to, std::size_t to_pitch, const void* from,
                std::size_t from_pitch, std::size_t width, std::size_t height, Copy kind,
                StreamHandle stream);
Error copy_3d(Runtime& all, Copy3D copy, Work& work);
/// Null: there is no such array.
Array* find_array(Runtime& all, const void* handle);
/// Nothing: arrays and textures have no such texels.
std::optional<ptx::TexelFormat> texel_format_of(const ChannelFormat& format);
/// Arrays at the ends of a copy become their memory, and all numbers count bytes.
Error without_arrays(Runtime& all, Copy3D& copy);
Error fill_2d(Runtime& all, void* to, std::size_t pitch, unsigned value, unsigned element_bytes,
              std::size_t width, std::size_t height, Work& work);
/// The variable of the device behind one of the host.
Error find_symbol(Runtime& all, const void* symbol, ptx::DeviceVariable& variable);

} // namespace memlane::cudart
