// The one main function of the tests where Catch2 2.13 comes without a library of its own.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
