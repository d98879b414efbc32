#include "grid_faults.hpp"

namespace memlane::ptx {

namespace {

Dim3 place_in(const Dim3& extents, std::int64_t number) {
  return {number % extents[0], number / extents[0] % extents[1],
          number / (extents[0] * extents[1])};
}

} // namespace

ThreadFault thread_fault(const GridFault& fault, const Code& kernel) {
  ThreadFault made;
  made.kind = fault.fault.kind;
  made.space = fault.fault.space;
  made.address = fault.fault.address;
  made.bytes = fault.fault.bytes;
  made.kernel = kernel.function->name;
  made.block = fault.block;
  made.thread = fault.thread;
  made.operation = fault.fault.step ? fault.fault.step->op : nullptr;
  made.detail = fault.fault.detail;
  return made;
}

ThreadFault thread_fault(const AllowedFault& fault, const Code& kernel, const GridShape& shape) {
  ThreadFault made;
  made.kind = fault.kind;
  made.space = fault.space;
  made.address = fault.address;
  made.bytes = fault.bytes;
  made.kernel = kernel.function->name;
  made.block = place_in(shape.blocks, fault.block);
  made.thread = place_in(shape.threads, fault.warp * warp_lanes + fault.lane);
  made.operation = fault.step ? fault.step->op : nullptr;
  made.times = fault.times;
  return made;
}

} // namespace memlane::ptx
