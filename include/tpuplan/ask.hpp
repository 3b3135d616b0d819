#ifndef TPUPLAN_ASK_HPP
#define TPUPLAN_ASK_HPP

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/ask/generate.hpp>
#include <tpuplan/ask/model_generation.hpp>
#include <tpuplan/ask/networks.hpp>
#include <tpuplan/ask/payment.hpp>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/ask/plan_generation.hpp>
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
#include <tpuplan/show/views.hpp>
#include <utility>
#include <vector>

/// @file
/// A single entry point: a question as JSON in, its answer as JSON out, without files, network or state. docs/ask.md
/// has an example of each question, `ask_schema` the JSON Schema of requests and answers.

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

template <class Request>
[[nodiscard]] placed_job placed_of(const nlohmann::json& request, const Request& asked) {
  any_model model = read_any_model(asked.config);
  if (model.net)
    fail(errc::unsupported, "config", "a network of layers",
         "a language model; fit_network, train_network and plan_network take it");
  return placed(std::move(model.config), asked.slice, asked.mesh, asked_job_of(request));
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

template <class Request>
[[nodiscard]] reply plain_answer(const nlohmann::json& request, const wanted_beside& beside) {
  return reply_of(answer_to(read_request<Request>(request)), beside);
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
  return reply_of(answer_to_fit(placed_of(request, read_request<fit_request>(request))), beside);
}
/// What is of a run alone: without effect where a step is asked about.
inline constexpr const char* keys_of_a_run[] = {"region",
                                                "prices",
                                                "mean_time_between_preemptions_s",
                                                "rest_of_term_used",
                                                "market",
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
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  return reply_of(answer_to_train(placed_of(request, asked), asked, own ? own->book() : price_book{}), beside);
}
[[nodiscard]] inline reply risk_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const risk_request asked = read_request<risk_request>(request);
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  return reply_of(answer_to_risk(placed_of(request, asked), asked, own ? own->book() : price_book{}), beside);
}
[[nodiscard]] inline reply model_generation_answered(const nlohmann::json& request, const wanted_beside& beside) {
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = read_pipeline(read_request<model_generation_request>(request).config, read);
  return reply_of(answer_to_model_generation(pipeline, read), beside);
}
/// A question of what a pipeline makes.
template <class Request, class Answer, Answer (*Answered)(const read_generation&, const Request&, const price_book&)>
[[nodiscard]] reply generation_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const Request asked = read_request<Request>(request);
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = read_pipeline(asked.config, read);
  const std::int64_t batch = asked.batch == Request{}.batch ? 1 : asked.batch;
  return reply_of(
      Answered(filled(pipeline, std::move(read), asked.make, batch), asked, own ? own->book() : price_book{}), beside);
}
[[nodiscard]] inline reply train_generation_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const train_generation_request asked = read_request<train_generation_request>(request);
  for (const char* key : keys_of_a_run)
    if (asked.data.examples == 0) refuse_without_effect(request, key, "none without data.examples");
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = read_pipeline(asked.config, read);
  return reply_of(answer_to_train_generation(pipeline, read, asked, own ? own->book() : price_book{}), beside);
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
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  const placed_network placed = network_of(asked);
  asked.input = input_of(placed.net, request);
  return reply_of(answer_to_train(placed, asked, own ? own->book() : price_book{}), beside);
}
[[nodiscard]] inline reply plan_network_answered(const nlohmann::json& request, const wanted_beside& beside) {
  plan_network_request asked = read_request<plan_network_request>(request);
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  const any_model model = read_any_model(asked.config);
  if (model.net) asked.input = input_of(*model.net, request);
  return reply_of(answer_to(model, asked, own ? own->book() : price_book{}), beside);
}
[[nodiscard]] inline reply sweep_answered(const nlohmann::json& request, const wanted_beside& beside) {
  plan_sweep_request asked = read_request<plan_sweep_request>(request);
  if (asked.stopped == 0) refuse_without_effect(request, "stopped_after", "none without stopped");
  if (asked.data.examples == 0) refuse_without_effect(request, "data", "none without data.examples");
  if (job_gives(request, "gradient_accumulation"))
    fail(errc::invalid_argument, "request.job.gradient_accumulation", "given without effect", "none: it is chosen");
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  const any_model model = read_any_model(asked.config);
  if (model.net) asked.input = input_of(*model.net, request);
  return reply_of(answer_to(model, asked, request, own ? own->book() : price_book{}), beside);
}
[[nodiscard]] inline reply serve_answered(const nlohmann::json& request, const wanted_beside& beside) {
  serve_request asked = read_request<serve_request>(request);
  model_config config = model_of(asked.config);
  use_stored_format(config, job_gives(request, "weights"), asked.job);
  use_own_lengths(config.model, job_gives(request, "prompt"), job_gives(request, "output"), asked.job);
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  return reply_of(answer_to_serve(config, asked, own ? own->book() : price_book{}), beside);
}
[[nodiscard]] inline reply simulate_answered(const nlohmann::json& request, const wanted_beside& beside) {
  simulate_request asked = read_request<simulate_request>(request);
  refuse_lengths_twice(request);
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
  model_config config = model_of(asked.config);
  use_stored_format(config, job_gives(request, "weights"), asked.job);
  use_own_lengths(config.model, job_gives(request, "prompt"), job_gives(request, "output"), asked.job);
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  return reply_of(answer_to_simulate(config, asked, own ? own->book() : price_book{}), beside);
}
[[nodiscard]] inline reply plan_serving_answered(const nlohmann::json& request, const wanted_beside& beside) {
  asked_serving_plan asked = read_request<asked_serving_plan>(request);
  model_config config = model_of(asked.config);
  use_stored_format(config, job_gives(request, "weights"), asked.job);
  use_own_lengths(config.model, job_gives(request, "prompt"), job_gives(request, "output"), asked.job);
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  return reply_of(detail::answer_to_plan_serving(config, asked, own ? own->book() : price_book{}), beside);
}
[[nodiscard]] inline reply plan_answered(const nlohmann::json& request, const wanted_beside& beside) {
  const asked_plan asked = read_request<asked_plan>(request);
  if (job_gives(request, "gradient_accumulation"))
    fail(errc::invalid_argument, "request.job.gradient_accumulation", "given without effect", "none: it is chosen");
  const std::optional<owned_price_book> own = prices_of(asked.prices);
  return reply_of(detail::answer_to_plan(asked, asked_job_of(request), own ? own->book() : price_book{}), beside);
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

/// A question: its name, its rows, what answers it, the schemas of its request and its answer, and whether it has
/// pictures.
struct question {
  std::string_view name;
  std::string_view asks;  ///< in a sentence
  question_rows rows;
  reply (*answered)(const nlohmann::json& request, const wanted_beside& beside);
  nlohmann::ordered_json (*request)(nlohmann::ordered_json& defs, bool all_required);
  nlohmann::ordered_json (*answer)(nlohmann::ordered_json& defs, bool all_required);
  bool has_pictures, has_view;
};
[[nodiscard]] inline nlohmann::ordered_json launch_answer_schema(nlohmann::ordered_json&, bool) {
  return {{"type", "object"},
          {"properties", {{"text", {{"type", "string"}}}, {"document", nlohmann::ordered_json::object()}}},
          {"additionalProperties", false},
          {"required", {"text", "document"}}};
}
template <class Request, class Answer>
[[nodiscard]] constexpr question question_of(std::string_view name, std::string_view asks, const question_rows& rows,
                                             reply (*answered)(const nlohmann::json& request,
                                                               const wanted_beside& beside)) {
  return {name,
          asks,
          rows,
          answered,
          object_schema<Request>,
          object_schema<Answer>,
          has_pictures<Answer>::value,
          has_view<Answer>::value};
}
/// Of the rows of a plan, those that a network has too.
inline constexpr question_row deadline_rows[] = {row_named(plan_rows, "--deadline")};
inline constexpr question questions[] = {
    question_of<chips_request, chips_answer>("chips", "What is in the chip table?", {{chip_rows}},
                                             plain_answer<chips_request>),
    question_of<slices_request, slices_answer>("slices", "Which slices exist; what is in one of them?", {{slice_rows}},
                                               plain_answer<slices_request>),
    question_of<batch_request, batch_answer>("batch", "From which batch on is a product limited by arithmetic?",
                                             {{batch_rows}}, plain_answer<batch_request>),
    question_of<pad_request, pad_answer>("pad", "What does padding to the MXU waste?", {{pad_rows}},
                                         plain_answer<pad_request>),
    question_of<model_request, model_answer>("model", "How many parameters, FLOPs and KV bytes does a model have?",
                                             {{model_rows, count_rows}}, model_answered),
    question_of<model_generation_request, model_generation_answer>(
        "model_generation", "How many parameters and FLOPs has a pipeline of images or clips?", {{model_rows}},
        model_generation_answered),
    question_of<fit_request, fit_answer>("fit", "Does a training job fit a slice?",
                                         {{model_rows, job_rows, step_rows, mesh_rows}}, fit_answered),
    question_of<train_request, train_answer>(
        "train", "How long does a step take, and how much time and money does a run take?",
        {{model_rows, job_rows, step_rows, mesh_rows, run_rows, preemption_rows, rest_rows, market_rows, wait_rows,
          phase_rows, timeline_rows, noise_rows, price_rows}},
        train_answered),
    question_of<fit_network_request, fit_network_answer>(
        "fit_network", "Does a training step of a network of layers fit a slice?",
        {{model_rows, network_job_rows, network_mesh_rows}}, fit_network_answered),
    question_of<train_network_request, train_network_answer>(
        "train_network", "How long does a step of a network of layers take, and how much does a run cost?",
        {{model_rows, network_job_rows, network_mesh_rows, network_run_rows, preemption_rows, rest_rows, market_rows,
          wait_rows, phase_rows, timeline_rows, price_rows}},
        train_network_answered),
    question_of<train_generation_request, train_generation_answer>(
        "train_generation", "How long does a step of training a denoiser take, and how much does a run cost?",
        {{model_rows, train_picture_rows, train_generation_rows, preemption_rows, rest_rows, price_rows}},
        train_generation_answered),
    question_of<plan_network_request, plan_network_answer>(
        "plan_network", "Which slices should train this network of layers?",
        {{model_rows, network_job_rows, network_run_rows, preemption_rows, rest_rows, market_rows, wait_rows,
          phase_rows, deadline_rows, budget_rows, limit_rows}},
        plan_network_answered),
    question_of<plan_sweep_request, plan_sweep_answer>(
        "sweep", "How many trials of a job at once, where, and for how much?",
        {{model_rows, trial_rows, sweep_rows, trial_run_rows, network_run_rows, sweep_limit_rows, preemption_rows,
          price_rows}},
        sweep_answered),
    question_of<serve_request, serve_answer>(
        "serve", "How fast does a slice answer, and at what price?",
        {{model_rows, engine_slice_rows, length_rows, traffic_rows, target_rows, format_rows, served_engine_rows,
          image_rows, adapter_rows, speculation_rows, price_rows}},
        serve_answered),
    question_of<spot_request, spot_answer>("spot",
                                           "How often to write checkpoints on spot capacity; what do preemptions add?",
                                           {{spot_rows}}, plain_answer<spot_request>),
    question_of<simulate_request, simulate_answer>(
        "simulate", "Do slices keep their targets under traffic?",
        {{model_rows, engine_slice_rows, drawn_length_rows, fleet_rows, routing_rows, target_rows, format_rows,
          served_engine_rows, image_rows, adapter_rows, price_rows}},
        simulate_answered),
    question_of<pay_request, pay_answer>("pay", "What does a run cost under each way of paying?",
                                         {{pay_rows, price_rows, rest_rows, gpu_rows, storage_rows}},
                                         plain_answer<pay_request>),
    question_of<risk_request, risk_answer>("risk", "With what chance is a run done by a date and within a budget?",
                                           {{model_rows, job_rows, step_rows, mesh_rows, run_rows, risk_rows, wait_rows,
                                             phase_rows, rest_rows, price_rows}},
                                           risk_answered),
    question_of<generate_request, generate_answer>(
        "generate", "How long does a slice take for an image or a clip, and at what price?",
        {{model_rows, picture_rows, generate_rows, price_rows}},
        generation_answered<generate_request, generate_answer, answer_to_generate>),
    question_of<simulate_generation_request, simulate_generation_answer>(
        "simulate_generation", "How long do requests for images or clips take under traffic?",
        {{model_rows, picture_rows, generate_rows, item_traffic_rows, fill_rows, price_rows}},
        generation_answered<simulate_generation_request, simulate_generation_answer, answer_to_simulate_generation>),
    question_of<asked_plan, plan_document>("plan", "Which slices should train this model?",
                                           {{model_rows, job_rows, plan_rows, preemption_rows, rest_rows, market_rows,
                                             wait_rows, phase_rows, degree_rows, noise_rows, budget_rows, limit_rows}},
                                           plan_answered),
    question_of<asked_serving_plan, serving_plan_document>(
        "plan_serving", "Which slices should serve this traffic?",
        {{model_rows, length_rows, traffic_rows, target_rows, served_rows, served_engine_rows, image_rows, adapter_rows,
          standing_rows, hourly_rows, limit_rows}},
        plan_serving_answered),
    question_of<asked_generation_plan, generation_plan_document>(
        "plan_generation", "Which slices should make so many images or clips an hour?",
        {{model_rows, picture_rows, generation_plan_rows, hourly_rows, limit_rows}},
        generation_answered<asked_generation_plan, generation_plan_document, answer_to_plan_generation>),
    {"launch",
     "What starts a plan?",
     {{launch_rows}},
     launch_answered,
     object_schema<asked_launch>,
     launch_answer_schema,
     false,
     false},
};

[[nodiscard]] inline const question& question_named(const nlohmann::json& asked) {
  std::string names;
  for (const question& one : questions) {
    if (is_text(asked, one.name)) return one;
    names.append(names.empty() ? "" : ", ").append(one.name);
  }
  fail(errc::unknown_name, "question", shown_json(asked), names);
}

/// Whether the request has "pictures": true; refused for a question without pictures.
[[nodiscard]] inline bool pictures_wanted(const nlohmann::json& asked, const question& one) {
  const nlohmann::json wanted = asked.value("pictures", nlohmann::json(false));
  if (!wanted.is_boolean()) fail(errc::malformed_input, "pictures", shown_json(wanted), "true, false");
  if (!wanted.get<bool>() || one.has_pictures) return wanted.get<bool>();
  std::string names;
  for (const question& other : questions) {
    if (other.has_pictures) names.append(names.empty() ? "one of " : ", ").append(other.name);
  }
  fail(errc::invalid_argument, "pictures", "given without effect", names);
}

/// What `view` asks for: nothing, or how much is shown; and the form that it has then. Refused for a question without
/// one.
[[nodiscard]] inline std::optional<view_options> view_wanted(const nlohmann::json& asked, const question& one,
                                                             std::string& form) {
  nlohmann::json wanted = asked.value("view", nlohmann::json(false));
  if (wanted == false) return std::nullopt;
  if (!one.has_view) {
    std::string names;
    for (const question& other : questions) {
      if (other.has_view) names.append(names.empty() ? "one of " : ", ").append(other.name);
    }
    fail(errc::invalid_argument, "view", "given without effect", names);
  }
  if (wanted == true) return view_options{};
  if (wanted.is_object()) {
    form = wanted.contains("form") && wanted["form"].is_string() ? wanted["form"].get<std::string>() : form;
    wanted.erase("form");
  } else if (wanted.is_string()) {
    form = wanted.get<std::string>();
    wanted = nlohmann::json::object();
  }
  if (!wanted.is_object() ||
      (form != "json" && form != "text" && form != "markdown" && form != "html" && form != "csv"))
    fail(errc::unknown_name, "view", shown_json(asked["view"]), "true, false, json, text, markdown, html, csv");
  return read_json<view_options>(wanted, {}, "view");
}
[[nodiscard]] inline nlohmann::ordered_json answered(const nlohmann::json& asked) {
  const json_place root{nullptr, "question", 0};
  if (!asked.is_object()) root.refuse(errc::malformed_input, asked, "an object");
  if (!asked.contains("schema")) fail(errc::missing_field, "schema", "missing", json_schema);
  if (!is_text(asked["schema"], json_schema))
    fail(errc::unsupported, "schema", shown_json(asked["schema"]), json_schema);
  if (!asked.contains("question")) fail(errc::missing_field, "question", "missing", "the name of a question");
  for (const auto& entry : asked.items()) {
    const std::string& key = entry.key();
    if (key != "schema" && key != "question" && key != "form" && key != "pictures" && key != "view" && key != "request")
      fail(errc::unknown_name, key, "not a key", "schema, question, form, pictures, view, request");
  }
  const question& one = question_named(asked["question"]);
  const nlohmann::json form = asked.value("form", nlohmann::json("full"));
  if (!is_text(form, "full") && !is_text(form, "short"))
    fail(errc::unknown_name, "form", shown_json(form), "full, short");
  std::string view_form = "json";
  const wanted_beside beside{pictures_wanted(asked, one), view_wanted(asked, one, view_form)};
  const nlohmann::json request = asked.value("request", nlohmann::json::object());
  keep_times(request, one.rows);
  reply whole = one.answered(request, beside);
  if (is_text(form, "short")) whole.document = short_form(whole.document);
  nlohmann::ordered_json document = {{"schema", json_schema}, {"question", one.name}, {"form", form}};
  document.get_ref<nlohmann::ordered_json::object_t&>().reserve(6);  // a second growth would copy the answer
  document["answer"] = std::move(whole.document);
  if (beside.pictures) document["pictures"] = whole.pictures;
  if (beside.view) document["view"] = view_in(whole.shown, view_form);
  return document;
}

}  // namespace detail

/// The answer to a question: {"schema": "tpuplan/1", "question": "fit", "request": {…}} becomes {"schema", "question",
/// "form", "answer"}. With "form": "short" the answer has its numbers, texts and the first ten rows of its lists,
/// without deeper levels. With "pictures": true there is "pictures" beside the answer, a list of {"name", "title",
/// "svg"}; questions that have none refuse it. With "view": true there is "view" beside the answer, what a reader sees
/// of it: titles, sentences and tables; with the name of a form ("text", "markdown", "html", "csv") the view as text.
/// An invalid question becomes {"schema", "error": {"code", "field", "value", "valid", "message"}}. Questions: chips,
/// slices, batch, pad, model, model_generation, fit, train, fit_network, train_network, train_generation, plan_network,
/// sweep, serve, spot, simulate, pay, risk, generate, simulate_generation, plan, plan_serving, plan_generation, launch.
/// It is safe from any thread. Worked: {"schema": "tpuplan/1", "question": "batch", "request": {"chip": "v5e"}} has
/// answer.critical_batch 241.
[[nodiscard]] inline nlohmann::ordered_json ask(const nlohmann::json& question) {
  try {
    return detail::answered(question);
  } catch (const error& refusal) {
    return detail::error_document(refusal.code(), refusal.field(), refusal.given(), refusal.valid(), refusal.what());
  } catch (const nlohmann::json::exception&) {  // a value of the caller's own making, such as a text not in UTF-8
    const error refusal(errc::malformed_input, "question", "not JSON in every value", "what parse_json reads");
    return detail::error_document(refusal.code(), refusal.field(), refusal.given(), refusal.valid(), refusal.what());
  }
}

/// The same of a question that is text: its answer as text. Text that is not JSON, is over 16 MiB or is nested deeper
/// than 64 levels gives an error answer too, and nothing is thrown. Worked: "{" has error.code "malformed_input".
[[nodiscard]] inline std::string ask(std::string_view question) {
  nlohmann::json asked;
  try {
    asked = parse_json(question, "question", {std::size_t{16} << 20, 64});
  } catch (const error& refusal) {
    return detail::error_document(refusal.code(), refusal.field(), refusal.given(), refusal.valid(), refusal.what())
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return ask(asked).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The JSON Schema (draft 2020-12) of the requests and the full answers of all questions, and of their pictures.
/// Worked: the request of the question batch has the property "chip".
[[nodiscard]] inline nlohmann::ordered_json ask_schema() {
  nlohmann::ordered_json requests, answers, defs;
  for (const detail::question& one : detail::questions) {
    nlohmann::ordered_json& request = requests[std::string(one.name)] = one.request(defs, false);
    request["description"] = one.asks;
    request["fields"] = detail::fields_schema(one.rows.data(), one.rows.size());
    answers[std::string(one.name)] = one.answer(defs, true);
  }
  const nlohmann::ordered_json pictures = detail::schema_of<std::vector<picture>>(defs);
  const nlohmann::ordered_json shown = detail::schema_of<view>(defs);
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", json_schema},
          {"requests", requests},
          {"answers", answers},
          {"pictures", pictures},
          {"view", shown},
          {"$defs", defs}};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
