// The worked numbers in the comments of parallel/collective_group.hpp, and its edges. It compiles, so it passes.
#include <string_view>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/parallel/collective_group.hpp>

using namespace tpuplan;

namespace static_parallel_collective_group_tests {

namespace {

constexpr collective_group whole(std::string_view name) { return group_along(slice_for(name), {true, true, true}); }

static_assert(members(whole("v5p-128")) == 64);
static_assert(links_into(whole("v5p-128")) == 6);
static_assert(links_into(whole("v5litepod-128")) == 3);
static_assert(links_into(whole("v6e-8")) == 2);
static_assert(links_into(collective_group{}) == 0);
// Which axes close says something of a mixed network alone.
constexpr collective_group line_said_to_close() {
  collective_group group{{8, 1, 1}, network_kind::line};
  group.closed = {true, true, true};
  return group;
}
static_assert(!is_ring(line_said_to_close(), 0));

// One axis of a slice: a ring where it is spanned whole and closes.
constexpr slice pod = slice_for("v5litepod-256");
static_assert(group_spanning(pod, {16, 1, 1}).network == network_kind::ring);
static_assert(group_spanning(pod, {8, 1, 1}).network == network_kind::line);
static_assert(!is_ring(group_spanning(pod, {8, 1, 1}), 0));
constexpr collective_group of_4 = group_along(slice_for("v5p-128"), {true, false, false});
static_assert(members(of_4) == 4 && of_4.network == network_kind::ring);

// Some axes close: two links for those, one for the others. A switch has one port for each member.
static_assert(whole("v5litepod-128").network == network_kind::mixed);
static_assert(!is_ring(whole("v5litepod-128"), 0) && is_ring(whole("v5litepod-128"), 1));
static_assert(links_into({{8, 1, 1}, network_kind::switch_}) == 1);

// Blocks are as compact as the shape allows.
constexpr collective_group of_8 = block_of(slice_for("v6e-256"), 8);
static_assert(members(of_8) == 8 && links_into(of_8) == 2 && of_8.lengths[0] != 8 && of_8.lengths[1] != 8);
constexpr collective_group of_16 = block_of(slice_for("v5p-128"), 16);

static_assert(members(of_16) == 16 && links_into(of_16) == 4);

// A switch has one port, whatever shape its members are given in.
static_assert(links_into({{4, 4, 1}, network_kind::switch_}) == 1);
// A block ends where its axis does: eight chips of 2x4 are all of it, and no axis has more than it is long.
constexpr collective_group all_of_2x4 = block_of(slice_for("v6e-8"), 8);
static_assert(members(all_of_2x4) == 8);
static_assert(all_of_2x4.lengths[0] == slice_for("v6e-8").shape.dims[0] &&
              all_of_2x4.lengths[1] == slice_for("v6e-8").shape.dims[1]);

// A block whose chips have a factor of three uses an axis that has one: of 4x4x12, 48 chips are 4x2x6.
constexpr slice long_pod = [] {
  slice where = slice_for("v5p-128");
  where.shape.dims[2] = 12;
  return where;
}();
constexpr collective_group of_48 = block_of(long_pod, 48);
static_assert(members(of_48) == 48);
static_assert(of_48.lengths[0] == 4 && of_48.lengths[1] == 2 && of_48.lengths[2] == 6);
// And no axis of a part has more than it is long either: 16 of 2x4x4 are 2x4x2.
constexpr collective_group half = block_of(slice_for("v5p-64"), 16);
static_assert(half.lengths[0] == 2 && half.lengths[1] == 4 && half.lengths[2] == 2);

// A prime number of chips for which no axis has a factor lies along the last axis.
static_assert(members(block_of(slice_for("v6e-256"), 134)) == 134);

}  // namespace

}  // namespace static_parallel_collective_group_tests
