// The reasons for which a kind of slice is not among the plans for serving: their names and units.
#include <tpuplan/plan/serving_request.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace plan_serving_request_tests {

TEST_CASE("reasons have names, and units where they have amounts") {
  CHECK(name(serving_rejection::not_of_engine) == "not_of_engine");
  CHECK(name(serving_rejection::dominated) == "dominated");
  serving_request r;
  CHECK(detail::unit_of(serving_rejection::does_not_fit, r) == "bytes");
  CHECK(detail::unit_of(serving_rejection::no_layout, r).empty());
  CHECK(detail::unit_of(serving_rejection::dominated, r) == "USD/million output tokens");
  r.job.request_rate = per_second{1};
  CHECK(detail::unit_of(serving_rejection::dominated, r) == "USD/h");
}

}  // namespace plan_serving_request_tests
