// Questions as JSON, and their answers: the same figures as the functions, as the schema says, strict.
#include <fstream>
#include <set>
#include <string>
#include <tpuplan/ask/answers.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/tpuplan.hpp>
#include <vector>

#include "support/ask.hpp"
#include "support/call.hpp"
#include "support/catch.hpp"

using namespace tpuplan;

namespace ask_tests {
using nlohmann::json;

namespace {

json config() { return load_json(std::string(TPUPLAN_DATA_DIR) + "/models/llama-3.1-8b.json"); }

json question_of(const std::string& name, const json& request, const std::string& form = "full") {
  return {{"schema", "tpuplan/1"}, {"question", name}, {"form", form}, {"request", request}};
}
json asked(const std::string& name, const json& request, const std::string& form = "full") {
  return ask(question_of(name, request, form));
}
json answer(const std::string& name, const json& request, const std::string& form = "full") {
  const json document = asked(name, request, form);
  INFO(document.dump());
  REQUIRE(document.contains("answer"));
  return document.at("answer");
}
/// "code field" of a refusal.
std::string refusal(const json& question) {
  const json document = ask(question);
  INFO(document.dump().substr(0, 400));
  REQUIRE(document.contains("error"));
  return document["error"]["code"].get<std::string>() + " " + document["error"]["field"].get<std::string>();
}

/// Where a document is not as a schema says; "" where it is.
std::string schema_fault(const json& value, const json& schema, const json& defs, const std::string& at = "$") {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
    return schema_fault(value, defs.at(name), defs, at);
  }
  if (schema.contains("anyOf")) {
    std::string faults;
    for (const json& one : schema["anyOf"]) {
      const std::string fault = schema_fault(value, one, defs, at);
      if (fault.empty()) return "";
      faults += fault + "; ";
    }
    return faults;
  }
  if (schema.contains("enum")) {
    for (const json& one : schema["enum"]) {
      if (one == value) return "";
    }
    return at + " is " + value.dump();
  }
  if (!schema.contains("type")) return "";
  const std::string type = schema["type"];
  const bool right = type == "object"   ? value.is_object()
                     : type == "array"  ? value.is_array()
                     : type == "string" ? value.is_string() && value.get<std::string>().size() <=
                                                                   schema.value("maxLength", std::size_t{1} << 30)
                     : type == "integer" ? value.is_number_integer()
                     : type == "number"  ? value.is_number()
                     : type == "boolean" ? value.is_boolean()
                                         : value.is_null();
  if (!right) return at + " is not of type " + type;
  if (type == "array") {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string fault = schema_fault(value[i], schema["items"], defs, at + "[" + std::to_string(i) + "]");
      if (!fault.empty()) return fault;
    }
  }
  if (type != "object") return "";
  for (const json& key : schema.value("required", json::array())) {
    if (!value.contains(key.get<std::string>())) return at + " has no " + key.get<std::string>();
  }
  for (const auto& entry : value.items()) {
    if (schema["additionalProperties"].is_object()) {  // a map by name
      const std::string fault =
          schema_fault(entry.value(), schema["additionalProperties"], defs, at + "." + entry.key());
      if (!fault.empty()) return fault;
      continue;
    }
    const auto found = schema["properties"].find(entry.key());
    if (found == schema["properties"].end()) return at + " has another key " + entry.key();
    const std::string fault = schema_fault(entry.value(), *found, defs, at + "." + entry.key());
    if (!fault.empty()) return fault;
  }
  return "";
}

struct example {
  std::string question;
  json request;
};
/// Ten days of v5p-128 held against GPUs, with the checkpoints of a model.
json gpu_question() {
  return {{"slice", "v5p-128"},
          {"run_s", 864000},
          {"region", "us-central1"},
          {"market", "calm"},
          {"parameters", 8000000000},
          {"against",
           {{"gpu", "H100"}, {"gpus", 64}, {"run_s", 691200}, {"engineering_usd", 60000}, {"jobs_per_month", 4}}}};
}

/// Two hundred requests, one each half second.
json trace() {
  json list = json::array();
  for (int i = 0; i < 200; ++i)
    list.push_back({{"arrival_s", 0.5 * i}, {"prompt", 100 + 9 * i}, {"output", 1 + i % 90}});
  return list;
}

/// A denoiser of images alone.
json flux() { return {{"_class_name", "FluxTransformer2DModel"}, {"guidance_embeds", true}}; }

/// A day of Llama with these rates.
json day_at(const json& rates, const char* where = "slice") {
  return {{"config", config()},
          {where, where == std::string_view("slice") ? json("v6e-1") : json({"v6e"})},
          {"job", {{"percentiles", {{"first_token", {{"share", 0.99}, {"limit_s", 2}}}}}}},
          {"traffic", {{"day", {{"rates_per_s", rates}, {"part_s", 900}}}, {"for_hpa", true}}}};
}

/// One or more of each question.
std::vector<example> examples() {
  const json model = config(), llava = load_json(std::string(TPUPLAN_DATA_DIR) + "/models/llava-1.5-7b.json");
  std::vector<example> list = {
      {"chips", json::object()},
      {"chips", {{"name", "v5p"}}},
      {"slices", {{"generations", {"v6e"}}}},
      {"slices", {{"name", "v5p-128"}}},
      {"batch", {{"chip", "v5e"}, {"weights", "int8"}, {"shape", {{"batch", 512}, {"inner", 4096}, {"outer", 16384}}}}},
      {"batch", {{"chip", "v2"}}},
      {"pad", {{"chip", "v6e"}, {"dimensions", {50257, 768}}}},
      {"pad", {{"chip", "v5e"}, {"dimensions", {100}}, {"format", "int8"}}},
      {"model", {{"config", model}}},
      {"model", {{"config", llava}}},
      {"fit", {{"config", model}, {"slice", "v6e-256"}, {"job", {{"global_batch", 1024}, {"remat", "full"}}}}},
      {"fit", {{"config", model}, {"slice", "v2-8"}}},
      {"train", {{"config", model}, {"slice", "v6e-256"}, {"batch_tokens", 4194304}, {"tokens", 1e12}}},
      {"train", {{"config", model}, {"slice", "v5p-128"}, {"mesh", {{"tensor", 2}}}}},
      {"serve", {{"config", model}, {"slice", "v6e-8"}}},
      {"serve", {{"config", model}, {"slice", "v5e-1"}}},
      {"spot", {{"work_s", 864000}}},
      {"spot", {{"work_s", 36000}, {"on_demand_usd_per_s", 3e-4}, {"spot_usd_per_s", 1e-4}, {"chips", 8}}},
      {"simulate",
       {{"config", model},
        {"slice", "v6e-8"},
        {"requests", 400},
        {"job", {{"request_rate_per_s", 4}}},
        {"load", true}}},
      {"simulate", {{"config", model}, {"slice", "v6e-8"}, {"slices", 2}, {"trace", trace()}}},
      {"day", day_at({0.5, 2, 1})},
      {"plan_day", day_at({0.5, 2, 1}, "generations")},
      {"day_generation",
       {{"config", flux()},
        {"slice", "v6e-4"},
        {"make", {{"steps", 28}}},
        {"target", {{"share", 0.95}, {"limit_s", 30}}},
        {"traffic", {{"day", {{"rates_per_s", {0.1, 0.3}}}}}}}},
      {"fit_network", {{"config", {{"model_type", "resnet"}}}, {"slice", "v5e-8"}}},
      {"train_network", {{"config", {{"model_type", "resnet"}}}, {"slice", "v5e-8"}, {"data", {{"examples", 50000}}}}},
      {"plan_network", {{"config", {{"model_type", "resnet"}}}, {"data", {{"examples", 50000}}}}},
      {"plan_network", {{"config", {{"model_type", "resnet"}}}, {"data", {{"examples", 50000}}}, {"budget_usd", 1e-6}}},
      {"sweep",
       {{"config", {{"model_type", "resnet"}}}, {"trials", 8}, {"quota", 16}, {"data", {{"examples", 50000}}}}},
      {"sweep", {{"config", model}, {"trials", 4}, {"parallel", 2}, {"tokens", 1e9}, {"generations", {"v6e"}}}},
      {"pay", {{"slice", "v5e-32"}, {"slices", 2}, {"run_s", 864000}}},
      {"pay", gpu_question()},
      {"risk", {{"config", model}, {"slice", "v6e-64"}, {"tokens", 1e11}, {"deadline_s", 864000}, {"runs", 200}}},
      {"generate",
       {{"config", flux()}, {"slice", "v6e-4"}, {"make", {{"size", "1024x1024"}, {"steps", 28}}}, {"batch", 4}}},
      {"fit_generation",
       {{"config", flux()}, {"slice", "v5p-16"}, {"sizes", {"512x512"}}, {"job", {{"global_batch", 64}}}}},
      {"plan_train_generation",
       {{"config", flux()},
        {"sizes", {"512x512"}},
        {"job", {{"global_batch", 64}, {"lora_rank", 16}}},
        {"data", {{"examples", 64000}}},
        {"generations", {"v6e"}},
        {"largest_chips", 16}}},
      {"train_generation",
       {{"config", flux()},
        {"slice", "v5p-16"},
        {"sizes", {"512x512"}},
        {"job", {{"global_batch", 64}}},
        {"data", {{"examples", 64000}}}}},
      {"model_generation", {{"config", flux()}}},
      {"model_network", {{"config", {{"model_type", "resnet"}}}}},
      {"simulate_generation", {{"config", flux()}, {"slice", "v6e-4"}, {"make", {{"steps", 28}}}, {"rate_per_s", 0.2}}},
      {"plan_generation",
       {{"config", flux()}, {"items_per_hour", 2000}, {"generations", {"v6e"}}, {"largest_slice", 4}}},
      {"plan_serving", {{"config", model}, {"generations", {"v6e"}}, {"job", {{"request_rate_per_s", 20}}}}},
      {"plan_serving", {{"config", model}, {"generations", {"v5e"}}, {"job", {{"tpot_target_s", 1e-5}}}}},
      {"plan", {{"config", model}, {"tokens", 1e11}, {"generations", {"v6e"}}}},
      {"plan", {{"config", model}, {"tokens", 1e13}, {"generations", {"v5e"}}, {"deadline_s", 86400}}},
  };
  return list;
}

}  // namespace

TEST_CASE("each question, its request and its answer are as the schema says", "[ask]") {
  const json schema = ask_schema();
  CHECK(schema["requests"]["batch"]["properties"].contains("chip"));
  std::set<std::string> seen;
  for (const example& one : examples()) {
    INFO(one.question << " " << one.request.dump().substr(0, 200));
    seen.insert(one.question);
    CHECK(schema_fault(one.request, schema["requests"].at(one.question), schema["$defs"]).empty());
    CHECK(schema_fault(answer(one.question, one.request), schema["answers"].at(one.question), schema["$defs"]) == "");
  }
  for (const auto& entry : schema["answers"].items()) CHECK((seen.count(entry.key()) == 1 || entry.key() == "launch"));
}

TEST_CASE("fields of the schema have limits only where their rows do", "[ask]") {
  std::size_t limited = 0;
  const plain_call<void(const json&)> walk = [&](const json& at) {
    if (at.is_object() && at.contains("minimum") && at.contains("maximum")) {
      ++limited;
      CHECK(at["minimum"] < at["maximum"]);
    }
    if (at.is_structured())
      for (const json& below : at) walk(below);
  };
  walk(ask_schema());
  CHECK(limited > 100);
}

TEST_CASE("answers are those of the functions", "[ask]") {
  CHECK(answer("batch", {{"chip", "v5e"}})["critical_batch"] == 241);
  CHECK(answer("slices", {{"name", "v5p-128"}})["slices"][0]["chips"] == 64);
  CHECK(answer("pad", {{"chip", "v6e"}, {"dimensions", {50257}}})["dimensions"][0]["padded"] == 50432);
  CHECK(answer("chips", json::object())["chips"].size() == generations.size());
  CHECK(answer("chips", {{"name", "v5e"}})["chips"].size() == 1);

  const transformer model = model_of(config()).model;
  json named = config();
  named["_name_or_path"] = "meta-llama/Llama-3.1-8B\n";
  CHECK(answer("model", {{"config", named}})["name"] == "Llama-3.1-8B");
  CHECK(answer("model", {{"config", config()}})["name"] == "config");
  const json count = answer("model", {{"config", config()}});
  CHECK(count["parameters"] == parameters(model).total);
  CHECK(count["parameters"] == 8030261248);
  CHECK(count["kv_bytes_per_token"] == kv_bytes_per_token(model, dtype::bf16).value());

  const slice where = slice_for("v6e-256");
  training_job job;
  job.global_batch = 1024;
  job.sequence_length = 4096;
  const json request = {{"config", config()}, {"slice", "v6e-256"}, {"job", {{"global_batch", 1024}}}};
  const json trained = answer("train", request);
  CHECK(trained["step_time_s"] == step_time(model, job, fsdp_layout(where), where).total.value());
  CHECK(trained["memory"]["used_bytes"] == memory_use(model, job, fsdp_layout(where), where).total.value());
  CHECK(answer("fit", request)["largest_batch"] == *largest_batch(model, job, fsdp_layout(where), where));
  CHECK(trained["run_s"].is_null());

  const json served = answer("serve", {{"config", config()}, {"slice", "v6e-8"}});
  CHECK(served["estimate"]["output_tokens_per_s"] ==
        serve(model, usual_traffic(), {}, slice_for("v6e-8")).output_tokens.value());
}

TEST_CASE("what a question leaves open is filled in and listed", "[ask]") {
  const auto fields = [](const json& list) {
    std::set<std::string> names;
    for (const json& one : list) names.insert(one["field"].get<std::string>());
    return names;
  };
  const json open = answer("fit", {{"config", config()}, {"slice", "v6e-256"}});
  CHECK(fields(open["assumed"]) ==
        std::set<std::string>{"head_dim", "sequence length", "remat policy", "software", "global batch"});
  const json said = answer("fit", {{"config", config()},
                                   {"slice", "v6e-256"},
                                   {"job", {{"global_batch", 512}, {"sequence_length", 2048}, {"remat", "minimal"}}}});
  CHECK(fields(said["assumed"]) == std::set<std::string>{"head_dim", "software"});
  CHECK(said["job"]["global_batch"] == 512);
  CHECK(read_json<remat_policy>(said["job"]["remat"]) == remat::minimal);
  CHECK(said["mesh"]["fsdp"] == 256);
  const json again =
      answer("fit", {{"config", config()}, {"slice", "v6e-256"}, {"job", said["job"]}, {"mesh", said["mesh"]}});
  CHECK(again["used_bytes"] == said["used_bytes"]);
}

TEST_CASE("a plan is ranked as make_plan ranks it, and can be launched", "[ask]") {
  const json request = {{"config", config()}, {"tokens", 1e11}, {"generations", {"v6e"}}};
  const json document = answer("plan", request);
  const plan_answer expected = make_plan(read_plan_request(document));
  REQUIRE(document["plans"].size() == expected.plans.size());
  for (std::size_t i = 0; i < expected.plans.size(); ++i) {
    CHECK(document["plans"][i]["slice"] == name(expected.plans[i].where).view());
    CHECK(document["plans"][i]["total_usd"] == chosen_cost(expected.plans[i]).total.value());
  }
  std::int64_t lost = 0;
  for (const json& row : document["lost"]) lost += row["slices"].get<std::int64_t>();
  CHECK(lost == static_cast<std::int64_t>(document["rejected"].size()));
  CHECK(document["relax"].is_null());

  const json launched = answer(
      "launch", {{"plan", document}, {"target", "gke"}, {"request", {{"name", "llama"}, {"image", "eu.gcr.io/p/i"}}}});
  CHECK(launched["text"].get<std::string>().find("google.com/tpu") != std::string::npos);
  CHECK(refusal(question_of("launch", {{"plan", document}, {"target", "heap"}})) == "unknown_name target");
  CHECK(refusal(question_of("launch", {{"plan", document}, {"target", "gke"}, {"request", {{"slices", 3}}}})) ==
        "invalid_argument request.slices");
}

TEST_CASE("a run is paid for as pay_for says", "[ask]") {
  const json document = answer("pay", {{"slice", "v5e-32"}, {"slices", 2}, {"run_s", 864000}});
  payment_terms terms;
  const payment_options expected = ways_to_pay({}, slice_for("v5e-32"), 2, "us", 10_days, terms);
  REQUIRE(document["ways"].size() == expected.count);
  CHECK(document["ways"].size() + document["missing"].size() == all_provisioning.size());
  double before = 0;
  for (const json& way : document["ways"]) {
    const maybe<paid_run> one = find_way(expected, read_json<provisioning>(way["kind"]));
    REQUIRE(one);
    CHECK(way["total_usd"] == one->total.value());
    CHECK(way["total_usd"].get<double>() >= before);
    before = way["total_usd"];
  }
  CHECK(find_way(expected, provisioning::on_demand)->total.value() == Approx(18432));
  // The cheapest is the first whose price no announced change has passed.
  CHECK(document["ways"][0]["kind"] == "flex_start");
  CHECK(document["cheapest"] == "spot");
  CHECK(document["chips"] == 64);
  CHECK(document["job_mtbp_s"] == 7200.0);
  CHECK(document["checkpoints"].is_null());

  const json compared = answer("pay", gpu_question());
  const json& gpus = compared["against_gpu"];
  CHECK(gpus["total_usd"] == Approx(64 * 192 * in_usd_per_hour(gpu_for("H100").on_demand.value())));
  CHECK(gpus["saving_per_job_usd"] == Approx(gpus["total_usd"].get<double>() * gpus["saving"].get<double>()));
  CHECK(compared["checkpoints"]["kept_bytes"] == 3 * training_state_of(8000000000, dtype::fp32).total.value());
}

TEST_CASE("a fleet is simulated and planned as the functions do it", "[ask]") {
  const transformer model = model_of(config()).model;
  serving_job job = usual_traffic();
  job.request_rate = per_second{4};
  json request = {{"config", config()}, {"slice", "v6e-8"}, {"requests", 400}, {"job", {{"request_rate_per_s", 4}}}};
  request["job"]["percentiles"] = {{"first_token", {{"share", 0.99}, {"limit_s", 1e-4}}}};
  const json missed = answer("simulate", request);
  const serving_fleet fleet{{}, slice_for("v6e-8"), 1};
  const std::vector<simulated_request> drawn = requests_of(traffic_of(job, 400));
  const simulation_report expected = report_of(simulate_fleet(model, job, fleet, 1, drawn), {});
  CHECK(missed["report"]["first_token"]["value"]["p99_s"] == expected.first_token.value.p99.value());
  CHECK(missed["meets_targets"] == false);
  CHECK(missed["load"].empty());

  request["job"].erase("percentiles");
  request["load"] = true;
  const json met = answer("simulate", request);
  CHECK(met["meets_targets"] == true);
  REQUIRE(met["load"].size() == 8);
  CHECK(met["load"][4]["first"] == met["report"]["first_token"]["value"]);
  CHECK(met["load"][7]["rate_per_s"] == 6.0);

  const json document =
      answer("plan_serving", {{"config", config()}, {"generations", {"v6e"}}, {"job", {{"request_rate_per_s", 20}}}});
  serving_request serving;
  serving.model = model;
  serving.job = usual_traffic();
  serving.job.request_rate = per_second{20};
  serving.generations = {"v6e"};
  const serving_plan_answer planned = plan_serving(serving);
  REQUIRE(document["plans"].size() == planned.plans.size());
  for (std::size_t i = 0; i < planned.plans.size(); ++i) {
    CHECK(document["plans"][i]["slices"] == planned.plans[i].slices);
    CHECK(document["plans"][i]["plan"]["rate_usd_per_s"] == planned.plans[i].rate.value());
  }
  CHECK(document["relax"].is_null());
}

TEST_CASE("one slice keeps targets by percentile, or the answer says what would", "[ask]") {
  json request = {{"config", config()}, {"slice", "v6e-8"}, {"job", {{"request_rate_per_s", 5}}}};
  const json means = answer("serve", request);
  CHECK(means["targets"].is_null());
  CHECK(means["simulated"].is_null());
  CHECK(means["meets_targets"].is_null());
  const auto held = [&](double limit) {
    request["job"]["percentiles"] = {{"first_token", {{"share", 0.99}, {"limit_s", limit}}}};
    return answer("serve", request);
  };
  const json kept = held(0.1), missed = held(0.02);
  CHECK(kept["estimate"] == means["estimate"]);
  CHECK(kept["targets"]["first_token"]["limit_s"] == 0.1);
  CHECK(kept["meets_targets"] == true);
  CHECK(kept["simulated"]["first_token"]["value"]["p99_s"] < 0.1);
  CHECK(kept["changes"].empty());
  CHECK(missed["meets_targets"] == false);
  CHECK(missed["simulated"]["first_token"]["value"]["p99_s"] > 0.02);
  REQUIRE_FALSE(missed["changes"].empty());
  CHECK(missed["changes"][0]["change"] == "rate");  // next to none: below a 64th, at which none was said
  CHECK(missed["changes"][0]["needed"] < 5.0 / 64);
  CHECK(missed["changes"][1]["change"] == "prompt");
  CHECK(missed["changes"][1]["needed"] < 1024);
  request["job"].erase("request_rate_per_s");
  CHECK(refusal(question_of("serve", request)) == "missing_field job.request_rate_per_s");
}

TEST_CASE("a run costs less and more at the ends of the band of its step", "[ask]") {
  const json trained = answer("train", {{"config", config()}, {"slice", "v6e-256"}, {"tokens", 1e12}});
  const double band = trained["step_time_low_s"].get<double>() / trained["step_time_s"].get<double>();
  for (const json& way : trained["costs"]) {
    INFO(way.dump());
    CHECK(way["total_low_usd"] <= way["total_usd"]);
    CHECK((way["total_high_usd"].is_null() || way["total_usd"] <= way["total_high_usd"]));
    CHECK(way["checkpoint_interval_s"].is_number());  // failures come under each
    if (way["kind"] == "on_demand")                   // the start takes the same time at either end
      CHECK(way["total_low_usd"].get<double>() == Approx(band * way["total_usd"].get<double>()).epsilon(1e-3));
  }
}

TEST_CASE("a model of an encoder and a decoder has the figures of a pair", "[ask]") {
  const json t5 = load_json(std::string(TPUPLAN_DATA_DIR) + "/models/t5-base.json");
  const json pair = answer("model", {{"config", t5}, {"sequence_length", 512}});
  CHECK(pair["source_length"] == 512);
  CHECK(pair["flops_per_pair"]["total_flops"].get<double>() ==
        pair["flops_per_pair"]["encoder_flops"].get<double>() + pair["flops_per_pair"]["decoder_flops"].get<double>());
  CHECK(pair["cache_per_pair"]["total_bytes"] > pair["cache_per_pair"]["self_bytes"]);
  CHECK(answer("model", {{"config", config()}})["flops_per_pair"].is_null());
}

TEST_CASE("a plan at prices of a file has them in its document", "[ask]") {
  json request = {{"config", config()}, {"tokens", 1e11}, {"generations", {"v6e"}}};
  const json built_in = answer("plan", request);
  request["prices"] = load_json(std::string(TPUPLAN_DATA_DIR) + "/prices.json");
  const json own = answer("plan", request);
  CHECK(own["request"]["prices"]["built_in"] == false);
  const json& rows = own["request"]["prices"]["rows"];
  CHECK(rows.size() > 10);
  CHECK(own["plans"][0]["total_usd"] == built_in["plans"][0]["total_usd"]);
  for (const json& row : rows) CHECK_NOTHROW(read_json<price_row>(row));
}

TEST_CASE("a plan that nothing meets says which limit to relax", "[ask]") {
  const json document =
      answer("plan", {{"config", config()}, {"tokens", 1e13}, {"generations", {"v5e"}}, {"deadline_s", 86400}});
  CHECK(document["plans"].empty());
  CHECK(document["lost"].size() > 0);
  REQUIRE(document["relax"].size() > 0);
  CHECK(document["relax"][0]["needed"] > document["relax"][0]["given"]);
}

TEST_CASE("the short form has figures and the first rows, and is small", "[ask]") {
  const json request = {{"config", config()}, {"tokens", 1e12}};
  const json full = answer("plan", request), brief = answer("plan", request, "short");
  CHECK(brief["plans"].size() == 10);
  CHECK(brief["plans"][0]["total_usd"] == full["plans"][0]["total_usd"]);
  CHECK_FALSE(brief["plans"][0].contains("plan"));
  CHECK(brief["lost"] == full["lost"]);
  CHECK(brief.dump().size() * 20 < full.dump().size());
  CHECK(answer("batch", {{"chip", "v5e"}}, "short")["critical_batch"] == 241);
}

TEST_CASE("pictures stand beside the answer, and a strict page takes them in", "[ask]") {
  const json model = config(), schema = ask_schema();
  const auto names_of = [&](const std::string& name, const json& request) {
    json question = question_of(name, request, "short");
    question["pictures"] = true;
    const json document = ask(question);
    INFO(document.dump().substr(0, 400));
    REQUIRE(document.contains("pictures"));
    CHECK(schema_fault(document["pictures"], schema["pictures"], schema["$defs"]) == "");
    CHECK(document["answer"] == answer(name, request, "short"));
    std::string names;
    for (const json& one : document["pictures"]) {
      names += (names.empty() ? "" : " ") + one["name"].get<std::string>();
      const std::string svg = one["svg"];
      CHECK(svg.rfind("<svg ", 0) == 0);
      CHECK(svg.find("</svg>") != std::string::npos);
      for (const char* word : {"style", "<script", "href", "onload", "<b>"}) {
        INFO(word);
        CHECK(svg.find(word) == std::string::npos);
      }
    }
    return names;
  };
  json hostile = model;
  hostile["_name_or_path"] = "<b>x</b>";
  CHECK(names_of("batch", {{"chip", "v5e"}}) == "roofline");
  CHECK(names_of("batch", {{"chip", "v5e"}, {"shape", {{"batch", 512}, {"inner", 4096}, {"outer", 16384}}}}) ==
        "roofline");
  CHECK(names_of("fit", {{"config", hostile}, {"slice", "v6e-256"}}) == "memory");
  CHECK(names_of("train", {{"config", hostile}, {"slice", "v6e-256"}}) == "steps memory");
  CHECK(names_of("serve", {{"config", hostile}, {"slice", "v6e-8"}}) == "front");
  CHECK(names_of("serve", {{"config", hostile}, {"slice", "v5e-1"}}) == "");
  CHECK(names_of("simulate", {{"config", hostile},
                              {"slice", "v6e-8"},
                              {"requests", 400},
                              {"load", true},
                              {"job", {{"request_rate_per_s", 4}}}}) == "load");
  CHECK(names_of("plan_serving", {{"config", hostile}, {"generations", {"v6e"}}}) == "front");
  CHECK(names_of("plan", {{"config", hostile}, {"tokens", 1e11}, {"generations", {"v6e"}}}) == "front steps memory");
  CHECK(names_of("plan", {{"config", model}, {"tokens", 1e13}, {"generations", {"v5e"}}, {"deadline_s", 86400}}) == "");

  json question = question_of("chips", json::object());
  CHECK_FALSE(json(ask(question)).contains("pictures"));
  question["pictures"] = false;
  CHECK(json(ask(question)).contains("answer"));
  question["pictures"] = true;
  CHECK(refusal(question) == "invalid_argument pictures");
  question["pictures"] = 1;
  CHECK(refusal(question) == "malformed_input pictures");
}

TEST_CASE("what is wrong with a question is named", "[ask]") {
  const json model = config();
  CHECK(refusal(json::array()) == "malformed_input question");
  CHECK(refusal(json::object()) == "missing_field schema");
  CHECK(refusal({{"schema", "tpuplan/2"}}) == "unsupported schema");
  CHECK(refusal({{"schema", "tpuplan/1"}}) == "missing_field question");
  CHECK(refusal(question_of("heat", json::object())) == "unknown_name question");
  CHECK(refusal(question_of("chips", json::object(), "tiny")) == "unknown_name form");
  json more = question_of("chips", json::object());
  more["extra"] = 1;
  CHECK(refusal(more) == "unknown_name extra");
  CHECK(refusal(question_of("chips", {{"nam", "v5p"}})) == "unknown_name request.nam");
  // What computing runs into is an amount beyond its limits; other fields are those of their name in the request.
  const auto refused = [&](const char* asked, json rest) {
    rest["config"] = model;
    return refusal(question_of(asked, rest));
  };
  CHECK(refused("sweep", {{"trials", 4}, {"quota", 64}, {"tokens", 1e308}}) == "out_of_range request.tokens");
  CHECK(refused("sweep", {{"trials", 4}, {"quota", -1}, {"tokens", 1e9}}) == "out_of_range request.quota");
  CHECK(refused("train", {{"slice", "v6e-8"}, {"tokens", 1e9}, {"around", {{"checkpoint_every", -1}}}}) ==
        "invalid_argument around.checkpoint_every");
  CHECK(refusal(question_of("pay", {{"slice", "v5p-8"}, {"run_s", 1e5}, {"against", {{"gpus", 8}}}})) ==
        "missing_field against.gpu");
  CHECK(refused("plan", {{"tokens", 1e9}, {"zone", "us-east5-b"}, {"generations", {"v4"}}}) == "unsupported zone");
  const auto spot_at = [](double usd_per_s) {
    return question_of("spot", {{"work_s", 864000}, {"on_demand_usd_per_s", usd_per_s}, {"spot_usd_per_s", usd_per_s}});
  };
  CHECK(ask(spot_at(8.3e-7)).contains("answer"));  // 0.003 USD an hour
  CHECK(ask(spot_at(300))["error"]["value"] == "300");
  CHECK(refusal(spot_at(1e-10)) == "out_of_range on_demand_usd_per_s");
  const auto valid = [](const json& request) {
    return ask(question_of("serve", request))["error"]["valid"].get<std::string>();
  };
  const json drafts = {{"draft_tokens", 4}, {"acceptance", 0.8}};
  json serve = {{"config", {{"model_type", "llama"}}}, {"slice", "v6e-8"}};
  serve["speculation"] = drafts;
  CHECK(valid(serve) == "job.speculation");  // where it stands
  serve.erase("speculation"), serve["tensor"] = 4;
  CHECK(valid(serve) == "mesh.tensor");
  serve.erase("tensor"), serve["slic"] = 4;
  CHECK(valid(serve) == "slice");
  CHECK(refusal(question_of("slices", {{"name", "v5p-128"}, {"generations", {"v5p"}}})) ==
        "invalid_argument generations");
  CHECK(refusal(question_of("pad", {{"chip", "v5p"}})) == "missing_field dimensions");
  CHECK(refusal(question_of("model", json::object())) == "missing_field config");
  CHECK(refusal(question_of("fit", {{"config", model}})) == "missing_field slice");
  CHECK(refusal(question_of("fit", {{"config", model}, {"slice", "v5e-24"}})) == "unknown_name slice");
  CHECK(refusal(question_of("fit", {{"config", model}, {"slice", "v5e-16"}, {"job", {{"global_batsh", 4}}}})) ==
        "unknown_name request.job.global_batsh");
  CHECK(refusal(question_of(
            "fit",
            {{"config", model}, {"slice", "v5e-16"}, {"batch_tokens", 4194304}, {"job", {{"global_batch", 4}}}})) ==
        "invalid_argument batch_tokens");
  CHECK(refusal(question_of("fit", {{"config", model}, {"slice", "v5e-16"}, {"batch_tokens", 5}})) ==
        "invalid_argument batch_tokens");
  CHECK(refusal(question_of("fit", {{"config", model}, {"slice", "v5e-16"}, {"job", {{"images_per_sequence", 1}}}})) ==
        "unsupported job.images_per_sequence");
  CHECK(refusal(question_of("fit", {{"config", model}, {"slice", "v5e-16"}, {"job", {{"capacity_factor", 1.5}}}})) ==
        "unsupported job.capacity_factor");
  CHECK(refusal(question_of("train", {{"config", model}, {"slice", "v5e-16"}, {"region", "us"}})) ==
        "invalid_argument request.region");
  CHECK(refusal(question_of("train", {{"config", model}, {"slice", "v5e-16"}, {"tokens", 1e9}, {"region", "mars"}})) ==
        "unknown_name region");
  CHECK(refusal(question_of("plan", {{"config", model}})) == "missing_field tokens");
  CHECK(refusal(question_of("simulate", {{"config", model}, {"job", {{"request_rate_per_s", 1}}}})) ==
        "missing_field slice");
  CHECK(refusal(question_of("simulate", {{"config", model}, {"slice", "v6e-8"}})) ==
        "missing_field job.request_rate_per_s");
  CHECK(refusal(question_of("simulate", {{"config", model}, {"slice", "v6e-8"}, {"trace", trace()}, {"seed", 3}})) ==
        "invalid_argument request.seed");
  CHECK(refusal(question_of(
            "simulate",
            {{"config", model}, {"slice", "v6e-8"}, {"trace", trace()}, {"job", {{"request_rate_per_s", 3}}}})) ==
        "invalid_argument request.job.request_rate_per_s");
  CHECK(refusal(question_of("pay", {{"run_s", 10}})) == "missing_field slice");
  CHECK(refusal(question_of("pay", {{"slice", "v6e-8"}, {"run_s", 10}, {"correlation", 0.5}})) ==
        "invalid_argument correlation");
  CHECK(refusal(question_of("pay", {{"slice", "v6e-8"}, {"run_s", 10}, {"may_be_split", false}})) ==
        "invalid_argument may_be_split");
  CHECK(refusal(question_of("fit", {{"config", model}, {"slice", "v5p-17920"}})) == "out_of_range slice");
  CHECK(refusal(question_of("spot", {{"work_s", 10}, {"checkpoint_interval_s", 11}})) ==
        "out_of_range checkpoint_interval_s");
  CHECK(refusal(question_of("pay", {{"slice", "v6e-8"}})) == "missing_field run_s");
  CHECK(refusal(question_of("pay", {{"slice", "v6e-8"}, {"run_s", 10}, {"checkpoints_kept", 5}})) ==
        "invalid_argument checkpoints_kept");
  CHECK(refusal(question_of(
            "pay", {{"slice", "v6e-8"}, {"run_s", 10}, {"market", "calm"}, {"mean_time_between_preemptions_s", 60}})) ==
        "invalid_argument market");
  CHECK(refusal(question_of("pay", {{"slice", "v6e-8"}, {"run_s", 10}, {"against", {{"gpu", "H100"}}}})) ==
        "missing_field against.gpus");
  CHECK(refusal(question_of("plan", {{"config", model}, {"tokens", 1e9}, {"job", {{"gradient_accumulation", 2}}}})) ==
        "invalid_argument request.job.gradient_accumulation");
  CHECK(refusal(question_of("spot", {{"work_s", 10}, {"spot_usd_per_s", 1}})) == "missing_field on_demand_usd_per_s");
  CHECK(refusal(question_of("spot", {{"work_s", 10}, {"chips", 4}})) == "invalid_argument chips");

  const json error = asked("slices", {{"name", "v5e-24"}})["error"];
  CHECK(error["value"] == "v5e-24");
  CHECK(error["valid"] == "v5litepod-16 (16 chips, 4x4) or v5litepod-32 (32 chips, 4x8)");
  CHECK(error["message"] ==
        "tpuplan: slice is v5e-24; valid: v5litepod-16 (16 chips, 4x4) or v5litepod-32 (32 chips, 4x8)");
}

TEST_CASE("what the command line refuses is refused here too", "[ask]") {
  const json model = config();
  // Times: from a microsecond to a hundred years; 0 is left open, as in the job of an answer.
  for (const char* key : {"ttft_target_s", "tpot_target_s"}) {
    const auto with = [&](double time) {
      return question_of("serve", {{"config", model}, {"slice", "v6e-8"}, {"job", {{key, time}}}});
    };
    CHECK(refusal(with(1e-7)) == std::string("out_of_range request.job.") + key);
    CHECK(refusal(with(1e11)) == std::string("out_of_range request.job.") + key);
    CHECK(ask(with(1e-6)).contains("answer"));
    CHECK(ask(with(0)).contains("answer"));
  }
  CHECK(refusal(question_of("spot", {{"work_s", 36000}, {"checkpoint_interval_s", 1e-7}})) ==
        "out_of_range request.checkpoint_interval_s");
  const json late = {{"first_token", {{"share", 0.9}, {"limit_s", 1e-7}}}};
  CHECK(refusal(question_of("plan_serving",
                            {{"config", model}, {"job", {{"request_rate_per_s", 1}, {"percentiles", late}}}})) ==
        "out_of_range request.job.percentiles.first_token");
  CHECK(asked("spot", {{"work_s", 1e-7}})["error"]["valid"] == "from 1e-06 to 3200000000.0 seconds");
  // Arithmetic that a chip has no rate for. A plan takes bf16 there.
  const json eight = {{"weights", "int8"}, {"activations", "int8"}, {"request_rate_per_s", 1}};
  for (const char* name : {"serve", "simulate"})
    CHECK(refusal(question_of(name, {{"config", model}, {"slice", "v3-8"}, {"job", eight}})) ==
          "unknown_figure job.activations");
  // What has no effect without another field.
  CHECK(refusal(question_of("plan", {{"config", model}, {"tokens", 1e10}, {"start", "2026-12-05"}})) ==
        "invalid_argument request.start");
  CHECK(refusal(question_of("serve", {{"config", model}, {"slice", "v6e-8"}, {"job", {{"prefix_groups", 3}}}})) ==
        "invalid_argument request.job.prefix_groups");
  const json trace(120, {{"arrival_s", 1}, {"prompt", 100}, {"output", 20}, {"cached", 50}});
  CHECK(refusal(question_of("day", {{"config", model}, {"slice", "v6e-8"}, {"traffic", {{"trace", trace}}}})) ==
        "unsupported traffic.trace[0].cached");
  CHECK(refusal(question_of("train", {{"config", model}, {"slice", "v6e-8"}, {"job", {{"ring_attention", true}}}})) ==
        "unsupported job.ring_attention");
  CHECK(ask(question_of("train", {{"config", model}, {"slice", "v6e-8"}, {"job", {{"ring_attention", false}}}}))
            .contains("answer"));
  const json tower = load_json(std::string(TPUPLAN_DATA_DIR) + "/models/vit-base-patch16-224.json");
  for (const char* name : {"fit", "train"})
    CHECK(refusal(question_of(name, {{"config", tower}, {"slice", "v6e-8"}})) == "unsupported config");
}

TEST_CASE("what is below 0 or said twice is refused, with or without effect", "[ask]") {
  const json base = {{"config", config()}, {"slice", "v6e-4"}, {"job", {{"request_rate_per_s", 2}}}, {"requests", 300}};
  const auto refused = [&](const std::string& question, const json& change) {
    json request = base;
    if (question != "simulate") request.erase("requests");
    request.merge_patch(change);
    return refusal(question_of(question, request));
  };
  CHECK(refused("serve", {{"job", {{"weights_by_part", {{"mlp", -4}}}}}}) == "out_of_range job.weights_by_part");
  CHECK(refused("simulate", {{"host_cache_gib", -1}}) == "out_of_range request.host_cache_gib");
  CHECK(refused("simulate", {{"slices", 3}, {"split_slices", 2}}) == "invalid_argument slices");
  CHECK(refused("simulate", {{"slices", 2}, {"split", {{"prefill", 1}, {"decode", 1}}}}) == "invalid_argument slices");
  CHECK(refused("simulate", {{"split_slices", -2}}).find("split") != std::string::npos);
  // What the command line refuses: more than the most of a row.
  const auto evaluated = [&](double every) {
    const json around = {{"evaluate_every", every}, {"evaluation_s", 10}};
    return question_of("train", {{"config", config()}, {"slice", "v6e-8"}, {"tokens", 1e9}, {"around", around}});
  };
  CHECK(ask(evaluated(1000)).contains("answer"));
  CHECK(refusal(evaluated(2e12)) == "out_of_range request.around.evaluate_every");
  // So are the options of a view.
  const auto viewed = [&](const json& options) {
    json question = question_of("pay", {{"slice", "v6e-8"}, {"run_s", 3600}});
    question["view"] = options;
    return question;
  };
  CHECK(ask(viewed({{"rows", 3}, {"today", "2026-11-28"}})).contains("view"));
  CHECK(refusal(viewed({{"rows", 0}})) == "out_of_range view.rows");
  CHECK(refusal(viewed({{"today", "yesterday"}})) == "malformed_input view.today");
  // Parts that are given stay beside the stored format of the others.
  const json served =
      answer("serve", {{"config", config()}, {"slice", "v6e-4"}, {"job", {{"weights_by_part", {{"mlp", 4}}}}}});
  const json whole = answer("serve", {{"config", config()}, {"slice", "v6e-4"}});
  CHECK(served["estimate"]["memory"]["weights_bytes"] < whole["estimate"]["memory"]["weights_bytes"]);
}

TEST_CASE("weights of a job with adapters are those of the frozen base", "[ask]") {
  const json given = {{"weights", "int8"}, {"lora_rank", 16}};
  const json job = answer("fit", {{"config", config()}, {"slice", "v6e-8"}, {"job", given}})["job"];
  CHECK(job["weights"] == "fp32");  // of the adapters
  CHECK(job["frozen_weights"] == "int8");
  CHECK(answer("fit", {{"config", config()}, {"slice", "v6e-8"}, {"job", job}})["job"] == job);
}

TEST_CASE("a question as text is answered as text, whatever it is", "[ask]") {
  const std::string good = question_of("batch", {{"chip", "v5e"}}).dump();
  CHECK(ask(std::string_view(good))["answer"]["critical_batch"] == 241);
  CHECK(ask(std::string_view("{"))["error"]["code"] == "malformed_input");
  for (const std::string& bad : {std::string(), std::string("{"), std::string("nul\0l", 5), std::string(5000, '['),
                                 std::string("{\"schema\": \"\xFF\"}")}) {
    const json document = ask(std::string_view(bad));
    CHECK(document["error"]["code"].is_string());
  }
}

}  // namespace ask_tests
