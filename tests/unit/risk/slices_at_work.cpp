// Which slices of an elastic run compute, start and wait.
#include <tpuplan/risk/slices_at_work.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

TEST_CASE("slices start, compute, are lost, and are waited for") {
  detail::slices_at_work slices;
  slices.start_all(3, 10);
  CHECK(slices.machines() == 3);
  CHECK(slices.computing() == 0);
  CHECK(slices.next_ready(99) == 10);
  slices.start_one(11);
  slices.join();  // the three that are ready at 10
  CHECK(slices.computing() == 3);
  CHECK(slices.next_ready(99) == 11);
  CHECK_FALSE(slices.lose(0.9));
  CHECK(slices.machines() == 3);
  CHECK(slices.next_ready(99) == 99);
  CHECK(slices.lose(0));
  slices.wait_for_one();
  CHECK(slices.lose(0.9));
  slices.start_one(50);
  CHECK(slices.machines() == 2);
  CHECK(slices.computing() == 1);
  CHECK(slices.waiting() == 1);
  slices.start_one_that_waits(40);
  CHECK(slices.next_ready(99) == 40);
  slices.put_off(5);
  CHECK(slices.next_ready(99) == 45);
  CHECK_FALSE(slices.lose(0.9));  // the one that starts last
  slices.wait_for_one();
  slices.start_those_that_wait(60);
  CHECK(slices.waiting() == 0);
  CHECK(slices.machines() == 3);
  slices.end_all();
  CHECK(slices.machines() == 0);
}
