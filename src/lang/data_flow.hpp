// Which variables and local arrays hold data (configs/README.md section 6): those with an
// assignment or declaration anywhere that reads data outside index brackets.
#pragma once

#include "memlane/lang/typed.hpp"

#include <cstdint>
#include <vector>

namespace memlane::lang {

/// What a variable or an array holds; the cost of a statement depends on it.
enum class Holds : std::uint8_t {
  no_data,
  data,   ///< values of a thread's own that were computed from memory
  memory, ///< arrays: each access is a request
};

/// The assignments of a program as a graph, from what each reads to what it assigns. Built once, in
/// time linear in the program and in array formals times the bodies of their procs.
class DataFlow {
public:
  /// Requires procs that are not recursive.
  explicit DataFlow(const Checked& checked);

  /// Follows data through one call of a kernel or proc; `variable` and `array` then answer for it.
  /// The formals hold what `given` says, in order. Cost: the assignments that data reaches.
  void enter(SymbolId function, const std::vector<Holds>& given);
  Holds variable(SymbolId id) const;
  Holds array(SymbolId id) const; ///< follows views

  /// By variable: whether it holds data in any call or launch, with data that host code reads from
  /// memory and hands to kernels. This is more than configs/README.md section 6 counts.
  std::vector<bool> anywhere();

private:
  using Node = std::int32_t;          ///< a variable, an array, or a scalar argument of one call
  static constexpr Node memory = -1;  ///< all arrays whose elements are always data
  static constexpr Node nothing = -2; ///< no register: what is read there is not assigned

  struct Call {
    SymbolId callee = -1;
    std::vector<Node> actuals;
  };
  /// A proc assigns elements of the array formal `to` from the formal `from` (-1: from memory).
  struct Effect {
    std::int32_t from = -1;
    std::int32_t to = -1;
  };
  struct Body {
    std::vector<Node> sources; ///< assigned from memory
    std::vector<Call> calls;   ///< calls of procs
    std::vector<Call> launches;
    bool linked = false;
    std::vector<Effect> effects;
  };

  Node node_of_array(SymbolId id) const;
  Node node_of(const TFormal& formal) const;
  Node new_node();
  void statements(const std::vector<TStatement>& body, Body& into, Node fn = nothing);
  void fns_in(const TExpr& e, Body& into);
  Call call(const TStatement& s, Body& into);
  void reads(const TExpr& e, Node target, Body& into);
  void assign(Node from, Node target, Body& into);
  void link(SymbolId function);
  void find_effects(const TFunction& function, Body& body);
  void connect(const Call& call, std::vector<Node>& seeds);
  void spread(const std::vector<Node>& seeds);
  void forget();

  const Checked& checked_;
  std::vector<std::vector<Node>> assigns_; ///< what is assigned from each node
  std::vector<Body> bodies_;               ///< indexed by function
  std::vector<bool> holds_;                ///< nodes with data in the call entered last
  std::vector<Node> reached_;              ///< nodes that have data
  std::vector<bool> in_memory_;        ///< indexed by array: a formal that was given one in memory
  std::vector<SymbolId> given_memory_; ///< the formals that in_memory_ marks
};

} // namespace memlane::lang
