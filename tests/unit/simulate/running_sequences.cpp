// Sequences of a replica by their admission, by the tick of their last token and by that of their next block.
#include <tpuplan/simulate/running_sequences.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace unit_running_sequences_tests {

TEST_CASE("a sequence ends with the tick of its last token, and takes a block where its tokens fill one") {
  std::vector<simulated_request> requests(3);
  requests[0].prompt = 7, requests[0].output = 4;
  requests[1].prompt = 5, requests[1].output = 2;
  requests[2].prompt = 9, requests[2].output = 3;
  detail::running_sequences all{requests, 1, 4};
  all.expect_outputs(4);
  for (std::size_t i = 0; i < 3; ++i) {
    all.join(i);
    all.at(i).generated = 1;  // that its prompt gave
    all.start_decoding(i);
  }
  CHECK(all.running() == 3);
  CHECK(all.context() == 8 + 6 + 10);
  CHECK(all.ending_with(1) == 1);
  CHECK(all.ending_with(2) == 2);
  CHECK(all.ending_with(3) == 0);
  // Keys and values of all tokens but the last: the eighth fills the second block of the first sequence.
  for (const std::size_t i : {0U, 1U, 2U}) {
    const std::int64_t held = all.known(all.at(i)) - 1;
    CHECK(all.growth_of(all.at(i)) == static_cast<std::size_t>((4 - held % 4) % 4));
  }
  all.take_tick();
  CHECK(all.context() == 24 + 3);
  CHECK(all.phase() == 1);
  all.stop_decoding(1);
  CHECK(all.at(1).generated == 2);
  CHECK(all.ending_with(1) == detail::running_sequences::none);
  CHECK(all.decoding() == 2);
}

TEST_CASE("those that run are in the order of their admission, whoever leaves") {
  const std::vector<simulated_request> requests(8);
  detail::running_sequences all{requests, 2, 1};  // the places 0, 2, 4 and 6
  for (const std::size_t one : {2U, 0U, 6U, 4U}) all.join(one);
  all.leave(0);
  CHECK(all.first() == 2);
  CHECK(all.at(2).after == 6);
  all.leave(4);
  CHECK(all.last() == 6);
  all.leave(2);
  CHECK(all.first() == 6);
  CHECK(all.running() == 1);
}

}  // namespace unit_running_sequences_tests
