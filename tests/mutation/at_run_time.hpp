#ifndef TPUPLAN_TESTS_MUTATION_AT_RUN_TIME_HPP
#define TPUPLAN_TESTS_MUTATION_AT_RUN_TIME_HPP

// What tests ask of the compiler is asked at run time, where a change may be in force.

#include "support/catch.hpp"

#undef STATIC_REQUIRE
#define STATIC_REQUIRE(...) REQUIRE((__VA_ARGS__))
#undef STATIC_REQUIRE_FALSE
#define STATIC_REQUIRE_FALSE(...) REQUIRE_FALSE((__VA_ARGS__))

#endif
