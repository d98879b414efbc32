#include "injected_faults.hpp"

#include "support/catch.hpp"

#include <sqlite3.h>

#include <new>

namespace memlane::store_test {
namespace injected {
namespace {

// SQLite's callbacks have no place for data of ours.
struct Injection {
  bool armed = false, stays = false, failed = false;
  FaultKind kind = FaultKind::write;
  std::int64_t left = 0;

  bool fails(FaultKind operation) {
    if (!armed || operation != kind) return false;
    const bool now = --left == 0 || (stays && left < 0);
    failed = failed || now;
    return now;
  }
};
Injection injection;

// ---- Memory ----

sqlite3_mem_methods real_memory;

void* allocate(int size) {
  return injection.fails(FaultKind::allocation) ? nullptr : real_memory.xMalloc(size);
}
void* reallocate(void* memory, int size) {
  return injection.fails(FaultKind::allocation) ? nullptr : real_memory.xRealloc(memory, size);
}

// ---- Files: each has SQLite's own behind it ----

struct File {
  sqlite3_file base;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real(); }
const sqlite3_io_methods& of(sqlite3_file* file) { return *real(file)->pMethods; }

int close_file(sqlite3_file* f) { return of(f).xClose(real(f)); }
int read_file(sqlite3_file* f, void* into, int size, sqlite3_int64 at) {
  return of(f).xRead(real(f), into, size, at);
}
int write_file(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
  return injection.fails(FaultKind::write) ? SQLITE_FULL : of(f).xWrite(real(f), from, size, at);
}
int truncate_file(sqlite3_file* f, sqlite3_int64 size) {
  return injection.fails(FaultKind::write) ? SQLITE_IOERR_TRUNCATE : of(f).xTruncate(real(f), size);
}
int sync_file(sqlite3_file* f, int flags) {
  return injection.fails(FaultKind::sync) ? SQLITE_IOERR_FSYNC : of(f).xSync(real(f), flags);
}
int file_size(sqlite3_file* f, sqlite3_int64* size) { return of(f).xFileSize(real(f), size); }
int lock_file(sqlite3_file* f, int lock) { return of(f).xLock(real(f), lock); }
int unlock_file(sqlite3_file* f, int lock) { return of(f).xUnlock(real(f), lock); }
int check_lock(sqlite3_file* f, int* out) { return of(f).xCheckReservedLock(real(f), out); }
int control_file(sqlite3_file* f, int what, void* data) {
  return of(f).xFileControl(real(f), what, data);
}
int sector_size(sqlite3_file* f) { return of(f).xSectorSize(real(f)); }
int characteristics(sqlite3_file* f) { return of(f).xDeviceCharacteristics(real(f)); }
int map_shared(sqlite3_file* f, int page, int size, int extend, void volatile** into) {
  if (extend != 0 && injection.fails(FaultKind::write)) return SQLITE_IOERR_SHMSIZE;
  return of(f).xShmMap(real(f), page, size, extend, into);
}
int lock_shared(sqlite3_file* f, int at, int count, int flags) {
  return of(f).xShmLock(real(f), at, count, flags);
}
void barrier(sqlite3_file* f) { of(f).xShmBarrier(real(f)); }
int unmap_shared(sqlite3_file* f, int remove) { return of(f).xShmUnmap(real(f), remove); }

constexpr sqlite3_io_methods methods = {2,
                                        close_file,
                                        read_file,
                                        write_file,
                                        truncate_file,
                                        sync_file,
                                        file_size,
                                        lock_file,
                                        unlock_file,
                                        check_lock,
                                        control_file,
                                        sector_size,
                                        characteristics,
                                        map_shared,
                                        lock_shared,
                                        barrier,
                                        unmap_shared,
                                        nullptr,
                                        nullptr};

sqlite3_vfs* real_files = nullptr;
sqlite3_vfs files;

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* f, int flags, int* out) {
  f->pMethods = nullptr;
  const int status = real_files->xOpen(real_files, name, real(f), flags, out);
  if (real(f)->pMethods) f->pMethods = &methods;
  return status;
}
int delete_file(sqlite3_vfs*, const char* name, int sync) {
  return real_files->xDelete(real_files, name, sync);
}

} // namespace
} // namespace injected

using namespace injected;

InjectedFaults::InjectedFaults() {
  injection = {};
  REQUIRE(sqlite3_shutdown() == SQLITE_OK);
  REQUIRE(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory) == SQLITE_OK);
  sqlite3_mem_methods memory = real_memory;
  memory.xMalloc = allocate;
  memory.xRealloc = reallocate;
  REQUIRE(sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) == SQLITE_OK);
  REQUIRE(sqlite3_initialize() == SQLITE_OK);
  real_files = sqlite3_vfs_find(nullptr);
  files = *real_files;
  files.zName = "faults";
  files.pNext = nullptr;
  files.szOsFile = static_cast<int>(sizeof(File)) + real_files->szOsFile;
  files.xOpen = open_file;
  files.xDelete = delete_file;
  REQUIRE(sqlite3_vfs_register(&files, 1) == SQLITE_OK);
}

InjectedFaults::~InjectedFaults() {
  injection = {};
  sqlite3_vfs_unregister(&files);
  sqlite3_shutdown();
  sqlite3_config(SQLITE_CONFIG_MALLOC, &real_memory);
  sqlite3_initialize();
}

void InjectedFaults::arm(FaultKind kind, std::int64_t number, bool stays) {
  injection = {true, stays, false, kind, number};
}

bool InjectedFaults::disarm() {
  injection.armed = false;
  return injection.failed;
}

} // namespace memlane::store_test
