// Nodes of graphs: each kind by a function of its own, or by cudaGraphAddNode.
#include "graphs.hpp"

#include <fmt/format.h>

#include <cstring>

namespace memlane::cudart {

extern "C" Error cudaMalloc(void** pointer, std::size_t bytes);
extern "C" Error cudaEventRecord(Event* event, StreamHandle stream);

namespace {

/// Adds a node with the work that `make` sets.
template <class Make>
Error add_node(Runtime& all, GraphNode** into, Graph* graph, GraphNode* const* after,
               std::size_t count, int kind, Make make) {
  if (!into || !is_graph(all, graph) || (count > 0 && !after)) return Error::invalid_value;
  for (std::size_t k = 0; k < count; ++k)
    if (!graph->has(after[k])) return Error::invalid_value;
  auto node = std::make_unique<GraphNode>();
  node->kind = kind;
  if (const Error error = make(node->work); error != Error::success) return error;
  node->after.assign(after, after + count);
  *into = node.get();
  graph->nodes.push_back(std::move(node));
  return Error::success;
}

Error kernel_work(Runtime& all, const KernelNode* node, Work& work) {
  if (!node) return Error::invalid_value;
  if (node->extra) return Error::not_supported;
  Kernel* kernel = nullptr;
  if (const Error error = find_kernel(all, node->function, kernel); error != Error::success)
    return error;
  return prepare_launch(all, *kernel, node->grid, node->block, node->parameters, node->shared,
                        false, work);
}

Error copy_work(Runtime& all, const Copy3D* copy, Work& work) {
  return copy ? copy_3d(all, *copy, work) : Error::invalid_value;
}
Error set_work(Runtime& all, const MemsetNode* set, Work& work) {
  if (!set) return Error::invalid_value;
  return fill_2d(all, set->to, set->pitch, set->value, set->element_bytes, set->width, set->height,
                 work);
}
Error host_work(const HostNode* host, Work& work) {
  if (!host || !host->function) return Error::invalid_value;
  work = [node = *host] {
    node.function(node.argument);
    return Error::success;
  };
  return Error::success;
}
/// The child is as it is now.
Error graph_work(const Runtime& all, Graph* child, Work& work) {
  std::vector<const GraphNode*> order;
  if (!is_graph(all, child) || !ordered(*child, order)) return Error::invalid_value;
  GraphRun run;
  for (const GraphNode* step : order) run.steps.push_back({step, step->work, step->kind});
  work = [run = std::move(run)] { return run_steps(run); };
  return Error::success;
}
/// The memory stays until the program frees it or resets the device, as memory of captured streams
/// does. The graph uses it each time.
Error allocate_for_graph(AllocationNode* node) {
  if (!node || node->bytes == 0) return Error::invalid_value;
  return cudaMalloc(&node->pointer, node->bytes);
}
Error free_in_graph(const Runtime& all, const void* pointer) {
  return is_device_memory(all, pointer, 1) ? Error::success : Error::invalid_value;
}

template <class T>
T read_as(const NodeParameters& parameters) {
  static_assert(sizeof(T) <= sizeof parameters.of_type);
  T made;
  std::memcpy(&made, parameters.of_type, sizeof made);
  return made;
}
/// The work of a node with these parameters; what it allocates is written to them.
Error node_work(Runtime& all, NodeParameters& parameters, Work& work) {
  switch (parameters.type) {
  case NodeKind::kernel: {
    const auto kernel = read_as<KernelNode>(parameters);
    return kernel_work(all, &kernel, work);
  }
  case NodeKind::copy: {
    const auto copy = read_as<CopyNode>(parameters);
    return copy_work(all, &copy.copy, work);
  }
  case NodeKind::set: {
    const auto set = read_as<MemsetNode>(parameters);
    return set_work(all, &set, work);
  }
  case NodeKind::host: {
    const auto host = read_as<HostNode>(parameters);
    return host_work(&host, work);
  }
  case NodeKind::graph: return graph_work(all, read_as<Graph*>(parameters), work);
  case NodeKind::empty:
  case NodeKind::wait_event: return Error::success; // what it waits for is done
  case NodeKind::record_event:
    work = [event = read_as<Event*>(parameters)] { return cudaEventRecord(event, nullptr); };
    return Error::success;
  case NodeKind::allocate: {
    auto memory = read_as<AllocationNode>(parameters);
    const Error error = allocate_for_graph(&memory);
    std::memcpy(parameters.of_type, &memory, sizeof memory);
    return error;
  }
  case NodeKind::free: return free_in_graph(all, read_as<void*>(parameters));
  case NodeKind::conditional:
    return all.fail(Error::not_supported,
                    "memlane has no conditional nodes of graphs; the host can decide between "
                    "launches of graphs instead");
  default:
    return all.fail(Error::not_supported,
                    fmt::format("memlane has no nodes of type {}", parameters.type));
  }
}
Error set_parameters(Runtime& all, NodeParameters* parameters, int kind, Work& work) {
  const bool may_change = kind != NodeKind::allocate && kind != NodeKind::free;
  if (!parameters || parameters->type != kind || !may_change) return Error::invalid_value;
  return node_work(all, *parameters, work);
}

} // namespace

MEMLANE_API Error cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         std::size_t count, const KernelNode* parameters) {
  return with_runtime([&](Runtime& all) {
    return add_node(all, node, graph, after, count, NodeKind::kernel,
                    [&](Work& work) { return kernel_work(all, parameters, work); });
  });
}
MEMLANE_API Error cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         std::size_t count, const Copy3D* parameters) {
  return with_runtime([&](Runtime& all) {
    return add_node(all, node, graph, after, count, NodeKind::copy,
                    [&](Work& work) { return copy_work(all, parameters, work); });
  });
}
MEMLANE_API Error cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, GraphNode* const* after,
                                           std::size_t count, void* to, const void* from,
                                           std::size_t bytes, Copy kind) {
  Copy3D parameters;
  parameters.to = {to, bytes, bytes, 1};
  parameters.from = {const_cast<void*>(from), bytes, bytes, 1};
  parameters.extent = {bytes, 1, 1};
  parameters.kind = kind;
  const PublicCall named;
  return cudaGraphAddMemcpyNode(node, graph, after, count, &parameters);
}
MEMLANE_API Error cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         std::size_t count, const MemsetNode* set) {
  return with_runtime([&](Runtime& all) {
    return add_node(all, node, graph, after, count, NodeKind::set,
                    [&](Work& work) { return set_work(all, set, work); });
  });
}
MEMLANE_API Error cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                       std::size_t count, const HostNode* host) {
  return with_runtime([&](Runtime& all) {
    return add_node(all, node, graph, after, count, NodeKind::host,
                    [&](Work& work) { return host_work(host, work); });
  });
}
MEMLANE_API Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                        std::size_t count) {
  return with_runtime([&](Runtime& all) {
    return add_node(all, node, graph, after, count, NodeKind::empty,
                    [](Work&) { return Error::success; });
  });
}
MEMLANE_API Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph,
                                             GraphNode* const* after, std::size_t count,
                                             Graph* child) {
  return with_runtime([&](Runtime& all) {
    return add_node(all, node, graph, after, count, NodeKind::graph,
                    [&](Work& work) { return graph_work(all, child, work); });
  });
}
MEMLANE_API Error cudaGraphAddMemAllocNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                           std::size_t count, AllocationNode* memory) {
  return with_runtime([&](Runtime& all) {
    return add_node(all, node, graph, after, count, NodeKind::allocate,
                    [&](Work&) { return allocate_for_graph(memory); });
  });
}
MEMLANE_API Error cudaGraphAddMemFreeNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                          std::size_t count, void* pointer) {
  return with_runtime([&](Runtime& all) {
    return add_node(all, node, graph, after, count, NodeKind::free,
                    [&](Work&) { return free_in_graph(all, pointer); });
  });
}
/// Nothing is kept that could be given back.
MEMLANE_API Error cudaDeviceGraphMemTrim(int device) {
  return with_runtime(
      [&](Runtime&) { return device == 0 ? Error::success : Error::invalid_device; });
}

namespace {

Error add_any_node(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                   NodeParameters* parameters, const char* function = __builtin_FUNCTION()) {
  return with_runtime(
      [&](Runtime& all) {
        if (!parameters) return Error::invalid_value;
        return add_node(all, node, graph, after, count, parameters->type,
                        [&](Work& work) { return node_work(all, *parameters, work); });
      },
      function);
}

} // namespace

/// What edges have of their own, such as a part of a kernel that the next one waits for, changes
/// nothing: a node ends before another begins.
#if MEMLANE_CUDART >= 13
MEMLANE_API Error cudaGraphAddNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                   const void*, std::size_t count, NodeParameters* parameters) {
  return add_any_node(node, graph, after, count, parameters);
}
#else
MEMLANE_API Error cudaGraphAddNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                   std::size_t count, NodeParameters* parameters) {
  return add_any_node(node, graph, after, count, parameters);
}
MEMLANE_API Error cudaGraphAddNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after,
                                      const void*, std::size_t count, NodeParameters* parameters) {
  return add_any_node(node, graph, after, count, parameters);
}
#endif
MEMLANE_API Error cudaGraphNodeSetParams(GraphNode* node, NodeParameters* parameters) {
  return with_runtime([&](Runtime& all) {
    for (const Graph* graph : all.graphs)
      if (graph->has(node)) return set_parameters(all, parameters, node->kind, node->work);
    return Error::invalid_value;
  });
}
MEMLANE_API Error cudaGraphExecNodeSetParams(GraphRun* run, GraphNode* node,
                                             NodeParameters* parameters) {
  return with_runtime([&](Runtime& all) {
    if (all.graph_runs.count(run) == 0) return Error::invalid_value;
    for (GraphRun::Step& step : run->steps)
      if (step.node == node) return set_parameters(all, parameters, step.kind, step.work);
    return Error::invalid_value;
  });
}
MEMLANE_API Error cudaGraphExecKernelNodeSetParams(GraphRun* run, GraphNode* node,
                                                   const KernelNode* parameters) {
  return with_runtime([&](Runtime& all) {
    if (all.graph_runs.count(run) == 0) return Error::invalid_value;
    for (GraphRun::Step& step : run->steps)
      if (step.node == node) return kernel_work(all, parameters, step.work);
    return Error::invalid_value;
  });
}
MEMLANE_API Error cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNode* parameters) {
  return with_runtime([&](Runtime& all) {
    for (const Graph* graph : all.graphs)
      if (graph->has(node) && node->kind == NodeKind::kernel)
        return kernel_work(all, parameters, node->work);
    return Error::invalid_value;
  });
}

} // namespace memlane::cudart
