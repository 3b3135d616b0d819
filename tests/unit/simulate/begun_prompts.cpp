// Prompts share the tokens of a step evenly, and what one does not need goes to the others.
#include <tpuplan/simulate/begun_prompts.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace unit_begun_prompts_tests {

namespace {
struct squares {
  seconds attention(std::int64_t from, std::int64_t to) const {
    return seconds{static_cast<double>(to * to - from * from)};
  }
};
}  // namespace

TEST_CASE("of 100 tokens a prompt of 20 takes its own, and one of 200 the others") {
  detail::begun_prompts begun;
  begun.begin(4, 0);
  begun.begin(7, 100);
  std::vector<std::size_t> completed;
  const auto tokens_of = [](std::size_t request) -> std::int64_t { return request == 4 ? 20 : 300; };
  step_work work;
  std::int64_t left = 100;
  begun.compute(work, left, squares{}, tokens_of, completed);
  CHECK(left == 0);
  CHECK(work.prompt_tokens == 100);
  CHECK(work.prompt_attention == seconds{20.0 * 20 + 180.0 * 180 - 100.0 * 100});
  CHECK(completed == std::vector<std::size_t>{4});
  CHECK(begun.size() == 1);
  begun.give_up(7);
  CHECK(begun.empty());
}

}  // namespace unit_begun_prompts_tests
