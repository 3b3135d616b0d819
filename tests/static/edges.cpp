// The ends of ranges: what is just allowed and what is just not. The rest of these functions is in worked_figures.cpp,
// in book_cases.cpp and in tests/unit.
#include <support/models.hpp>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/handbook/link.hpp>
#include <tpuplan/handbook/placement.hpp>
#include <tpuplan/handbook/padding.hpp>

using namespace tpuplan;

namespace {

constexpr memory_breakdown memory_of(double low, double high, double usable) {
  memory_breakdown m;
  m.low = bytes{low}, m.high = bytes{high}, m.usable = bytes{usable};
  return m;
}
constexpr serving_memory served(double low, double high, double usable) {
  serving_memory m;
  m.low = bytes{low}, m.high = bytes{high}, m.usable = bytes{usable};
  return m;
}

constexpr chip_spec own_chip(std::int32_t axes) {
  chip_spec c = axes == 3 ? v5p : v6e;
  c.name = "own";
  return c;
}

constexpr transformer experts_without_gate() {
  transformer m = llama_3_8b();
  m.mlp.gated = false;
  m.moe.experts = 4;
  m.moe.top_k = 2;
  m.moe.expert_d_ff = 256;
  m.moe.dense_layers = 2;
  return m;
}

constexpr std::int64_t count_of(const transformer& m, std::string_view name) {
  for (const weight_matrix& one : matrices_of(m)) {
    if (one.name == name) return one.count;
  }
  return 0;
}

}  // namespace

// A verdict is yes below 97 % of what is usable, not at it; no above 103 %, not at it (for serving above all of it).
static_assert(fits(memory_of(1, 96.9, 100)) == verdict::yes);
static_assert(fits(memory_of(1, 97, 100)) == verdict::uncertain);
static_assert(fits(memory_of(103, 104, 100)) == verdict::uncertain);
static_assert(fits(memory_of(103.1, 104, 100)) == verdict::no);
static_assert(fits(served(1, 96.9, 100)) == verdict::yes);
static_assert(fits(served(1, 97, 100)) == verdict::uncertain);
static_assert(fits(served(100, 104, 100)) == verdict::uncertain);
static_assert(fits(served(100.1, 104, 100)) == verdict::no);

// Sequences up to 2^40.
static_assert(forward_flops_per_token(llama_3_8b(), std::int64_t{1} << 40).total > 1e15_FLOP);

// Shapes of a chip that is not in the table.
static_assert(is_valid_shape(own_chip(3), {{2, 2, 1}, 3}) && is_valid_shape(own_chip(3), {{2, 2, 2}, 3}) &&
              is_valid_shape(own_chip(3), {{2, 2, 4}, 3}) && is_valid_shape(own_chip(3), {{2, 4, 4}, 3}) &&
              is_valid_shape(own_chip(3), {{4, 4, 4}, 3}));
static_assert(!is_valid_shape(own_chip(3), {{2, 2, 3}, 3}) && !is_valid_shape(own_chip(3), {{2, 4, 2}, 3}) &&
              !is_valid_shape(own_chip(3), {{2, 4, 8}, 3}) && !is_valid_shape(own_chip(3), {{4, 8, 4}, 3}));
static_assert(is_valid_shape(own_chip(2), {{1, 1, 1}, 2}) && !is_valid_shape(own_chip(2), {{1, 2, 1}, 2}) &&
              is_valid_shape(own_chip(2), {{2, 4, 1}, 2}) && !is_valid_shape(own_chip(2), {{2, 8, 1}, 2}));

static_assert(topology{{4, 4, 4}, 3} != topology{{4, 4, 8}, 3} && !(topology{{4, 4, 4}, 3} != topology{{4, 4, 4}, 3}));
static_assert(may_be_twisted({{8, 8, 4}, 3}) && may_be_twisted({{4, 8, 8}, 3}) && !may_be_twisted({{8, 8, 8}, 3}));

// Partial slices of v2 and v3 count as closed from 256 chips on.
static_assert(!is_ring(slice_for("v3-512"), 0) && is_ring(slice_for("v3-2048"), 0));

// A matrix up and one down, or two up.
static_assert(count_of(experts_without_gate(), "expert up") == 4 * 30);
static_assert(count_of(experts_without_gate(), "MLP gate") == 0);

// What full recomputation does again is all but the MLP's second product and the head.
static_assert(recomputed_flops_per_token(llama_3_8b(), 2048, remat::full) == [] {
  const forward_flops f = forward_flops_per_token(llama_3_8b(), 2048, maxtext_flops);
  return f.qkv + f.attention_output + f.mlp_up + f.attention;
}());
static_assert(recomputed_flops_per_token(experts_without_gate(), 2048, remat::full) == [] {
  const forward_flops f = forward_flops_per_token(experts_without_gate(), 2048, maxtext_flops);
  return f.qkv + f.attention_output + (f.mlp_up + f.experts_up) + f.attention;
}());

// The longest context fits, one token more does not.
static_assert([] {
  for (const char* slice_name : {"v6e-1", "v6e-4", "v5p-8", "v5litepod-8", "tpu7x-8"}) {
    const slice s = slice_for(slice_name);
    serving_job job;
    job.weights = dtype::int8;
    const std::int64_t longest = largest_serving_context(llama_3_8b(), job, {}, s);
    const detail::served_model v = detail::served_by(llama_3_8b(), job, {}, s);
    const auto holds = [&](std::int64_t tokens) {
      return detail::on_device(v, detail::cache_of(llama_3_8b(), job, static_cast<double>(tokens))) <=
             detail::cache_room(v, job, s);
    };
    if (!holds(longest) || holds(longest + 1)) return false;
  }
  return true;
}());

// A calendar reservation lasts up to 90 days.
static_assert(can_be_paid(provisioning::calendar, 90_days) && !can_be_paid(provisioning::calendar, 90_days + 1_s));

// Adapters on any one kind of matrix.
static_assert([] {
  for (bool lora_targets::*target : {&lora_targets::q, &lora_targets::k, &lora_targets::v, &lora_targets::o,
                                     &lora_targets::gate, &lora_targets::up, &lora_targets::down}) {
    training_job job = job_of(8, 128);
    job.lora_rank = 1;
    job.lora.*target = true;
    validate(job);
  }
  return true;
}());

// A pipeline of as many stages as layers.
static_assert([] {
  transformer m = llama_3_8b();
  m.layers = 4;
  layout l;
  l.pipeline = 4, l.fsdp = 2;
  validate(l, m, job_of(64, 128));
  return true;
}());

// Commitments are two of the six ways of paying.
static_assert(is_commitment(provisioning::commitment_1y) && is_commitment(provisioning::commitment_3y) &&
              !is_commitment(provisioning::on_demand) && !is_commitment(provisioning::spot) &&
              !is_commitment(provisioning::flex_start) && !is_commitment(provisioning::calendar));

// A cost below a dollar is a cost.
static_assert(cost_of_checkpoints(training_state{{}, {}, 1_GiB}, 1, 730_h, usd_per_gib_month(0.02)).total < 0.03_usd);

// Without a budget of XLA each device has its share of what is there.
static_assert([] {
  chip_spec c = v3;
  c.hbm.usable_per_device = unknown;
  return usable_hbm_per_device(c).value() == c.hbm.capacity.value() / 2 && c.jax_devices == 2;
}());

// Less than one sequence that runs on average still pays for the slice.
static_assert([] {
  serving_estimate e;
  e.running = 0.25;
  e.per_token.prompts = 1_ms;
  e.per_token.total = 4_ms;
  e.input_tokens = per_second{100};
  e.output_tokens = per_second{25};
  return cost_of_tokens(e, usd_per_hour(3.6)).output == 30_usd;
}());

// Two ways are as short only from a place to the one across.
static_assert(shortest_ports(slice_for("v5litepod-256"), {{0, 0, 0}}, {{13, 5, 0}}) == 2);
static_assert(shortest_ports(slice_for("v5litepod-256"), {{0, 0, 0}}, {{8, 5, 0}}) == 3);

// What bounds take for granted: every rate at its peak, nothing beside it.
static_assert(peak_only.weight_stream == 1 && peak_only.cache_stream == 1 && peak_only.decode_mxu == 1 &&
              peak_only.decode_collectives == 0 && peak_only.layer_latency == 0_s && peak_only.engine_step == 0_s &&
              peak_only.engine_sequence == 0_s && peak_only.prefill_between_steps == 1 && peak_only.prefill_mxu == 1 &&
              peak_only.prefill_attention == 1 && peak_only.prefill_hbm_passes == 0 &&
              peak_only.prefill_collectives == 0 && peak_only.engine_prefill == 1);

// Dates are those of the calendar.
static_assert(detail::is_iso_date("2024-02-29") && detail::is_iso_date("2000-02-29") &&
              !detail::is_iso_date("2023-02-29") && !detail::is_iso_date("1900-02-29") &&
              !detail::is_iso_date("2024/02-01") && !detail::is_iso_date("2024-02/01") &&
              !detail::is_iso_date("2024-02-1") && !detail::is_iso_date("2024-11-31") &&
              detail::is_iso_date("2024-12-31") && detail::is_iso_date("2024-11-30"));

// What no row has is looked for in all of them, and no further.
static_assert(!find_price(price_book{}, slice_for("tpu7x-128"), "us", provisioning::spot).has_value());

// A price of one's own is for slices of one chip on unless it says otherwise.
static_assert(find_price(price_book{}.with("v5e", "here", provisioning::spot, usd_per_hour(1), "2026-11-21"),
                         slice_for("v5e-1"), "here", provisioning::spot)
                  .has_value());

// A degree takes the whole axis that it fills, rather than a part of a longer one.
static_assert([] {
  layout l;
  l.tensor = 4, l.fsdp = 32;
  const torus_placement placed = place_on_torus(l, slice_of(v5p, *parse_topology("4x4x8")));
  return placed.degrees[0].lengths[0] * placed.degrees[0].lengths[1] == 4 && placed.degrees[0].lengths[2] == 1;
}());
