// Who is next of those that wait: as they came, what was preempted before them; or by priority and arrival.
#include <tpuplan/simulate/waiting_queue.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace unit_waiting_queue_tests {

TEST_CASE("as they came, and the last that was preempted before all") {
  const std::vector<simulated_request> requests(6);
  detail::waiting_queue queue{requests, 1, 2, false};  // the places 1, 3 and 5
  CHECK(queue.next() == detail::waiting_queue::none);
  queue.add(1);
  queue.add(3);
  CHECK(queue.next() == 1);
  queue.pop();
  queue.put_back(1);
  queue.put_back(5);
  CHECK(queue.next() == 5);
  queue.pop();
  queue.pop();
  CHECK(queue.next() == 3);
  queue.pop();
  CHECK(queue.next() == detail::waiting_queue::none);
}

TEST_CASE("by priority, then by arrival, preempted or not") {
  std::vector<simulated_request> requests(5);
  const int priorities[] = {1, 0, 2, 0, 1};
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].priority = priorities[i];
  detail::waiting_queue queue{requests, 0, 1, true};
  for (std::size_t i = 0; i < requests.size(); ++i) queue.add(i);
  CHECK(queue.is_behind(2, 4));
  CHECK(queue.is_behind(3, 1));
  CHECK_FALSE(queue.is_behind(1, 3));
  CHECK(queue.next() == 1);
  queue.pop();
  CHECK(queue.next() == 3);
  queue.put_back(1);
  CHECK(queue.next() == 1);
  std::vector<std::size_t> order;
  for (; queue.next() != detail::waiting_queue::none; queue.pop()) order.push_back(queue.next());
  CHECK(order == std::vector<std::size_t>{1, 3, 0, 4, 2});
}

}  // namespace unit_waiting_queue_tests
