// What no search of a plan of training answers.
#include <tpuplan/plan/request_checks.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_request_checks_tests {

TEST_CASE("a range of batches has both ends, in their order, and whole tokens") {
  plan_request request;
  request.smallest_batch_tokens = 1e6;
  CHECK(says(refusal_of([&] { detail::check_range(request); }).message, "plan.largest_batch_tokens"));
  request.largest_batch_tokens = 5e5;
  CHECK(says(refusal_of([&] { detail::check_range(request); }).message, "plan.smallest_batch_tokens"));
  request.largest_batch_tokens = 2e18;
  CHECK(says(refusal_of([&] { detail::check_range(request); }).message, "0 to 1e18 tokens"));
  request.largest_batch_tokens = 2e6;
  CHECK_NOTHROW(detail::check_range(request));
}

TEST_CASE("experts are sharded of a model that has some") {
  plan_request request;
  request.model = llama_3_8b();
  request.degrees.expert = 2;
  CHECK(says(refusal_of([&] { detail::check_degrees(request); }).message, "plan.degrees.expert"));
  request.degrees.expert = 1;
  CHECK_NOTHROW(detail::check_degrees(request));
}

}  // namespace plan_request_checks_tests
