// The views of answers: plans that are shown, reasons of the others, and the same words in every form.
#include <string>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/show/views.hpp>
#include <utility>

#include "support/ask.hpp"
#include "support/catch.hpp"

using namespace tpuplan;

namespace show_views_tests {

namespace {

nlohmann::json small_config() {
  return nlohmann::json::parse(R"({"model_type": "llama", "_name_or_path": "small", "hidden_size": 512,
      "intermediate_size": 2048, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 8,
      "vocab_size": 32000, "max_position_embeddings": 4096})");
}
nlohmann::ordered_json asked(const char* question, nlohmann::json request, const nlohmann::json& view) {
  request["config"] = small_config();
  return ask({{"schema", json_schema}, {"question", question}, {"request", request}, {"view", view}});
}
plan_row row_of(std::int64_t rank, const char* slice, double dollars, bool on_front) {
  plan_row row;
  row.rank = rank;
  row.plan.where = slice_for(slice);
  row.total = usd{dollars};
  row.on_front = on_front;
  return row;
}

}  // namespace

TEST_CASE("the plans that are shown are the first eight, the best of each generation, and a front that is affordable") {
  std::vector<plan_row> plans;
  for (std::int64_t i = 1; i <= 9; ++i) plans.push_back(row_of(i, "v6e-8", 100, i == 1));
  plans.push_back(row_of(10, "v5p-8", 200, false));
  plans.push_back(row_of(11, "v6e-16", 299, true));
  plans.push_back(row_of(12, "v6e-32", 301, true));
  const chosen_plans usual = plans_to_show(plans, {});
  CHECK(usual.indices == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 9, 10});
  CHECK(usual.beaten == 1);
  CHECK(usual.unbeaten == 1);
  view_options options;
  options.rows = 2;
  CHECK(plans_to_show(plans, options).indices.size() == 2);
  options.rows = {};
  options.only_best_chips = true;
  CHECK(plans_to_show(plans, options).indices == std::vector<std::size_t>{0, 9});
  options.only_front = true;
  CHECK(plans_to_show(plans, options).indices == std::vector<std::size_t>{0, 10, 11});
  options.rows = 2;
  CHECK(plans_to_show(plans, options).indices == std::vector<std::size_t>{0, 10});
  CHECK(plans_to_show(plans, options).unbeaten == 1);
  CHECK(plans_to_show({}, {}).indices.empty());
}

TEST_CASE("a plan of two regions at the same price is one row") {
  std::vector<plan_row> plans;
  for (const char* region : {"us-central1", "us-east5", "us-east1"}) {
    plans.push_back(row_of(static_cast<std::int64_t>(plans.size()) + 1, "v6e-8", 100, true));
    plan_cost cost;
    cost.price.region = region;
    cost.price.per_chip = 2_usd_per_h;
    plans.back().plan.costs.push_back(cost);
  }
  plans.back().plan.costs.front().price.per_chip = 3_usd_per_h;
  const chosen_plans chosen = plans_to_show(plans, {});
  CHECK(chosen.indices == std::vector<std::size_t>{0, 2});
  CHECK(chosen.also_in.at(0) == std::vector<std::string>{"us-east5"});
  CHECK(chosen.beaten + chosen.unbeaten == 0);
  CHECK(readable::others_of(chosen, 0) == " or us-east5");
  CHECK(readable::others_of(chosen, 2).empty());
  CHECK(
      readable::payment_words(plans.front().plan, readable::others_of(chosen, 0)).find("in us-central1 or us-east5") !=
      std::string::npos);
}

TEST_CASE("ask gives the view beside the answer, in the form that is asked for") {
  const nlohmann::json fit = {{"slice", "v5e-8"}};
  const nlohmann::ordered_json document = asked("fit", fit, true);
  REQUIRE(document.contains("view"));
  const std::string title = document["view"]["title"].get<std::string>();
  CHECK(title.rfind("fits: small on v5litepod-8", 0) == 0);
  for (const char* form : {"text", "markdown"}) {
    const std::string words = asked("fit", fit, form)["view"].get<std::string>();
    CHECK(words.rfind(title + "\n", 0) == 0);
  }
  CHECK(asked("fit", fit, "csv")["view"].get<std::string>().rfind("on_each_device,size_bytes,share\n", 0) == 0);
  CHECK(asked("fit", fit, "html")["view"].get<std::string>().find("<table>") != std::string::npos);
  CHECK_FALSE(asked("fit", fit, false).contains("view"));
  for (const nlohmann::json& none : {nlohmann::json("prose"), nlohmann::json(3), nlohmann::json{{"form", "prose"}},
                                     nlohmann::json{{"form", 3}}, nlohmann::json{{"form", nullptr}}})
    CHECK(asked("fit", fit, none)["error"]["field"] == "view");
  CHECK(asked("fit", fit, {{"form", "text"}})["view"] == asked("fit", fit, "text")["view"]);
  CHECK(asked("fit", fit, {{"rows", 5}})["view"]["title"] == title);
  CHECK(ask({{"schema", json_schema}, {"question", "launch"}, {"view", true}})["error"]["field"] == "view");
}

TEST_CASE("a plan's view has as many rows as are asked for, and says why the other slices lost") {
  const nlohmann::json plan = {{"tokens", 1e9}, {"generations", {"v5e"}}, {"largest_chips", 16}};
  const nlohmann::ordered_json all = asked("plan", plan, {{"rows", 1000}});
  const nlohmann::ordered_json one = asked("plan", plan, {{"rows", 1}});
  CHECK(all["view"]["parts"][0]["rows"].size() == all["answer"]["plans"].size());
  REQUIRE(one["view"]["parts"][0]["rows"].size() == 1);
  const nlohmann::ordered_json& row = one["view"]["parts"][0]["rows"][0];
  CHECK(row[0]["value"] == 1);
  bool found = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (one["view"]["parts"][0]["columns"][i]["title"] == "cost")
      found = row[i]["value"] == all["answer"]["plans"][0]["total_usd"];
  }
  CHECK(found);
}

TEST_CASE("the report of a plan recommends in two sentences, and says what may go wrong and what it costs") {
  asked_plan question;
  question.config = small_config();
  question.tokens = 1e11;
  question.generations = {"v6e"};
  question.kinds = {provisioning::spot};
  const plan_document open = detail::answer_to_plan(question, {}, price_book{});
  REQUIRE(open.plans.size() > 1);
  const view without_limits = report_of(open);
  CHECK(without_limits.sentences.size() == 1);
  CHECK(without_limits.summary.find("Train on " + open.plans[0].slice) == 0);
  CHECK(without_limits.summary.find("The next is " + open.plans[1].slice) != std::string::npos);
  question.deadline = 30_days;
  question.budget = usd{1e6};
  const plan_document limited = detail::answer_to_plan(question, {}, price_book{});
  const view report = report_of(limited);
  CHECK(report.summary.find("The chance to be done within 30.0 days is ") != std::string::npos);
  const std::string in_budget = readable::chance_words(*limited.plans.front().chance_in_budget);
  CHECK(report.summary.find(", and to stay within $1.00M " + in_budget + ".") != std::string::npos);
  CHECK(report.parts[2].columns.size() == 8);
  REQUIRE(report.parts.size() > 4);
  CHECK(report.parts[0].title == "what could go wrong");
  std::string wrong;
  for (const std::string& sentence : report.parts[0].sentences) wrong += sentence + "\n";
  CHECK(wrong.find("\nSpot slices are taken away") != std::string::npos);
  CHECK(wrong.find("nine of ten runs cost at most ") != std::string::npos);
  double dollars = 0;  // where the money goes adds up; then comes what is waited and not paid
  std::size_t paid = 0;
  while (report.parts[1].rows.at(paid)[0].text != "all of it") dollars += *report.parts[1].rows[paid++][2].value;
  CHECK(dollars == Approx(*report.parts[1].rows[paid][2].value));
  CHECK(dollars == Approx(limited.plans[0].total->value()));
  CHECK(report.parts[1].rows.back()[0].text == "from start to end");
  CHECK(report.parts[2].title == "alternatives");
  CHECK(report.parts[2].rows.size() <= 6);
  for (const auto& row : report.parts[2].rows) CHECK(row.size() == 8);
  const plan_cost& cost = chosen_cost(limited.plans.front().plan);  // from start to end is what is paid and what is not
  const auto& rows = report.parts[1].rows;
  CHECK(*rows[rows.size() - 2][1].value == Approx((cost.wall - (cost.billed - cost.unused)).value()));
  CHECK(*rows.back()[1].value == Approx(cost.wall.value()));
  question.deadline.reset();
  const view in_money = report_of(detail::answer_to_plan(question, {}, price_book{}));
  CHECK(in_money.summary.find("The chance to stay within $1.00M is " + in_budget + ".") != std::string::npos);
  CHECK(in_money.parts[2].columns.size() == 7);
  question.deadline = 1_s;
  CHECK(report_of(detail::answer_to_plan(question, {}, price_book{})).summary ==
        "No slice does it within these limits.");
}

TEST_CASE("a better plan that nobody has run is named where it is the second, also of two") {
  plan_document answer;
  answer.plans = {row_of(1, "v6e-256", 100, true), row_of(2, "v6e-256", 90, true)};
  for (plan_row& row : answer.plans) {
    plan_cost cost;
    cost.total = *row.total;
    row.plan.costs = {cost};
  }
  layout &first = answer.plans[0].plan.mesh, &second = answer.plans[1].plan.mesh;
  first.fsdp = 256;
  second.fsdp = 8, second.tensor = 32;
  CHECK(readable::has_untried_before(answer));
  second.fsdp = 16, second.tensor = 16;  // v6e has run tensor parallelism over 16
  CHECK_FALSE(readable::has_untried_before(answer));
  answer.plans.pop_back();
  CHECK_FALSE(readable::has_untried_before(answer));
}

TEST_CASE("examples that are in no step are said, were it one of each epoch") {
  data_set data;
  data.epochs = 2;
  for (const auto& [examples, words] : {std::pair{128, "1 step an epoch, 2 epochs: 2 steps"},
                                        {129, "1 step an epoch (1 of 129 examples dropped), 2 epochs: 2 steps"}}) {
    data.examples = examples;
    CHECK(readable::epochs_words(data, epochs_of(data, 128)) == words);
  }
}

TEST_CASE("a run that never ends has no picture") { CHECK(pictures_of(risk_answer{}).empty()); }

TEST_CASE("one client in flight is a closed loop") {
  CHECK(readable::arrival_words(per_second{2}, {1}, 1, "request") == "1 request in flight");
  CHECK(readable::arrival_words(per_second{2}, {}, 1, "request") == "2 requests a second at random");
}

TEST_CASE("a chunk of no tokens is the whole prompt") {
  const view_part part = readable::changes_part({{serving_lever::chunk, 0, 512, {}}}, 1, {});
  REQUIRE(part.rows.size() == 1);
  CHECK(part.rows[0][1].text == "the whole prompt");
  CHECK(part.rows[0][2].text == "512 tokens");
}

TEST_CASE("a slice that does not serve says why") {
  const nlohmann::ordered_json document =
      asked("serve", {{"slice", "v5e-1"}, {"job", {{"request_rate_per_s", 1e6}}}}, true);
  CHECK(document["view"]["title"].get<std::string>().rfind("too many requests: small on v5litepod-1", 0) == 0);
  CHECK(document["view"]["next"][0]["question"] == "plan_serving");
}

}  // namespace show_views_tests
