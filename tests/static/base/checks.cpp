// The bounds of base/checks.hpp: products of two sizes are far from 2^63, and a double holds each count.
#include <tpuplan/base/checks.hpp>

namespace tpuplan {

static_assert(detail::most_size * detail::most_size == std::int64_t{1} << 48);
static_assert(detail::most_parameters <= (std::int64_t{1} << 53), "a double holds each count");
constexpr bool passes(std::int64_t value) {
  detail::check_dimension("size", value);
  return true;
}
static_assert(passes(1) && passes(detail::most_size));
static_assert(detail::are_sizes(0, detail::most_size - 1) && !detail::are_sizes(1, detail::most_size));
static_assert(!detail::are_sizes(-1) && !detail::are_sizes(3, std::int64_t{1} << 40));

}  // namespace tpuplan
