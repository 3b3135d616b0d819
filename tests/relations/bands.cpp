// Bands, floors, and parts that add up.
#include <algorithm>
#include <fstream>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace relations {

using namespace nlohmann::literals;

namespace {

double number(const json& of, const char* key) { return of.at(key).get<double>(); }

double sum(const json& of, std::initializer_list<const char*> keys) {
  double total = 0;
  for (const char* key : keys) total += of.at(key).is_object() ? number(of[key], "exposed_s") : number(of, key);
  return total;
}

template <class Answer>
void add_up(relation& r, const char* what, const Answer& answer, double parts, const json& total) {
  r.holds(relation::equal(parts, total, 1e-9), std::string(what) + ": the parts add up", answer,
          std::to_string(parts) + " instead of " + total.dump());
}

template <class Answer>
void ordered(relation& r, const char* what, const Answer& answer, const json& low, const json& middle,
             const json& high) {
  const double last_digit = 1e-12 * middle.get<double>();  // a term that is paid whole has equal ends
  r.holds(low.get<double>() <= middle.get<double>() + last_digit &&
              middle.get<double>() <= high.get<double>() + last_digit && low.get<double>() >= 0,
          std::string(what) + " lies in its band", answer, low.dump() + " <= " + middle.dump() + " <= " + high.dump());
}

template <class Answer>
void check_step(relation& r, const Answer& answer, const json& step) {
  ordered(r, "a step", answer, step["low_s"], step["total_s"], step["high_s"]);
  add_up(r, "compute", answer,
         sum(step, {"dense_products_s", "expert_products_s", "logits_s", "attention_s", "vision_s"}),
         step["compute_s"]);
  add_up(r, "HBM", answer,
         sum(step, {"elementwise_s", "scores_s", "operands_s", "weight_reads_s", "weight_update_s", "dispatch_s"}),
         step["hbm_s"]);
  add_up(r, "ICI", answer, sum(step, {"fsdp", "data", "tensor", "expert", "context"}), step["ici_s"]);
  add_up(
      r, "a step", answer,
      sum(step, {"compute_s", "hbm_s", "ici_s", "overhead_s", "bubble_s", "stragglers_s", "dcn", "host", "software_s"}),
      step["total_s"]);
}

/// A chance to fit is that of the verdict: 0.95 of yes, 0.05 of no, and in between.
void check_chance(relation& r, const reply& answer, const json& fits, double chance) {
  r.holds(fits == "yes"  ? chance == 0.95
          : fits == "no" ? chance == 0.05
                         : chance >= 0.05 && chance <= 0.95,
          "the chance to fit is that of the verdict", answer, fits.dump() + " " + std::to_string(chance));
}

void check_memory(relation& r, const reply& answer, const json& memory) {
  check_chance(r, answer, memory["fits"], number(memory, "chance_to_fit"));
  ordered(r, "memory", answer, memory["used_low_bytes"], memory["used_bytes"], memory["used_high_bytes"]);
  add_up(r, "memory", answer,
         sum(memory["breakdown"], {"parameters_bytes", "optimizer_bytes", "gradients_bytes", "activations_bytes",
                                   "logits_bytes", "gathered_weights_bytes", "workspace_bytes"}),
         memory["used_bytes"]);
  const double used = number(memory, "used_bytes"), usable = number(memory, "usable_bytes");
  const std::string fits = memory["fits"];
  if (fits == "yes") r.holds(used <= usable, "what fits is not above the limit", answer, std::to_string(used / usable));
  if (fits == "no")
    r.holds(number(memory, "used_high_bytes") > usable, "what does not fit may be above the limit", answer,
            std::to_string(used / usable));
}

/// Rates of a chip, by the name of its generation.
const json& chip_of(const std::string& slice) {
  static const json chips = ask("chips", json::object()).answer()["chips"];
  static std::map<std::string, std::string> generations;
  std::string& generation = generations[slice];
  if (generation.empty()) generation = ask("slices", {{"name", slice}}).answer()["slices"][0]["generation"];
  for (const json& chip : chips) {
    if (chip["name"] == generation) return chip;
  }
  throw std::runtime_error("no chip of " + slice);
}

/// MFU is what `model` counts over the peak in bf16 that `chips` states; its high end is not above the peak in use.
void check_mfu(relation& r, const reply& answer, const json& request) {
  const json& job = answer.answer()["memory"]["job"];
  const double mfu = number(answer.answer(), "mfu");
  const std::string slice = request["slice"];
  const json& peak = chip_of(slice)["peak"];
  const std::string type = job["compute"] == "int8" ? "int8" : job["compute"] == "fp8" ? "fp8" : "bf16";
  const double bf16 = peak["bf16_flops_per_s"], faster = peak[type + "_flops_per_s"].get<double>() / bf16;
  const double at_low = mfu * number(answer.answer(), "step_time_s") / number(answer.answer(), "step_time_low_s");
  r.holds(at_low <= faster * (1 + 1e-12), "MFU at the low end of the step is at most 1", answer,
          std::to_string(at_low));
  if (job["lora_rank"] != 0 || job["images_per_sequence"] != 0) return;  // another count of FLOPs
  if (request["config"].value("model_type", "") == "mllama") return;     // of which layers for an image count too
  const reply counts = ask("model", {{"config", request["config"]}, {"sequence_length", job["sequence_length"]}});
  if (counts.refused()) return;
  const json &counted_of = counts.answer(), &pair = counted_of["flops_per_pair"];
  const bool has_pair = !pair.is_null() && counted_of["source_length"] == job["source_length"];
  if (!has_pair && counted_of["architecture"] != "decoder") return;
  const double each = has_pair ? 3 * number(pair, "total_flops") / number(job, "sequence_length")
                               : number(counted_of, "training_flops_per_token");
  const double all =
      bf16 * static_cast<double>(chips_of(slice)) * number(answer.answer()["memory"]["mesh"], "dcn_data");
  const double counted = each * number(answer.answer(), "tokens_per_s") / all;
  r.same("MFU", answer, mfu, counts, counted, 1e-9);
}

}  // namespace

void training_bands(relation& r) {
  while (r.next()) {
    const drawn_question drawn = draw("train", draw_model(r), r.random);
    const reply answer = ask("train", drawn.request);
    if (answer.refused()) {
      r.skip("train refuses");
      continue;
    }
    const json& a = answer.answer();
    ordered(r, "the time of a step", answer, a["step_time_low_s"], a["step_time_s"], a["step_time_high_s"]);
    check_step(r, answer, a["breakdown"]);
    check_memory(r, answer, a["memory"]);
    check_mfu(r, answer, drawn.request);
    if (!a["costs"].is_array()) continue;
    for (const json& cost : a["costs"]) {
      if (!cost["total_low_usd"].is_null() && !cost["total_high_usd"].is_null())
        ordered(r, "a cost", answer, cost["total_low_usd"], cost["total_usd"], cost["total_high_usd"]);
      r.holds(number(cost, "wall_s") >= number(a, "run_s") * (1 - 1e-12), "start to end is no shorter than the run",
              answer, cost.dump());
    }
  }
}

namespace {

/// Weights in bf16 that each device reads for a token, at least, over its bandwidth: of a dense model all but the
/// embeddings, those of each layer among them, which are looked up, and what no token goes through. Text passes by layers
/// that attend to an image, which the count has not apart.
void check_weights_floor(relation& r, const reply& answer, const json& request, const json& estimate) {
  const reply counts = ask("model", {{"config", request["config"]}});
  const json& count = counts.answer();
  const bool in_bf16 =
      !request["config"].contains("quantization_config") && !request.contains("/job/weights"_json_pointer);
  const bool passed_by = request.contains("/config/text_config/cross_attention_layers"_json_pointer);
  if (count["parameters"] != count["active_parameters"] || !in_bf16 || passed_by) return;
  const json& parts = count["breakdown"];
  const double read = std::min(number(parts, "matrices"), number(count, "parameters") - number(parts, "embedding") -
                                                              number(parts, "vision") - number(parts, "projector") -
                                                              number(parts, "prediction"));
  const std::string slice = request["slice"];
  const double devices = static_cast<double>(devices_of(slice));
  const double bandwidth =
      chip_of(slice)["hbm"]["bandwidth_bytes_per_s"].get<double>() * static_cast<double>(chips_of(slice)) / devices;
  const double of_replica = devices / number(estimate, "replicas");
  const double floor = 2 * read / of_replica / bandwidth;
  r.holds(number(estimate["per_token"]["step"], "low_s") >= floor * (1 - 1e-9),
          "the low end of a token is no less than reading the weights", answer, std::to_string(floor * 1e3) + " ms");
}

/// A target for the time of a token is refused below the floor that the answer names, and not above.
void check_target(relation& r, const json& request) {
  json asked = request;
  asked["job"]["tpot_target_s"] = 1e-7;
  asked["job"].erase("ttft_target_s");
  asked["job"].erase("percentiles");
  const reply refused = ask("serve", asked);
  if (refused.refused() || refused.answer()["estimate"]["refusal"] != "tpot_below_floor") return;
  const double floor = refused.answer()["estimate"]["floor_s"];
  asked["job"]["tpot_target_s"] = floor * 0.999999;
  const reply below = ask("serve", asked);
  if (!r.holds(!below.refused(), "serve refuses a target by an error", below, below.message())) return;
  r.same("a target below the floor", below, below.answer()["estimate"]["refusal"], refused, "tpot_below_floor");
  asked["job"]["tpot_target_s"] = floor * 1.000001;
  const reply above = ask("serve", asked);
  if (!r.holds(!above.refused(), "serve refuses a target by an error", above, above.message())) return;
  r.holds(above.answer()["estimate"]["refusal"] != "tpot_below_floor", "a target above the floor", above,
          above.answer()["estimate"]["refusal"].dump(), refused, std::to_string(floor));
  asked["job"]["tpot_target_s"] = 0;
  asked["job"]["concurrency"] = 1;
  asked["job"].erase("request_rate_per_s");
  const reply one = ask("serve", asked);
  if (one.refused() || one.answer()["estimate"]["refusal"] != "none") return;
  r.holds(number(one.answer()["estimate"]["per_token"], "low_s") >= floor * (1 - 1e-9),
          "the low end of a token is no less than the floor under --tpot", one,
          one.answer()["estimate"]["per_token"]["low_s"].dump(), refused, std::to_string(floor));
}

/// A target is kept with the chance that the range gives it: half at the estimate, 0.95 at the high end, where there is
/// one. Of requests at a rate the ends are those of steps, to 1e-9 of the longest.
void check_kept(relation& r, const json& request, const json& answer) {
  json asked = request;
  const json &estimate = answer["estimate"], &rate = answer["at_rate"];
  json first = {estimate["first_token_low_s"], estimate["first_token_s"], estimate["first_token_high_s"]};
  json token = {estimate["per_token"]["low_s"], estimate["per_token"]["total_s"], estimate["per_token"]["high_s"]};
  if (!rate.is_null()) {
    first[0] = rate["first_token_low_s"], first[2] = rate["first_token_high_s"];
    token[0] = rate["per_token_low_s"], token[2] = rate["per_token_high_s"];
  }
  const double share[] = {0.05, 0.5, 0.95};
  const std::size_t at = r.random.below(first[2].is_null() ? 2 : 3);
  asked["job"]["ttft_target_s"] = first[at];
  asked["job"]["tpot_target_s"] = token[at];
  asked["job"].erase("percentiles");
  // Without a rate and a number of clients, as many run as the target allows.
  if (!asked["job"].contains("concurrency") && !asked["job"].contains("request_rate_per_s")) return;
  const reply kept = ask("serve", asked);
  if (kept.refused() || kept.answer()["estimate"]["refusal"] != "none") return;
  const json& a = kept.answer();
  const auto near = [&](const char* what, const json& found, const json& ends) {
    if (ends[0] == ends[1]) return;  // the range begins at the floor
    r.holds(std::abs(found.get<double>() - share[at]) < 1e-5, std::string("the chance to keep ") + what, kept,
            found.dump() + " at " + std::to_string(share[at]));
  };
  near("--ttft", a["chance_to_keep_ttft"], first);
  near("--tpot", a["chance_to_keep_tpot"], token);
}

/// Engines that may run are all there is; the name of one gives what the answer without it says of that engine.
void check_software(relation& r, const json& request, const reply& answer) {
  const json& software = answer.answer()["software"];
  double shares = 0;
  for (const json& one : software) shares += number(one, "share");
  r.holds(std::abs(shares - 1) < 1e-9, "shares of software are the whole", answer, std::to_string(shares));
  const json& one = software[r.random.below(software.size())];
  json asked = request;
  asked["job"]["engine"] = one["engine"];
  const reply named = ask("serve", asked);
  if (named.refused()) return;
  const json& estimate = named.answer()["estimate"];
  if (!r.holds((estimate["refusal"] == "none") == !one["per_token_s"].is_null(), "an engine that can serve has times",
               named, estimate["refusal"].dump(), answer, one.dump()) ||
      one["per_token_s"].is_null())
    return;
  r.same("the low end of a named engine", named, estimate["per_token"]["low_s"], answer, one["per_token_low_s"]);
  r.same("the high end of a named engine", named, estimate["per_token"]["high_s"], answer, one["per_token_high_s"]);
  r.same("the low end without a name", named, named.answer()["unnamed_low_s"], answer,
         answer.answer()["unnamed_low_s"]);
}

}  // namespace

void serving_bands(relation& r) {
  while (r.next()) {
    const drawn_question drawn = draw("serve", draw_decoder(r), r.random);
    const reply answer = ask("serve", drawn.request);
    if (answer.refused() || answer.answer()["estimate"]["refusal"] != "none") {
      r.skip(answer.refused() ? "serve refuses" : "cannot serve it");
      continue;
    }
    const json& estimate = answer.answer()["estimate"];
    const json &token = estimate["per_token"], &step = token["step"], &memory = estimate["memory"];
    ordered(r, "a token", answer, token["low_s"], token["total_s"], token["high_s"]);
    ordered(r, "a step of decoding", answer, step["low_s"], step["total_s"], step["high_s"]);
    ordered(r, "memory of a server", answer, memory["low_bytes"], memory["total_bytes"], memory["high_bytes"]);
    add_up(r, "a token", answer, number(step, "total_s") + sum(token, {"prompts_s", "engine_s", "speculation_s"}),
           token["total_s"]);
    add_up(r, "memory of a server", answer, sum(memory, {"weights_bytes", "cache_bytes", "workspace_bytes"}),
           memory["total_bytes"]);
    r.holds(number(estimate, "queue_s") <= number(estimate, "first_token_s"), "waiting is part of the first token",
            answer, estimate["queue_s"].dump());
    ordered(r, "the first token", answer, estimate["first_token_low_s"], estimate["first_token_s"],
            estimate["first_token_high_s"]);
    check_chance(r, answer, answer.answer()["fits"], number(answer.answer(), "chance_to_fit"));
    check_weights_floor(r, answer, drawn.request, estimate);
    if (r.random.chance(0.3)) check_kept(r, drawn.request, answer.answer());
    if (r.random.chance(0.3)) check_software(r, drawn.request, answer);
    if (r.random.chance(0.3)) check_target(r, drawn.request);
  }
}

// Percentiles of a fleet lie between those of the same requests with shorter and with longer steps.
void simulated_bands(relation& r) {
  while (r.next()) {
    const drawn_question drawn = draw("simulate", draw_decoder(r), r.random);
    const reply answer = ask("simulate", drawn.request);
    if (answer.refused()) {
      r.skip("simulate refuses");
      continue;
    }
    const json& a = answer.answer();
    const auto is_said = [](const json& one) { return one["field"] == "band"; };
    r.holds(a["latency_high"].is_null() == std::any_of(a["assumed"].begin(), a["assumed"].end(), is_said),
            "an end of the band that is left out is said to be", answer, a["assumed"].dump());
    if (const json& cost = a["cost"]; !cost.is_null()) {
      const double made = a["report"]["output_tokens_per_s"].get<double>() * a["replicas"].get<double>() /
                          a["simulated_replicas"].get<double>();
      r.same("dollars of a million tokens", answer, cost["million_usd"], answer,
             cost["hour_usd"].get<double>() / (made * 3600) * 1e6);
      r.holds(cost["million_low_usd"].is_null() == a["latency_low"].is_null(), "dollars have a band as times have one",
              answer, cost.dump());
      if (!cost["million_low_usd"].is_null())
        ordered(r, "dollars of a million tokens", answer, cost["million_low_usd"], cost["million_usd"],
                cost["million_high_usd"]);
    }
    if (a["latency_low"].is_null()) continue;
    for (const char* what : {"first_token", "per_token", "end_to_end"}) {
      const json &middle = a["report"][what]["value"], &low = a["latency_low"][what];
      const json& high = a["latency_high"].is_null() ? middle : a["latency_high"][what];
      for (const char* share : {"mean_s", "p50_s", "p90_s", "p95_s", "p99_s"})
        ordered(r, (std::string(what) + " " + share).c_str(), answer, low[share], middle[share], high[share]);
    }
  }
}

// With runs of one's own, whatever they say, a step is still the sum of its parts, and so is the table of them.
void calibrated_parts(relation& r) {
  static const std::vector<std::string> slices = {"v6e-64", "v5p-128", "v5litepod-256", "tpu7x-64"};
  while (r.next()) {
    const std::string& slice = r.random.of(slices);
    const std::string chip = slice == "v5litepod-256" ? "v5e" : slice.substr(0, slice.find('-'));
    const std::string question = " --slice " + slice + " --batch 256 --remat full";
    const told plain = tell("tpuplan --json train data/models/llama-3.1-8b.json" + question);
    const double factor = r.random.between(0.7, 3);
    const double step = plain.document()["step_time_s"].get<double>() * factor;
    const json run = {{"id", "ours"},
                      {"model",
                       {{"name", "llama-3.1-8b"},
                        {"params_total", 8030261248},
                        {"layers", 32},
                        {"d_model", 4096},
                        {"ffn", 14336},
                        {"heads", 32},
                        {"kv_heads", 8},
                        {"head_dim", 128},
                        {"vocab", 128256}}},
                      {"hardware", chip},
                      {"chips_total", chips_of(slice)},
                      {"fsdp", devices_of(slice)},
                      {"global_batch", 256},
                      {"seq_len", 4096},
                      {"remat", "full"},
                      {"target_step_time_s", step}};
    const std::string stem = scratch() + "/own" + std::to_string(r.random.below(1000000));
    std::ofstream(stem + ".runs.json") << json{{"records", {run}}}.dump();
    const told calibrated = tell("tpuplan calibrate " + stem + ".runs.json --output " + stem + ".json");
    if (calibrated.status != 0) {
      r.skip("calibrate refuses");
      continue;
    }
    const told answer =
        tell("tpuplan --json train data/models/llama-3.1-8b.json" + question + " --calibration " + stem + ".json");
    if (!r.holds(answer.status == 0, "train takes what calibrate wrote", answer, answer.errors)) continue;
    const json document = answer.document();
    check_step(r, answer, document["breakdown"]);
    r.holds((document["step_time_s"].get<double>() - plain.document()["step_time_s"].get<double>()) * (factor - 1) >= 0,
            "an own run moves the estimate its way", answer, document["step_time_s"].dump(), plain,
            std::to_string(factor));
    const told table =
        tell("tpuplan train data/models/llama-3.1-8b.json" + question + " --calibration " + stem + ".json --csv");
    double shares = 0;
    std::size_t line = table.output.find('\n') + 1;
    for (std::size_t end = 0; (end = table.output.find('\n', line)) != std::string::npos; line = end + 1) {
      const std::string row = table.output.substr(line, end - line);
      const std::size_t first = row.find(','), second = row.find(',', first + 1), third = row.find(',', second + 1);
      if (row.rfind("total", 0) == 0) break;
      shares += std::atof(row.substr(second + 1, third - second - 1).c_str());
    }
    r.holds(std::abs(shares - 1) < 1e-8, "the shares in the table are the whole", table, std::to_string(shares));
  }
}

}  // namespace relations
