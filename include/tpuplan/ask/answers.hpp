#ifndef TPUPLAN_ASK_ANSWERS_HPP
#define TPUPLAN_ASK_ANSWERS_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/ask/day.hpp>
#include <tpuplan/ask/day_generation.hpp>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/ask/generate.hpp>
#include <tpuplan/ask/model_generation.hpp>
#include <tpuplan/ask/model_network.hpp>
#include <tpuplan/ask/payment.hpp>
#include <tpuplan/ask/places.hpp>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/ask/plan_day.hpp>
#include <tpuplan/ask/plan_generation.hpp>
#include <tpuplan/ask/plan_network.hpp>
#include <tpuplan/ask/plan_train_generation.hpp>
#include <tpuplan/ask/reply.hpp>
#include <tpuplan/ask/risk.hpp>
#include <tpuplan/ask/schema.hpp>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/ask/simulate_generation.hpp>
#include <tpuplan/ask/spot.hpp>
#include <tpuplan/ask/sweep.hpp>
#include <tpuplan/ask/train_generation.hpp>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/world_prices.hpp>
#include <tpuplan/read/zones.hpp>
#include <tpuplan/show/views.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// From a request as JSON to the answer of its question: what ask.hpp calls for each.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// Whether `request.job` gives the key `key`: only what the job leaves out is filled in.
[[nodiscard]] inline bool job_gives(const nlohmann::json& request, const char* key) {
  const auto job = request.find("job");
  return job != request.end() && job->is_object() && job->contains(key);
}

template <class Request>
[[nodiscard]] Request read_request(const nlohmann::json& request) {
  return read_json<Request>(request, {}, "request");
}

/// The job of a question, which knows the runs of the user's own.
template <class Request>
[[nodiscard]] placed_job placed_of(any_model model, const nlohmann::json& request, const Request& asked,
                                   calibrated_part part) {
  if (model.net)
    fail(errc::unsupported, "config", "a network of layers",
         "a language model; fit_network, train_network and plan_network take it");
  placed_job all = placed(std::move(model.config), asked.slice, asked.mesh, asked_job_of(request));
  if (!asked.calibration.is_null()) learn(all, constants_of(asked.calibration, part));
  return all;
}

/// Refuses a key that is given and changes nothing.
inline void refuse_without_effect(const nlohmann::json& request, const std::string& key, std::string_view valid) {
  if (request.contains(key)) fail(errc::invalid_argument, "request." + key, "given without effect", valid);
}

/// Refuses lengths in the job when distributions of the same lengths are given too.
inline void refuse_lengths_twice(const nlohmann::json& request) {
  for (const auto& [list, length] : {std::pair("prompts", "prompt"), std::pair("outputs", "output")}) {
    if (job_gives(request, length)) refuse_without_effect(request, list, "none beside the lengths of the job");
  }
}

template <class Request, class = void>
struct has_zone : std::false_type {};
template <class Request>
struct has_zone<Request, std::void_t<decltype(std::declval<Request>().zone)>> : std::true_type {};
template <class Request>
[[nodiscard]] std::string zone_of(const Request& asked) {
  if constexpr (has_zone<Request>::value)
    return asked.zone;
  else
    return {};
}
/// The known prices of places, by one of the functions that say what counts there.
template <class Placed>
[[nodiscard]] placed_prices known_prices_in(const asked_places& places, const Placed& counted) {
  asked_prices known{world_prices()};
  placed_prices there = counted(places, known.book(), built_in_zones());
  if (!there.prices.own) there.prices = std::move(known);
  return there;
}
/// The prices of a plan in its places: those of the question, or the known ones as `prices_in_places` has them.
template <class Request>
[[nodiscard]] placed_prices prices_of_plan(const Request& asked) {
  if (!asked.prices.is_null()) return {prices_of(asked.prices), {}};
  return known_prices_in({asked.regions, asked.generations, asked.kinds, zone_of(asked)}, prices_in_places);
}
/// The prices of a question about one region and these chips.
[[nodiscard]] inline placed_prices prices_there(const nlohmann::json& prices, const std::string& region,
                                                const std::vector<std::string>& chip_names, const std::string& zone) {
  if (!prices.is_null()) return {prices_of(prices), {}};
  return known_prices_in({{region}, chip_names, {}, zone}, prices_in_region);
}
/// The same of a question about one slice, whose name may be wrong.
template <class Request>
[[nodiscard]] placed_prices prices_of_slice(const Request& asked) {
  const maybe<slice> where = find_slice(asked.slice);
  const std::vector<std::string> chip_names(where ? 1 : 0,
                                            where ? std::string(where->chip.name.view()) : std::string());
  return prices_there(asked.prices, asked.region, chip_names, zone_of(asked));
}

template <class Request, class = void>
struct has_regions : std::false_type {};
template <class Request>
struct has_regions<Request, std::void_t<decltype(std::declval<Request>().regions)>> : std::true_type {};
/// The prices of a question that may be a plan.
template <class Request>
[[nodiscard]] placed_prices prices_of_any(const Request& asked) {
  if constexpr (has_regions<Request>::value)
    return prices_of_plan(asked);
  else
    return prices_of_slice(asked);
}

template <class Answer, class = void>
struct has_assumed : std::false_type {};
template <class Answer>
struct has_assumed<Answer, std::void_t<decltype(std::declval<Answer>().assumed)>> : std::true_type {};
/// The reply with what is said of the places of its question.
template <class Answer>
[[nodiscard]] reply reply_there(Answer answer, const placed_prices& there, const wanted_beside& beside) {
  std::vector<assumption>* assumed = nullptr;
  if constexpr (has_assumed<Answer>::value)
    assumed = &answer.assumed;
  else
    assumed = &answer.memory.assumed;
  assumed->insert(assumed->end(), there.said.begin(), there.said.end());
  return reply_of(answer, beside);
}

template <class Request>
[[nodiscard]] reply plain_answer(const nlohmann::json& request, const wanted_beside& beside) {
  return reply_of(answer_to(read_request<Request>(request)), beside);
}
[[nodiscard]] inline reply pay_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const pay_request asked = read_request<pay_request>(request);
  const placed_prices there = prices_of_slice(asked);
  return reply_there(answer_to(asked, there.prices.book()), there, beside);
}
[[nodiscard]] inline reply model_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const model_request asked = read_request<model_request>(request);
  const model_config config = model_of(asked.config);
  const architecture kind = config.model.kind;
  const bool decodes = kind == architecture::decoder || kind == architecture::encoder_decoder;
  if (!decodes) refuse_without_effect(request, "kv_dtype", "a decoder, which has a KV cache");
  if (!decodes && kind != architecture::encoder)
    refuse_without_effect(request, "sequence_length", "a model that takes tokens");
  return reply_of(answer_to(config, asked.sequence_length, asked.kv_dtype), beside);
}
[[nodiscard]] inline reply fit_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const fit_request asked = read_request<fit_request>(request);
  return reply_of(
      answer_to_fit(placed_of(read_any_model(asked.config), request, asked, calibrated_part::steps_and_memory)),
      beside);
}
/// What is of a run alone: without effect where a step is asked about.
inline constexpr const char* keys_of_a_run[] = {"zone",
                                                "region",
                                                "prices",
                                                "mean_time_between_preemptions_s",
                                                "rest_of_term_used",
                                                "market",
                                                "lifetimes",
                                                "queue_time_s",
                                                "restart_time_s",
                                                "chip_time_between_failures_s",
                                                "around",
                                                "timeline",
                                                "data"};
[[nodiscard]] inline reply train_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const train_request asked = read_request<train_request>(request);
  for (const char* key : keys_of_a_run)
    if (asked.tokens <= 0) refuse_without_effect(request, key, "none without tokens");
  const placed_prices there = prices_of_slice(asked);
  const placed_job all = placed_of(read_any_model(asked.config), request, asked, calibrated_part::steps_and_memory);
  return reply_there(answer_to_train(all, asked, there.prices.book()), there, beside);
}
[[nodiscard]] inline reply risk_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const nlohmann::json config = request.value("config", nlohmann::json());
  nlohmann::json bare = request;  // of whatever kind
  for (const char* key : {"job", "mesh"}) bare.erase(key);
  const placed_prices there = prices_of_slice(read_request<risk_request>(bare));
  const price_book book = there.prices.book();
  if (is_pipeline(config)) {
    std::vector<assumption> read;
    const diffusion_pipeline pipeline = read_pipeline(config, read);
    return reply_there(answer_to_risk_of_pictures(pipeline, read, request, book), there, beside);
  }
  const any_model model = read_any_model(config);
  if (model.net) return reply_there(answer_to_risk_of_network(model, request, book), there, beside);
  const risk_request asked = read_request<risk_request>(request);
  for (const char* key : {"data", "input", "sizes", "frames", "text_tokens", "slices", "exchange"})
    refuse_without_effect(request, key, "none of a language model: tokens, and mesh.dcn_data");
  const placed_job all = placed_of(model, request, asked, calibrated_part::steps_and_memory);
  return reply_there(answer_to_risk(all, asked, book), there, beside);
}
[[nodiscard]] inline reply model_generation_answered(const nlohmann::json& request, const wanted_beside& beside) {
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = read_pipeline(read_request<model_generation_request>(request).config, read);
  return reply_of(answer_to_model_generation(pipeline, read), beside);
}
[[nodiscard]] inline reply model_network_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const any_model read = read_any_model(read_request<model_network_request>(request).config);
  if (!read.net) fail(errc::unsupported, "config", "a language model", "a network of layers: model counts this one");
  return reply_of(answer_to_model_network(*read.net, read.config.assumed), beside);
}
/// A question of what a pipeline makes.
template <class Request, class Answer, Answer (*Answered)(const read_generation&, const Request&, const price_book&)>
[[nodiscard]] reply generation_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const Request asked = read_request<Request>(request);
  const placed_prices there = prices_of_any(asked);
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = read_pipeline(asked.config, read);
  const std::int64_t batch = asked.batch == Request{}.batch ? 1 : asked.batch;
  return reply_there(Answered(filled(pipeline, std::move(read), asked.make, batch), asked, there.prices.book()), there,
                     beside);
}
[[nodiscard]] inline reply train_generation_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const train_generation_request asked = read_request<train_generation_request>(request);
  for (const char* key : keys_of_a_run)
    if (asked.data.examples == 0) refuse_without_effect(request, key, "none without data.examples");
  const placed_prices there = prices_of_slice(asked);
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = read_pipeline(asked.config, read);
  return reply_there(answer_to_train_generation(pipeline, read, asked, there.prices.book()), there, beside);
}
[[nodiscard]] inline reply fit_generation_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const fit_generation_request asked = read_request<fit_generation_request>(request);
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = read_pipeline(asked.config, read);
  return reply_of(answer_to_fit_generation(pipeline, read, asked), beside);
}
[[nodiscard]] inline reply plan_train_generation_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const plan_train_generation_request asked = read_request<plan_train_generation_request>(request);
  const placed_prices there = prices_of_plan(asked);
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = read_pipeline(asked.config, read);
  return reply_there(answer_to_plan_train_generation(pipeline, read, asked, there.prices.book()), there, beside);
}
template <class Request>
[[nodiscard]] placed_network network_of(const Request& asked) {
  return placed(read_any_model(asked.config), asked.slice, asked.mesh, asked.job);
}
[[nodiscard]] inline reply fit_network_answered(const nlohmann::json& request, const wanted_beside& beside) {
  return reply_of(answer_to_fit(network_of(read_request<fit_network_request>(request))), beside);
}
[[nodiscard]] inline reply train_network_answered(const nlohmann::json& request, const wanted_beside& beside) {
  train_network_request asked = read_request<train_network_request>(request);
  for (const char* key : keys_of_a_run)
    if (asked.data.examples == 0) refuse_without_effect(request, key, "none without data.examples");
  const placed_prices there = prices_of_slice(asked);
  const placed_network placed = network_of(asked);
  asked.input = input_of(placed.net, request);
  return reply_there(answer_to_train(placed, asked, there.prices.book()), there, beside);
}
[[nodiscard]] inline reply plan_network_answered(const nlohmann::json& request, const wanted_beside& beside) {
  plan_network_request asked = read_request<plan_network_request>(request);
  const placed_prices there = prices_of_plan(asked);
  const any_model model = read_any_model(asked.config);
  if (model.net) asked.input = input_of(*model.net, request);
  return reply_there(answer_to(model, asked, there.prices.book()), there, beside);
}
[[nodiscard]] inline reply sweep_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const bool of_pictures = is_pipeline(request.value("config", nlohmann::json()));
  nlohmann::json own = request;
  if (of_pictures) own.erase("job");  // which is of another kind
  plan_sweep_request asked = read_request<plan_sweep_request>(own);
  if (asked.stopped == 0) refuse_without_effect(request, "stopped_after", "none without stopped");
  if (asked.data.examples == 0) refuse_without_effect(request, "data", "none without data.examples");
  if (job_gives(request, "gradient_accumulation"))
    fail(errc::invalid_argument, "request.job.gradient_accumulation", "given without effect", "none: it is chosen");
  const placed_prices there = prices_there(asked.prices, asked.region, asked.generations, asked.zone);
  const price_book book = there.prices.book();
  if (of_pictures) {
    std::vector<assumption> read;
    const diffusion_pipeline pipeline = read_pipeline(asked.config, read);
    return reply_there(answer_to(pipeline, read, asked, request, book), there, beside);
  }
  const any_model model = read_any_model(asked.config);
  if (model.net) asked.input = input_of(*model.net, request);
  return reply_there(answer_to(model, asked, request, book), there, beside);
}
/// The model that is served; what its files say of formats and lengths goes into the job where that leaves them open.
template <class Request>
[[nodiscard]] model_config served_model_of(const nlohmann::json& request, Request& asked) {
  refuse_lengths_twice(request);
  if (asked.job.prefix_groups != 1 && asked.job.shared_prefix == 0)
    fail(errc::invalid_argument, "request.job.prefix_groups", asked.job.prefix_groups, "1 without job.shared_prefix");
  model_config config = model_of(asked.config);
  use_stored_format(config, job_gives(request, "weights"), asked.job);
  use_own_lengths(config.model, job_gives(request, "prompt"), job_gives(request, "output"), asked.job);
  learn(config, asked.constants, constants_of(asked.calibration, calibrated_part::serving, {{}, asked.constants, {}}));
  return config;
}
[[nodiscard]] inline reply serve_answered(const nlohmann::json& request, const wanted_beside& beside) {
  serve_request asked = read_request<serve_request>(request);
  const model_config config = served_model_of(request, asked);
  const placed_prices there = prices_of_slice(asked);
  return reply_there(answer_to_serve(config, asked, there.prices.book()), there, beside);
}
[[nodiscard]] inline reply simulate_answered(const nlohmann::json& request, const wanted_beside& beside) {
  simulate_request asked = read_request<simulate_request>(request);
  if (!asked.trace.empty()) {
    for (const char* key : {"prompts", "outputs", "variation", "requests", "seed", "load"})
      refuse_without_effect(request, key, "none beside a trace");
    for (const char* key : {"request_rate_per_s", "prompt", "output"}) {
      if (job_gives(request, key))
        fail(errc::invalid_argument, std::string("request.job.") + key, "given without effect", "none beside a trace");
    }
  }
  if (asked.job.concurrency > 0) refuse_without_effect(request, "variation", "none beside requests in flight");
  asked.load = asked.load || (beside.pictures && asked.trace.empty());
  const model_config config = served_model_of(request, asked);
  const placed_prices there = prices_of_slice(asked);
  return reply_there(answer_to_simulate(config, asked, there.prices.book()), there, beside);
}
inline void refuse_lengths_of_trace(const nlohmann::json& request, const traffic_over_day& traffic) {
  refuse_cached_tokens(traffic.trace, "traffic.trace");
  for (const char* key : {"prompt", "output"}) {
    if (!traffic.trace.empty() && job_gives(request, key))
      fail(errc::invalid_argument, std::string("request.job.") + key, "given without effect", "none beside a trace");
  }
  for (const char* key : {"prompts", "outputs"})
    if (!traffic.trace.empty()) refuse_without_effect(request, key, "none beside a trace");
}
[[nodiscard]] inline reply day_answered(const nlohmann::json& request, const wanted_beside& beside) {
  asked_day asked = read_request<asked_day>(request);
  refuse_lengths_of_trace(request, asked.traffic);
  const model_config config = served_model_of(request, asked);
  const placed_prices there = prices_of_slice(asked);
  return reply_there(answer_to_day(config, asked, there.prices.book()), there, beside);
}
[[nodiscard]] inline reply plan_day_answered(const nlohmann::json& request, const wanted_beside& beside) {
  asked_plan_day asked = read_request<asked_plan_day>(request);
  refuse_lengths_of_trace(request, asked.traffic);
  const model_config config = served_model_of(request, asked);
  const placed_prices there = prices_there(asked.prices, asked.region, asked.generations, {});
  return reply_there(answer_to_plan_day(config, asked, there.prices.book()), there, beside);
}
[[nodiscard]] inline reply plan_serving_answered(const nlohmann::json& request, const wanted_beside& beside) {
  asked_serving_plan asked = read_request<asked_serving_plan>(request);
  const model_config config = served_model_of(request, asked);
  const placed_prices there = prices_of_plan(asked);
  return reply_there(answer_to_plan_serving(config, asked, there.prices.book()), there, beside);
}
[[nodiscard]] inline reply plan_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const asked_plan asked = read_request<asked_plan>(request);
  if (job_gives(request, "gradient_accumulation"))
    fail(errc::invalid_argument, "request.job.gradient_accumulation", "given without effect", "none: it is chosen");
  const placed_prices there = prices_of_plan(asked);
  return reply_there(detail::answer_to_plan(asked, asked_job_of(request), there.prices.book()), there, beside);
}
[[nodiscard]] inline reply launch_answered(const nlohmann::json& request, const wanted_beside&) {
  const auto given = request.find("request");
  if (given != request.end() && given->is_object()) {
    for (const char* key : {"where", "slices", "capacity", "run_s"})
      refuse_without_effect(*given, key, "none beside a plan, which has its own");
  }
  const launch_text written = answer_to(read_request<asked_launch>(request));
  return {{{"text", written.text}, {"document", written.document}}, {}, {}};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
