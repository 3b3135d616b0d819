#include <tpuplan/estimate/generation.hpp>

// The door of the room.
static_assert(tpuplan::default_generation.sources > 0 && tpuplan::generation_job{}.batch == 1);
