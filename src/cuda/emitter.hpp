// The state of one emission and its parts: expressions, arrays, statements, the file.
#pragma once

#include "emit_code.hpp"
#include "emit_meetings.hpp"
#include "emit_text.hpp"
#include "emit_values.hpp"

#include "memlane/cuda/emit.hpp"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace memlane::cuda {

/// What an array name denotes at one place.
struct EmittedArray {
  lang::SymbolId root = -1; ///< a memory, shared or local array, or a kernel's formal
  std::string base;         ///< what is indexed
  Code offset = {"0", Code::primary, ir::Scalar::int32, true}; ///< of element 0, row-major
  std::vector<std::function<Code()>> extents;                  ///< asked for where needed
  bool whole = true;    ///< the root itself, in all its dimensions
  bool pointer = false; ///< a formal: rows, its extents beside it
};

/// What a function takes beside its formals: a run-time parameter or constant, an array of memory,
/// the random turns of an array's rows.
struct Capture {
  enum Kind { array, turns, scalar } kind = scalar;
  std::string name;
  lang::SymbolId symbol = -1; ///< of an array
  bool operator<(const Capture& other) const {
    return std::tie(kind, symbol, name) < std::tie(other.kind, other.symbol, other.name);
  }
};

/// More shared memory than this is asked for by the launch.
inline constexpr std::int64_t most_static_bytes = 48 * 1024;

/// What all launches of a kernel, or of the program, have in common.
struct LaunchSizes {
  std::int64_t least_threads = 1, most_threads = 1;
  std::optional<std::int64_t> threads, blocks; ///< the same in every launch, whatever the run
};

/// The C++ function that is being written.
struct FunctionText {
  bool host = false;
  std::set<Capture> captures;
  std::set<ir::Special> specials;
  std::set<lang::SymbolId> records;           ///< top-level shared arrays of records
  std::vector<std::string> lambdas;           ///< of fns, in the order of their need
  std::map<std::string, std::string> written; ///< fn and text of its body: its C++ name
  std::set<std::string> kept;                 ///< names of values that loops keep
  LaunchSizes sizes;                          ///< of the launches that come here
  std::string mask;                           ///< the lanes that run here; empty: the whole warp
  bool host_arrays = false;                   ///< a fn with an array whose size only the host knows
};

/// Emits a checked program; see emit_cuda().
class Emitter {
public:
  Emitter(const EmitRequest& request, const ir::Program& lowered);
  Result<Emitted> run();

private:
  // emit_program.cpp
  void name_everything();
  void choose_fixed();
  void fix(const lang::TExpr& expr);
  void fix_sync(const lang::TFunction& function);
  void know_fixed();
  void find_members();
  std::string head() const;
  std::string prelude() const;
  void unsupported(Span span, const std::string& what, std::vector<std::string> help);

  // emit_declarations.cpp
  std::string constants();
  std::string record_types();
  std::string alias_of(const lang::TypeDecl& type) const;
  std::string tables();
  std::string top_level_shared();

  // emit_host.cpp
  std::string host_part();
  std::string facts() const;
  bool repeatable();
  std::string host_members();
  std::string sizes_function();
  std::string parameters_function() const;
  std::string host_function(const lang::TFunction* function, const std::string& name);

  // emit_memory.cpp
  std::string extents_of(const lang::ArraySymbol& array);
  std::string allocate_function();
  std::string fill_function();
  void fill_array(lang::SymbolId id, Writer& out);
  std::string record_memory(const lang::RecordType& record);
  int lowered_array(const std::string& name) const;

  // emit_names.cpp
  bool set_narrow(lang::SymbolId variable, bool fits);
  std::string top_name(const std::string& name) const;
  std::string declare(lang::SymbolId variable);
  std::string outer_name(std::string name) const;
  std::string fresh_name(const std::string& wish);
  std::string kept_name(const std::string& wish);
  std::string type_name(lang::Type type) const;
  std::string scalar_name(ir::Scalar type) const;
  std::string word_name(ir::Scalar type) const;
  ir::Scalar kernel_type(const lang::TExpr& e);
  ir::Scalar scalar_of(const std::string& captured);
  std::string machine_letter(const std::string& letter);
  std::string declared_type(Span name, lang::Type type) const;
  void read_type_names();

  // emit_expressions.cpp
  Code expr(const lang::TExpr& e);
  std::string text(const lang::TExpr& e, Code::Level level = Code::conditional);
  Code exact(const lang::TExpr& e);
  Code exact(Code code, ir::Scalar type, const lang::TExpr* e = nullptr);
  Code literal(ir::Scalar type, ir::Value value);
  Code symbol(const lang::TExpr& e);
  Code call(const std::string& function, const lang::TExpr& e);

  // emit_operators.cpp
  Code operation(const lang::TExpr& e);
  Code binary(const char* op, Code::Level level, const lang::TExpr& e);
  Code wrapping(const char* op, const lang::TExpr& e);
  Code power(const lang::TExpr& e);
  Code comparison(const lang::TExpr& e);
  Code logical(const lang::TExpr& e);

  // emit_random.cpp
  Code random(const lang::TExpr& e);
  Code in_order(const lang::TExpr& e);
  static bool draws_in_several(const std::vector<lang::TExpr>& operands);
  lang::TExpr settled(const lang::TExpr& e, const std::function<void(const std::string&)>& line);
  lang::ArraySlice settled(lang::ArraySlice slice, Writer& out);
  std::optional<lang::TStatement> settled(const lang::TStatement& s, Writer& out);

  // emit_fns.cpp
  Code fn_call(const lang::TExpr& e);
  Code bound_parts(const lang::TExpr& e);
  std::string block_of(const lang::TExpr& call);
  std::string function_of(const std::string& name, const std::string& result,
                          const std::vector<std::pair<std::string, std::string>>& formals,
                          const std::function<std::string()>& body);
  std::string function_for(const std::string& name, const std::string& result,
                           const std::vector<std::pair<std::string, std::string>>& formals,
                           const std::function<std::string()>& value);

  // emit_arrays.cpp
  EmittedArray resolve(lang::SymbolId id);
  EmittedArray slice(const lang::ArraySlice& slice);
  Code number(const EmittedArray& array, const std::vector<Code>& indices);
  Code word(const EmittedArray& array, const std::vector<lang::TExpr>& indices);
  Code placed(const EmittedArray& array, const std::vector<Code>& indices);
  std::string shared_field(const lang::ArraySymbol& array, const lang::RecordField& field) const;
  std::string shared_fields(const lang::ArraySymbol& array) const;
  Code element(const lang::TExpr& e);
  const lang::ArraySymbol& symbol_of(lang::SymbolId id) const {
    return checked_.arrays[std::size_t(id)];
  }
  void capture_array(lang::SymbolId root);
  std::string constant_text(const lang::TExpr& e);

  // emit_layouts.cpp
  std::string word_function(lang::SymbolId root, bool flat);
  std::string word_body(const lang::ArraySymbol& array, const std::string& row,
                        const std::string& column, const std::string& number);
  std::string words_of(lang::SymbolId root);
  std::int64_t words_now(lang::SymbolId root);
  std::string elements_of(lang::SymbolId root);
  std::string elements_in(const EmittedArray& array);
  Code row_length(lang::SymbolId root);
  bool has_rows(lang::SymbolId root) const;
  bool turns_rows(lang::SymbolId root) const;

  // emit_statements.cpp
  void block(const std::vector<lang::TStatement>& body, Writer& out);
  void statement(const lang::TStatement& s, Writer& out);
  void assign_variable(const lang::TStatement& s, Writer& out);
  void assign_element(const lang::TStatement& s, Writer& out);
  void declare_array(const lang::TStatement& s, Writer& out);
  void declare_view(const lang::TStatement& s, Writer& out);
  void emit_print(const lang::TStatement& s, Writer& out);

  // emit_control.cpp
  void emit_if(const lang::TStatement& s, Writer& out);
  void emit_while(const lang::TStatement& s, Writer& out);
  void emit_for(const lang::TStatement& s, Writer& out);
  void body_of(const std::vector<lang::TStatement>& body, Writer& out);
  std::optional<Interval> ends_of(const lang::TExpr& e);
  std::optional<Interval> counter_bounds(const lang::TStatement& s);
  bool passes_range(const lang::TStatement& s);
  bool is_steady(const lang::TExpr& e) const;

  // emit_forall.cpp
  void emit_forall(const lang::TStatement& s, Writer& out);
  void forall_loop(const lang::TStatement& s, Writer& out, const std::function<void()>& body);
  Interval index_bounds(const lang::TRange& range);
  bool counts_with_int(const lang::TStatement& s);
  void bind_indices(const lang::TStatement& s, bool narrow);
  Code length(const lang::TRange& range, const Code& lo);
  bool is_extent(const std::string& text) const;

  // emit_sync.cpp
  void emit_sync(const lang::TStatement& s, Writer& out);
  std::optional<std::int64_t> sync_rounds(const lang::TStatement& s);

  // emit_calls.cpp
  void emit_call(const lang::TStatement& s, Writer& out);
  void write_proc(const lang::TFunction& proc, const std::string& key);
  std::vector<std::string> formals_of(const lang::TFunction& function);
  std::vector<std::string> actuals_of(const lang::TStatement& s);
  std::string address(const EmittedArray& array);
  std::string parameter(const Capture& capture, const lang::TFunction& function, bool kernel);
  std::string opening(const FunctionText& function, const std::string& pad);
  const std::set<lang::SymbolId>& written_in(const lang::TFunction& function);
  void each_reached(const lang::TFunction& function,
                    const std::function<void(const lang::TFunction&)>& visit) const;

  // emit_inline.cpp
  void inline_call(const lang::TStatement& s, Writer& out);
  bool must_inline(const lang::TStatement& s);

  // emit_launches.cpp
  void emit_launch(const lang::TStatement& s, Writer& out);
  void write_kernel(const lang::TFunction& function, const std::vector<EmittedArray>& arrays,
                    const std::string& key);
  std::vector<std::string> kernel_formals(const lang::TFunction& function,
                                          const std::vector<EmittedArray>& arrays);
  std::string parameter_of_kernel(const Capture& capture, const lang::TFunction& function,
                                  const std::vector<EmittedArray>& arrays);
  std::string opening_of_kernel(const FunctionText& needs, const std::string& before);
  bool formals_write(const lang::TFunction& function, const std::vector<EmittedArray>& arrays,
                     lang::SymbolId root);
  LaunchSizes sizes_of_launches(const lang::TFunction* function);
  std::string launched_threads(const lang::TStatement& s);

  // emit_shared.cpp
  std::string dynamic_bytes(const lang::TFunction& function, const FunctionText& needs);
  std::int64_t shared_bytes(const lang::TFunction& function);
  bool sized_by_launch(lang::SymbolId shared) const;
  bool needs_dynamic(const lang::TFunction& function);
  void check_sized(const lang::TFunction& function);
  std::set<lang::SymbolId> shared_of(const lang::TFunction& function) const;
  void dmm_frame(FunctionText& needs, const lang::TFunction& function,
                 const std::vector<EmittedArray>& arrays, std::string& before, std::string& after);
  bool on_dmm() const { return request_.machine.model == Model::dmm; }

  const EmitRequest& request_;
  const lang::Checked& checked_;
  const ir::Program& lowered_;
  EmitValues values_;
  Comments comments_;
  Meetings meetings_;
  Diagnostics errors_;

  std::set<lang::SymbolId> fixed_params_, fixed_consts_;
  std::set<std::string> letters_; ///< that the text mentions
  std::set<std::string> helpers_; ///< parts of the prelude that it needs
  std::set<std::string> top_names_, local_names_;
  std::set<std::string> declared_;                ///< top-level names of the program
  std::map<lang::SymbolId, std::string> names_;   ///< of variables
  std::map<lang::SymbolId, Code> substituted_;    ///< variables that stand for an expression
  std::map<lang::SymbolId, EmittedArray> arrays_; ///< formals, views and locals, where visible
  std::map<std::pair<std::int32_t, std::uint32_t>, std::string> type_names_; ///< by place of name
  std::map<const lang::TFunction*, std::set<lang::SymbolId>> written_;       ///< arrays and formals
  std::set<lang::SymbolId> static_shared_; ///< top-level ones that are declared with a size
  std::set<lang::SymbolId> members_;       ///< main's variables that verify mentions
  std::set<std::string> extents_;          ///< texts of extents of memory arrays: at least 1
  std::set<lang::SymbolId> used_variables_;
  std::set<lang::SymbolId> narrow_; ///< longs that are ints here: 32 bits hold their values
  std::map<std::string, std::pair<std::string, FunctionText>> procs_; ///< name and needs
  std::map<std::string, std::string> kernels_; ///< by function and arrays: C++ name
  std::map<std::string, FunctionText> kernel_texts_;
  std::vector<std::string> file_functions_; ///< of fns that need nothing else, in order of need
  std::map<std::string, std::string> file_written_;
  std::string device_;     ///< procs and kernels
  std::string host_procs_; ///< of the host code
  FunctionText* function_ = nullptr;
  std::deque<lang::ArraySlice> settled_; ///< of views, without draws
  int random_array_ = -1;
  int unnamed_ = 0;
  bool launching_ = false;
  bool in_fn_block_ = false;
  std::vector<std::string> waits_; ///< by loop around: what stands behind its body
  std::string launched_threads_;   ///< what `threads` is in sizes that a launch asks for
  std::int64_t least_threads_ = 1; ///< of the launches of the kernel being written
  bool dynamic_shared_ = false;    ///< of the kernel being written
};

} // namespace memlane::cuda
