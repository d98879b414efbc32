// Streams do what they are told at once, in the order of the calls; so do all of them together.
// Events keep the time of a clock that goes on with every launch and copy.
#include "runtime.hpp"

#include <memory>
#include <utility>

namespace memlane::cudart {

namespace {

constexpr int event_record_node = 7; // cudaGraphNodeType

Event* find_event(Runtime& all, Event* handle) {
  return all.events.count(handle) != 0 ? handle : nullptr;
}

Error create_stream(Runtime& all, StreamHandle* stream, unsigned flags, int priority) {
  if (!stream || flags > 1) return Error::invalid_value;
  auto made = std::make_unique<Stream>();
  made->flags = flags;
  made->priority = priority;
  all.streams.insert(made.get());
  *stream = made.release();
  return Error::success;
}

/// Waiting for a stream that only notes what it will do is an error.
Error wait_for(Runtime& all, StreamHandle stream) {
  const Stream* const found = find_stream(all, stream);
  if (!found) return Error::invalid_resource_handle;
  return found->captured ? Error::stream_capture_unsupported : Error::success;
}

} // namespace

Stream* find_stream(Runtime& all, StreamHandle handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= 2) return &all.legacy; // none, cudaStreamLegacy, cudaStreamPerThread
  return all.streams.count(handle) != 0 ? handle : nullptr;
}

Error enqueue(Runtime& all, StreamHandle stream, Work work, int node_kind) {
  Stream* const found = find_stream(all, stream);
  if (!found) return Error::invalid_resource_handle;
  if (!found->captured) return work();
  append(*found->captured, std::move(work), node_kind);
  return Error::success;
}

MEMLANE_API Error cudaStreamCreateWithPriority(StreamHandle* stream, unsigned flags, int priority) {
  return with_runtime([&](Runtime& all) { return create_stream(all, stream, flags, priority); });
}
MEMLANE_API Error cudaStreamCreateWithFlags(StreamHandle* stream, unsigned flags) {
  const PublicCall named;
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
MEMLANE_API Error cudaStreamCreate(StreamHandle* stream) {
  const PublicCall named;
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
MEMLANE_API Error cudaStreamDestroy(StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    if (all.streams.erase(stream) == 0) return Error::invalid_resource_handle;
    delete stream;
    return Error::success;
  });
}
MEMLANE_API Error cudaStreamSynchronize(StreamHandle stream) {
  return with_runtime([&](Runtime& all) { return wait_for(all, stream); });
}
MEMLANE_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
MEMLANE_API Error cudaStreamQuery(StreamHandle stream) {
  return with_runtime([&](Runtime& all) { return wait_for(all, stream); });
}
MEMLANE_ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery);
MEMLANE_API Error cudaStreamGetFlags(StreamHandle stream, unsigned* flags) {
  return with_runtime([&](Runtime& all) {
    const Stream* const found = find_stream(all, stream);
    if (!found || !flags) return Error::invalid_value;
    *flags = found->flags;
    return Error::success;
  });
}
MEMLANE_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);
MEMLANE_API Error cudaStreamGetPriority(StreamHandle stream, int* priority) {
  return with_runtime([&](Runtime& all) {
    const Stream* const found = find_stream(all, stream);
    if (!found || !priority) return Error::invalid_value;
    *priority = found->priority;
    return Error::success;
  });
}
MEMLANE_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);
MEMLANE_API Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return with_runtime([&](Runtime&) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return Error::success;
  });
}
/// Managed memory is everywhere already.
MEMLANE_API Error cudaStreamAttachMemAsync(StreamHandle stream, void*, std::size_t, unsigned) {
  return with_runtime([&](Runtime& all) {
    return find_stream(all, stream) ? Error::success : Error::invalid_resource_handle;
  });
}
MEMLANE_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

/// Attributes say where data should be cached and how to wait: hints.
MEMLANE_API Error cudaStreamSetAttribute(StreamHandle stream, int, const void* value) {
  return with_runtime([&](Runtime& all) {
    if (!find_stream(all, stream)) return Error::invalid_resource_handle;
    return value ? Error::success : Error::invalid_value;
  });
}
MEMLANE_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);
MEMLANE_API Error cudaStreamCopyAttributes(StreamHandle to, StreamHandle from) {
  return with_runtime([&](Runtime& all) {
    return find_stream(all, to) && find_stream(all, from) ? Error::success
                                                          : Error::invalid_resource_handle;
  });
}
MEMLANE_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);
MEMLANE_API Error cudaStreamGetId(StreamHandle stream, unsigned long long* id) {
  return with_runtime([&](Runtime& all) {
    const Stream* const found = find_stream(all, stream);
    if (!found || !id) return Error::invalid_value;
    *id = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(found));
    return Error::success;
  });
}
MEMLANE_ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);

/// A stream that waits for an event of a captured one is captured from then on.
MEMLANE_API Error cudaStreamWaitEvent(StreamHandle stream, Event* event, unsigned) {
  return with_runtime([&](Runtime& all) {
    Stream* const found = find_stream(all, stream);
    if (!found || !find_event(all, event)) return Error::invalid_resource_handle;
    if (event->captured && !found->captured) found->captured = event->captured;
    return Error::success;
  });
}
MEMLANE_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

// Capture.

MEMLANE_API Error cudaStreamBeginCapture(StreamHandle stream, int) {
  return with_runtime([&](Runtime& all) {
    Stream* const found = find_stream(all, stream);
    if (!found) return Error::invalid_resource_handle;
    if (found == &all.legacy) return Error::stream_capture_unsupported;
    if (found->captured) return Error::illegal_state;
    found->captured = make_graph(all);
    found->begins_capture = true;
    return Error::success;
  });
}
MEMLANE_ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);
MEMLANE_API Error cudaStreamEndCapture(StreamHandle stream, Graph** graph) {
  return with_runtime([&](Runtime& all) {
    Stream* const found = find_stream(all, stream);
    if (!found || !graph) return Error::invalid_value;
    if (!found->captured) return Error::illegal_state;
    if (!found->begins_capture) return Error::stream_capture_unmatched;
    *graph = found->captured;
    for (Stream* other : all.streams) {
      if (other->captured != *graph) continue;
      other->captured = nullptr;
      other->begins_capture = false;
    }
    for (Event* event : all.events)
      if (event->captured == *graph) event->captured = nullptr;
    return Error::success;
  });
}
MEMLANE_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);
MEMLANE_API Error cudaStreamIsCapturing(StreamHandle stream, int* status) {
  return with_runtime([&](Runtime& all) {
    const Stream* const found = find_stream(all, stream);
    if (!found || !status) return Error::invalid_value;
    *status = found->captured ? 1 : 0;
    return Error::success;
  });
}
MEMLANE_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

/// Which calls a capture forbids to other threads: none here.
MEMLANE_API Error cudaThreadExchangeStreamCaptureMode(int* mode) {
  static int now = 0;
  return with_runtime([&](Runtime&) {
    if (!mode) return Error::invalid_value;
    std::swap(*mode, now);
    return Error::success;
  });
}

// Events.

MEMLANE_API Error cudaEventCreateWithFlags(Event** event, unsigned flags) {
  return with_runtime([&](Runtime& all) {
    if (!event) return Error::invalid_value;
    auto made = std::make_unique<Event>();
    made->flags = flags;
    all.events.insert(made.get());
    *event = made.release();
    return Error::success;
  });
}
MEMLANE_API Error cudaEventCreate(Event** event) {
  const PublicCall named;
  return cudaEventCreateWithFlags(event, 0);
}
MEMLANE_API Error cudaEventDestroy(Event* event) {
  return with_runtime([&](Runtime& all) {
    if (all.events.erase(event) == 0) return Error::invalid_resource_handle;
    delete event;
    return Error::success;
  });
}
MEMLANE_API Error cudaEventRecordWithFlags(Event* event, StreamHandle stream, unsigned) {
  return with_runtime([&](Runtime& all) {
    const Stream* const found = find_stream(all, stream);
    if (!found || !find_event(all, event)) return Error::invalid_resource_handle;
    event->captured = found->captured;
    return enqueue(
        all, stream,
        [&all, event] {
          if (!find_event(all, event)) return Error::invalid_resource_handle;
          if (all.clock_ns <= all.latest_event_ns) all.pass(1); // two are never at the same time
          event->recorded = true;
          event->at_ns = all.latest_event_ns = all.clock_ns;
          return Error::success;
        },
        event_record_node);
  });
}
MEMLANE_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);
MEMLANE_API Error cudaEventRecord(Event* event, StreamHandle stream) {
  const PublicCall named;
  return cudaEventRecordWithFlags(event, stream, 0);
}
MEMLANE_ALIAS(cudaEventRecord_ptsz, cudaEventRecord);
MEMLANE_API Error cudaEventSynchronize(Event* event) {
  return with_runtime([&](Runtime& all) {
    return find_event(all, event) ? Error::success : Error::invalid_resource_handle;
  });
}
MEMLANE_API Error cudaEventQuery(Event* event) {
  const PublicCall named;
  return cudaEventSynchronize(event);
}
MEMLANE_API Error cudaEventElapsedTime(float* milliseconds, Event* from, Event* to) {
  return with_runtime([&](Runtime& all) {
    constexpr unsigned without_time = 2; // cudaEventDisableTiming
    if (!milliseconds) return Error::invalid_value;
    for (Event* event : {from, to})
      if (!find_event(all, event) || !event->recorded || (event->flags & without_time) != 0)
        return Error::invalid_resource_handle;
    static bool said = false;
    if (all.has_unpriced && !std::exchange(said, true))
      say("note: for events, a launch that is not priced (--kernel, --launches) takes a "
          "microsecond "
          "and a nanosecond for each warp instruction");
    *milliseconds = static_cast<float>((to->at_ns - from->at_ns) * 1e-6);
    return Error::success;
  });
}
MEMLANE_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);

} // namespace memlane::cudart
