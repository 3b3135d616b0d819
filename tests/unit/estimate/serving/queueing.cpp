// The means of queueing theory that an engine needs, beside exact ones.
#include <cmath>
#include <tpuplan/estimate/serving/queueing.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_serving_queueing_tests {

namespace {

/// Requests that wait in an M/M/c queue, by Erlang.
double erlang(double load, int servers) {
  double term = 1, sum = 1;
  for (int k = 1; k < servers; ++k) sum += term *= load * servers / k;
  term *= load;
  return term / (1 - load) / (sum + term / (1 - load)) * load / (1 - load);
}

}  // namespace

TEST_CASE("requests that wait: exact for one server, near Erlang's for many") {
  for (const double load : {0.1, 0.5, 0.9}) {
    CHECK(close(detail::mean_queue(load, 1, 1), load * load / (2 * (1 - load))));  // M/D/1
    CHECK(close(detail::mean_queue(load, 1, 2), load * load / (1 - load)));        // M/M/1
  }
  for (const int servers : {2, 8, 30}) {
    CHECK(close(detail::mean_queue(0.8, servers, 2), erlang(0.8, servers), 0.25));
    CHECK(close(detail::mean_queue(0.95, servers, 2), erlang(0.95, servers), 0.05));
  }
  CHECK(close(detail::mean_queue(0.8, 8, 2), 1.94, 0.005));
  CHECK(close(erlang(0.8, 8), 1.83, 0.005));
  CHECK(close(detail::mean_queue(0.5, 1, 1), 0.25));
}

TEST_CASE("the step that a request meets") {
  CHECK(detail::step_met(3, 0, 4, 1) == 3);
  CHECK(close(detail::step_met(3, 1.0 / 3, 4, 1), 4.5));
  CHECK(detail::step_met(3, 1.0 / 3, 4, 2) > detail::step_met(3, 1.0 / 3, 4, 1));  // prompts of different lengths
}

}  // namespace estimate_serving_queueing_tests
