// Compiled with exceptions, and linked after a unit without: what is refused here is caught here.
#include <cstdio>
#include <tpuplan/hardware/slice.hpp>

int chips_without_exceptions(const char* name);

int main(int argc, char**) {
  if (chips_without_exceptions("v5e-16") != 16) return 1;
  try {
    (void)tpuplan::slice_for(argc > 0 ? "v5e-24" : "v5e-16");
  } catch (const tpuplan::error& refusal) {
    std::printf("caught: %s\n", refusal.what());
    return 0;
  }
  return 2;
}
