// The library as WebAssembly in one piece. Where memory ends it stops instead of throwing: what only makes texts and
// lists then throws nothing, and what calls it needs no way out for its own texts and lists. The one change of names is
// for libc++, whose checks call abort.
#define abort tpuplan_stop
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" void tpuplan_stop() { __builtin_trap(); }

void* operator new(std::size_t size) {
  if (void* const room = std::malloc(size == 0 ? 1 : size)) return room;
  tpuplan_stop();
}
void operator delete(void* room) noexcept { std::free(room); }
void operator delete(void* room, std::size_t) noexcept { std::free(room); }

#include "capi/capi.cpp"
