// What graphs are made of. Their nodes are added in graph_nodes.cpp.
#pragma once

#include "runtime.hpp"

#include <algorithm>
#include <memory>

namespace memlane::cudart {

/// cudaGraphNodeType.
struct NodeKind {
  static constexpr int kernel = 0, copy = 1, set = 2, host = 3, graph = 4, empty = 5,
                       wait_event = 6, record_event = 7, allocate = 10, free = 11, conditional = 13;
};

struct GraphNode {
  int kind = 0; ///< of NodeKind
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

inline bool is_graph(const Runtime& all, Graph* graph) { return all.graphs.count(graph) != 0; }
/// Nodes in the order in which they were added, except that each comes behind those it depends on.
/// False: they depend on each other in a circle.
bool ordered(const Graph& graph, std::vector<const GraphNode*>& order);
Error run_steps(const GraphRun& run);

} // namespace memlane::cudart
