// What notebooks are told to show, found as their kernels find it.
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/show/notebook.hpp>
#include <tpuplan/tpuplan.hpp>

#include "support/catch.hpp"
#include "support/kernel.hpp"
#include "support/models.hpp"
#include "support/xml.hpp"

using namespace tpuplan;

namespace show_notebook_tests {

namespace {

template <class T>
std::string plain(const T& x) {
  const nlohmann::json bundle = kernel::displayed(x);
  CHECK(bundle.is_object());
  return bundle.at("text/plain").get<std::string>();
}

/// The cells of the table that a value is shown as, row by row.
template <class T>
std::vector<std::string> cells(const T& x) {
  const std::string html = kernel::displayed(x).at("text/html").template get<std::string>();
  const xml_reader reader(html);
  std::vector<std::string> result;
  for (const xml_element& e : reader.elements()) {
    if (e.name == "td" || e.name == "th") result.push_back(e.text);
  }
  return result;
}

template <class T>
std::string picture(const T& x) {
  return kernel::displayed(x).at("image/svg+xml").template get<std::string>();
}

constexpr slice where = slice_for("v5p-128");

}  // namespace

TEST_CASE("lists and optionals of amounts are displayed", "[jupyter]") {
  CHECK(cells(std::vector<seconds>{1_s, 2_ms}) == std::vector<std::string>{"#", "", "0", "1.00 s", "1", "2.00 ms"});
  CHECK(plain(std::optional<seconds>{}) == "none");
  CHECK(plain(std::optional<usd>{usd{48200}}) == "$48.2k");
  CHECK(plain(std::vector<bytes>{}) == "[]");
}

TEST_CASE("every public type has a text of its own in a notebook", "[jupyter]") {
  CHECK(plain(1) == "nothing of its own");
  CHECK(plain(16_GiB) == "16.0 GiB");
  CHECK(plain(v3.peak.int8) == "absent");
  CHECK(plain(v3.name) == "v3");
  CHECK(plain(dtype::bf16) == "bf16");
  CHECK(plain(errc::no_price) == "no_price");
  CHECK(plain(architecture::decoder) == "decoder");
  CHECK(plain(bound::memory) == "memory");
  CHECK(plain(memory_level::hbm) == "hbm");
  CHECK(plain(memory_stage::layer) == "layer");
  CHECK(plain(objective::cheapest) == "cheapest");
  CHECK(plain(optimizer_kind::lion) == "lion");
  CHECK(plain(provisioning::spot) == "spot");
  CHECK(plain(rejection::no_price) == "no_price");
  CHECK(plain(software_level::general) == "general");
  CHECK(plain(step_bound::hbm) == "hbm");
  CHECK(plain(verdict::no) == "no");
  CHECK(plain(attention_kernel::flash) == name(attention_kernel::flash));
  CHECK(plain(cache_policy::reserved) == "reserved");
  CHECK(plain(decode_limit::weights) == "weights");
  CHECK(plain(finding_kind::batch) == "batch");
  CHECK(plain(serving_finding_kind::batch) == "batch");
  CHECK(plain(serving_estimate{}) == "fits: no");
  CHECK(plain(decode_breakdown{}) == one_line(decode_breakdown{}));
  CHECK(plain(finding{}) == one_line(finding{}));
  CHECK(plain(serving_finding{}) == one_line(serving_finding{}));
  CHECK(plain(remat::minimal) == "minimal");
  CHECK(plain(date_qualifier::exact) == name(date_qualifier::exact));
  CHECK(plain(where.shape) == "4x4x4");
  CHECK(plain(fsdp_layout(where)) == "fsdp 64");
  CHECK(plain(job_of(1, 2)) == one_line(job_of(1, 2)));
  CHECK(plain(llama_3_8b()) == one_line(llama_3_8b()));
}

TEST_CASE("what has figures is a table", "[jupyter]") {
  CHECK(plain(where) == "v5p-128");
  CHECK(cells(where) == std::vector<std::string>{"slice", "v5p-128", "chip", "v5p", "shape", "4x4x4", "chips", "64",
                                                 "JAX devices", "64", "VMs", "16", "usable HBM",
                                                 one_line(usable_hbm(where))});
  CHECK(cells(v5e).at(3) == "197 TFLOP/s");
  CHECK(cells(v4).at(5) == "absent");
  const memory_breakdown m = memory_use(llama_3_8b(), job_of(256, 4096), fsdp_layout(where), where);
  CHECK(cells(m).front() == "part");
  CHECK(cells(m).back() == "yes");
  const step_breakdown t = step_time(llama_3_8b(), job_of(256, 4096), fsdp_layout(where), where);
  CHECK(cells(t).at(1) == "time of one step");
  CHECK(cells(t).at(3) == one_line(t.compute));
  const run_cost cost =
      cost_of_run(slice_for("v5e-32"), 1, 2_h, price_for({}, slice_for("v5e-32"), "us", provisioning::on_demand));
  CHECK(cells(cost).at(1) == "$76.80");
  CHECK(plain(cost.price) == one_line(cost.price));
}

TEST_CASE("a spot run and its comparison are tables", "[jupyter]") {
  spot_run run;
  run.work = 10_h;
  run.checkpoint_interval = 1800_s;
  run.checkpoint_time = 60_s;
  run.mean_time_between_preemptions = 5_h;
  run.restart_time = 300_s;
  const expected_spot_run expected = expected_run(run);
  CHECK(cells(expected) == std::vector<std::string>{"part", "expected time", "work", "10.0 hours", "checkpoints",
                                                    "20.0 min", "lost work", one_line(expected.lost_work), "restarts",
                                                    one_line(expected.restarts), "total", "11.1 hours", "billed",
                                                    "11.1 hours", "preemptions", "2.21"});
  const spot_comparison compared = compare_spot({38.40_usd_per_h, 19.20_usd_per_h}, 2_h, 2.4_h);
  CHECK(cells(compared) == std::vector<std::string>{"the same work", "cost", "on demand", "$76.80", "on spot", "$46.08",
                                                    "saved", "40.0 %", "billed for each hour of work", "1.20 h",
                                                    "spot is cheaper up to", "2.00 h"});
}

TEST_CASE("serving is shown in tables, and in one line where it does not fit", "[jupyter]") {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  const serving_estimate e = serve(llama_3_8b(), job, {}, slice_for("v6e-8"));
  CHECK(cells(e).at(1) == "1 replica");
  CHECK(cells(e).at(9) == one_line(e.per_token.total));
  CHECK(plain(e) == one_line(e));
  CHECK(cells(e.per_token).at(3) == one_line(e.per_token.step.total));
  CHECK(cells(prefill_time(llama_3_8b(), {1, 1024}, job, {}, slice_for("v6e-8"))).at(1) == "time of prefill");
  CHECK(cells(e.memory).back() == "yes");
  const serving_cost cost = cost_of_tokens(e, 21.60_usd_per_h);
  CHECK(cells(cost).at(3) == one_line(cost.input));
  CHECK(cells(cost).back() == "$21.60/h");
  transformer large = llama_3_8b();
  large.layers = 1024;
  CHECK(kernel::displayed(serve(large, job, {}, slice_for("v6e-8"))) == nlohmann::json{{"text/plain", "fits: no"}});
  job.request_rate = 2 * e.capacity;
  const serving_estimate refused = serve(llama_3_8b(), job, {}, slice_for("v6e-8"));
  CHECK(kernel::displayed(refused) == nlohmann::json{{"text/plain", one_line(refused)}});
}

TEST_CASE("a plan is a table with a row for each slice", "[jupyter]") {
  plan p;
  p.where = where;
  p.mesh = fsdp_layout(where);
  p.on_front = true;
  plan_answer answer;
  answer.plans = {p, p};
  CHECK(cells(p).size() == 20);
  CHECK(cells(answer).size() == 30);
  CHECK(cells(answer).at(10) == "v5p-128 *");
  CHECK(cells(answer).at(17) == "no price");
  CHECK(plain(answer) == one_line(answer));
}

TEST_CASE("names in tables are escaped", "[jupyter]") {
  chip_spec chip = v5e;
  chip.name = "<b>&\"";
  CHECK(cells(chip).at(1) == "<b>&\"");
}

TEST_CASE("charts are pictures", "[jupyter]") {
  const roofline_chart roof = roofline_of(v5e, llama_3_8b(), 512);
  CHECK(plain(roof) == "llama-3-8b on v5e: 512 tokens, bf16");
  CHECK(picture(roof) == to_svg(roof));
  const pareto_chart front{"t", {{"a", 1_h, 5_usd}}};
  CHECK(picture(front) == to_svg(front));
  CHECK(picture(memory_chart{"t", {{"a", {}}}}).rfind("<svg", 0) == 0);
  CHECK(picture(step_chart{"t", {{"a", {}}}}).rfind("<svg", 0) == 0);
  CHECK(picture(accuracy_chart{"t", 0.2, {{"a", "", 1_s, 1_s}}}).rfind("<svg", 0) == 0);
  CHECK(picture(svg_chart{"<svg/>", "mine"}) == "<svg/>");
  CHECK(plain(svg_chart{"<svg/>", "mine"}) == "mine");
}

TEST_CASE("an answer without plans shows why each slice lost", "[jupyter]") {
  plan_answer answer;
  CHECK(cells(answer) == std::vector<std::string>{"no plan: slices", "reason", "the closest"});
  answer.rejected.push_back({slice_for("v2-8"), 1, rejection::does_not_fit, (8_GiB).value(), {}});
  answer.rejected.push_back({slice_for("v5litepod-8"), 1, rejection::does_not_fit, (2_GiB).value(), {}});
  answer.rejected.push_back({slice_for("v5p-128"), 2, rejection::misses_deadline, 7200, {}});
  CHECK(cells(answer) == std::vector<std::string>{"no plan: slices", "reason", "the closest",            //
                                                  "2", "does not fit", "2.00 GiB short on v5litepod-8",  //
                                                  "1", "misses the deadline", "2.00 hours too long on 2 x v5p-128"});
}

TEST_CASE("every reason of a lost slice has words", "[jupyter]") {
  for (std::uint8_t i = 0; name(static_cast<rejection>(i)) != "?"; ++i) {
    rejected_slice lost;
    lost.where = where;
    lost.why = static_cast<rejection>(i);
    CHECK(readable::reason(lost.why) != "?");
    CHECK(readable::amount(lost).find("v5p-128") != std::string::npos);
    CHECK(readable::by_reason(std::vector{lost, lost}).at(0).count == 2);
  }
  CHECK(readable::reason(static_cast<rejection>(200)) == "?");
}

}  // namespace show_notebook_tests
