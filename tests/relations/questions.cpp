#include "relations/questions.hpp"

#include <map>

namespace relations {

namespace {

/// An option of the command line, and where its value stands in a request.
struct choice {
  const char* words;
  const char* at;
  const char* value;
};

constexpr choice of_job[] = {
    {"--batch 64", "/job/global_batch", "64"},
    {"--batch 512", "/job/global_batch", "512"},
    {"--batch 1000", "/job/global_batch", "1000"},
    {"--batch 4096", "/job/global_batch", "4096"},
    {"--batch-tokens 4M", "/batch_tokens", "4000000"},
    {"--batch-tokens 1Mi", "/batch_tokens", "1048576"},
    {"--seq 512", "/job/sequence_length", "512"},
    {"--seq 2048", "/job/sequence_length", "2048"},
    {"--seq 8k", "/job/sequence_length", "8000"},
    {"--seq 32768", "/job/sequence_length", "32768"},
    {"--weights bf16", "/job/weights", "\"bf16\""},
    {"--moments bf16", "/job/moments", "\"bf16\""},
    {"--dtype int8", "/job/compute", "\"int8\""},
    {"--dtype fp8", "/job/compute", "\"fp8\""},
    {"--optimizer lion", "/job/optimizer", "\"lion\""},
    {"--optimizer adafactor", "/job/optimizer", "\"adafactor\""},
    {"--optimizer sgd", "/job/optimizer", "\"sgd\""},
    {"--remat full", "/job/remat", "\"full\""},
    {"--remat minimal", "/job/remat", "\"minimal\""},
    {"--remat save_qkv_proj", "/job/remat", "\"save_qkv_proj\""},
    {"--remat minimal_offloaded", "/job/remat", "\"minimal_offloaded\""},
    {"--remat none", "/job/remat", "\"none\""},
    {"--software general", "/job/software", "\"general\""},
    {"--software first_port", "/job/software", "\"first_port\""},
    {"--attention unfused", "/job/attention", "\"unfused\""},
    {"--vocabulary-tiles 8", "/job/vocabulary_tiles", "8"},
    {"--capacity-factor 1.25", "/job/capacity_factor", "1.25"},
    {"--lora 16", "/job/lora_rank", "16"},
    {"--images 2", "/job/images_per_sequence", "2"},
    {"--source-length 256", "/job/source_length", "256"},
    {"--offload-optimizer", "/job/state_on_host", "\"optimizer\""},
};
constexpr choice of_layout[] = {
    {"--accumulation 2", "/job/gradient_accumulation", "2"},
    {"--accumulation 8", "/job/gradient_accumulation", "8"},
    {"--tensor 2", "/mesh/tensor", "2"},
    {"--tensor 4", "/mesh/tensor", "4"},
    {"--tensor 8", "/mesh/tensor", "8"},
    {"--data 2", "/mesh/data", "2"},
    {"--expert 4", "/mesh/expert", "4"},
    {"--expert 8", "/mesh/expert", "8"},
    {"--context 2", "/mesh/context", "2"},
    {"--pipeline 2", "/mesh/pipeline", "2"},
    {"--slices 2", "/mesh/dcn_data", "2"},
    {"--slices 3", "/mesh/dcn_data", "3"},
};
constexpr choice of_run[] = {
    {"--tokens 1T", "/tokens", "1e12"},
    {"--tokens 30B", "/tokens", "3e10"},
    {"--tokens 2.5T", "/tokens", "2.5e12"},
    {"--mtbp 2h", "/mean_time_between_preemptions_s", "7200"},
    {"--rest-used 40%", "/rest_of_term_used", "0.4"},
    {"--rest-used 1", "/rest_of_term_used", "1"},
};
/// What tests/cli/plans/lifetimes.jsonl says.
constexpr const char* own_slices =
    R"([{"lasted_s": 5400, "preempted": true}, {"lasted_s": 90000, "preempted": true}, {"lasted_s": 40000, "preempted": false}])";
constexpr choice of_phases[] = {
    {"--market scarce", "/market", "\"scarce\""},
    {"--lifetimes tests/cli/plans/lifetimes.jsonl", "/lifetimes", own_slices},
    {"--queue 1h", "/queue_time_s", "3600"},
    {"--restart 5min", "/restart_time_s", "300"},
    {"--chip-mtbf 9000h", "/chip_time_between_failures_s", "32400000"},
    {"--start-up 5min", "/around/start_up_s", "300"},
    {"--compilation 20min", "/around/compilation_s", "1200"},
    {"--restore 90s", "/around/restore_s", "90"},
    {"--evaluation 50s --evaluate-every 300", "/evaluations", "[50, 300]"},
    {"--checkpoint 30s", "/around/checkpoint_s", "30"},
    {"--checkpoint-every 500", "/around/checkpoint_every", "500"},
    {"--export 10min", "/around/export_time_s", "600"},
    {"--noise-scale 2M", "/noise_scale", "2000000"},
};
constexpr choice of_search[] = {
    {"--region europe", "/regions", "[\"europe\"]"},
    {"--region us,asia", "/regions", "[\"us\", \"asia\"]"},
    {"--deadline 10d", "/deadline_s", "864000"},
    {"--deadline 30d", "/deadline_s", "2592000"},
    {"--deadline 1w", "/deadline_s", "604800"},
    {"--budget 100k", "/budget_usd", "100000"},
    {"--budget 3M", "/budget_usd", "3000000"},
    {"--objective fastest", "/best", "\"fastest\""},
    {"--objective fewest_chips", "/best", "\"fewest_chips\""},
    {"--provisioning spot", "/kinds", "[\"spot\"]"},
    {"--provisioning on_demand,spot", "/kinds", "[\"on_demand\",\"spot\"]"},
    {"--provisioning on_demand,commitment_1y", "/kinds", "[\"on_demand\",\"commitment_1y\"]"},
    {"--provisioning flex_start,calendar,on_demand", "/kinds", "[\"flex_start\",\"calendar\",\"on_demand\"]"},
    {"--provisioning all", "/kinds",
     "[\"on_demand\",\"spot\",\"flex_start\",\"calendar\",\"commitment_1y\",\"commitment_3y\"]"},
    {"--generation v6e", "/generations", "[\"v6e\"]"},
    {"--generation v5p,tpu7x", "/generations", "[\"v5p\",\"tpu7x\"]"},
    {"--generation v2,v3,v4", "/generations", "[\"v2\",\"v3\",\"v4\"]"},
    {"--generation v5e,v6e", "/generations", "[\"v5e\",\"v6e\"]"},
    {"--max-slices 2", "/largest_slices", "2"},
    {"--max-slices 4", "/largest_slices", "4"},
    {"--max-chips 256", "/largest_chips", "256"},
    {"--max-chips 64", "/largest_chips", "64"},
    {"--min-chips 32", "/smallest_chips", "32"},
    {"--tensor 2", "/degrees/tensor", "2"},
    {"--tensor 8", "/degrees/tensor", "8"},
    {"--fsdp 64", "/degrees/fsdp", "64"},
    {"--expert 8", "/degrees/expert", "8"},
    {"--context 0", "/degrees/context", "0"},
    {"--pipeline 2", "/degrees/pipeline", "2"},
    {"--accept-uncertain", "/accept_uncertain", "true"},
};
constexpr choice of_batches[] = {
    {"--min-batch-tokens 1M --max-batch-tokens 8M", "/batches", "[1e6, 8e6]"},
};
constexpr choice of_server[] = {
    {"--input-len 128", "/job/prompt", "128"},
    {"--input-len 4000", "/job/prompt", "4000"},
    {"--input-len 30k", "/job/prompt", "30000"},
    {"--output-len 16", "/job/output", "16"},
    {"--output-len 1000", "/job/output", "1000"},
    {"--weights int8", "/job/weights", "\"int8\""},
    {"--weights fp8", "/job/weights", "\"fp8\""},
    {"--weights int4", "/job/weights", "\"int4\""},
    {"--kv-dtype int8", "/job/cache", "\"int8\""},
    {"--kv-dtype fp8", "/job/cache", "\"fp8\""},
    {"--dtype int8", "/job/activations", "\"int8\""},
    {"--engine vllm", "/job/engine", "\"vllm\""},
    {"--engine jetstream", "/job/engine", "\"jetstream\""},
    {"--engine sglang-jax", "/job/engine", "\"sglang-jax\""},
    {"--prefix-hit-rate 40%", "/job/prefix_hit_rate", "0.4"},
    {"--prefix-hit-rate 0.95", "/job/prefix_hit_rate", "0.95"},
    {"--prefill-chunk 512", "/job/prefill_chunk", "512"},
    {"--max-running 64", "/job/max_running", "64"},
    {"--block 16", "/job/block_tokens", "16"},
    {"--reserved", "/job/policy", "\"reserved\""},
    {"--memory-fraction 0.8", "/job/memory_fraction", "0.8"},
    {"--draft-tokens 4 --acceptance 0.8 --draft-cost 0.1", "/job/speculation",
     R"({"draft_tokens": 4, "acceptance": 0.8, "draft_cost": 0.1})"},
    {"--draft-tokens 3 --acceptance 0.7 --draft-parameters 400000000 --draft-cache 4096", "/job/speculation",
     R"({"draft_tokens": 3, "acceptance": 0.7, "parameters": 400000000, "cache_per_token_bytes": 4096})"},
    {"--draft-tokens 16 --accepted-length 3 --draft-cost 0.5", "/job/speculation",
     R"({"draft_tokens": 16, "accepted_length": 3, "draft_cost": 0.5})"},
    {"--beyond-max", "/job/beyond_max_positions", "true"},
    {"--region us-east5", "/region", "\"us-east5\""},
    {"--region europe-west4", "/region", "\"europe-west4\""},
};
constexpr choice of_routing[] = {
    {"--routing queue", "/routing", "\"queue\""},
    {"--routing random", "/routing", "\"random\""},
    {"--routing round_robin", "/routing", "\"round_robin\""},
    {"--turns 3", "/sessions/turns", "3"},
    {"--turns 2", "/sessions/turns", "2"},
    {"--shared-prefix 500", "/sessions/shared_prefix", "500"},
};
constexpr choice of_rate[] = {
    {"--rate 0.1", "/job/request_rate_per_s", "0.1"},
    {"--rate 2", "/job/request_rate_per_s", "2"},
    {"--rate 37", "/job/request_rate_per_s", "37"},
};
constexpr choice of_targets[] = {
    {"--ttft 2s", "/job/ttft_target_s", "2"},
    {"--ttft 300ms", "/job/ttft_target_s", "0.3"},
    {"--tpot 50ms", "/job/tpot_target_s", "0.05"},
    {"--tpot 155ms", "/job/tpot_target_s", "0.155"},
};
constexpr choice of_percentiles[] = {
    {"--ttft-p99 2s", "/job/percentiles/first_token", "{\"share\": 0.99, \"limit_s\": 2}"},
    {"--tpot-p95 60ms", "/job/percentiles/per_token", "{\"share\": 0.95, \"limit_s\": 0.06}"},
};
constexpr choice of_replica[] = {
    {"--tensor 1", "/mesh/tensor", "1"},
    {"--tensor 4", "/mesh/tensor", "4"},
    {"--tensor 8", "/mesh/tensor", "8"},
    {"--kv-by-batch", "/mesh/cache", "\"batch\""},
    {"--mlp-sharding 2d", "/mesh/weights", "\"two_dimensions\""},
    {"--attention-group 2", "/mesh/attention", "2"},
};
constexpr choice of_concurrency[] = {
    {"--concurrency 1", "/job/concurrency", "1"},
    {"--concurrency 32", "/job/concurrency", "32"},
};
constexpr choice of_simulation[] = {
    {"--slices 2", "/slices", "2"}, {"--variation 0", "/variation", "0"}, {"--variation 3", "/variation", "3"},
    {"--seed 7", "/seed", "7"},     {"--alone", "/prefill", "\"alone\""},
};
constexpr choice of_length[] = {
    {"--requests 300", "/requests", "300"}};  // of each replica: many are simulated behind a router
constexpr choice of_fleet[] = {
    {"--budget 100", "/budget_usd_per_s", "0.027777777777777776"},
    {"--objective fastest", "/best", "\"fastest\""},
    {"--provisioning spot,on_demand", "/kinds", "[\"spot\",\"on_demand\"]"},
    {"--generation v6e,tpu7x", "/generations", "[\"v6e\",\"tpu7x\"]"},
    {"--generation v5e", "/generations", "[\"v5e\"]"},
    {"--region europe", "/regions", "[\"europe\"]"},
    {"--region us,asia", "/regions", "[\"us\", \"asia\"]"},
    {"--max-chips 64", "/largest_chips", "64"},
    {"--accept-uncertain", "/accept_uncertain", "true"},
};
constexpr choice of_payment[] = {
    {"--slices 2", "/slices", "2"},
    {"--run 3d", "/run_s", "259200"},
    {"--run 40d", "/run_s", "3456000"},
    {"--run 200d", "/run_s", "17280000"},
    {"--region us-east5", "/region", "\"us-east5\""},
    {"--region europe-west4", "/region", "\"europe-west4\""},
    {"--market calm", "/market", "\"calm\""},
    {"--market scarce", "/market", "\"scarce\""},
    {"--lifetimes tests/cli/plans/lifetimes.jsonl", "/lifetimes", own_slices},
    {"--mtbp 3h", "/mean_time_between_preemptions_s", "10800"},
    {"--correlation 0.5", "/correlation", "0.5"},
    {"--checkpoint 30s", "/checkpoint_time_s", "30"},
    {"--restart 5min", "/restart_time_s", "300"},
    {"--queue 1h", "/queue_time_s", "3600"},
    {"--start-up 8min", "/start_up_s", "480"},
    {"--chip-mtbf 9000h", "/chip_time_between_failures_s", "32400000"},
    {"--whole", "/may_be_split", "false"},
    {"--rest-used 0.5", "/rest_of_term_used", "0.5"},
    {"--parameters 8B", "/parameters", "8000000000"},
};
constexpr choice of_spot[] = {
    {"--work 10d", "/work_s", "864000"},
    {"--work 5h", "/work_s", "18000"},
    {"--mtbp 3h", "/mean_time_between_preemptions_s", "10800"},
    {"--mtbp 20min", "/mean_time_between_preemptions_s", "1200"},
    {"--checkpoint 30s", "/checkpoint_time_s", "30"},
    {"--parameters 8B", "/parameters", "8000000000"},
    {"--restart 5min", "/restart_time_s", "300"},
    {"--queue 1h", "/queue_time_s", "3600"},
    {"--interval 15min", "/checkpoint_interval_s", "900"},
    {"--on-demand 3.6 --spot 1.8", "/prices", "[0.001, 0.0005]"},
    {"--chips 8", "/chips", "8"},
};
constexpr choice of_counts[] = {
    {"--seq 8192", "/sequence_length", "8192"},
    {"--seq 100", "/sequence_length", "100"},
    {"--kv-dtype int8", "/kv_dtype", "\"int8\""},
};
constexpr choice of_chip[] = {
    {"--dtype int8", "/compute", "\"int8\""},
    {"--weights int8", "/weights", "\"int8\""},
    {"--shape 512x4096x16384", "/shape", "{\"batch\": 512, \"inner\": 4096, \"outer\": 16384}"},
};
constexpr choice of_matrix[] = {
    {"--dtype int8", "/format", "\"int8\""},
};

struct group {
  const choice* begin;
  std::size_t count;
  double probability;  // of each place
};
template <std::size_t Count>
group with(const choice (&list)[Count], double probability) {
  return {list, Count, probability};
}

const std::map<std::string, std::vector<group>>& table() {
  static const std::map<std::string, std::vector<group>> all = {
      {"fit", {with(of_job, 0.07), with(of_layout, 0.1)}},
      {"train", {with(of_job, 0.07), with(of_layout, 0.1), with(of_run, 0.4), with(of_phases, 0.08)}},
      {"plan",
       {with(of_job, 0.05), with(of_run, 0.4), with(of_phases, 0.08), with(of_search, 0.2), with(of_batches, 0.1)}},
      {"serve",
       {with(of_server, 0.1), with(of_rate, 0.4), with(of_targets, 0.1), with(of_replica, 0.12),
        with(of_concurrency, 0.2)}},
      {"simulate",
       {with(of_server, 0.1), with(of_rate, 1), with(of_percentiles, 0.2), with(of_replica, 0.15),
        with(of_simulation, 0.3), with(of_length, 1), with(of_routing, 0.15)}},
      {"plan_serving",
       {with(of_server, 0.1), with(of_rate, 0.8), with(of_targets, 0.25), with(of_percentiles, 0.1),
        with(of_fleet, 0.25)}},
      {"pay", {with(of_payment, 0.3)}},
      {"spot", {with(of_spot, 0.5)}},
      {"model", {with(of_counts, 0.4)}},
      {"batch", {with(of_chip, 0.4)}},
      {"pad", {with(of_matrix, 0.4)}},
  };
  return all;
}

/// Writes a value to its place; those that one option cannot say are spread.
void put(json& request, const std::string& at, const json& value) {
  if (at == "/batches") {
    request["smallest_batch_tokens"] = value[0];
    request["largest_batch_tokens"] = value[1];
  } else if (at == "/evaluations") {
    request["around"]["evaluation_s"] = value[0];
    request["around"]["evaluate_every"] = value[1];
  } else if (at == "/prices") {
    request["on_demand_usd_per_s"] = value[0];
    request["spot_usd_per_s"] = value[1];
  } else if (at == "/job/prompt" || at == "/job/output") {
    request[json::json_pointer(at)] = tokens(value);
  } else {
    request[json::json_pointer(at)] = value;
  }
}

void add_options(drawn_question& question, random_numbers& random) {
  for (const group& from : table().at(question.name)) {
    for (std::size_t i = 0; i < from.count;) {
      std::size_t end = i + 1;  // choices of one place
      while (end < from.count && std::string_view(from.begin[end].at) == from.begin[i].at) ++end;
      if (random.chance(from.probability)) {
        const choice& one = from.begin[i + random.below(end - i)];
        std::string words = one.words;
        if (question.name == "plan_serving" && words.rfind("--weights", 0) == 0) words = "--serving-" + words.substr(2);
        if (!(question.name == "plan_serving" && std::string_view(one.at) == "/region")) {
          question.command += " " + words;
          put(question.request, one.at, json::parse(one.value));
        }
      }
      i = end;
    }
  }
}

bool needs_model(const std::string& name) {
  return name != "pay" && name != "spot" && name != "batch" && name != "pad";
}

}  // namespace

json tokens(std::int64_t length) { return {{"mean", length}, {"mean_square", length * length}, {"longest", length}}; }

const std::vector<std::string>& drawn_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& row : table()) list.push_back(row.first);
    return list;
  }();
  return names;
}

drawn_question draw(const std::string& name, const model& of, random_numbers& random) {
  drawn_question question;
  question.name = name;
  question.request = json::object();
  question.command = "tpuplan " + (name == "plan_serving" ? "plan" : name);
  if (needs_model(name)) {
    question.of = &of;
    question.request["config"] = of.config;
    question.command += " " + write_config(of);
  }
  if (name == "plan_serving") question.command += " --serve";
  if (name == "fit" || name == "train" || name == "serve" || name == "simulate" || name == "pay") {
    const bool small = random.chance(name == "serve" || name == "simulate" ? 0.9 : 0.6);
    std::string slice = random.of(slice_names());
    while (small && chips_of(slice) > (name == "serve" || name == "simulate" ? 16 : 256))
      slice = random.of(slice_names());
    question.request["slice"] = slice;
    question.command += " --slice " + slice;
  }
  if (name == "batch" || name == "pad") {
    static const std::vector<std::string> chips = {"v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x"};
    const std::string& chip = random.of(chips);
    question.request["chip"] = chip;
    question.command += " " + chip;
  }
  if (name == "pad") {
    const std::int64_t rows = random.count_between(1, 300000), columns = random.count_between(1, 30000);
    question.request["dimensions"] = {rows, columns};
    question.command += " " + std::to_string(rows) + " " + std::to_string(columns);
  }
  add_options(question, random);
  if (name == "plan" && !question.request.contains("tokens")) {
    const std::int64_t billions = random.count_between(1, 10000);
    question.request["tokens"] = static_cast<double>(billions) * 1e9;
    question.command += " --tokens " + std::to_string(billions) + "B";
  }
  return question;
}

drawn_question draw(const std::string& name, random_numbers& random) { return draw(name, random.of(models()), random); }

namespace {
struct slice_list {
  std::vector<std::string> names{};
  std::map<std::string, json> facts{};
};
const slice_list& slices() {
  static const slice_list all = [] {
    slice_list list;
    const reply known = ask("slices", json::object());
    for (const json& one : known.answer()["slices"]) {
      list.facts[one["name"]] = one;
      if (one["schedulable"].get<bool>()) list.names.push_back(one["name"]);
    }
    return list;
  }();
  return all;
}
}  // namespace

const std::vector<std::string>& slice_names() { return slices().names; }
std::int64_t chips_of(const std::string& slice) { return slices().facts.at(slice)["chips"]; }
std::int64_t devices_of(const std::string& slice) { return slices().facts.at(slice)["jax_devices"]; }

const std::string& architecture_of(const model& one) {
  static std::map<const model*, std::string> known;
  const auto found = known.find(&one);
  if (found != known.end()) return found->second;
  const reply counts = ask("model", {{"config", one.config}});
  return known[&one] = counts.refused() ? std::string() : counts.answer()["architecture"].get<std::string>();
}
bool is_decoder(const model& one) { return architecture_of(one) == "decoder"; }
const model& draw_model(relation& r) { return r.random.of(r.sweep && r.random.chance(0.7) ? checkpoints() : models()); }
const model& draw_decoder(relation& r) {
  for (;;) {
    const model& one = draw_model(r);
    if (is_decoder(one)) return one;
  }
}

bool serves(const reply& served) {
  return !served.refused() && served.answer()["fits"] == "yes" && served.answer()["estimate"]["refusal"] == "none";
}

}  // namespace relations
