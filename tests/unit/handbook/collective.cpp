// Collectives and the limits of sharding: conventions, groups of real slices, latency, and what is refused.

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tpuplan/handbook/collective.hpp>
#include <tpuplan/handbook/link.hpp>
#include <tpuplan/handbook/thresholds.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/parallel/collective_group.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace handbook_collective_tests {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

bool refuses(errc code, std::string_view field, const plain_call<void()>& call) {
  const refusal r = refusal_of(call);
  return r.refused && r.code == code && r.message.find(field) != std::string::npos;
}

using ::close;
bool close(seconds value, seconds expected) { return ::close(value.value(), expected.value()); }

constexpr bytes_per_second link_rate = 45_GB_per_s;

constexpr collective_group group_of(network_kind network, std::int32_t a, std::int32_t b = 1, std::int32_t c = 1) {
  return {{a, b, c}, network, link_rate};
}
constexpr collective_group ring_of(std::int32_t a, std::int32_t b = 1, std::int32_t c = 1) {
  return group_of(network_kind::ring, a, b, c);
}
constexpr collective_group line_of(std::int32_t a, std::int32_t b = 1, std::int32_t c = 1) {
  return group_of(network_kind::line, a, b, c);
}
constexpr collective_group switch_of(std::int32_t n) { return group_of(network_kind::switch_, n); }
constexpr collective_group counting(collective_group group, member_share share) {
  group.share = share;
  return group;
}

constexpr std::array<bool, 3> first{true, false, false};
constexpr std::array<bool, 3> second{false, true, false};
constexpr std::array<bool, 3> all{true, true, true};

// The numbers in the headers, to the digits that they print.

constexpr bool prints(double value, double printed, double half_a_digit) {
  return value > printed - half_a_digit && value < printed + half_a_digit;
}
constexpr bool prints_ms(seconds value, double printed) { return prints(in_ms(value), printed, 0.0005); }

static_assert(members(ring_of(4, 4, 4)) == 64);
static_assert(group_along(slice_for("v5p-128"), first).network == network_kind::ring);
static_assert(members(group_along(slice_for("v5p-128"), first)) == 4);
static_assert(prints_ms(all_gather(128_MiB, ring_of(16)).total, 1.491));
static_assert(prints_ms(all_gather(128_MiB, counting(ring_of(16), member_share::others)).total, 1.398));
static_assert(reduce_scatter(128_MiB, ring_of(16)).total == all_gather(128_MiB, ring_of(16)).total);
static_assert(all_reduce(128_MiB, ring_of(16)).total == 2 * all_gather(128_MiB, ring_of(16)).total);
static_assert(prints(in_us(all_to_all(1_GB, ring_of(16, 16)).total), 174, 0.5));
static_assert(one_way_all_gather_traffic(16_B, 8) == 14_B);
static_assert(one_way_all_to_all_traffic(16_B, 8) == 7_B);
static_assert(prints(in_gb_per_s(switched_bandwidth(450_GB_per_s, 8)), 514, 0.5));
static_assert(prints(in_us(all_reduce_between_slices(bytes{8.0 * 8192 * 28672}, slice_for("v5p-17920"), 2).total), 33.6,
                     0.05));

static_assert(prints(ici_intensity(v5p), 2550, 1e-6) && prints(ici_intensity(v5e), 2189, 0.5));
static_assert(prints(data_parallel_tokens_per_chip(v5p, 3), 850, 1e-6));
static_assert(prints(tensor_parallel_limit(v5e, 16384), 7.5, 0.05));
static_assert(prints(mixed_tokens_per_chip(v5p, 32768, 2, 1), 99.2, 0.05));
static_assert(prints(optimal_fsdp({48000, 32768, 64, 2, 1}), 13.7, 0.05));
static_assert(prints(dcn_tokens_per_slice(v5p), 73440, 1e-6));

constexpr contraction_limits worked_contraction = sharded_contraction(v5p, 8192);
static_assert(prints(worked_contraction.gather_first_batch, 2550, 1e-6));
static_assert(prints(worked_contraction.reduce_after_inner, 5100, 1e-6));
static_assert(prints(worked_contraction.reduce_after_degree, 1.6, 0.05));
static_assert(worked_contraction.equal_traffic_batch == 4096);

constexpr layer_times worked_layer = layer_forward(v5p, {4 << 20, 8192, 28672}, {2048, 2, 4, 1});
static_assert(prints_ms(worked_layer.math, 1.048) && prints_ms(worked_layer.fsdp, 0.652));
static_assert(prints_ms(worked_layer.tensor, 0.373) && worked_layer.compute_bound);

constexpr layer_backward_times worked_backward = layer_backward_between_slices(v5p, {2000000, 8192, 28672}, {8960, 2});
static_assert(prints_ms(worked_backward.math, 0.457) && prints(in_ms(worked_backward.dcn), 0.0336, 0.00005));

constexpr layer_traffic worked_traffic = traffic_of_layer({1 << 20, 8192, 28672});
static_assert(worked_traffic.data == 1879048192_B && worked_traffic.fsdp == 2818572288_B);
static_assert(worked_traffic.tensor == 68719476736_B);

constexpr pipeline_transfer worked_pipeline = pipeline_transfer_time(2 << 20, 8192, 400_GB_per_s, {32, 8});
static_assert(prints(in_ms(worked_pipeline.per_hop), 2.68, 0.005) && prints(in_ms(worked_pipeline.total), 102, 0.5));

}  // namespace

// ---- collectives
// ------------------------------------------------------------------------------------------------------------

TEST_CASE("a reduction costs as much as a gather, an all-reduce twice as much") {
  for (const collective_group& group :
       {ring_of(4), ring_of(16, 16), ring_of(4, 4, 8), line_of(8), line_of(2, 2), switch_of(8)}) {
    for (const bytes array : {0_B, 1_kB, 1_GB}) {
      CAPTURE(members(group), array.value());
      const collective_cost gather = all_gather(array, group);
      const collective_cost scatter = reduce_scatter(array, group);
      const collective_cost sum = all_reduce(array, group);
      CHECK(scatter.bandwidth == gather.bandwidth);
      CHECK(scatter.latency == gather.latency);
      CHECK(scatter.total == gather.total);
      CHECK(scatter.latency_bound == gather.latency_bound);
      CHECK(sum.bandwidth == 2 * gather.bandwidth);
      CHECK(sum.latency == 2 * gather.latency);
      CHECK(sum.total == 2 * gather.total);
      CHECK(sum.latency_bound == gather.latency_bound);
    }
  }
}

TEST_CASE("one member has nothing to exchange") {
  for (const collective_group& group : {ring_of(1), line_of(1), switch_of(1)}) {
    for (const collective_cost& cost :
         {all_gather(1_GB, group), reduce_scatter(1_GB, group), all_reduce(1_GB, group), all_to_all(1_GB, group)}) {
      CHECK(cost.bandwidth == 0_s);
      CHECK(cost.latency == 0_s);
      CHECK(cost.total == 0_s);
      CHECK_FALSE(cost.latency_bound);
    }
  }
  CHECK(one_way_all_gather_traffic(1_GB, 1) == 0_B);
  CHECK(all_reduce_between_slices(1_GB, slice_for("v5p-128"), 1).total == 0_s);
}

TEST_CASE("the larger of bandwidth and latency is the time") {
  SECTION("small arrays wait for the hops") {
    const collective_cost cost = all_gather(256_B, ring_of(4));
    CHECK(cost.latency_bound);
    CHECK(close(cost.latency, 2_us));
    CHECK(cost.total == cost.latency);
    CHECK(cost.bandwidth < cost.latency);
  }
  SECTION("large ones do not") {
    const collective_cost cost = all_gather(1_GB, ring_of(4));
    CHECK_FALSE(cost.latency_bound);
    CHECK(cost.total == cost.bandwidth);
  }
  SECTION("they tie where links carry as much as in all hops") {
    // V / (2 W) = 2 hops of 1 us
    const bytes tie = 2 * link_rate * 2_us;
    CHECK(all_gather(0.99 * tie, ring_of(4)).latency_bound);
    CHECK_FALSE(all_gather(1.01 * tie, ring_of(4)).latency_bound);
  }
  SECTION("hops: half of every ring, the whole of every line, two by way of a switch") {
    CHECK(close(all_gather(1_B, ring_of(16)).latency, 8_us));
    CHECK(close(all_gather(1_B, ring_of(4, 4, 8)).latency, 8_us));
    CHECK(close(all_gather(1_B, line_of(16)).latency, 15_us));
    CHECK(close(all_gather(1_B, line_of(2, 4)).latency, 4_us));
    CHECK(close(all_gather(1_B, switch_of(8)).latency, 2_us));
    CHECK(close(all_to_all(1_B, ring_of(16, 16)).latency, 16_us));
    CHECK(all_to_all(1_B, ring_of(16, 16)).latency_bound);
  }
  SECTION("hops may cost nothing, or more") {
    collective_group group = ring_of(8);
    group.per_hop = 0_s;
    CHECK(all_gather(1_B, group).latency == 0_s);
    CHECK_FALSE(all_gather(0_B, group).latency_bound);
    group.per_hop = 5_us;
    CHECK(close(all_gather(1_B, group).total, 20_us));
  }
}

TEST_CASE("lines take longer than rings") {
  for (const std::int32_t n : {2, 4, 8, 16}) {
    CAPTURE(n);
    CHECK(close(all_gather(1_GB, line_of(n)).bandwidth / all_gather(1_GB, ring_of(n)).bandwidth, 2 * (n - 1.0) / n));
    CHECK(close(all_to_all(1_GB, line_of(n)).bandwidth, 2 * all_to_all(1_GB, ring_of(n)).bandwidth));
  }
  CHECK(close(all_gather(1_GB, line_of(2)).bandwidth, all_gather(1_GB, ring_of(2)).bandwidth));
}

TEST_CASE("more axes carry more") {
  CHECK(close(all_gather(1_GB, ring_of(4, 4)).bandwidth, 0.5 * all_gather(1_GB, ring_of(16)).bandwidth));
  CHECK(close(3 * all_gather(1_GB, ring_of(4, 4, 4)).bandwidth, all_gather(1_GB, ring_of(64)).bandwidth));
  // The chip in the corner takes in three quarters over two links.
  CHECK(close(all_gather(1_GB, line_of(2, 2)).bandwidth, 1_GB * 0.75 / (2 * link_rate)));
  // Which axes they are does not matter, nor do those of length 1.
  CHECK(all_gather(1_GB, ring_of(1, 4, 4)).total == all_gather(1_GB, ring_of(4, 4)).total);
  CHECK(all_to_all(1_GB, ring_of(8, 4, 4)).total == all_to_all(1_GB, ring_of(4, 4, 8)).total);
}

TEST_CASE("an all-to-all on a ring takes a quarter of an all-gather") {
  for (const std::int32_t n : {2, 4, 16}) {
    CHECK(close(4 * all_to_all(1_GB, ring_of(n)).bandwidth, all_gather(1_GB, ring_of(n)).bandwidth));
  }
  // Each of 8 behind a switch sends 7/8 of its eighth.
  CHECK(close(all_to_all(1_GB, switch_of(8)).bandwidth, 1_GB * (7.0 / 64) / link_rate));
}

TEST_CASE("what part of the array counts") {
  SECTION("rings count it whole, lines and switches what comes from others") {
    CHECK(close(all_gather(1_GB, ring_of(4)).bandwidth, 1_GB / (2 * link_rate)));
    CHECK(close(all_gather(1_GB, line_of(4)).bandwidth, 1_GB * 0.75 / link_rate));
    CHECK(close(all_gather(1_GB, switch_of(4)).bandwidth, 1_GB * 0.75 / link_rate));
  }
  SECTION("unless the caller says otherwise") {
    for (const network_kind network : {network_kind::ring, network_kind::line, network_kind::switch_}) {
      const collective_group group = group_of(network, 4);
      const collective_cost whole = all_gather(1_GB, counting(group, member_share::whole));
      const collective_cost others = all_gather(1_GB, counting(group, member_share::others));
      CHECK(close(others.bandwidth, 0.75 * whole.bandwidth));
      CHECK(others.latency == whole.latency);
      const member_share usual = network == network_kind::ring ? member_share::whole : member_share::others;
      CHECK(all_gather(1_GB, group).bandwidth == all_gather(1_GB, counting(group, usual)).bandwidth);
    }
    CHECK(close(all_to_all(1_GB, counting(switch_of(8), member_share::whole)).bandwidth, 1_GB / 8 / link_rate));
  }
  SECTION("an all-to-all of a ring or a line moves what it moves") {
    for (const collective_group& group : {ring_of(8), line_of(8)}) {
      CHECK(all_to_all(1_GB, counting(group, member_share::whole)).total == all_to_all(1_GB, group).total);
      CHECK(all_to_all(1_GB, counting(group, member_share::others)).total == all_to_all(1_GB, group).total);
    }
  }
  SECTION("through a switch it is the rate of the level") {
    const bytes_per_second effective = switched_bandwidth(link_rate, 8);
    CHECK(close(all_gather(1_GB, switch_of(8)).bandwidth, 1_GB / effective));
    CHECK(switched_bandwidth(link_rate, 2) == 2 * link_rate);
    CHECK(switched_bandwidth(link_rate, 1000) > link_rate);
  }
}

TEST_CASE("groups along the axes of slices") {
  SECTION("v5litepod-128 is open along its eight and closed along its sixteen") {
    const slice s = slice_for("v5litepod-128");
    REQUIRE(s.shape == topology{{8, 16, 1}, 2});
    const collective_group rows = group_along(s, first);
    CHECK(rows.network == network_kind::line);
    CHECK(members(rows) == 8);
    CHECK(rows.one_way == 45_GB_per_s);
    CHECK(rows.per_hop == ici_hop_latency);
    CHECK(rows.share == member_share::by_network);
    const collective_group columns = group_along(s, second);
    CHECK(columns.network == network_kind::ring);
    CHECK(members(columns) == 16);
    CHECK(all_gather(1_GB, columns).total < all_gather(1_GB, rows).total);
    // One open axis is enough.
    const collective_group both = group_along(s, all);
    CHECK(both.network == network_kind::mixed);
    CHECK(members(both) == 128);
  }
  SECTION("v5p of 2x4x4 is open, and of 4x4x4 closed") {
    const slice open = slice_for("v5p-64");
    REQUIRE(open.shape == topology{{2, 4, 4}, 3});
    const slice closed = slice_for("v5p-128");
    for (const std::array<bool, 3>& axes : {first, second, all}) {
      CHECK(group_along(open, axes).network == network_kind::line);
      CHECK(group_along(closed, axes).network == network_kind::ring);
    }
    CHECK(members(group_along(open, all)) == 32);
    CHECK(members(group_along(closed, all)) == 64);
    CHECK(group_along(closed, all).one_way == 90_GB_per_s);
  }
  SECTION("an axis of one chip changes nothing, and no axis is one chip") {
    const slice s = slice_for("v5litepod-256");
    CHECK(group_along(s, all).network == network_kind::ring);
    CHECK(members(group_along(s, all)) == 256);
    CHECK(members(group_along(s, {false, false, true})) == 1);
    CHECK(members(group_along(s, {false, false, false})) == 1);
    CHECK(all_reduce(1_GB, group_along(s, {false, false, false})).total == 0_s);
  }
  SECTION("an axis of which nobody says that it closes is open") {
    const slice s = slice_for("v3-32");
    REQUIRE(wraparound(s)[0].is_unknown());
    CHECK(group_along(s, first).network == network_kind::line);
    CHECK(group_along(slice_for("v3-2048"), first).network == network_kind::ring);
  }
  SECTION("a chip without a link is refused") {
    slice s = slice_for("v5p-128");
    s.chip.ici.nominal_one_way = 0_GB_per_s;
    CHECK(refuses(errc::missing_field, "chip.ici.nominal_one_way", [&] { (void)group_along(s, first); }));
  }
}

TEST_CASE("a reduction between slices goes chip by chip, over the slower of network and PCIe") {
  slice s = slice_for("v5p-128");
  const bytes array = 64_GB;
  const seconds two = all_reduce_between_slices(array, s, 2).total;
  CHECK(close(two, 1_GB / 6.25_GB_per_s));
  CHECK(close(all_reduce_between_slices(array, s, 4).total, 1.5 * two));
  CHECK(close(all_reduce_between_slices(array, slice_for("v5p-256"), 2).total, 0.5 * two));
  CHECK(all_reduce_between_slices(array, s, 1000).total < 2 * two);
  CHECK_FALSE(all_reduce_between_slices(0_B, s, 2).latency_bound);
  s.chip.host.pcie = 1_GB_per_s;
  CHECK(close(all_reduce_between_slices(array, s, 2).total, 1_s));
  s.chip.host.pcie = unknown;
  CHECK(all_reduce_between_slices(array, s, 2).total == two);
}

TEST_CASE("collectives refuse what cannot be") {
  using collective = collective_cost (*)(bytes, const collective_group&);
  for (const collective call :
       {collective{&all_gather}, collective{&reduce_scatter}, collective{&all_reduce}, collective{&all_to_all}}) {
    const auto refused = [&](errc code, std::string_view field, bytes array, const collective_group& group) {
      return refuses(code, field, [&] { (void)call(array, group); });
    };
    CHECK(refused(errc::invalid_argument, "bytes of the array", bytes{-1}, ring_of(4)));
    CHECK(refused(errc::not_finite, "bytes of the array", bytes{not_a_number}, ring_of(4)));
    CHECK(refused(errc::not_finite, "bytes of the array", bytes{infinity}, ring_of(4)));
    CHECK(refused(errc::missing_field, "collective_group.lengths", 1_GB, ring_of(0)));
    CHECK(refused(errc::invalid_argument, "collective_group.lengths", 1_GB, line_of(4, -4, -1)));
    for (const network_kind network : {network_kind::ring, network_kind::line, network_kind::switch_}) {
      collective_group group = group_of(network, 4);
      group.one_way = bytes_per_second{};
      CHECK(refused(errc::missing_field, "collective_group.one_way", 1_GB, group));
      group.one_way = bytes_per_second{-1};
      CHECK(refused(errc::invalid_argument, "collective_group.one_way", 1_GB, group));
      group.one_way = bytes_per_second{not_a_number};
      CHECK(refused(errc::not_finite, "collective_group.one_way", 1_GB, group));
      group.one_way = link_rate;
      group.per_hop = seconds{-1e-6};
      CHECK(refused(errc::invalid_argument, "collective_group.per_hop", 1_GB, group));
      group.per_hop = seconds{not_a_number};
      CHECK(refused(errc::not_finite, "collective_group.per_hop", 1_GB, group));
    }
    // A group of one is checked like any other.
    CHECK(refused(errc::missing_field, "collective_group.one_way", 1_GB, collective_group{}));
  }
  CHECK(refuses(errc::out_of_range, "product of counts", [] {
    const std::int32_t long_axis = std::numeric_limits<std::int32_t>::max();
    (void)members(ring_of(long_axis, long_axis, long_axis));
  }));
}

TEST_CASE("rings, switches and slices refuse what cannot be") {
  CHECK(refuses(errc::missing_field, "members", [] { (void)one_way_all_gather_traffic(1_GB, 0); }));
  CHECK(refuses(errc::invalid_argument, "members", [] { (void)one_way_all_gather_traffic(1_GB, -8); }));
  CHECK(refuses(errc::invalid_argument, "bytes of the array", [] { (void)one_way_all_gather_traffic(bytes{-1}, 8); }));
  CHECK(refuses(errc::not_finite, "bytes of the array",
                [] { (void)one_way_all_gather_traffic(bytes{not_a_number}, 8); }));

  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{0}, std::int64_t{-8}}) {
    CHECK(refuses(errc::invalid_argument, "members of a level", [&] { (void)switched_bandwidth(link_rate, count); }));
  }
  CHECK(refuses(errc::missing_field, "one_way", [] { (void)switched_bandwidth(bytes_per_second{}, 8); }));
  CHECK(refuses(errc::invalid_argument, "one_way", [] { (void)switched_bandwidth(bytes_per_second{-1}, 8); }));
  CHECK(refuses(errc::not_finite, "one_way", [] { (void)switched_bandwidth(bytes_per_second{infinity}, 8); }));

  const slice s = slice_for("v5p-128");
  CHECK(refuses(errc::missing_field, "slices", [&] { (void)all_reduce_between_slices(1_GB, s, 0); }));
  CHECK(refuses(errc::invalid_argument, "slices", [&] { (void)all_reduce_between_slices(1_GB, s, -2); }));
  CHECK(
      refuses(errc::invalid_argument, "bytes of the array", [&] { (void)all_reduce_between_slices(bytes{-1}, s, 2); }));
  CHECK(refuses(errc::not_finite, "bytes of the array",
                [&] { (void)all_reduce_between_slices(bytes{not_a_number}, s, 2); }));
  CHECK(refuses(errc::unknown_figure, "DCN rate of the chip",
                [] { (void)all_reduce_between_slices(1_GB, slice_for("v3-32"), 2); }));
  slice silent = s;
  silent.chip.host.dcn = 0_GB_per_s;
  CHECK(
      refuses(errc::missing_field, "DCN rate of the chip", [&] { (void)all_reduce_between_slices(1_GB, silent, 2); }));
  slice nothing_in_it = s;
  nothing_in_it.shape = topology{};
  CHECK(refuses(errc::missing_field, "slice.shape", [&] { (void)all_reduce_between_slices(1_GB, nothing_in_it, 2); }));
}

// ---- limits of sharding
// ------------------------------------------------------------------------------------------------------------

TEST_CASE("limits of data and tensor parallelism follow from the intensity of an axis") {
  for (const chip_spec& chip : generations) {
    CAPTURE(chip.name.view());
    if (chip.ici.nominal_one_way == 0_GB_per_s) {
      CHECK(refuses(errc::missing_field, "chip.ici.nominal_one_way", [&] { (void)ici_intensity(chip); }));
      continue;
    }
    const double intensity = ici_intensity(chip);
    CHECK(close(intensity, (peak_rate(chip, dtype::bf16) / ici_axis_both_ways(chip)).value()));
    CHECK(data_parallel_tokens_per_chip(chip, 1) == intensity);
    CHECK(close(data_parallel_tokens_per_chip(chip, 2), intensity / 2));
    CHECK(close(data_parallel_tokens_per_chip(chip, 2, 32), 16 * intensity));
    CHECK(close(tensor_parallel_limit(chip, 16384, 2), 2 * tensor_parallel_limit(chip, 16384)));
    // At the limit of either, tokens per chip times ways is the width.
    CHECK(close(mixed_tokens_per_chip(chip, 16384, 2, 1) * tensor_parallel_limit(chip, 16384),
                data_parallel_tokens_per_chip(chip, 2)));
  }
}

TEST_CASE("the limit of tensor parallelism is that of bf16 where activations shrink as arithmetic speeds up") {
  CHECK(ici_intensity(v5p, dtype::int8) == 2 * ici_intensity(v5p));
  CHECK(close(tensor_parallel_limit(v5p, 30000, 1, dtype::int8), tensor_parallel_limit(v5p, 30000)));
}

TEST_CASE("at the best split FSDP and tensor traffic take the same time") {
  const std::int64_t tokens = 3 << 20;
  const std::int64_t d_ff = 13824;
  // 3 Mi x 2 x 2304 / 13824 is 2^20.
  const double x = optimal_fsdp({tokens, d_ff, 2304, 2, 1});
  CHECK(close(x, 1024));
  const layer_times at = layer_forward(v5p, {tokens, 5120, d_ff}, {1024, 2, 2, 1});
  // They would tie at 2.25 ways of tensor parallelism, which makes 2304 chips; here they are two.
  CHECK(close(at.fsdp, 1.125 * at.tensor));
  CHECK(close(optimal_fsdp({tokens, d_ff, 2304, 1, 1}), x / std::sqrt(2.0)));
}

TEST_CASE("a layer's limits are where its times cross") {
  SECTION("FSDP") {
    // 850 tokens a chip on three axes
    CHECK(layer_forward(v5p, {860 * 1024, 8192, 28672}, {1024, 3, 1, 0}).compute_bound);
    CHECK_FALSE(layer_forward(v5p, {840 * 1024, 8192, 28672}, {1024, 3, 1, 0}).compute_bound);
  }
  SECTION("tensor parallelism") {
    // 11.2 ways for F = 28672
    CHECK(layer_forward(v5p, {1 << 20, 8192, 28672}, {1, 0, 11, 1}).compute_bound);
    CHECK_FALSE(layer_forward(v5p, {1 << 20, 8192, 28672}, {1, 0, 12, 1}).compute_bound);
  }
  SECTION("between slices") {
    // 73440 tokens a slice
    const auto compute_bound = [](std::int64_t per_slice) {
      const layer_backward_times t = layer_backward_between_slices(v5p, {4 * per_slice, 8192, 28672}, {64, 4});
      return t.math > t.dcn;
    };
    CHECK(compute_bound(73500));
    CHECK_FALSE(compute_bound(73400));
  }
  SECTION("gathering first or reducing after") {
    const contraction_limits limits = sharded_contraction(v5p, 10200);
    CHECK(close(limits.reduce_after_degree, 2));
    CHECK(close(limits.reduce_after_inner, 2 * limits.gather_first_batch));
    CHECK(limits.equal_traffic_batch == 5100);
  }
}

TEST_CASE("one chip, or one slice, sends nothing") {
  const layer_times alone = layer_forward(v5e, {4096, 4096, 16384}, {});
  CHECK(alone.math > 0_s);
  CHECK(alone.fsdp == 0_s);
  CHECK(alone.tensor == 0_s);
  CHECK(alone.compute_bound);
  chip_spec unconnected = v5e;
  unconnected.ici.nominal_one_way = 0_GB_per_s;
  CHECK(layer_forward(unconnected, {4096, 4096, 16384}, {}).compute_bound);
  const layer_backward_times backward = layer_backward_between_slices(v3, {1000000, 4096, 16384}, {64, 1});
  CHECK(backward.math > 0_s);
  CHECK(backward.dcn == 0_s);
}

TEST_CASE("traffic of a layer, and of a pipeline") {
  const layer_traffic traffic = traffic_of_layer({4096, 1024, 4096});
  CHECK(traffic.fsdp == 1.5 * traffic.data);
  CHECK(traffic.tensor == traffic.data);
  CHECK(traffic_of_layer({8192, 1024, 4096}).data == traffic.data);
  // Two stages: every microbatch goes over the one hop.
  const pipeline_transfer two = pipeline_transfer_time(4096, 1024, link_rate, {8, 2});
  CHECK(close(two.total, 8 * two.per_hop));
  CHECK(close(two.total, 8388608_B / link_rate));
  CHECK(close(pipeline_transfer_time(4096, 1024, link_rate, {8, 5}).total, 11 * two.per_hop));
}

TEST_CASE("limits of sharding refuse what cannot be") {
  struct row {
    errc code;
    const char* field;
    plain_call<void()> call;
  };
  chip_spec unconnected = v5p;
  unconnected.ici.nominal_one_way = 0_GB_per_s;
  chip_spec idle = v5p;
  idle.peak.bf16 = 0_TFLOP_per_s;
  chip_spec backwards = v5p;
  backwards.ici.achievable_fraction = -0.9;
  chip_spec nonsense = v5p;
  nonsense.ici.nominal_one_way = bytes_per_second{not_a_number};
  chip_spec unmeasured = v5p;
  unmeasured.peak.bf16 = unknown;
  const std::vector<row> rows = {
      {errc::missing_field, "nominal_one_way", [&] { (void)ici_intensity(unconnected); }},
      {errc::missing_field, "peak rate", [&] { (void)ici_intensity(idle); }},
      {errc::invalid_argument, "achievable_fraction", [&] { (void)ici_intensity(backwards); }},
      {errc::not_finite, "nominal_one_way", [&] { (void)ici_intensity(nonsense); }},
      {errc::unknown_figure, "bf16 peak", [&] { (void)ici_intensity(unmeasured); }},
      {errc::unknown_figure, "int8 peak", [] { (void)ici_intensity(v3, dtype::int8); }},

      {errc::missing_field, "axes", [] { (void)data_parallel_tokens_per_chip(v5p, 0); }},
      {errc::invalid_argument, "axes", [] { (void)data_parallel_tokens_per_chip(v5p, -1); }},
      {errc::out_of_range, "experts_per_active", [] { (void)data_parallel_tokens_per_chip(v5p, 1, 0.5); }},
      {errc::not_finite, "experts_per_active", [] { (void)data_parallel_tokens_per_chip(v5p, 1, not_a_number); }},
      {errc::missing_field, "nominal_one_way", [&] { (void)data_parallel_tokens_per_chip(unconnected, 1); }},

      {errc::missing_field, "d_ff", [] { (void)tensor_parallel_limit(v5p, 0); }},
      {errc::invalid_argument, "d_ff", [] { (void)tensor_parallel_limit(v5p, -1); }},
      {errc::missing_field, "axes", [] { (void)tensor_parallel_limit(v5p, 1, 0); }},
      {errc::out_of_range, "product of counts", [] { (void)tensor_parallel_limit(v5p, most, 2); }},
      {errc::unknown_figure, "int8 peak", [] { (void)tensor_parallel_limit(v3, 1, 1, dtype::int8); }},

      {errc::missing_field, "d_ff", [] { (void)mixed_tokens_per_chip(v5p, 0, 2, 1); }},
      {errc::missing_field, "fsdp_axes", [] { (void)mixed_tokens_per_chip(v5p, 1, 0, 1); }},
      {errc::invalid_argument, "tensor_axes", [] { (void)mixed_tokens_per_chip(v5p, 1, 2, -1); }},
      {errc::missing_field, "nominal_one_way", [&] { (void)mixed_tokens_per_chip(unconnected, 1, 2, 1); }},

      {errc::missing_field, "batch_tokens",
       [] {
         (void)optimal_fsdp({0, 1, 1, 1, 1});
       }},
      {errc::missing_field, "d_ff",
       [] {
         (void)optimal_fsdp({1, 0, 1, 1, 1});
       }},
      {errc::invalid_argument, "chips",
       [] {
         (void)optimal_fsdp({1, 1, -1, 1, 1});
       }},
      {errc::missing_field, "fsdp_axes",
       [] {
         (void)optimal_fsdp({1, 1, 1, 0, 1});
       }},
      {errc::missing_field, "tensor_axes",
       [] {
         (void)optimal_fsdp({1, 1, 1, 1, 0});
       }},

      {errc::unknown_figure, "DCN rate of the chip", [] { (void)dcn_tokens_per_slice(v3); }},
      {errc::missing_field, "inner", [] { (void)sharded_contraction(v5p, 0); }},
      {errc::invalid_argument, "inner", [] { (void)sharded_contraction(v5p, -8192); }},

      {errc::missing_field, "batch",
       [] {
         (void)layer_forward(v5p, {0, 1, 1}, {});
       }},
      {errc::missing_field, "inner",
       [] {
         (void)layer_forward(v5p, {1, 0, 1}, {});
       }},
      {errc::invalid_argument, "outer",
       [] {
         (void)layer_forward(v5p, {1, 1, -1}, {});
       }},
      {errc::missing_field, "fsdp",
       [] {
         (void)layer_forward(v5p, {1, 1, 1}, {0, 1, 1, 1});
       }},
      {errc::invalid_argument, "tensor",
       [] {
         (void)layer_forward(v5p, {1, 1, 1}, {1, 1, -4, 1});
       }},
      {errc::missing_field, "fsdp_axes",
       [] {
         (void)layer_forward(v5p, {1, 1, 1}, {4, 0, 1, 0});
       }},
      {errc::missing_field, "tensor_axes",
       [] {
         (void)layer_forward(v5p, {1, 1, 1}, {1, 0, 4, 0});
       }},
      {errc::missing_field, "nominal_one_way",
       [&] {
         (void)layer_forward(unconnected, {1, 1, 1}, {4, 1, 1, 0});
       }},
      {errc::missing_field, "nominal_one_way",
       [&] {
         (void)layer_forward(unconnected, {1, 1, 1}, {1, 0, 4, 1});
       }},

      {errc::missing_field, "batch_tokens",
       [] {
         (void)layer_backward_between_slices(v5p, {0, 1, 1}, {1, 2});
       }},
      {errc::invalid_argument, "batch_tokens",
       [] {
         (void)layer_backward_between_slices(v5p, {-1, 1, 1}, {1, 2});
       }},
      {errc::missing_field, "d_model",
       [] {
         (void)layer_backward_between_slices(v5p, {1, 0, 1}, {1, 2});
       }},
      {errc::missing_field, "d_ff",
       [] {
         (void)layer_backward_between_slices(v5p, {1, 1, 0}, {1, 2});
       }},
      {errc::missing_field, "equal_slices.chips",
       [] {
         (void)layer_backward_between_slices(v5p, {1, 1, 1}, {0, 2});
       }},
      {errc::invalid_argument, "slices",
       [] {
         (void)layer_backward_between_slices(v5p, {1, 1, 1}, {1, -1});
       }},
      {errc::unknown_figure, "DCN rate of the chip",
       [] {
         (void)layer_backward_between_slices(v3, {1, 1, 1}, {1, 2});
       }},

      {errc::missing_field, "batch_tokens",
       [] {
         (void)traffic_of_layer({0, 1, 1});
       }},
      {errc::missing_field, "d_model",
       [] {
         (void)traffic_of_layer({1, 0, 1});
       }},
      {errc::invalid_argument, "d_ff",
       [] {
         (void)traffic_of_layer({1, 1, -1});
       }},
      {errc::out_of_range, "product of counts",
       [] {
         (void)traffic_of_layer({1, most, 2});
       }},

      {errc::missing_field, "batch_tokens",
       [] {
         (void)pipeline_transfer_time(0, 1, link_rate, {1, 2});
       }},
      {errc::missing_field, "d_model",
       [] {
         (void)pipeline_transfer_time(1, 0, link_rate, {1, 2});
       }},
      {errc::missing_field, "between_stages",
       [] {
         (void)pipeline_transfer_time(1, 1, bytes_per_second{}, {1, 2});
       }},
      {errc::not_finite, "between_stages",
       [] {
         (void)pipeline_transfer_time(1, 1, bytes_per_second{not_a_number}, {1, 2});
       }},
      {errc::missing_field, "microbatches",
       [] {
         (void)pipeline_transfer_time(1, 1, link_rate, {0, 2});
       }},
      {errc::invalid_argument, "stages",
       [] {
         (void)pipeline_transfer_time(1, 1, link_rate, {1, 1});
       }},
      {errc::invalid_argument, "stages",
       [] {
         (void)pipeline_transfer_time(1, 1, link_rate, {1, 0});
       }},
  };
  for (const row& r : rows) {
    CAPTURE(&r - rows.data());
    CHECK(refuses(r.code, r.field, r.call));
  }
}

TEST_CASE("places and experts outside of what there is", "[collective]") {
  const slice s = slice_for("v5e-16");
  CHECK(hops(s, {{0, 0, 0}}, {{3, 3, 0}}) == 6);
  CHECK(refusal_of([&] { (void)hops(s, {{0, 0, 0}}, {{4, 0, 0}}); }).code == errc::out_of_range);
  CHECK(refusal_of([&] { (void)hops(s, {{0, -1, 0}}, {{0, 0, 0}}); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)data_parallel_tokens_per_chip(v5p, 1, 1.1e9); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)data_parallel_tokens_per_chip(v5p, 1, 0.9); }).code == errc::out_of_range);
}

TEST_CASE("a group has no more chips than its slice, nor than an axis of it") {
  const slice where = slice_for("v5litepod-16");
  CHECK(says(refusal_of([&] {
               (void)group_spanning(where, {32, 1, 1});
             }).message,
             "collective_group.lengths is 32; valid: 1 to the chips of the axis"));
  CHECK(says(refusal_of([&] { (void)block_of(where, 64); }).message,
             "chips of a block is 64; valid: 1 to the chips of the slice"));
  CHECK(says(refusal_of([&] { (void)block_of(where, (std::int64_t{1} << 32) + 1); }).message, "4294967297"));
  CHECK(members(block_of(where, 16)) == 16);
}

}  // namespace handbook_collective_tests
