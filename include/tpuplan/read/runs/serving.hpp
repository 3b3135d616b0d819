#ifndef TPUPLAN_READ_RUNS_SERVING_HPP
#define TPUPLAN_READ_RUNS_SERVING_HPP

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/runs/source.hpp>
#include <tpuplan/read/runs/training.hpp>
#include <tpuplan/read/runs/words.hpp>
#include <tpuplan/read/stored_format.hpp>

/// @file
/// Decode and prefill runs that were measured, in both formats of data/measured, as questions that the estimates can
/// answer.

namespace tpuplan {
inline namespace abi_0 {

/// What the time of a record measures.
enum class serving_question : std::uint8_t {
  decode_step,     ///< one step by itself
  engine_step,     ///< the mean time of an output token in an engine that computes prompts in between
  prefill,         ///< prompts by themselves
  engine_prefill,  ///< the mean time to the first token of prompts that came together
  end_to_end       ///< prompts and all their output tokens, one batch by itself
};

/// A serving run and what was measured.
struct serving_record {
  std::string id;                                             ///< of the record
  std::string family;                                         ///< of models, as the record names it
  std::string source;                                         ///< who published it; empty where it does not say
  std::string quality;                                        ///< of the source: A, B or C
  transformer model{};                                        ///< its shape
  serving_job job{};                                          ///< traffic, formats and engine
  serving_layout mesh{};                                      ///< how it was sharded
  slice where{};                                              ///< the slice
  serving_question question = serving_question::decode_step;  ///< what the time is of
  bool saturated = false;  ///< the time is a batch over a rate of tokens, and includes scheduling and sampling
  double batch = 0;        ///< sequences that run, or prompts
  seconds measured{};      ///< the time
  std::string version;     ///< of the software, where the record tells it from others of its source
};

namespace detail {

/// The sharding, from the words; spelled-out records have the key `scheme`. "dp4" is data-parallel attention in
/// four groups of a mixture of experts; of other models, keys and values by sequences.
inline serving_layout record_serving_layout(const json_object& record, const transformer& model) {
  serving_layout mesh;
  const std::string words = lower(text_of(record, "parallelism") + " " + text_of(record, "scheme"));
  if (words.find("2d") != std::string::npos) mesh.weights = weight_sharding::two_dimensions;
  if (words.find("gathered") != std::string::npos) mesh.weights = weight_sharding::gathered;
  const auto groups = static_cast<std::int64_t>(number_behind(words, "dp"));
  const bool flat = mesh.weights == weight_sharding::one_dimension;
  if (groups > 1 && flat && record.has("tensor") && has_experts(model)) {
    const std::int64_t tensor = record.positive_count("tensor");
    if (tensor % groups != 0) fail(errc::not_divisible, record.path("tensor"), tensor, "a multiple of the groups");
    mesh.attention = tensor / groups;
    return mesh;
  }
  const bool by_batch = words.find("over batch") != std::string::npos || groups > 1;
  if (by_batch || !flat) mesh.cache = cache_sharding::batch;
  return mesh;
}

/// The engine that the id and source of a record imply. `^` stands for the beginning.
inline serving_engine marked_engine(const json_object& record) {
  const std::string words = record.string("id") + " " + lower(text_of(record, "source"));
  for (const engine_row& row : engines) {
    std::string_view marks = row.marks;
    for (std::string_view mark = take_word(marks); !mark.empty(); mark = take_word(marks)) {
      if (mark.front() == '^' ? words.rfind(mark.substr(1), 0) == 0 : words.find(mark) != std::string::npos)
        return row.engine;
    }
  }
  return serving_engine::unnamed;
}

/// The engine that a record names, by the longest word of a row that is a part of it, or else the one that it implies.
inline serving_engine record_engine(const json_object& record) {
  const std::string given = lower(text_of(record, "engine"));
  if (given.empty()) return marked_engine(record);
  serving_engine found = serving_engine::unnamed;
  std::size_t longest = 0;
  for (const engine_row& row : engines) {
    std::string_view words = row.words;
    for (std::string_view word = take_word(words); !word.empty(); word = take_word(words)) {
      if (word.size() <= longest || given.find(word) == std::string::npos) continue;
      longest = word.size();
      found = row.engine;
    }
  }
  return found;
}

/// How well the program is tuned: as the record says under `software_level`; a first port where experts run in kernels
/// of their own, which SGLang-JAX calls epmoe; of a model's own loop as in training; else general, as engines are.
inline software_level record_serving_software(const json_object& record, serving_engine engine) {
  if (record.has("software_level")) {
    const std::string given = record.string("software_level");
    if (const maybe<software_level> level = parse_software_level(given)) return *level;
    fail(errc::unknown_name, record.path("software_level"), given, names_of<software_level>().view());
  }
  const std::string words = lower(text_of(record, "parallelism") + " " + text_of(record, "notes"));
  if (words.find("epmoe") != std::string::npos) return software_level::first_port;
  const bool tuned = engine == serving_engine::example && taken_as_tuned(record_software(record));
  return tuned ? software_level::tuned : software_level::general;
}

inline serving_job record_traffic(const json_object& record) {
  serving_job job;
  if (record.has("weight_dtype")) job.weights = record_dtype(record, "weight_dtype");
  job.cache = record_dtype(record, "kv_dtype");
  if (record.has("activation_dtype")) job.activations = record_dtype(record, "activation_dtype");
  job.prompt = fixed_length(record.positive_count("input_len"));
  job.output = fixed_length(record.has("output_len") ? record.positive_count("output_len") : 1);
  job.prefix_hit_rate = record.number_or("prefix_hit_rate", 0);
  job.speculation.draft_tokens = record.count_or("draft_tokens", 0);
  for (const char* of_drafts : {"accepted_length", "draft_cost"}) {
    if (job.speculation.draft_tokens == 0 && record.has(of_drafts))
      fail(errc::missing_field, record.path("draft_tokens"), "missing", "the tokens that a round drafts");
  }
  if (job.speculation.draft_tokens > 0) {
    job.speculation.accepted_length = record.positive_number("accepted_length");
    job.speculation.draft_cost = record.number_or("draft_cost", 0);
  }
  job.beyond_max_positions = true;
  job.policy = row_of(marked_engine(record)).cache;
  job.engine = record_engine(record);
  job.software = record_serving_software(record, job.engine);
  return job;
}

/// Running sequences: by Little's law if the source has a rate, else as many as were asked for.
inline double record_running(const json_object& record) {
  if (record.has("running_batch")) return record.positive_number("running_batch");
  if (record.has("check") && record.object("check").has("littles_law_batch"))
    return record.object("check").positive_number("littles_law_batch");
  return static_cast<double>(record.positive_count("global_batch"));
}

inline void read_decode_time(const json_object& record, const std::string& mode, serving_record& result) {
  result.question = mode == "isolated" ? serving_question::decode_step : serving_question::engine_step;
  result.batch = record_running(record);
  if (record.has("target_step_time_s")) {
    result.measured = measured_time(record, "target_step_time_s");
    return;
  }
  const json_object measured = record.object("measured");
  result.saturated = !measured.has("decode_step_ms");
  result.measured = measured_time(measured, result.saturated ? "step_ms_from_throughput" : "decode_step_ms", 1_ms);
}

/// The prompts for which the median request of a burst waits. If a burst is all there is, that is half of it.
/// Benchmarks of engines keep a number in flight and send several requests for each slot, of which the median waits for
/// all the others; this is assumed unless the record says that there were fewer. A rate of tokens is the time of one
/// burst.
inline double prompts_in_burst(const json_object& record, double in_flight) {
  const bool one_wave = record.has("prompts") && record.positive_number("prompts") < 2 * in_flight;
  return one_wave ? (in_flight + 1) / 2 : in_flight;
}

inline void read_prefill_time(const json_object& record, const std::string& mode, serving_record& result) {
  if (result.job.prefix_hit_rate > 0)
    fail(errc::unsupported, record.path("prefix_hit_rate"), result.job.prefix_hit_rate, "none of a prefill");
  result.question = mode == "isolated" ? serving_question::prefill : serving_question::engine_prefill;
  const bool rate = mode.find("prefill only") != std::string::npos;
  const double prompts = rate ? 1 : static_cast<double>(record.positive_count("global_batch"));
  result.batch = mode == "isolated" || rate ? prompts : prompts_in_burst(record, prompts);
  if (rate) {
    if (!record.has("measured")) fail(errc::missing_field, record.path("measured"), "absent", "a rate of tokens");
    const json_object measured = record.object("measured");
    const double tokens = measured.positive_number("total_tokens_per_s");
    result.measured = measured_time(measured.path("total_tokens_per_s"), result.job.prompt.mean / tokens);
    return;
  }
  if (record.has("target_step_time_s")) {
    result.measured = measured_time(record, "target_step_time_s");
    return;
  }
  const json_object measured = record.object("measured");
  result.measured =
      mode == "isolated" ? measured_time(measured, "latency_s") : measured_time(measured, "ttft_ms", 1_ms);
}

inline void read_end_to_end(const json_object& record, serving_record& result) {
  result.question = serving_question::end_to_end;
  result.batch = static_cast<double>(record.positive_count("global_batch"));
  if (!record.has("measured")) fail(errc::missing_field, record.path("measured"), "absent", "a latency");
  result.measured = measured_time(record.object("measured"), "latency_s");
}

/// Takes the devices of the slice that a record says are idle from its replica.
inline void leave_idle(const json_object& record, serving_record& result) {
  const std::int64_t idle = record.count_or("idle_devices", 0), all = devices(result.where);
  if (idle == 0) return;
  const std::int64_t used = all - idle;
  if (used < 1 || all % used != 0)
    fail(errc::invalid_argument, record.path("idle_devices"), idle,
         "what a divisor of the " + std::to_string(all) + " devices of the slice leaves");
  result.mesh.tensor = used;
}

}  // namespace detail

/// A decode or prefill record of data/measured as a question and the time that was measured. Throws, naming `path` and
/// the field, for invalid or missing values, and for what is not modelled: prefill that is timed with some decoding,
/// models without a shape. Worked: the first decode record of data/measured is one sequence on v4-32, measured at
/// 0.0145 s.
[[nodiscard]] inline serving_record read_serving_record(const nlohmann::json& value, const std::string& path) {
  const json_object record(value, path);
  serving_record result;
  result.id = record.string("id");
  result.family = record.string("family");
  result.source = source_of(detail::text_of(record, "source"));
  result.version = detail::text_of(record, "version");
  result.quality = record.string("quality");
  const char* said = record.has("mode") ? "mode" : "task";
  const std::string mode = record.string(said);
  if (mode.find("plus") != std::string::npos)
    detail::fail(errc::unsupported, record.path(said), mode, "prefill and decode apart");
  if (!record.has("config") && !record.object("model").has("layers"))
    detail::fail(errc::missing_field, record.path("model.layers"), "absent", "the model's dimensions");
  model_config config = detail::config_of_record(record);
  result.model = config.model;
  result.job = detail::record_traffic(record);
  if (!record.has("weight_dtype") && !record.has("config"))
    detail::fail(errc::missing_field, record.path("weight_dtype"), "absent", "the format of the weights");
  use_stored_format(config, record.has("weight_dtype"), result.job);
  result.mesh = detail::record_serving_layout(record, result.model);
  result.where = detail::record_slice(record);
  detail::leave_idle(record, result);
  if (mode.find("end-to-end") != std::string::npos) {
    detail::read_end_to_end(record, result);
  } else if (record.string("kind") == "decode") {
    detail::read_decode_time(record, mode, result);
  } else {
    detail::read_prefill_time(record, mode, result);
  }
  return result;
}

/// A published measurement of the memory of serving.
struct serving_memory_record {
  serving_memory use{};  ///< of one device
  bytes held{};          ///< the part that was measured
  bool whole = false;    ///< the record describes all memory of the program, so that the verdict can be judged
};

namespace detail {

/// What a memory record of serving measures.
struct memory_task {
  bool cache_alone = false;  ///< the cache only
  bool pool = false;         ///< a pool that fills the rest of the memory
  bool batch = false;        ///< a batch and its lengths are given
};

inline memory_task memory_task_of(const json_object& record) {
  const std::string task = record.string("task");
  const memory_task result{task == "kv cache capacity", task == "serving" || task == "serving pool sizing",
                           task == "serving weights+kv" || task == "kv cache capacity"};
  if (task != "serving weights" && !result.pool && !result.batch)
    fail(errc::unsupported, record.path("task"), task, "weights, or weights and the cache of a batch");
  return result;
}

/// The formats, from words such as "int8 weights and KV".
inline void read_formats(const json_object& record, serving_job& job) {
  const std::string precision = lower(record.has("precision") ? record.string("precision") : "bf16");
  const bool quantised_cache = precision.find("kv") != std::string::npos;
  for (const dtype type : {dtype::int8, dtype::fp8}) {
    if (precision.find(name(type)) == std::string::npos) continue;
    job.weights = type;
    if (quantised_cache) job.cache = type;
  }
}

/// The model as it is served: heads that the engine pads are padded.
inline transformer model_as_served(const json_object& record) {
  const std::string words = lower(text_of(record, "parallelism"));
  if (words.find("multihead variant") != std::string::npos)
    fail(errc::unsupported, record.path("parallelism"), words, "the model as its fields describe it");
  const json_object shape = record.object("model");
  transformer model = record_model(shape);
  if (shape.has("serving_heads_padded_to")) model.attention.heads = shape.positive_count("serving_heads_padded_to");
  return model;
}

}  // namespace detail

/// A memory record of serving as the estimated bytes of one device, and the part of them that was measured: weights,
/// weights and cache, or the cache. Throws, naming `path` and the field, for other tasks and for invalid or missing
/// values. Worked: LLaMA 65B in bf16 on 8 chips of v4 (mem-llama-65b-v4-16) holds 16.65 GB of weights: 65284341760 x 2
/// bytes over 8, and 2 % of padding.
[[nodiscard]] inline serving_memory_record read_serving_memory(const nlohmann::json& value, const std::string& path) {
  const json_object record(value, path);
  const detail::memory_task task = detail::memory_task_of(record);
  const transformer model = detail::model_as_served(record);
  serving_job job;
  detail::read_formats(record, job);
  const slice where = detail::record_slice(record);
  double running = 0;
  std::int64_t prompt = 1;
  if (task.batch) {
    running = static_cast<double>(record.positive_count("global_batch"));
    const json_object shape = record.object("model");
    prompt = std::max<std::int64_t>(1, (shape.has("seq_len") ? shape : record).positive_count("seq_len") - 1);
    job.policy = cache_policy::reserved;
  }
  job.prompt = fixed_length(prompt);
  job.output = fixed_length(1);
  serving_memory_record result;
  result.use = serving_memory_use(model, running, job, detail::record_serving_layout(record, model), where);
  result.held = task.cache_alone ? result.use.cache : task.batch ? result.use.total : result.use.weights;
  result.whole = !task.cache_alone && !task.pool;
  return result;
}

/// The mean time of an output token as one of so many clients of each replica meets it, or, `of_rate`, these clients
/// over the rate of their tokens: clients whose answers have one length go on in step, and some of their prompts come
/// before a first token. It is `time_per_token` where `serve` refuses that many. Worked: that of `serve` with the same
/// requests in flight.
[[nodiscard]] inline token_time token_of_clients(const transformer& model, double clients, const serving_job& job,
                                                 const serving_layout& mesh, const slice& where,
                                                 const serving_calibration& constants = default_serving_calibration,
                                                 bool of_rate = false) {
  serving_job asked = job;
  asked.request_rate = {}, asked.ttft_target = asked.tpot_target = {};
  asked.concurrency = floor_to_count(clients * detail::replica_of(mesh, where).count + 0.5);
  if (asked.concurrency < 1 || detail::has_one_token(job))
    return time_per_token(model, clients, job, mesh, where, constants);
  const serving_estimate estimate = serve(model, asked, mesh, where, constants);
  if (estimate.refusal != serving_refusal::none) return time_per_token(model, clients, job, mesh, where, constants);
  token_time token = estimate.per_token;
  if (!of_rate) return token;
  const double longer = static_cast<double>(asked.concurrency) / (estimate.output_tokens * token.total);
  for (seconds* each : {&token.total, &token.low, &token.high}) *each *= longer;
  return token;
}

/// The estimate for a record.
struct serving_prediction {
  seconds time{};             ///< estimate of the time that the record has
  seconds low{};              ///< the lower end of its range
  seconds high{};             ///< the upper end
  bool extrapolated = false;  ///< outside of what published runs cover
};

/// The estimate for a record's question with the given constants, in seconds, with the range that nine of ten runs are
/// in. Throws as the estimates do. Worked: for a decode record it is `decode_step` of the same batch and context.
[[nodiscard]] inline serving_prediction predict(const serving_record& record,
                                                const serving_calibration& constants = default_serving_calibration) {
  if (record.question == serving_question::decode_step) {
    const decode_breakdown t = decode_step(record.model, {record.batch, running_context(record.job)}, record.job,
                                           record.mesh, record.where, constants);
    return {t.total, t.low, t.high, t.extrapolated};
  }
  if (record.question == serving_question::engine_step) {
    const token_time t = time_per_token(record.model, record.batch, record.job, record.mesh, record.where, constants);
    return {t.total, t.low, t.high, t.extrapolated};
  }
  if (record.question == serving_question::end_to_end) {
    const prefill_breakdown prompts = prefill_time(record.model, {record.batch, record.job.prompt.longest}, record.job,
                                                   record.mesh, record.where, constants);
    const decode_breakdown step = decode_step(record.model, {record.batch, running_context(record.job)}, record.job,
                                              record.mesh, record.where, constants);
    const double steps = record.job.output.mean;
    return {prompts.total + step.total * steps, prompts.low + step.low * steps, prompts.high + step.high * steps,
            prompts.extrapolated};
  }
  const prefill_breakdown t = prefill_time(record.model, {record.batch, record.job.prompt.longest}, record.job,
                                           record.mesh, record.where, constants);
  const double in_engine = detail::constants_of(constants, record.job.engine).engine_prefill;
  const double times = record.question == serving_question::engine_prefill ? in_engine : 1;
  return {t.total * times, t.low * times, t.high * times, t.extrapolated};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
