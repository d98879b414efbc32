// Graphs: work that is kept, and done in an order that its dependencies allow.
#include "runtime.hpp"

#include <algorithm>
#include <memory>

namespace memlane::cudart {

struct GraphNode {
  int kind = 0; ///< cudaGraphNodeType
  Work work;
  std::vector<GraphNode*> after; ///< these come before
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;

  bool has(const GraphNode* node) const {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const auto& own) { return own.get() == node; });
  }
};

struct GraphRun {
  struct Step {
    const GraphNode* node = nullptr; ///< whose parameters may be set anew
    Work work;
    int kind = 0;
  };
  std::vector<Step> steps;
};

namespace {

constexpr int kernel_kind = 0, copy_kind = 1, set_kind = 2, host_kind = 3, graph_kind = 4,
              empty_kind = 5;

bool is_graph(const Runtime& all, Graph* graph) { return all.graphs.count(graph) != 0; }

Error add_node(Runtime& all, GraphNode** into, Graph* graph, GraphNode* const* after,
               std::size_t count, int kind, Work work) {
  if (!into || !is_graph(all, graph) || (count > 0 && !after)) return Error::invalid_value;
  for (std::size_t k = 0; k < count; ++k)
    if (!graph->has(after[k])) return Error::invalid_value;
  auto node = std::make_unique<GraphNode>();
  node->kind = kind;
  node->work = std::move(work);
  node->after.assign(after, after + count);
  *into = node.get();
  graph->nodes.push_back(std::move(node));
  return Error::success;
}

/// Nodes in the order in which they were added, except that each comes behind those it depends on.
/// False: they depend on each other in a circle.
bool ordered(const Graph& graph, std::vector<const GraphNode*>& order) {
  std::set<const GraphNode*> done;
  while (order.size() < graph.nodes.size()) {
    const std::size_t before = order.size();
    for (const auto& node : graph.nodes) {
      const bool ready = std::all_of(node->after.begin(), node->after.end(),
                                     [&](GraphNode* other) { return done.count(other) != 0; });
      if (!ready || !done.insert(node.get()).second) continue;
      order.push_back(node.get());
    }
    if (order.size() == before) return false;
  }
  return true;
}

Error run_steps(const GraphRun& run) {
  for (const GraphRun::Step& step : run.steps)
    if (step.work)
      if (const Error error = step.work(); error != Error::success) return error;
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

Work host_work(const HostNode& node) {
  return [node] {
    node.function(node.argument);
    return Error::success;
  };
}

} // namespace

Graph* make_graph(Runtime& all) {
  auto graph = std::make_unique<Graph>();
  all.graphs.insert(graph.get());
  return graph.release();
}

void forget_graphs(Runtime& all) {
  for (Graph* graph : all.graphs) delete graph;
  for (GraphRun* run : all.graph_runs) delete run;
  all.graphs.clear();
  all.graph_runs.clear();
}

/// Each node of a captured stream comes behind all before it: they run in this order anyway.
void append(Graph& graph, Work work, int node_kind) {
  auto node = std::make_unique<GraphNode>();
  node->kind = node_kind;
  node->work = std::move(work);
  if (!graph.nodes.empty()) node->after.push_back(graph.nodes.back().get());
  graph.nodes.push_back(std::move(node));
}

MEMLANE_API Error cudaGraphCreate(Graph** graph, unsigned flags) {
  return with_runtime([&](Runtime& all) {
    if (!graph || flags != 0) return Error::invalid_value;
    *graph = make_graph(all);
    return Error::success;
  });
}
MEMLANE_API Error cudaGraphDestroy(Graph* graph) {
  return with_runtime([&](Runtime& all) {
    if (all.graphs.erase(graph) == 0) return Error::invalid_value;
    delete graph;
    return Error::success;
  });
}
MEMLANE_API Error cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         std::size_t count, const KernelNode* parameters) {
  return with_runtime([&](Runtime& all) {
    Work work;
    const Error error = kernel_work(all, parameters, work);
    return error == Error::success
               ? add_node(all, node, graph, after, count, kernel_kind, std::move(work))
               : error;
  });
}
MEMLANE_API Error cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         std::size_t count, const Copy3D* parameters) {
  return with_runtime([&](Runtime& all) {
    if (!parameters) return Error::invalid_value;
    Work work;
    const Error error = copy_3d(all, *parameters, work);
    return error == Error::success
               ? add_node(all, node, graph, after, count, copy_kind, std::move(work))
               : error;
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
  return cudaGraphAddMemcpyNode(node, graph, after, count, &parameters);
}
MEMLANE_API Error cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         std::size_t count, const MemsetNode* set) {
  return with_runtime([&](Runtime& all) {
    if (!set) return Error::invalid_value;
    Work work;
    const Error error = fill_2d(all, set->to, set->pitch, set->value, set->element_bytes,
                                set->width, set->height, work);
    return error == Error::success
               ? add_node(all, node, graph, after, count, set_kind, std::move(work))
               : error;
  });
}
MEMLANE_API Error cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                       std::size_t count, const HostNode* host) {
  return with_runtime([&](Runtime& all) {
    if (!host || !host->function) return Error::invalid_value;
    return add_node(all, node, graph, after, count, host_kind, host_work(*host));
  });
}
MEMLANE_API Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                        std::size_t count) {
  return with_runtime(
      [&](Runtime& all) { return add_node(all, node, graph, after, count, empty_kind, {}); });
}
/// The child is as it is now.
MEMLANE_API Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph,
                                             GraphNode* const* after, std::size_t count,
                                             Graph* child) {
  return with_runtime([&](Runtime& all) {
    std::vector<const GraphNode*> order;
    if (!is_graph(all, child) || !ordered(*child, order)) return Error::invalid_value;
    GraphRun run;
    for (const GraphNode* step : order) run.steps.push_back({step, step->work, step->kind});
    return add_node(all, node, graph, after, count, graph_kind,
                    [run = std::move(run)] { return run_steps(run); });
  });
}

namespace {

Error add_dependencies(Runtime& all, Graph* graph, GraphNode* const* from, GraphNode* const* to,
                       std::size_t count) {
  if (!is_graph(all, graph)) return Error::invalid_value;
  for (std::size_t k = 0; k < count; ++k)
    if (!graph->has(from[k]) || !graph->has(to[k])) return Error::invalid_value;
  for (std::size_t k = 0; k < count; ++k) to[k]->after.push_back(from[k]);
  return Error::success;
}

} // namespace

#if MEMLANE_CUDART >= 13
MEMLANE_API Error cudaGraphAddDependencies(Graph* graph, GraphNode* const* from,
                                           GraphNode* const* to, const void*, std::size_t count) {
  return with_runtime([&](Runtime& all) { return add_dependencies(all, graph, from, to, count); });
}
#else
MEMLANE_API Error cudaGraphAddDependencies(Graph* graph, GraphNode* const* from,
                                           GraphNode* const* to, std::size_t count) {
  return with_runtime([&](Runtime& all) { return add_dependencies(all, graph, from, to, count); });
}
#endif

/// Without `nodes`: only their number.
MEMLANE_API Error cudaGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  return with_runtime([&](Runtime& all) {
    if (!is_graph(all, graph) || !count) return Error::invalid_value;
    if (nodes)
      for (std::size_t k = 0; k < *count; ++k)
        nodes[k] = k < graph->nodes.size() ? graph->nodes[k].get() : nullptr;
    *count = nodes ? std::min(*count, graph->nodes.size()) : graph->nodes.size();
    return Error::success;
  });
}
MEMLANE_API Error cudaGraphNodeGetType(GraphNode* node, int* kind) {
  return with_runtime([&](Runtime& all) {
    const bool known = std::any_of(all.graphs.begin(), all.graphs.end(),
                                   [&](const Graph* graph) { return graph->has(node); });
    if (!known || !kind) return Error::invalid_value;
    *kind = node->kind;
    return Error::success;
  });
}
MEMLANE_API Error cudaGraphClone(Graph** copy, Graph* graph) {
  return with_runtime([&](Runtime& all) {
    if (!copy || !is_graph(all, graph)) return Error::invalid_value;
    *copy = make_graph(all);
    std::map<const GraphNode*, GraphNode*> copies;
    for (const auto& node : graph->nodes)
      copies[node.get()] = (*copy)->nodes.emplace_back(std::make_unique<GraphNode>(*node)).get();
    for (const auto& node : (*copy)->nodes)
      for (GraphNode*& other : node->after) other = copies[other];
    return Error::success;
  });
}

MEMLANE_API Error cudaGraphInstantiate(GraphRun** run, Graph* graph, unsigned long long) {
  return with_runtime([&](Runtime& all) {
    std::vector<const GraphNode*> order;
    if (!run || !is_graph(all, graph) || !ordered(*graph, order)) return Error::invalid_value;
    auto made = std::make_unique<GraphRun>();
    for (const GraphNode* node : order) made->steps.push_back({node, node->work, node->kind});
    all.graph_runs.insert(made.get());
    *run = made.release();
    return Error::success;
  });
}
MEMLANE_ALIAS(cudaGraphInstantiateWithFlags, cudaGraphInstantiate);
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
      if (graph->has(node) && node->kind == kernel_kind)
        return kernel_work(all, parameters, node->work);
    return Error::invalid_value;
  });
}

namespace {

/// cudaGraphExecUpdateResultInfo.
struct UpdateResult {
  int result = 0; ///< 2: other nodes
  GraphNode* node = nullptr;
  GraphNode* from = nullptr;
};

} // namespace

/// The graph must have the same kinds of nodes in the same order.
MEMLANE_API Error cudaGraphExecUpdate(GraphRun* run, Graph* graph, UpdateResult* result) {
  return with_runtime([&](Runtime& all) {
    std::vector<const GraphNode*> order;
    if (all.graph_runs.count(run) == 0 || !is_graph(all, graph) || !ordered(*graph, order))
      return Error::invalid_value;
    const bool same = std::equal(
        order.begin(), order.end(), run->steps.begin(), run->steps.end(),
        [](const GraphNode* node, const GraphRun::Step& step) { return node->kind == step.kind; });
    if (result) *result = {same ? 0 : 2, nullptr, nullptr};
    if (!same) return Error::graph_update_failure;
    for (std::size_t k = 0; k < order.size(); ++k) run->steps[k].work = order[k]->work;
    return Error::success;
  });
}
/// Those that depend on no other; without `nodes` their number.
MEMLANE_API Error cudaGraphGetRootNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  return with_runtime([&](Runtime& all) {
    if (!is_graph(all, graph) || !count) return Error::invalid_value;
    std::size_t found = 0;
    for (const auto& node : graph->nodes) {
      if (!node->after.empty()) continue;
      if (nodes && found < *count) nodes[found] = node.get();
      ++found;
    }
    *count = nodes ? std::min(*count, found) : found;
    return Error::success;
  });
}

/// In a stream that is captured, the graph becomes a part of the captured one.
MEMLANE_API Error cudaGraphLaunch(GraphRun* run, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    if (all.graph_runs.count(run) == 0) return Error::invalid_value;
    return enqueue(
        all, stream,
        [&all, steps = *run] {
          all.report.of_graph = true;
          const Error error = run_steps(steps);
          all.report.of_graph = false;
          return error;
        },
        graph_kind);
  });
}
MEMLANE_ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch);
MEMLANE_API Error cudaGraphUpload(GraphRun* run, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    return all.graph_runs.count(run) != 0 && find_stream(all, stream) ? Error::success
                                                                      : Error::invalid_value;
  });
}
MEMLANE_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);
MEMLANE_API Error cudaGraphExecDestroy(GraphRun* run) {
  return with_runtime([&](Runtime& all) {
    if (all.graph_runs.erase(run) == 0) return Error::invalid_value;
    delete run;
    return Error::success;
  });
}

} // namespace memlane::cudart
