#include "next.hpp"

#include <dlfcn.h>

#include <initializer_list>

namespace memlane::cudart {

/// A library that the program has opened by itself is not behind this one for the linker.
NextFunction next_function(const char* name) {
  if (void* const found = dlsym(RTLD_NEXT, name)) return {found};
  for (const char* library : {"libcudart.so.13", "libcudart.so.12"})
    if (void* const opened = dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
      if (void* const found = dlsym(opened, name)) return {found};
  return {nullptr};
}

bool NextRuntime::complete() const {
  return peek_at_last_error && get_last_error && error_name && exchange_capture_mode &&
         is_capturing && event_create && event_destroy && event_record && event_query &&
         event_synchronize && elapsed_time && get_device && device_properties && device_attribute &&
         driver_version && runtime_version;
}

const NextRuntime& next_runtime() {
  static const NextRuntime* const next = new NextRuntime; // programs launch until their very end
  return *next;
}

Aside::Aside() : before_(next_runtime().peek_at_last_error()) {
  next_runtime().exchange_capture_mode(&mode_);
}
Aside::~Aside() {
  next_runtime().exchange_capture_mode(&mode_);
  if (before_ == Error::success) next_runtime().get_last_error();
}

} // namespace memlane::cudart
