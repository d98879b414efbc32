// Graphs: work that is kept, and done in an order that its dependencies allow.
#include "graphs.hpp"

namespace memlane::cudart {

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
        NodeKind::graph);
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
