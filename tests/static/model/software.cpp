#include <tpuplan/model/software.hpp>

using namespace tpuplan;

namespace static_model_software_tests {

static_assert(names_of<software_level>() == "unnamed, tuned, general or first_port");
static_assert(*parse_software_level("First_Port") == software_level::first_port);
static_assert(name(static_cast<software_level>(3)) == "first_port" && !parse_software_level("old"));
static_assert(software_level{} == software_level::unnamed);
static_assert(taken_as_tuned(software_level::unnamed) && taken_as_tuned(software_level::tuned));
static_assert(!taken_as_tuned(software_level::general) && !taken_as_tuned(software_level::first_port));

}  // namespace static_model_software_tests
