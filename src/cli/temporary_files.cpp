#include "temporary_files.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <initializer_list>

namespace memlane::cli {
namespace {

/// A place in the list that the signal handler reads. Entries are used again and never freed, so
/// that the handler may walk the list at any moment.
struct Entry {
  std::string path;
  std::atomic<bool> active = false;
  Entry* next = nullptr;
};

// Signal handlers take no arguments of ours, so this is global.
std::atomic<Entry*> entries = nullptr;
static_assert(std::atomic<Entry*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

Entry& unused_entry() {
  for (Entry* entry = entries; entry; entry = entry->next)
    if (!entry->active) return *entry;
  auto* fresh = new Entry;
  fresh->next = entries;
  entries = fresh;
  return *fresh;
}

void handle_unless_ignored(int signal, void (*handler)(int)) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

extern "C" void end_program(int signal) { end_by_signal(signal); }
extern "C" void do_nothing(int) {} // unlike SIG_IGN, not inherited by programs that this one starts

} // namespace

void remember_temporary(const std::string& path) {
  Entry& entry = unused_entry();
  entry.path = path;
  entry.active = true;
}

void forget_temporary(const std::string& path) {
  for (Entry* entry = entries; entry; entry = entry->next)
    if (entry->active && entry->path == path) entry->active = false;
}

void remove_temporaries_on_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
    handle_unless_ignored(signal, end_program);
  for (const int signal : {SIGPIPE, SIGXFSZ}) handle_unless_ignored(signal, do_nothing);
}

void end_by_signal(int signal) {
  for (const Entry* entry = entries; entry; entry = entry->next)
    if (entry->active) unlink(entry->path.c_str());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

} // namespace memlane::cli
