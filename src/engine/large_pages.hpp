// Memory for arrays. Large arrays use large pages if the system has them: random accesses then
// cause fewer TLB misses.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace memlane {

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}
  bool operator==(const LargePages&) const { return true; }

  static constexpr std::size_t page = std::size_t{1} << 21;
  static bool is_large(std::size_t count) { return count >= 2 * page / sizeof(T); }

  T* allocate(std::size_t count) {
    if (!is_large(count)) return static_cast<T*>(::operator new(count * sizeof(T)));
    void* memory = ::operator new (count * sizeof(T), std::align_val_t{page});
#ifdef __linux__
    madvise(memory, count * sizeof(T), MADV_HUGEPAGE); // a wish: nothing is lost without
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (is_large(count)) return ::operator delete (memory, std::align_val_t{page});
    ::operator delete(memory);
  }
};

using Bytes = std::vector<unsigned char, LargePages<unsigned char>>;

} // namespace memlane
