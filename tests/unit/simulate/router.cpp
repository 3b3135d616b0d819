// Routers by their names.
#include <tpuplan/simulate/router.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace unit_router_tests {

TEST_CASE("names of routings") {
  CHECK(parse_request_routing("prefix") == request_routing::prefix);
  CHECK(parse_request_routing(name(request_routing::round_robin)) == request_routing::round_robin);
  CHECK_FALSE(parse_request_routing("sticky"));
}

}  // namespace unit_router_tests
