// Compiled without exceptions, and linked first: its functions must not take the place of those that throw.
#include <tpuplan/hardware/slice.hpp>

int chips_without_exceptions(const char* name) { return static_cast<int>(chips(tpuplan::slice_for(name))); }
