// Blocks that stay after use: which go first, what is found again, and the tier on the hosts.
#include <cstdint>
#include <tpuplan/simulate/prefix_cache.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace unit_prefix_cache_tests {

TEST_CASE("the last blocks of the least recently used prefix go first") {
  detail::block_lru kept;
  kept.keep(1, 5);
  kept.keep(2, 3);
  kept.keep(1, 6);  // used again, with one more
  kept.fit(8);
  CHECK(kept.of(2) == 2);
  CHECK(kept.of(1) == 6);
  kept.fit(5);
  CHECK(kept.of(2) == 0);
  CHECK(kept.of(1) == 5);
  CHECK(kept.take(1) == 5);
  CHECK(kept.of(1) == 0);
  kept.fit(0);
}

namespace {

simulated_request asking(std::int64_t prompt) { return {{}, prompt, 5, 0}; }

/// A cache of blocks of 4 tokens; all conversations of a group begin with the same 8.
detail::prefix_cache small_cache(std::int64_t host_blocks = 0) {
  return detail::prefix_cache{{4, 2, host_blocks, 0.5}, 2};
}

}  // namespace

TEST_CASE("a conversation finds what it said, behind the prefix of its group") {
  detail::prefix_cache cache = small_cache();
  cache.expect(0, 0);
  cache.expect(7, 0);
  cache.expect(0, 0);
  CHECK(cache.missing(0) == 2);
  CHECK(cache.admit(0, asking(15)) == 0);
  CHECK(cache.missing(1) == 0);  // the first one holds them
  CHECK(cache.admit(1, asking(15)) == 8);
  CHECK(cache.leave(0, 19) == 0);  // the other still holds the prefix
  CHECK(cache.leave(1, 19) == 2);
  // Of 19 tokens four blocks are whole, two of them of the group.
  CHECK(cache.match(0, 0, asking(40)).on_chips == 16);
  CHECK(cache.match(0, 0, asking(16)).on_chips == 15);  // the last token of a prompt is computed
  CHECK(cache.match(3, 0, asking(40)).on_chips == 8);
  CHECK(cache.match(3, 1, asking(40)).on_chips == 0);
  CHECK(cache.admit(2, asking(40)) == 16);
  cache.fit(2);
  CHECK(cache.leave(2, 0) == 2);  // preempted: nothing of it is kept
  CHECK(cache.match(0, 0, asking(40)).on_chips == 0);
}

TEST_CASE("a prefix without its group's blocks is not found") {
  detail::prefix_cache cache = small_cache();
  cache.expect(0, 0);
  cache.expect(1, 1);
  cache.admit(0, asking(15));
  cache.leave(0, 19);
  cache.fit(3);  // the conversation's last block goes first, then its other one, then the group's
  CHECK(cache.match(0, 0, asking(40)).on_chips == 12);
  cache.fit(1);
  CHECK(cache.match(0, 0, asking(40)).on_chips == 4);
}

TEST_CASE("hosts keep what the chips gave up, and the next step waits for it") {
  detail::prefix_cache cache = small_cache(10);
  cache.expect(0, 0);
  cache.expect(0, 0);
  cache.admit(0, asking(15));
  cache.leave(0, 19);
  cache.fit(1);
  const detail::found_tokens found = cache.match(0, 0, asking(40));
  CHECK(found.on_chips == 4);
  CHECK(found.on_hosts == 12);
  CHECK(cache.load() == 0);
  CHECK(cache.admit(1, asking(40)) == 16);
  CHECK(cache.load() == 1.5);  // three blocks of half a second
  CHECK(cache.load() == 0);
  CHECK(cache.found_by(1).on_hosts == 12);
}

TEST_CASE("without prefixes a request has what it says") {
  constexpr simulated_request one{{}, 100, 5, 30};
  static_assert(detail::no_prefixes::admit(0, one) == 30);
  static_assert(detail::no_prefixes::found(0, one) == 30);
  static_assert(detail::no_prefixes::shared(0) == 0 && detail::no_prefixes::leave(0, 9) == 0);
}

}  // namespace unit_prefix_cache_tests
