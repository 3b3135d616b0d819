// tpuplan against data/oracles/book_cases.json: the worked numbers of a book on scaling models, as far as this
// milestone answers them. tests/oracle_map.json says which header answers which case, and in which milestone.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/parallel/link.hpp>
#include <tpuplan/roofline/attention.hpp>
#include <tpuplan/roofline/padding.hpp>
#include <tpuplan/roofline/roofline.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"

#ifndef TPUPLAN_DATA_DIR
#error "TPUPLAN_DATA_DIR is the folder of the data, as a string"
#endif
#ifndef TPUPLAN_TESTS_DIR
#error "TPUPLAN_TESTS_DIR is the folder of the tests, as a string"
#endif

using namespace tpuplan;
using nlohmann::json;

namespace {

json read(const std::string& path) {
  std::ifstream file{path};
  if (!file) throw std::runtime_error{"cannot read " + path};
  return json::parse(file);
}

const json& cases() {
  static const json document = read(std::string{TPUPLAN_DATA_DIR} + "/oracles/book_cases.json");
  return document.at("cases");
}

const json& oracle_map() {
  static const json document = read(std::string{TPUPLAN_TESTS_DIR} + "/oracle_map.json");
  return document;
}

std::string id_of(const json& row) { return row.at("id").get<std::string>(); }

bool is_foundation(const std::string& id) {
  return oracle_map().contains(id) && oracle_map().at(id).at("issue") == "foundation";
}

// The inputs of a case, in the units of the file, and which of them an answer has read.
class case_inputs {
 public:
  explicit case_inputs(const json& row) : values_{row.at("inputs")} {}

  double number(const std::string& name) const {
    unread_.erase(name);
    return values_.at(name).at("value").get<double>();
  }
  std::int64_t count(const std::string& name) const {
    const double value = number(name);
    if (value != std::floor(value)) throw std::runtime_error{name + " is not a whole number"};
    return static_cast<std::int64_t>(value);
  }
  std::int32_t length(const std::string& name) const { return static_cast<std::int32_t>(count(name)); }
  flops_per_second rate(const std::string& name) const { return flops_per_second{number(name)}; }
  bytes_per_second bandwidth(const std::string& name) const { return bytes_per_second{number(name)}; }
  bytes size(const std::string& name) const { return bytes{number(name)}; }
  seconds time(const std::string& name) const { return seconds{number(name)}; }

  // The format whose elements have that many bytes.
  dtype format(const std::string& name) const { return format_of_bits(8 * number(name)); }
  dtype format_in_bits(const std::string& name) const { return format_of_bits(number(name)); }

  // For inputs that the answer rightly does not depend on.
  void does_not_matter(const std::string& name) const { unread_.erase(name); }

  const std::set<std::string>& unread() const { return unread_; }

 private:
  static dtype format_of_bits(double given) {
    for (const dtype type : {dtype::bf16, dtype::int8, dtype::fp32, dtype::int4}) {
      if (static_cast<double>(bits(type)) == given) return type;
    }
    throw std::runtime_error{"no format has that size"};
  }
  static std::set<std::string> names_in(const json& values) {
    std::set<std::string> names;
    for (const auto& item : values.items()) names.insert(item.key());
    return names;
  }

  const json& values_;
  mutable std::set<std::string> unread_ = names_in(values_);
};

using named_values = std::vector<std::pair<std::string, double>>;

// A chip of the caller's own, with the figures that most cases give.
chip_spec chip_with(flops_per_second bf16, bytes_per_second hbm) {
  chip_spec chip = v5e;
  chip.peak.bf16 = bf16;
  chip.hbm.bandwidth = hbm;
  return chip;
}
chip_spec chip_with_peak(flops_per_second bf16) { return chip_with(bf16, v5e.hbm.bandwidth); }
chip_spec chip_with_hbm(bytes_per_second hbm) { return chip_with(v5e.peak.bf16.value(), hbm); }
chip_spec chip_with_int8(flops_per_second int8, bytes_per_second hbm) {
  chip_spec chip = chip_with_hbm(hbm);
  chip.peak.int8 = int8;
  return chip;
}
chip_spec chip_with_link(bytes_per_second achieved_one_way) {
  chip_spec chip = v5e;
  chip.ici.link_one_way = achieved_one_way;
  chip.ici.achievable_fraction = 1;
  return chip;
}

slice flat_slice(const chip_spec& chip, std::int32_t a, std::int32_t b) { return slice_of(chip, {{a, b, 1}, 2}); }
slice deep_slice(const chip_spec& chip, std::int32_t a, std::int32_t b, std::int32_t c) {
  return slice_of(chip, {{a, b, c}, 3});
}

// A gated model without the norms, which the cases leave out.
transformer gated(std::int64_t layers, std::int64_t d_model, std::int64_t d_ff, std::int64_t vocab = 1) {
  transformer m;
  m.layers = layers;
  m.d_model = d_model;
  m.vocab = vocab;
  m.mlp.d_ff = d_ff;
  m.norms_per_layer = 0;
  m.final_norm = false;
  m.attention.head_dim = 128;
  m.attention.heads = m.attention.kv_heads = d_model / 128;
  return m;
}
transformer gated(std::int64_t layers, std::int64_t d_model, std::int64_t d_ff, std::int64_t vocab, std::int64_t heads,
                  std::int64_t kv_heads, std::int64_t head_dim) {
  transformer m = gated(layers, d_model, d_ff, vocab);
  m.attention.heads = heads;
  m.attention.kv_heads = kv_heads;
  m.attention.head_dim = head_dim;
  return m;
}
transformer gated(const case_inputs& in) {
  return gated(in.count("L"), in.count("D"), in.count("Fd"), in.count("V"), in.count("N"), in.count("K"),
               in.count("H"));
}

double as_double(std::int64_t count) { return static_cast<double>(count); }
double as_double(bool yes) { return yes ? 1 : 0; }

bytes whole_array(std::int64_t elements, dtype type) { return shard(elements, type, 1, 1).per_device; }

constexpr flop_convention full_attention{attention_flops::full, window_flops::smooth, false, false};

// Rooflines.

named_values rl_01(const case_inputs& in) {
  const flops work{in.number("flops")};
  return {{"t_h100", time_at_mfu(work, chip_with_peak(in.rate("C_h100")), 1).value()},
          {"t_v6e", time_at_mfu(work, chip_with_peak(in.rate("C_v6e")), 1).value()}};
}

named_values rl_03(const case_inputs& in) {
  return {{"intensity", ridge_point(chip_with(in.rate("C"), in.bandwidth("W"))).value()}};
}

named_values rl_04(const case_inputs& in) {
  in.does_not_matter("bk");
  return {{"intensity", tiled_intensity(in.count("bm"), in.count("bn"), in.format("bytes_per_el")).value()}};
}

named_values rl_05(const case_inputs& in) {
  return {{"intensity", arithmetic_intensity({1, in.count("N"), 1}).value()}};
}

named_values rc_01(const case_inputs& in) {
  const dtype type = in.format("s_w");
  return {{"B_crit", balance_batch(chip_with(in.rate("C"), in.bandwidth("W")), uniform(type))}};
}

named_values rc_02(const case_inputs& in) {
  const chip_spec chip = chip_with_int8(in.rate("C"), in.bandwidth("W"));
  const dtype type = in.format("s_w");
  return {{"intensity", ridge_point(chip, type).value()}, {"B_crit", balance_batch(chip, uniform(type))}};
}

named_values rc_04(const case_inputs& in) {
  const chip_spec chip = chip_with(in.rate("C"), in.bandwidth("W"));
  const product_dtypes types{dtype::int8, dtype::bf16, dtype::bf16, dtype::bf16};
  return {{"B_crit", exact_critical_batch(chip, in.count("D"), in.count("F"), types).value()}};
}

named_values rc_06(const case_inputs& in) {
  const product_shape shape{in.count("B"), in.count("D"), in.count("F")};
  return {{"intensity", batched_weights_intensity(shape, uniform(dtype::int8)).value()}};
}

named_values rc_08(const case_inputs& in) {
  return {{"B_v4p", balance_batch(chip_with(in.rate("C4"), in.bandwidth("W4")), {})},
          {"B_v5p", balance_batch(chip_with(in.rate("C5"), in.bandwidth("W5")), {})},
          {"B_v6e", balance_batch(chip_with(in.rate("C6"), in.bandwidth("W6")), {})}};
}

named_values rc_09(const case_inputs& in) {
  product_dtypes types = uniform(in.format_in_bits("bits_act"));
  types.weights = in.format_in_bits("bits_w");
  return {{"B_crit", balance_batch(chip_with(in.rate("C"), in.bandwidth("W")), types)}};
}

named_values rc_10(const case_inputs& in) {
  const chip_spec chip = chip_with_int8(in.rate("C"), in.bandwidth("W"));
  const growing_work as_rounded{bytes{6.7e7}, flops{1.3e8}, bytes{2e4}};
  return {{"B_crit", exact_critical_batch(chip, in.count("D"), in.count("F"), uniform(dtype::int8)).value()},
          {"B_crit_book_rounding", exact_critical_count(chip, as_rounded, dtype::int8).value()}};
}

named_values rc_12(const case_inputs& in) {
  chip_spec chip = chip_with_peak(in.rate("C"));
  chip.host.pcie = in.bandwidth("W_pcie");
  return {{"B_crit", balance_batch(chip, {}, memory_level::pcie)}};
}

named_values mo_01(const case_inputs& in) {
  // A chip whose dense balance with int8 weights is the given batch.
  const double base = in.number("base");
  const chip_spec chip = chip_with(flops_per_second{2 * base * v5e.hbm.bandwidth.value()}, v5e.hbm.bandwidth);
  const product_dtypes types{dtype::int8, dtype::bf16, dtype::bf16, dtype::bf16};
  return {{"Bt", balance_batch(chip, types, memory_level::hbm, in.number("E") / in.number("k"))}};
}

named_values gp_01(const case_inputs& in) {
  chip_spec h100 = chip_with(in.rate("ch"), in.bandwidth("wh"));
  h100.peak.fp8 = 2 * in.rate("ch");
  chip_spec b200 = chip_with(in.rate("cb"), in.bandwidth("wb"));
  b200.peak.fp8 = 2 * in.rate("cb");
  return {{"h100", ridge_point(h100, dtype::fp16).value()},
          {"b200", ridge_point(b200, dtype::fp16).value()},
          {"h100_fp8", ridge_point(h100, dtype::fp8).value()},
          {"b200_fp8", ridge_point(b200, dtype::fp8).value()}};
}

named_values gp_03(const case_inputs& in) {
  return {{"base", vector_peak(in.count("c"), per_second{in.number("f")}).value()},
          {"boost", vector_peak(in.count("c"), per_second{in.number("fb")}).value()}};
}

named_values pr_01(const case_inputs& in) {
  const product_shape shape{checked_multiply(in.count("Bt"), in.count("T")), in.count("D"), in.count("Fd")};
  return {{"t", time_at_mfu(flops_of(shape), chip_with_peak(in.rate("C")), in.count("N")).value()}};
}

named_values pr_03(const case_inputs& in) {
  const product_shape shape{checked_multiply(in.count("Bt"), in.count("T")), in.count("D"),
                            checked_multiply(in.count("N"), in.count("H"))};
  return {{"t", time_at_mfu(flops_of(shape), chip_with_peak(in.rate("C")), in.count("n")).value()}};
}

// One chip and one pod.

named_values ch_01(const case_inputs& in) {
  chip_spec chip = v5e;
  CHECK(in.count("k") == in.count("n"));
  chip.clock = per_second{in.number("f")};
  chip.mxu.side = in.count("k");
  chip.mxu.macs_per_cell_cycle = in.count("m") / in.count("cycles");
  chip.mxu.per_tensorcore = in.count("n_mxu");
  return {{"per_mxu", mxu_peak(chip).value()}, {"per_core", tensorcore_peak(chip).value()}};
}

named_values ch_03(const case_inputs& in) {
  const dtype type = in.format("s");
  CHECK(layout_tile(type).sublanes == in.count("sub"));
  CHECK(layout_tile(type).lanes == in.count("lanes"));
  return {{"bytes", (tile_bytes(type) * in.number("regs")).value()}};
}

named_values pt_01(const case_inputs& in) {
  chip_spec chip = v5e;
  chip.host.chips = in.count("per_host");
  chip.tensorcores = in.count("cores");
  chip.peak.bf16 = in.rate("C");
  chip.hbm.capacity = in.size("hbm");
  const slice pod = flat_slice(chip, 16, in.length("chips") / 16);
  return {{"hosts", hosts(pod)},
          {"tensorcores", as_double(tensorcores(pod))},
          {"flops", peak_rate(pod, dtype::bf16).value()},
          {"hbm_total", hbm_capacity(pod).value()}};
}

named_values pt_03(const case_inputs& in) {
  chip_spec chip = v4;
  chip.host.chips = in.count("per_host");
  chip.peak.bf16 = in.rate("C");
  chip.hbm.capacity = in.size("hbm");
  const std::int32_t n = in.length("n");
  const slice pod = deep_slice(chip, n, n, n);
  return {{"chips", as_double(chips(pod))},
          {"hosts", hosts(pod)},
          {"flops", peak_rate(pod, dtype::bf16).value()},
          {"hbm_total", hbm_capacity(pod).value()}};
}

named_values wr_01(const case_inputs& in) {
  const auto short_and_long = wraparound(flat_slice(v5e, in.length("v5e_a"), in.length("v5e_b")));
  const auto cubes = wraparound(deep_slice(v5p, in.length("p"), in.length("p"), in.length("q")));
  return {{"v5e_short", as_double(short_and_long[0].value())},
          {"v5e_long", as_double(short_and_long[1].value())},
          {"v5p_4", as_double(cubes[0].value() && cubes[1].value())},
          {"v5p_8", as_double(cubes[2].value())}};
}

named_values pr_05(const case_inputs& in) {
  const padding_cost cost = padding({in.count("m"), in.count("n")}, v5e);
  return {{"m128", as_double(cost.padded.rows)},
          {"n128", as_double(cost.padded.columns)},
          {"util128", cost.flop_utilization}};
}

named_values iq_03(const case_inputs& in) {
  const auto per_dollar = [&](const char* peak, const char* price) {
    return flops_per_dollar(chip_with_peak(in.rate(peak)), usd_per_hour(in.number(price))).value();
  };
  return {{"h100", per_dollar("ch", "ph")}, {"v5p", per_dollar("cp", "pp")}, {"v5e", per_dollar("ce", "pe")}};
}

// From HBM, over a link, over PCIe, over the network.

named_values hb_01(const case_inputs& in) {
  const dtype type = in.format("s");
  const std::int64_t n = in.count("N");
  const sharded_array weights = shard(in.count("P"), type, n, n);
  return {{"bytes_per_chip", weights.per_device.value()},
          {"t", load_time(weights.over_mesh, chip_with_hbm(in.bandwidth("W")), n).value()}};
}

named_values hb_03(const case_inputs& in) {
  return {{"t", load_time(in.size("bytes"), chip_with_hbm(in.bandwidth("W"))).value()}};
}

named_values hb_04(const case_inputs& in) {
  const std::int64_t ways = checked_multiply(in.count("X"), in.count("Y"));
  const sharded_array array = shard(checked_multiply(in.count("I"), in.count("J")), in.format("s"), ways, ways);
  return {{"bytes", array.per_device.value()},
          {"t", load_time(array.per_device, chip_with_hbm(in.bandwidth("W"))).value()}};
}

named_values hb_05(const case_inputs& in) {
  const chip_spec chip = chip_with_hbm(in.bandwidth("W"));
  const dtype type = in.format("s");
  transformer layer = gated(1, in.count("D"), in.count("F"));
  layer.mlp.gated = false;
  const std::int64_t exact = parameters(layer).mlp;
  const auto time_of = [&](std::int64_t weights) {
    return load_time(whole_array(weights, type), chip, in.count("N")).value();
  };
  return {{"t", time_of(in.count("P"))}, {"P_exact", as_double(exact)}, {"t_exact", time_of(exact)}};
}

named_values lk_01(const case_inputs& in) {
  const bytes amount = whole_array(checked_multiply(in.count("n0"), in.count("n1"), in.count("n2")), in.format("s"));
  const slice corners = flat_slice(chip_with_link(in.bandwidth("W1")), 4, 4);
  const send_breakdown sent = send_time(amount, corners, {{0, 0, 0}}, {{3, 3, 0}}, in.time("lat"));
  CHECK(sent.hops == in.count("hops"));
  CHECK(sent.ports == in.count("ports"));
  return {{"bytes", amount.value()}, {"t_first", sent.first_byte.value()}, {"t_bw", sent.streaming.value()}};
}

named_values lk_02(const case_inputs& in) {
  const slice pod = flat_slice(v5e, in.length("n"), in.length("n"));
  const std::int64_t way = hops(pod, {{0, 0, 0}}, {{in.length("dx"), in.length("dy"), 0}});
  return {{"hops", as_double(way)},
          {"t_first", first_byte_time(way, in.time("lat")).value()},
          {"worst_16x16", as_double(farthest_hops(pod))},
          {"worst_4x4", as_double(farthest_hops(flat_slice(v5e, in.length("n_small"), in.length("n_small"))))}};
}

named_values lk_03(const case_inputs& in) {
  chip_spec chip = v5e;
  chip.host.pcie = in.bandwidth("W");
  return {{"t", load_time(in.size("bytes"), chip, in.count("links"), memory_level::pcie).value()}};
}

named_values lk_05(const case_inputs& in) {
  const time_bounds bounds = overlap_bounds({in.time("t_pcie"), in.time("t_ici"), in.time("t_hbm"), in.time("t_math")});
  return {{"lower", bounds.lower.value()}, {"upper", bounds.upper.value()}};
}

named_values lk_07(const case_inputs& in) {
  return {{"bytes", latency_bound_bytes(chip_with_link(in.bandwidth("W1")), in.time("lat")).value()}};
}

named_values lk_09(const case_inputs& in) {
  const network_share share = network_share_of(in.number("nic") / 1e9, in.count("chips"));
  return {{"host", share.host.value()}, {"per_chip", share.chip.value()}};
}

// Sharded arrays.

named_values sm_01(const case_inputs& in) {
  const std::int64_t ways = checked_multiply(in.count("X"), in.count("Y"));
  const sharded_array array = shard(checked_multiply(in.count("I"), in.count("J")), in.format("s"), ways,
                                    checked_multiply(ways, in.count("Z")));
  return {{"per_device", array.per_device.value()}, {"total", array.over_mesh.value()}};
}

named_values sm_03(const case_inputs& in) {
  const std::int64_t ways = checked_multiply(in.count("X"), in.count("Y"));
  const std::int64_t rows = shard(in.count("I"), in.format("s"), ways, ways).elements_per_device;
  const sharded_array array = shard(checked_multiply(in.count("I"), in.count("J")), in.format("s"), ways, ways);
  return {{"rows", as_double(rows)}, {"bytes", array.per_device.value()}};
}

named_values sm_05(const case_inputs& in) {
  const dtype type = in.format("s");
  const std::int64_t n = in.count("N");
  const std::int64_t matrix = checked_multiply(in.count("D"), in.count("F"));
  return {{"w_bytes", whole_array(matrix, type).value()},
          {"in_bytes", whole_array(checked_multiply(in.count("Bt"), in.count("D")), type).value()},
          {"per_chip", shard(checked_multiply(2, matrix), type, n, n).per_device.value()}};
}

named_values pr_04(const case_inputs& in) {
  return {{"full", as_double(unsharded(in.count("shard"), in.count("ways")))}};
}

// Parameters.

named_values tp_01(const case_inputs& in) {
  transformer m = gated(in.count("L"), in.count("D"), in.count("Fd"), in.count("V"));
  m.attention.heads = m.attention.kv_heads = in.count("NH") / m.attention.head_dim;
  m.norms_per_layer = 1;
  return {{"params", as_double(parameters(m).total)}};
}

named_values tp_03(const case_inputs& in) {
  const parameter_count count = parameters(gated(in));
  return {{"ffw", as_double(count.mlp)},
          {"vocab", as_double(count.embedding + count.lm_head)},
          {"attn", as_double(count.attention)},
          {"total", as_double(count.total)}};
}

named_values tp_05(const case_inputs& in) {
  const parameter_count count = parameters(gated(1, in.count("D"), in.count("Fd")));
  return {{"share", as_double(count.attention) / as_double(count.attention + count.mlp)}};
}

named_values tp_07(const case_inputs& in) { return {{"params", as_double(parameters(gated(in)).total)}}; }

named_values mo_03(const case_inputs& in) {
  transformer m = gated(in.count("L"), in.count("D"), 0, in.count("V"), in.count("N"), in.count("K"), in.count("H"));
  m.tied_embeddings = true;
  m.moe.experts = in.count("E");
  m.moe.top_k = in.count("k");
  m.moe.expert_d_ff = in.count("Fd");
  const parameter_count count = parameters(m);
  return {{"total", as_double(count.total - count.router)}, {"active", as_double(count.active - count.router)}};
}

// FLOPs.

named_values tf_01(const case_inputs& in) {
  const product_shape shape{checked_multiply(in.count("K"), in.count("L")),
                            checked_multiply(in.count("I"), in.count("J")),
                            checked_multiply(in.count("M"), in.count("N"), in.count("O"))};
  return {{"flops", flops_of(shape).value()}};
}

named_values tf_02(const case_inputs& in) {
  const std::int64_t d = in.count("D");
  return {{"T", attention_parity_length(gated(1, d, 4 * d), attention_against::projections)}};
}

named_values tf_03(const case_inputs& in) {
  const auto parity = [&](const char* width) {
    const std::int64_t d = in.count(width);
    return attention_parity_length(gated(1, d, 4 * d), attention_against::layers);
  };
  return {{"T_8k", parity("D1")}, {"T_gemma27b", parity("D2")}};
}

named_values tf_05(const case_inputs& in) {
  chip_spec chip = v5e;
  chip.peak.fp8 = in.rate("C");
  const seconds one_chip{in.number("hours") * 3600};
  const flops used = training_work(in.count("P"), in.count("T"));
  return {{"available", available_work(chip, 1, one_chip, dtype::fp8).value()},
          {"used", used.value()},
          {"mfu", utilization(used, chip, 1, one_chip, dtype::fp8)}};
}

named_values tf_07(const case_inputs& in) {
  const std::int64_t heads = in.count("N");
  const std::int64_t size = in.count("H");
  const transformer m = gated(1, heads * size, 4 * heads * size, 1, heads, heads, size);
  const flops per_token = recomputed_flops_per_token(m, in.count("T"), remat::minimal, full_attention);
  return {{"flops", (per_token * as_double(checked_multiply(in.count("Bt"), in.count("T")))).value()}};
}

named_values tf_08(const case_inputs& in) {
  const flops base = training_work(in.count("P"), in.count("T"));
  const flops remat = base + forward_work(in.count("P"), in.count("T"));
  return {{"base", base.value()}, {"remat", remat.value()}, {"overhead", remat / base}};
}

named_values tf_09(const case_inputs& in) {
  const transformer m = gated(1, in.count("D"), in.count("Fd"), 1, in.count("N"), in.count("K"), in.count("H"));
  const forward_flops forward = forward_flops_per_token(m, in.count("T"), full_attention);
  const double tokens = as_double(checked_multiply(in.count("Bt"), in.count("T")));
  const auto trained = [&](flops per_token) { return (3 * per_token * tokens).value(); };
  return {{"mlp", trained(forward.mlp_up + forward.mlp_down)},
          {"proj", trained(forward.qkv + forward.attention_output)},
          {"dot", trained(forward.attention)}};
}

named_values mo_05(const case_inputs& in) { return {{"flops", forward_work(in.count("Pa"), in.count("T")).value()}}; }

named_values at_01(const case_inputs& in) {
  const double prompt = balance_prompt(flops_per_byte{in.number("target")});
  const std::int64_t tokens = ceil_to_count(prompt);
  CHECK(attention_intensity({tokens, tokens, 1}).value() >= in.number("target"));
  return {{"T", prompt}};
}

named_values at_03(const case_inputs& in) {
  return {{"i", attention_intensity({in.count("T"), in.count("S"), 1}).value()}};
}

// Memory.

named_values kv_01(const case_inputs& in) {
  const std::int64_t width = in.count("KH");
  const transformer m = gated(in.count("L"), width, width);
  return {{"bytes", kv_bytes_per_sequence(m, in.count("S"), in.format("s")).value()}};
}

named_values kv_03(const case_inputs& in) {
  const std::int64_t heads = in.count("K");
  const transformer m = gated(in.count("L"), heads * in.count("H"), 1, 1, heads, heads, in.count("H"));
  const dtype type = in.format("s");
  const bytes cache = kv_bytes_per_sequence(m, in.count("T"), type);
  const bytes weights = training_state_of(in.count("P"), type).weights;
  return {{"bytes", cache.value()}, {"n_exceed", as_double(floor_to_count(weights / cache) + 1)}};
}

named_values kv_05(const case_inputs& in) {
  const std::int64_t heads = in.count("K");
  const transformer m = gated(in.count("L"), heads * in.count("H"), 1, 1, heads, heads, in.count("H"));
  return {{"int8", kv_bytes_per_token(m, dtype::int8).value()},
          {"bf16", kv_bytes_per_token(m, dtype::bf16).value()},
          {"int4", kv_bytes_per_token(m, dtype::int4).value()}};
}

named_values am_01(const case_inputs& in) {
  const layer_widths widths = widths_of(gated(in.count("L"), in.count("D"), 4 * in.count("D")));
  const auto saved = [&](double width) {
    return saved_activation_bytes(width, in.count("L"), in.count("BT"), in.format("s")).value();
  };
  return {{"full", saved(in.number("n") * widths.d_model)}, {"block", saved(saved_width(widths, remat::full))}};
}

named_values am_03(const case_inputs& in) {
  remat_policy mlp_outputs;
  mlp_outputs.layer_input = placement::recompute;
  mlp_outputs.mlp_up = placement::device;
  mlp_outputs.mlp_down = placement::device;
  const double width = saved_width(widths_of(gated(in.count("L"), in.count("D"), in.count("Fd"))), mlp_outputs);
  return {{"bytes", saved_activation_bytes(width, in.count("L"), in.count("Bt"), in.format("s")).value()}};
}

named_values am_05(const case_inputs& in) {
  const double width = widths_of(gated(1, in.count("D"), 1)).d_model;
  return {{"bytes", saved_activation_bytes(width, 1, in.count("T"), in.format("s")).value()}};
}

named_values om_01(const case_inputs& in) {
  const bytes per_parameter = training_state_of(1).total;
  CHECK(per_parameter == in.size("b"));
  return {{"params", in.size("hbm") / per_parameter}};
}

named_values om_03(const case_inputs& in) {
  const training_state state = training_state_of(in.count("P"));
  return {{"weights", state.weights.value()}, {"opt", state.optimizer.value()}};
}

struct answer {
  const char* id;
  named_values (*function)(const case_inputs&);
};

const std::vector<answer> answers = {
    {"RL-01", rl_01}, {"RL-03", rl_03}, {"RL-04", rl_04}, {"RL-05", rl_05}, {"RC-01", rc_01}, {"RC-02", rc_02},
    {"RC-04", rc_04}, {"RC-06", rc_06}, {"RC-08", rc_08}, {"RC-09", rc_09}, {"RC-10", rc_10}, {"RC-12", rc_12},
    {"CH-01", ch_01}, {"CH-03", ch_03}, {"PT-01", pt_01}, {"PT-03", pt_03}, {"HB-01", hb_01}, {"HB-03", hb_03},
    {"HB-04", hb_04}, {"HB-05", hb_05}, {"LK-01", lk_01}, {"LK-02", lk_02}, {"LK-03", lk_03}, {"LK-05", lk_05},
    {"LK-07", lk_07}, {"LK-09", lk_09}, {"SM-01", sm_01}, {"SM-03", sm_03}, {"SM-05", sm_05}, {"WR-01", wr_01},
    {"TP-01", tp_01}, {"TP-03", tp_03}, {"TP-05", tp_05}, {"TP-07", tp_07}, {"TF-01", tf_01}, {"TF-02", tf_02},
    {"TF-03", tf_03}, {"TF-05", tf_05}, {"TF-07", tf_07}, {"TF-08", tf_08}, {"TF-09", tf_09}, {"AT-01", at_01},
    {"AT-03", at_03}, {"KV-01", kv_01}, {"KV-03", kv_03}, {"KV-05", kv_05}, {"AM-01", am_01}, {"AM-03", am_03},
    {"AM-05", am_05}, {"OM-01", om_01}, {"OM-03", om_03}, {"IQ-03", iq_03}, {"MO-01", mo_01}, {"MO-03", mo_03},
    {"MO-05", mo_05}, {"PR-01", pr_01}, {"PR-03", pr_03}, {"PR-04", pr_04}, {"PR-05", pr_05}, {"GP-01", gp_01},
    {"GP-03", gp_03},
};

// Expected values of which the book prints another figure, and why. tpuplan returns the value, not the print.
struct misprint {
  const char* id;
  const char* value;
  const char* verdict;
  const char* reason;
};

const std::vector<misprint> misprints = {
    {"RC-10", "B_crit", "premature_rounding", "1.342e8 FLOP rounded to 1.3e8 before the division"},
    {"HB-04", "t", "premature_rounding", "1 MiB taken as 1e6 bytes"},
    {"SM-05", "in_bytes", "book_error", "elements counted, not the two bytes of each"},
    {"TP-01", "params", "premature_rounding", "4096 taken as 4e3 and 16384 as 16e3 before the products"},
};

double value_of(const json& expected) {
  const json& value = expected.at("value");
  return value.is_boolean() ? as_double(value.get<bool>()) : value.get<double>();
}

void check_case(const answer& given, const json& row) {
  INFO(given.id << ": " << row.at("question").get<std::string>());
  const case_inputs inputs{row};
  named_values values;
  try {
    values = given.function(inputs);
  } catch (const std::exception& refused) {
    FAIL_CHECK(refused.what());
    return;
  }
  CHECK(inputs.unread() == std::set<std::string>{});
  CHECK(values.size() == row.at("expected").size());
  for (const json& expected : row.at("expected")) {
    const auto name = expected.at("name").get<std::string>();
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == name; });
    INFO("value " << name);
    if (found == values.end()) {
      FAIL_CHECK("no answer");
      continue;
    }
    const double wanted = value_of(expected);
    const double tolerance = expected.at("rel_tol").get<double>();
    CAPTURE(found->second, wanted, tolerance);
    if (tolerance == 0) {
      CHECK(found->second == wanted);
    } else {
      CHECK(std::abs(found->second - wanted) <= tolerance * std::abs(wanted));
    }
  }
}

}  // namespace

TEST_CASE("oracle: every book case is mapped to one milestone", "[oracle][book]") {
  std::set<std::string> ids;
  for (const json& row : cases()) ids.insert(id_of(row));
  CHECK(cases().size() == 133);
  CHECK(ids.size() == 133);
  std::map<std::string, int> per_issue;
  std::set<std::string> mapped;
  for (const auto& item : oracle_map().items()) {
    INFO(item.key());
    mapped.insert(item.key());
    CHECK(item.value().size() == 2);
    const auto issue = item.value().at("issue").get<std::string>();
    const auto part = item.value().at("part").get<std::string>();
    ++per_issue[issue];
    if (issue == "foundation") {
      CHECK(std::ifstream{std::string{TPUPLAN_TESTS_DIR} + "/../include/tpuplan/" + part}.good());
    }
  }
  CHECK(mapped == ids);
  CHECK(per_issue == std::map<std::string, int>{{"foundation", 61}, {"serving", 21}, {"truth", 51}});
}

TEST_CASE("oracle: foundation cases and answers belong together", "[oracle][book]") {
  std::multiset<std::string> answered;
  for (const answer& given : answers) {
    INFO(given.id << " has an answer");
    answered.insert(given.id);
    CHECK(is_foundation(given.id));
    CHECK(answered.count(given.id) == 1);
  }
  for (const json& row : cases()) {
    const std::string id = id_of(row);
    if (!is_foundation(id)) continue;
    INFO(id << " needs an answer");
    CHECK(answered.count(id) == 1);
  }
}

TEST_CASE("oracle: foundation cases of the book", "[oracle][book]") {
  for (const answer& given : answers) {
    const auto row = std::find_if(cases().begin(), cases().end(), [&](const json& c) { return id_of(c) == given.id; });
    if (row == cases().end()) {
      FAIL_CHECK("no case " << given.id);
      continue;
    }
    check_case(given, *row);
  }
}

TEST_CASE("oracle: misprints among the foundation cases", "[oracle][book]") {
  std::set<std::vector<std::string>> in_file;
  for (const json& row : cases()) {
    if (!is_foundation(id_of(row))) continue;
    for (const json& expected : row.at("expected")) {
      const auto verdict = expected.at("verdict").get<std::string>();
      if (verdict != "book_error" && verdict != "premature_rounding") continue;
      in_file.insert({id_of(row), expected.at("name").get<std::string>(), verdict});
      CHECK(expected.at("book").get<double>() != value_of(expected));
    }
  }
  std::set<std::vector<std::string>> listed;
  for (const misprint& one : misprints) {
    listed.insert({one.id, one.value, one.verdict});
    CHECK_FALSE(std::string{one.reason}.empty());
  }
  CHECK(listed.size() == misprints.size());
  CHECK(listed == in_file);
}
