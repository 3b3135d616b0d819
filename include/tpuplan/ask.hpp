#ifndef TPUPLAN_ASK_HPP
#define TPUPLAN_ASK_HPP

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/ask/answers.hpp>
#include <tpuplan/ask/in_zone.hpp>
#include <tpuplan/ask/schema.hpp>
#include <tpuplan/base/date.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/show/views.hpp>
#include <utility>

/// @file
/// A single entry point: a question as JSON in, its answer as JSON out, without files, network or state. docs/ask.md
/// has an example of each question, `ask_schema` the JSON Schema of requests and answers.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// A question: its name, its rows, what answers it, the schemas of its request and its answer, and whether it has
/// pictures.
struct question {
  std::string_view name;
  std::string_view asks;  ///< in a sentence
  question_rows rows;
  reply (*answered)(const nlohmann::json& request, const wanted_beside& beside);
  const schema_form* request;
  const schema_form* answer;  ///< null: of a launch file
  bool has_pictures, has_view;
};
[[nodiscard]] inline nlohmann::ordered_json launch_answer_schema() {
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
          &schema_of<Request>::value,
          &schema_of<Answer>::value,
          has_pictures<Answer>::value,
          has_view<Answer>::value};
}
/// Of the rows of a plan, those that a network has too.
inline constexpr question_row deadline_rows[] = {row_named(plan_rows, "--deadline"), row_named(plan_rows, "--by"),
                                                 row_named(plan_rows, "--start")};
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
    question_of<model_network_request, model_network_answer>("model_network",
                                                             "How many parameters and FLOPs has a network of layers?",
                                                             {{model_rows}}, model_network_answered),
    question_of<model_generation_request, model_generation_answer>(
        "model_generation", "How many parameters and FLOPs has a pipeline of images or clips?", {{model_rows}},
        model_generation_answered),
    question_of<fit_request, fit_answer>("fit", "Does a training job fit a slice?",
                                         {{model_rows, job_rows, step_rows, mesh_rows, own_run_rows}}, fit_answered),
    question_of<train_request, train_answer>(
        "train", "How long does a step take, and how much time and money does a run take?",
        {{model_rows, job_rows, step_rows, mesh_rows, tuning_rows, run_rows, preemption_rows, rest_rows, market_rows,
          wait_rows, phase_rows, timeline_rows, noise_rows, price_rows, own_run_rows}},
        train_answered),
    question_of<fit_network_request, fit_network_answer>(
        "fit_network", "Does a training step of a network of layers fit a slice?",
        {{model_rows, network_job_rows, network_mesh_rows}}, fit_network_answered),
    question_of<train_network_request, train_network_answer>(
        "train_network", "How long does a step of a network of layers take, and how much does a run cost?",
        {{model_rows, network_job_rows, network_mesh_rows, network_run_rows, preemption_rows, rest_rows, market_rows,
          wait_rows, phase_rows, timeline_rows, price_rows}},
        train_network_answered),
    question_of<fit_generation_request, fit_generation_answer>(
        "fit_generation", "Does a step of training a denoiser of images or clips fit a slice?",
        {{model_rows, trained_size_rows, diffusion_step_rows, diffusion_job_rows, diffusion_mesh_rows, exchange_rows}},
        fit_generation_answered),
    question_of<train_generation_request, train_generation_answer>(
        "train_generation", "How long does a step of training a denoiser take, and how much does a run cost?",
        {{model_rows, trained_size_rows, diffusion_step_rows, diffusion_job_rows, diffusion_mesh_rows, exchange_rows,
          diffusion_run_rows, preemption_rows, rest_rows, market_rows, wait_rows, phase_rows, timeline_rows,
          price_rows}},
        train_generation_answered),
    question_of<plan_train_generation_request, plan_train_generation_answer>(
        "plan_train_generation", "Which slices should train this denoiser of images or clips?",
        {{model_rows, trained_size_rows, diffusion_step_rows, diffusion_job_rows, diffusion_run_rows, preemption_rows,
          rest_rows, market_rows, wait_rows, phase_rows, deadline_rows, budget_rows, limit_rows}},
        plan_train_generation_answered),
    question_of<plan_network_request, plan_network_answer>(
        "plan_network", "Which slices should train this network of layers?",
        {{model_rows, network_job_rows, network_run_rows, preemption_rows, rest_rows, market_rows, wait_rows,
          phase_rows, deadline_rows, budget_rows, limit_rows}},
        plan_network_answered),
    question_of<plan_sweep_request, plan_sweep_answer>(
        "sweep", "How many trials of a job at once, where, and for how much?",
        {{model_rows, trial_rows, sweep_rows, trial_run_rows, network_run_rows, trained_size_rows, sweep_limit_rows,
          preemption_rows, market_rows, wait_rows, price_rows}},
        sweep_answered),
    question_of<serve_request, serve_answer>(
        "serve", "How fast does a slice answer, and at what price?",
        {{model_rows, engine_slice_rows, length_rows, traffic_rows, target_rows, format_rows, served_engine_rows,
          shared_rows, served_software_rows, image_rows, adapter_rows, speculation_rows, price_rows, own_run_rows}},
        serve_answered),
    question_of<spot_request, spot_answer>("spot",
                                           "How often to write checkpoints on spot capacity; what do preemptions add?",
                                           {{spot_rows}}, plain_answer<spot_request>),
    question_of<simulate_request, simulate_answer>(
        "simulate", "Do slices keep their targets under traffic?",
        {{model_rows, engine_slice_rows, drawn_length_rows, fleet_rows, routing_rows, split_rows, outage_rows,
          target_rows, format_rows, served_engine_rows, served_software_rows, image_rows, adapter_rows,
          speculation_rows, token_price_rows, price_rows, own_run_rows}},
        simulate_answered),
    question_of<pay_request, pay_answer>("pay", "What does a run cost under each way of paying?",
                                         {{pay_rows, price_rows, rest_rows, gpu_rows, storage_rows}}, pay_answered),
    question_of<risk_request, risk_answer>(
        "risk", "With what chance is a run done by a date and within a budget?",
        {{model_rows, job_rows, step_rows, mesh_rows, tuning_rows, run_rows, network_run_rows, trained_size_rows,
          exchange_rows, risk_rows, wait_rows, phase_rows, rest_rows, price_rows, own_run_rows}},
        risk_answered),
    question_of<generate_request, generate_answer>(
        "generate", "How long does a slice take for an image or a clip, and at what price?",
        {{model_rows, picture_rows, generate_rows, price_rows}},
        generation_answered<generate_request, generate_answer, answer_to_generate>),
    question_of<simulate_generation_request, simulate_generation_answer>(
        "simulate_generation", "How long do requests for images or clips take under traffic?",
        {{model_rows, picture_rows, generate_rows, item_traffic_rows, fill_rows, price_rows}},
        generation_answered<simulate_generation_request, simulate_generation_answer, answer_to_simulate_generation>),
    question_of<asked_day, day_document>(
        "day", "How many slices follow the traffic of a day, and what do they cost?",
        {{model_rows, engine_slice_rows, length_rows, day_rows, day_chance_rows, target_rows, format_rows,
          served_engine_rows, served_software_rows, image_rows, speculation_rows, price_rows, own_run_rows}},
        day_answered),
    question_of<asked_plan_day, plan_day_document>(
        "plan_day", "Which slices serve the traffic of a day, and what does it take?",
        {{model_rows, length_rows, day_rows, day_chance_rows, target_rows, served_rows, served_engine_rows,
          served_software_rows, image_rows, speculation_rows, day_limit_rows, price_rows, own_run_rows}},
        plan_day_answered),
    question_of<asked_item_day, item_day_document>(
        "day_generation", "How many slices make the images or clips of a day in time, and what do they cost?",
        {{model_rows, picture_rows, item_day_rows, fill_rows, day_rows, day_chance_rows, price_rows}},
        generation_answered<asked_item_day, item_day_document, answer_to_day_generation>),
    question_of<asked_plan, plan_document>(
        "plan", "Which slices should train this model?",
        {{model_rows, job_rows, tuning_rows, plan_rows, preemption_rows, rest_rows, market_rows, wait_rows, phase_rows,
          degree_rows, noise_rows, budget_rows, limit_rows, own_run_rows}},
        plan_answered),
    question_of<asked_serving_plan, serving_plan_document>(
        "plan_serving", "Which slices should serve this traffic?",
        {{model_rows, length_rows, traffic_rows, target_rows, served_rows, served_engine_rows, served_software_rows,
          image_rows, adapter_rows, speculation_rows, standing_rows, routing_rows, hourly_rows, limit_rows,
          own_run_rows}},
        plan_serving_answered),
    question_of<asked_generation_plan, generation_plan_document>(
        "plan_generation", "Which slices should make so many images or clips an hour?",
        {{model_rows, picture_rows, generation_plan_rows, hourly_rows, limit_rows}},
        generation_answered<asked_generation_plan, generation_plan_document, answer_to_plan_generation>),
    {"launch",
     "What starts a plan?",
     {{launch_rows}},
     launch_answered,
     &schema_of<asked_launch>::value,
     nullptr,
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
    const nlohmann::json given = wanted.value("form", nlohmann::json(form));
    form = given.is_string() ? given.get<std::string>() : "";
    wanted.erase("form");
  } else if (wanted.is_string()) {
    form = wanted.get<std::string>();
    wanted = nlohmann::json::object();
  }
  if (!wanted.is_object() ||
      (form != "json" && form != "text" && form != "markdown" && form != "html" && form != "csv"))
    fail(errc::unknown_name, "view", shown_json(asked["view"]), "true, false, json, text, markdown, html, csv");
  const auto options = read_json<view_options>(wanted, {}, "view");
  if (options.rows && (*options.rows < 1 || *options.rows > 1000000))
    fail(errc::out_of_range, "view.rows", *options.rows, "1 to 1000000, as --rows");
  if (!options.today.empty() && !is_iso_date(options.today))
    fail(errc::malformed_input, "view.today", options.today, "an ISO date from 2000 on, such as 2026-09-17");
  return options;
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
  nlohmann::json request = asked.value("request", nlohmann::json::object());
  reply whole = [&] {
    try {
      request = in_its_zone(request, one.rows);
      keep_times(request, one.rows);
      return one.answered(request, beside);
    } catch (const error& refusal) {
      refuse_misplaced(refusal, one.rows);
      throw by_key_of_request(refusal, request, one.rows);
    }
  }();
  keep_amounts(request, one.rows);
  keep_needs(request, one.rows);
  refuse_empty_lists(request, one.rows);
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
/// slices, batch, pad, model, model_generation, fit, train, fit_network, train_network, fit_generation,
/// train_generation, plan_train_generation, plan_network, sweep, serve, spot, simulate, pay, risk, generate,
/// simulate_generation, plan, plan_serving, plan_day, plan_generation, launch. It is safe from any thread. Worked:
/// {"schema": "tpuplan/1", "question": "batch", "request": {"chip": "v5e"}} has answer.critical_batch 241.
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
    nlohmann::ordered_json& request = requests[std::string(one.name)] = detail::object_schema(*one.request, defs);
    request["description"] = one.asks;
    request["fields"] = detail::fields_schema(one.rows.data(), one.rows.size());
    answers[std::string(one.name)] =
        one.answer == nullptr ? detail::launch_answer_schema() : detail::object_schema(*one.answer, defs, true);
  }
  const nlohmann::ordered_json pictures = detail::schema_for(detail::schema_of<std::vector<picture>>::value, defs);
  const nlohmann::ordered_json shown = detail::schema_for(detail::schema_of<view>::value, defs);
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
