#ifndef TPUPLAN_TESTS_ODR_SECOND_HPP
#define TPUPLAN_TESTS_ODR_SECOND_HPP

#include <cstdint>

/// What the other translation unit sees of the library.
namespace second {

using rounding = std::int64_t(std::int64_t, std::int64_t);

const void* table();
const void* chip();
rounding* function();
std::int64_t answer();

}  // namespace second

#endif
