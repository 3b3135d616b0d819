// The one rule for rings, axes and links, and that the handbook and the estimates follow it.
#include <cmath>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/handbook/collective.hpp>
#include <tpuplan/handbook/placement.hpp>
#include <tpuplan/parallel/collective_group.hpp>
#include <tpuplan/parallel/interconnect.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace parallel_interconnect_tests {

// Worked figures of the comments.
static_assert(ici_link_rate(v5e) == 45_GB_per_s);
static_assert(!is_ring(slice_for("v5e:8x16"), 0) && is_ring(slice_for("v5e:8x16"), 1));
static_assert(is_ring(slice_for("v5p:4x4x8"), 0) && is_ring(slice_for("v5p:4x4x8"), 2));
static_assert(members(collective_group{{4, 4, 4}}) == 64);
static_assert(links_into(collective_group{{4, 4, 4}}) == 6);
static_assert(links_into(group_along(slice_for("v5e:8x16"), {true, true, false})) == 3);
static_assert(links_into(group_along(slice_for("v6e-8"), {true, true, false})) == 2);
static_assert(group_spanning(slice_for("v5litepod-256"), {16, 1, 1}).network == network_kind::ring);
static_assert(group_spanning(slice_for("v5litepod-256"), {8, 1, 1}).network == network_kind::line);
static_assert(group_along(slice_for("v5p-128"), {true, false, false}).network == network_kind::ring);
static_assert(links_into_chip(slice_for("v5p-128")) == 6 && links_into_chip(slice_for("v6e-8")) == 2);
static_assert(links_into_chip(slice_for("tpu7x-2")) == 6);
static_assert(links_into(block_of(slice_for("v6e-256"), 8)) == 2);
static_assert(links_into(block_of(slice_for("v5p-128"), 16)) == 4 &&
              links_into(block_of(slice_for("v5p-128"), 64)) == 6);
static_assert(links_into(block_of(slice_for("v6e-256"), 256)) == 4 && links_into(block_of(slice_for("v6e-8"), 8)) == 2);
static_assert(members(block_of(slice_for("v4-384"), 3)) == 3 && members(block_of(slice_for("v6e-8"), 5)) == 5);
static_assert(dcn_rate(v5p) == 6.25_GB_per_s && dcn_rate(slice_for("v5p-8")) == 6.25_GB_per_s);
// VMs of v6e have 50, 400 and 200 Gbit/s for 1, 4 and 8 chips.
static_assert(dcn_rate(slice_for("v6e-1")) == 6.25_GB_per_s && dcn_rate(slice_for("v6e-4")) == 12.5_GB_per_s &&
              dcn_rate(slice_for("v6e-8")) == 3.125_GB_per_s);
static_assert(dcn_rate(slice_for("v6e-16")) == 12.5_GB_per_s &&
              dcn_rate(slice_for("ct6e-standard-4t:2x4")) == 12.5_GB_per_s);
static_assert(all_reduce_share(1) == 0 && all_reduce_share(2) == 1 && all_reduce_share(4) == 1.5);
static_assert(all_reduce_share(4, member_share::whole) == 2);

TEST_CASE("an axis that closes has two links into a chip, an open one has one, also side by side") {
  const slice where = slice_for("v5e:8x16");
  const collective_group both = group_along(where, {true, true, false});
  CHECK(both.network == network_kind::mixed);
  CHECK(both.closed == std::array<bool, 3>{false, true, false});
  CHECK(links_into_chip(where) == links_into(both));
  // 127/128 of a gigabyte over three links of 45 GB/s.
  CHECK(close(all_gather(1_GB, both).bandwidth.value(), 127.0 / 128 * 1e9 / (3 * 45e9)));
  // Eight hops around the ring's half, seven along the open axis.
  CHECK(close(all_gather(1_GB, both).latency.value(), 15e-6));
  // An all-to-all waits for the axis whose middle links carry most: 16 on the open axis of 8, 16 on the ring.
  CHECK(close(all_to_all(1_GB, both).bandwidth.value(), 1e9 * 16 / (4 * 128) / 90e9));
}

TEST_CASE("sixteen chips on one axis of v6e-256 are a ring for the handbook and for the step alike") {
  const slice where = slice_for("v6e-256");
  const collective_group row = group_along(where, {true, false, false});
  CHECK(row.network == network_kind::ring);
  CHECK(close(group_bandwidth(where, 16, 256).value(), (links_into(row) * row.one_way).value()));
  layout mesh;
  mesh.fsdp = 16;
  mesh.tensor = 16;
  const step_breakdown step = step_time(llama_3_8b(), job_of(256, 4096), mesh, where);
  const double shard = 8 * 8030261248.0 / 16;  // bytes that FSDP exchanges, tensor parallelism applied
  CHECK(close(step.fsdp.whole.value(), shard / group_bandwidth(where, 16, 256).value()));
  CHECK(group_of(place_on_torus(mesh, where).degrees[0], where).network == network_kind::ring);
}

TEST_CASE("a degree has one link at least, and the whole mesh has all of them") {
  CHECK(close(group_bandwidth(slice_for("v5p-128"), 8, 64).value(), 270e9));
  CHECK(close(group_bandwidth(slice_for("v6e-256"), 128, 256).value(), 3 * 90e9));
  CHECK(close(group_bandwidth(slice_for("v6e-256"), 2, 256).value(), 90e9));
  for (const char* given : {"v5litepod-4", "v6e-8", "v5litepod-256", "v4-32", "v5p-128", "tpu7x-256", "v3-32"}) {
    INFO(given);
    const slice where = slice_for(given);
    const auto units = static_cast<double>(devices(where));
    const double link = ici_link_rate(where.chip).value();
    CHECK(close(group_bandwidth(where, units, units).value(), links_into_chip(where) * link));
    double before = 0;
    for (double group = 2; group <= units; group *= 2) {
      const double rate = group_bandwidth(where, group, units).value();
      CHECK(rate >= link);
      CHECK(rate >= before);
      before = rate;
    }
  }
}

TEST_CASE("what is not established counts as open, what does not exist is refused") {
  CHECK_FALSE(is_ring(slice_for("v3-512"), 0));  // a part of a pod: the documentation does not say
  CHECK(is_ring(slice_for("v3-2048"), 0));
  CHECK(refusal_of([] { (void)is_ring(slice_for("v5p-128"), 3); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)dcn_rate(v3); }).code == errc::unknown_figure);
  chip_spec silent = v5p;
  silent.ici.nominal_one_way = {};
  CHECK(refusal_of([&] { (void)ici_link_rate(silent); }).code == errc::missing_field);
  chip_spec narrow = v5p;
  narrow.host.pcie = 4_GB_per_s;
  CHECK(dcn_rate(narrow) == 4_GB_per_s);  // PCIe is the narrower of the two
  chip_spec wide = v6e;
  wide.host.dcn = 25_GB_per_s;  // what a caller supposes of the chip holds for its VMs in proportion
  CHECK(dcn_rate(slice{wide, topology{{2, 4, 1}, 2}, 8}) == 6.25_GB_per_s);
  narrow.ici.die_to_die_over_link = absent;
  CHECK(links_into_chip(slice{narrow, topology{{1, 1, 1}, 3}, 1}) == 1);
}

TEST_CASE("no rate between slices, and no number of them, are refused", "[door]") {
  for (const double rate : {0.0, -1.0, std::nan("")}) {
    slice where = slice_for("v5p-128");
    where.chip.host.pcie = bytes_per_second{rate};
    CHECK(says(refusal_of([&] { (void)dcn_rate(where.chip); }).message, "PCIe rate of the chip is "));
    CHECK(says(refusal_of([&] { (void)all_reduce_between_slices(1_GB, where, 2); }).message, "PCIe rate of the chip"));
    where.chip.host.dcn = bytes_per_second{rate};
    CHECK(says(refusal_of([&] { (void)dcn_rate(where.chip); }).message, "DCN rate of the chip is "));
  }
  for (const double slices : {0.0, -3.0, std::nan(""), HUGE_VAL})
    CHECK(says(refusal_of([&] { (void)all_reduce_share(slices); }).message, "slices is "));
}

TEST_CASE("between slices the step and the handbook move the same") {
  const slice where = slice_for("v5p-128");
  for (const std::int64_t total : {2, 4, 32}) {
    layout mesh = fsdp_layout(where, total);
    const step_breakdown step = step_time(llama_3_8b(), job_of(64 * total, 4096), mesh, where);
    const seconds reduced = all_reduce_between_slices(bytes{4 * 8030261248.0}, where, total).total;
    CHECK(close(step.dcn.whole.value(), reduced.value()));
  }
}

}  // namespace parallel_interconnect_tests
