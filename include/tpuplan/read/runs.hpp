#ifndef TPUPLAN_READ_RUNS_HPP
#define TPUPLAN_READ_RUNS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/estimate/serving/own_runs.hpp>
#include <tpuplan/estimate/training/own_runs.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/runs/keys.hpp>
#include <tpuplan/read/runs/serving.hpp>
#include <tpuplan/read/runs/training.hpp>
#include <utility>
#include <vector>

/// @file
/// The caller's measured runs, from a JSON file with the fields that data/measured/measured.json has under `spelled`,
/// or from a calibration file, and the constants fitted to them.

namespace tpuplan {
inline namespace abi_0 {

/// What a run of the caller measured.
enum class measured_kind : std::uint8_t {
  step,        ///< the time of a training step
  memory,      ///< the most HBM that a training step took on a device
  token,       ///< the mean time of an output token
  first_token  ///< the time to the first token of one prompt
};

/// What was measured, as a calibration file names it. Worked: "first_token".
[[nodiscard]] constexpr std::string_view name(measured_kind kind) noexcept {
  constexpr const char* names[] = {"step", "memory", "token", "first_token"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// A run of the caller. Training uses `job` and `mesh`; serving uses `traffic`, `sharding` and `running`.
struct measured_run {
  std::string id;                            ///< as the file names it
  measured_kind kind = measured_kind::step;  ///< what was measured
  transformer model{};                       ///< its shape
  slice where{};                             ///< one of the slices
  training_job job{};                        ///< one step
  layout mesh{};                             ///< how it was sharded
  serving_job traffic{};                     ///< prompts, outputs and engine
  serving_layout sharding{};                 ///< of the served model
  double running = 0;                        ///< sequences that ran in each replica
  bool of_rate = false;                      ///< the time of a token is these over a rate of tokens
  seconds time{};                            ///< of a step, a token or the first token
  bytes peak{};                              ///< of HBM on a device
  double spread = 0;    ///< relative standard deviation of the measurement, if above the usual; 0: unknown
  std::string version;  ///< of the software, where it changed between runs
};

/// Runs of a file, and its keys and records that were not used.
struct measured_runs {
  std::vector<measured_run> runs;                            ///< in the order of the file
  std::vector<std::string> unknown;                          ///< keys that have no meaning, each once
  std::vector<std::pair<std::string, std::string>> skipped;  ///< incomplete records, and what they lack
};

namespace detail {

/// The record with defaults for the keys that a caller's list may leave out.
inline nlohmann::json with_usual(nlohmann::json record, std::size_t place) {
  const auto usual = [&record](const char* key, const nlohmann::json& value) {
    if (!record.contains(key) || record[key].is_null()) record[key] = value;
  };
  usual("id", "run " + std::to_string(place + 1));
  usual("family", "own");
  usual("quality", "A");
  usual("kind", "training");
  const nlohmann::json& kind = record["kind"];
  if (kind == "training" || kind == "memory") {
    for (const char* degree : {"data", "fsdp", "tensor", "expert"}) usual(degree, 1);
    usual("degrees_count", "devices");
    usual("compute_dtype", "bf16");
    usual("remat", "full");
  } else {
    if (!record.contains("task")) usual("mode", "engine");
    if (!record.contains("config")) usual("weight_dtype", "bf16");
    usual("kv_dtype", "bf16");
  }
  return record;
}

inline double record_spread(const json_object& record) {
  return record.has("spread") ? in_range(record.path("spread"), record.number("spread"), 0, 1, "0 to 1") : 0;
}

/// Sets the replicas of a served model, which divide its devices and its sequences between them.
inline void spread_over_replicas(const json_object& record, measured_run& run) {
  const std::int64_t replicas = record.positive_count_or("replicas", 1);
  if (replicas == 1) return;
  const std::int64_t used = run.sharding.tensor > 0 ? run.sharding.tensor : devices(run.where);  // some may be idle
  if (used % replicas != 0)
    fail(errc::not_divisible, record.path("replicas"), replicas, "a divisor of the devices of the slice");
  run.sharding.tensor = used / replicas;
  run.running /= static_cast<double>(replicas);
}

/// Refuses degrees of tensor parallelism, in chips or devices, that are not those of the replicas.
inline void check_tensor(const json_object& record, const measured_run& run) {
  if (!record.has("tensor")) return;
  const std::int64_t given = record.positive_count("tensor"), all = devices(run.where);
  const std::int64_t each = run.sharding.tensor > 0 ? run.sharding.tensor : all;
  if (given == each || given * run.where.chip.jax_devices == each) return;
  fail(errc::invalid_argument, record.path("tensor"), given,
       std::to_string(each) + ", the devices of a replica, or as many replicas and idle_devices as there were");
}

/// The engine that a run of the caller names; refuses a name that stands for none.
inline serving_engine expect_engine(const json_object& record) {
  const std::string given = record.has("engine") ? record.string("engine") : std::string{};
  if (const maybe<serving_engine> named = parse_serving_engine(given)) return *named;
  const serving_engine found = record_engine(record);
  if (!given.empty() && found == serving_engine::unnamed)
    fail(errc::unknown_name, record.path("engine"), given, names_of<serving_engine>().view());
  return found;
}

inline void check_hosts(const json_object& record, const slice& where) {
  if (!record.has("hosts")) return;
  const std::int64_t given = record.positive_count("hosts");
  if (given != vms(where))
    fail(errc::invalid_argument, record.path("hosts"), given, std::to_string(vms(where)) + ", the VMs of the slice");
}

inline void add_training(const json_object& record, const std::string& path, measured_runs& into) {
  for (const char* of_serving : {"replicas", "idle_devices"}) {
    if (record.has(of_serving))
      fail(errc::invalid_argument, record.path(of_serving), "given of training", "none: its degrees are all devices");
  }
  const bool timed = record.has("target_step_time_s");
  const training_record read = read_training_record(record.value(), path, timed);
  check_hosts(record, read.where);
  measured_run run;
  run.id = read.id;
  run.model = read.model;
  run.where = read.where;
  run.job = read.job;
  run.mesh = read.mesh;
  run.time = read.measured;
  run.spread = record_spread(record);
  run.version = read.version;
  const bool held = record.has("hbm_used_bytes");
  if (!timed && !held) {
    into.skipped.emplace_back(read.id, "neither target_step_time_s nor hbm_used_bytes");
    return;
  }
  if (timed) into.runs.push_back(run);
  if (!held) return;
  run.kind = measured_kind::memory;
  run.time = {};
  run.peak = bytes{record.positive_number("hbm_used_bytes")};
  into.runs.push_back(run);
}

inline void add_serving(const json_object& record, const std::string& path, measured_runs& into) {
  const serving_record read = read_serving_record(record.value(), path);
  check_hosts(record, read.where);
  if (read.question == serving_question::decode_step) {
    into.skipped.emplace_back(read.id, "the time of an output token in an engine is wanted, not a step by itself");
    return;
  }
  const bool token = read.question == serving_question::engine_step;
  if (token && !record.has("output_len"))
    fail(errc::missing_field, record.path("output_len"), "missing", "the output tokens of a request");
  if (!token && (read.question == serving_question::end_to_end || read.batch > 1)) {
    into.skipped.emplace_back(read.id, "the first token of one prompt is wanted, not of several");
    return;
  }
  measured_run run;
  run.id = read.id;
  run.kind = token ? measured_kind::token : measured_kind::first_token;
  run.model = read.model;
  run.where = read.where;
  run.traffic = read.job;
  run.traffic.engine = expect_engine(record);
  run.traffic = as_engine_runs(run.traffic, run.model);
  run.sharding = read.mesh;
  run.running = read.batch;
  run.of_rate = read.saturated || detail::text_of(record, "mode") == "saturated";
  run.time = read.measured;
  run.spread = record_spread(record);
  run.version = read.version;
  spread_over_replicas(record, run);
  check_tensor(record, run);
  into.runs.push_back(run);
}

inline void read_record(const nlohmann::json& value, std::size_t place, const std::string& source,
                        measured_runs& into) {
  const std::string path = source + ".records[" + std::to_string(place) + "]";
  const json_object given(value, path);
  const nlohmann::json record = with_usual(value, place);
  const json_object read(record, path);
  const std::string kind = read.string("kind");
  try {
    if (kind == "training" || kind == "memory") return add_training(read, path, into);
    if (kind == "decode" || kind == "prefill") return add_serving(read, path, into);
  } catch (const error& problem) {
    if (problem.code() != errc::unsupported && problem.code() != errc::missing_field) throw;
    const std::string said = problem.what();
    into.skipped.emplace_back(read.string("id"), said.rfind("tpuplan: ", 0) == 0 ? said.substr(9) : said);
    return;
  }
  fail(errc::unknown_name, read.path("kind"), kind, "training, memory, decode or prefill");
}

}  // namespace detail

/// The runs of a document: a list of records with the fields that data/measured/measured.json has under `spelled`,
/// which may leave out id, family, quality and degrees of 1, or a calibration file. Throws, naming the record, for
/// invalid values; records without what an estimate needs are skipped and listed, and so are keys without meaning.
/// Worked: a step of 2.4 s of llama-3-8b on 64 chips of v6e is one run; with `hbm_used_bytes` it is two, a time and a
/// peak.
[[nodiscard]] inline measured_runs read_runs(const nlohmann::json& document, const std::string& source) {
  measured_runs result;
  const json_object root(document, source);
  if (root.has("type")) {
    if (root.string("type") != "calibration")
      detail::fail(errc::unknown_name, root.path("type"), root.string("type"), "calibration");
    root.only({"schema", "type", "runs", "learned", "next", "unknown_keys", "skipped"});
    for (const json_object& one : root.objects("runs")) {
      measured_run& run = result.runs.emplace_back();
      one.only({"id", "kind", "model", "slice", "job", "mesh", "traffic", "sharding", "running", "time_s", "peak_bytes",
                "spread", "version", "mode"});
      run.id = one.string("id");
      const std::string kind = one.string("kind");
      const maybe<measured_kind> found = detail::enumerator_named<measured_kind>(kind);
      if (!found) detail::fail(errc::unknown_name, one.path("kind"), kind, names_of<measured_kind>().view());
      run.kind = *found;
      run.model = one.at("model").get<transformer>();
      run.where = one.at("slice").get<slice>();
      run.spread = detail::record_spread(one);
      if (one.has("version")) run.version = one.string("version");
      if (run.kind == measured_kind::step || run.kind == measured_kind::memory) {
        run.job = one.at("job").get<training_job>();
        run.mesh = one.at("mesh").get<layout>();
      } else {
        run.traffic = one.at("traffic").get<serving_job>();
        run.sharding = one.at("sharding").get<serving_layout>();
        run.running = one.positive_number("running");
        run.of_rate = detail::text_of(one, "mode") == "saturated";
      }
      if (run.kind == measured_kind::memory) {
        run.peak = bytes{one.positive_number("peak_bytes")};
      } else {
        run.time = detail::measured_time(one, "time_s");
      }
    }
    return result;
  }
  if (root.has("pipelines"))
    detail::fail(errc::unsupported, root.path("records"), "of images and clips",
                 "records of language models: images and clips learn nothing from own runs, validate compares them");
  const nlohmann::json& list = root.list("records");
  for (std::size_t i = 0; i < list.size(); ++i) detail::read_record(list[i], i, source, result);
  result.unknown = unknown_record_keys(document);
  return result;
}

/// The runs as a calibration file, which holds questions and measurements. Constants are fitted each time it is read,
/// so that it stays valid when the estimates change. `read_runs` reads it. Worked: 4 runs are 4 again when `read_runs`
/// reads their document.
[[nodiscard]] inline nlohmann::ordered_json calibration_document(const std::vector<measured_run>& runs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const measured_run& run : runs) {
    nlohmann::ordered_json one = {{"id", run.id}, {"kind", name(run.kind)}, {"model", run.model}, {"slice", run.where}};
    if (run.kind == measured_kind::step || run.kind == measured_kind::memory) {
      one["job"] = run.job;
      one["mesh"] = run.mesh;
    } else {
      one["traffic"] = run.traffic;
      one["sharding"] = run.sharding;
      one["running"] = run.running;
      if (run.of_rate) one["mode"] = "saturated";
    }
    if (run.kind == measured_kind::memory) {
      one["peak_bytes"] = run.peak.value();
    } else {
      one["time_s"] = run.time.value();
    }
    if (run.spread > 0) one["spread"] = run.spread;
    if (!run.version.empty()) one["version"] = run.version;
    list.push_back(std::move(one));
  }
  return {{"schema", json_schema}, {"type", "calibration"}, {"runs", std::move(list)}};
}

/// Constants fitted to the caller's runs.
struct own_constants {
  calibration training{};         ///< steps
  serving_calibration serving{};  ///< tokens and first tokens
  own_runs memory{};              ///< peaks: see `memory_use` in estimate/training/own_runs.hpp
  std::string left_out{};         ///< the records that lack something, and what the first of them lacks
};

namespace detail {

/// Three digits of a number. Worked: "2.32" of 2.3162.
inline std::string three_digits_of(double x) {
  char text[32] = {};
  std::snprintf(text, sizeof(text), "%.3g", x);
  return text;
}

/// A refusal of a measured run by the keys of its record.
inline error of_run(const measured_run& run, const error& problem) {
  const std::string named = run.id.rfind("run ", 0) == 0 ? run.id : "run " + run.id;
  const bool held = run.kind == measured_kind::memory;
  const std::string key = held                               ? "hbm_used_bytes"
                          : run.kind == measured_kind::step  ? "target_step_time_s"
                          : run.kind == measured_kind::token ? "the time of a token"
                                                             : "the time to the first token";
  const std::string field(problem.field());
  if (field.rfind("own_runs: log of measured", 0) == 0) {
    const double measured = held ? run.peak.value() : run.time.value();
    const double estimated = measured / math::exp(std::strtod(std::string(problem.given()).c_str(), nullptr));
    return {problem.code(), named + ": " + key, nlohmann::json(measured).dump(),
            "within a factor of 148 of what is estimated, " + three_digits_of(estimated)};
  }
  constexpr std::string_view keys[][2] = {
      {"training_job.", ""},
      {"model.attention.", "model."},
      {"model.mlp.d_ff", "model.ffn"},
      {"product of the layout's degrees", "product of data, fsdp and other degrees"}};
  for (const auto& [words, own] : keys) {
    if (field.rfind(words, 0) == 0)
      return {problem.code(), named + ": " + std::string(own) + field.substr(words.size()), problem.given(),
              problem.valid()};
  }
  const bool of_it = field.rfind("measured ", 0) == 0;
  return {problem.code(), named + ": " + (of_it ? key : field), problem.given(), problem.valid()};
}

}  // namespace detail

/// The estimate of a run's time of a token. Worked: of a batch over a rate of tokens it is that of the same clients.
[[nodiscard]] inline token_time token_of(const measured_run& run, const serving_calibration& constants) {
  return token_of_clients(run.model, run.running, run.traffic, run.sharding, run.where, constants, run.of_rate);
}

namespace detail {

/// The time of a token that clients would have measured in a steady state, which is what is corrected by it.
inline seconds steady_time_of(const measured_run& run, serving_calibration constants) {
  constants.own_decode.count = 0;
  const seconds steady = time_per_token(run.model, run.running, run.traffic, run.sharding, run.where, constants).total;
  return run.time * (steady / token_of(run, constants).total);
}

}  // namespace detail

namespace detail {

/// Lets the constants know one run.
inline void take_in(own_constants& known, const measured_run& run) {
  switch (run.kind) {
    case measured_kind::step:
      known.training =
          with_own_run(known.training, run.time, run.model, run.job, run.mesh, run.where, run.spread, run.version);
      break;
    case measured_kind::memory:
      known.memory =
          with_own_peak(known.memory, run.peak, run.model, run.job, run.mesh, run.where, run.spread, run.version);
      break;
    case measured_kind::token:
      known.serving = with_own_decode(known.serving, steady_time_of(run, known.serving), run.model, run.running,
                                      run.traffic, run.sharding, run.where, run.spread, run.version);
      break;
    case measured_kind::first_token:
      known.serving = with_own_prefill(known.serving, run.time, run.model, run.traffic, run.sharding, run.where,
                                       run.spread, run.version);
      break;
  }
}

}  // namespace detail

/// The constants fitted to the runs, at most 20 of each kind, starting from `known`. First tokens come first, whatever
/// their place: prompts that are slower than estimated are a part of the times of tokens. Throws, naming the run, for
/// more runs, which the message says, and for a time that differs from its estimate by a factor above 148. Worked: two
/// steps, a peak and a token time are 2 runs of `training.own`, 1 of `memory` and 1 of `serving.own_decode`.
[[nodiscard]] inline own_constants constants_knowing(const std::vector<measured_run>& runs, own_constants known = {}) {
  for (const bool prompts : {true, false}) {
    for (const measured_run& run : runs) {
      if ((run.kind == measured_kind::first_token) != prompts) continue;
      try {
        detail::take_in(known, run);
      } catch (const error& problem) {
        if (problem.field() == "own_runs.count")
          throw error(errc::out_of_range, "runs",
                      std::to_string(most_own_runs + 1) + " or more of one kind, with " + run.id,
                      "at most 20 of a kind: steps, peaks, tokens, first tokens");
        throw detail::of_run(run, problem);
      }
    }
  }
  return known;
}

/// The constants fitted to the runs of a file, and which of its records were left out. Throws as the other does.
/// Worked: of two steps, of which the second has no model, one is known and "run 2" is left out.
[[nodiscard]] inline own_constants constants_knowing(const measured_runs& read, own_constants known = {}) {
  known = constants_knowing(read.runs, std::move(known));
  if (read.skipped.empty()) return known;
  const auto& [id, why] = read.skipped.front();
  known.left_out = id;
  if (read.skipped.size() > 1) known.left_out += " and " + std::to_string(read.skipped.size() - 1) + " more";
  known.left_out += " (" + why + ")";
  return known;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
