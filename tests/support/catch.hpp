#ifndef TPUPLAN_TESTS_SUPPORT_CATCH_HPP
#define TPUPLAN_TESTS_SUPPORT_CATCH_HPP

/// Catch2 2.13 and 3 through one header.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#else
#include <catch2/catch.hpp>
#endif

#endif
