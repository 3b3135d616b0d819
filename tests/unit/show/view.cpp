// What views are made of: columns by their titles, cells with words and figures, and answers without a form.
#include <string>
#include <tpuplan/json.hpp>
#include <tpuplan/show/view.hpp>
#include <tpuplan/show/views/figures.hpp>
#include <tpuplan/show/views/fit.hpp>
#include <tpuplan/show/views/plan_serving.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace show_view_tests {

TEST_CASE("columns are read from their titles") {
  const std::vector<view_column> columns = readable::columns_of("> | slice | ~>run:s | ~~tokens/s");
  REQUIRE(columns.size() == 4);
  CHECK((columns[0].title.empty() && columns[0].key == "rank" && columns[0].at_end && columns[0].spared == 0));
  CHECK((columns[1].title == "slice" && !columns[1].at_end && columns[1].unit.empty()));
  CHECK((columns[2].title == "run" && columns[2].unit == "s" && columns[2].spared == 1));
  CHECK((columns[3].key == "tokens_per_s" && columns[3].spared == 2));
  CHECK(readable::detail::key_of("at -10 %") == "at_minus10_%");
  CHECK(readable::detail::key_of("chip-hours") == "chip_hours");
  CHECK(readable::detail::key_of("+10") == "+10");
}

TEST_CASE("cells know their words and their figures") {
  CHECK(readable::cell(90_s).text == "90.0 s");
  CHECK(readable::cell(90_s).value == 90);
  CHECK(readable::range_cell(1.74_s, 2.61_s).text == "1.74-2.61 s");
  CHECK(readable::range_cell(1.74_s, 2.61_s).low == 1.74);
  CHECK(readable::used_cell(4_GiB, 16_GiB).text == "4.0 of 16.0 GiB");
  CHECK(readable::used_cell(4_GiB, 16_GiB).value == (4_GiB).value());
  CHECK(readable::count_cell(8030261248, true).text == "8,030,261,248");
  CHECK_FALSE(readable::cell("none").value.has_value());
}

TEST_CASE("fields without effect are twelve by name, and the number of the others") {
  model_answer answer;
  for (int i = 0; i < 12; ++i) answer.not_read.push_back("field" + std::to_string(i));
  CHECK(view_of(answer).parts.back().sentences.front().find("more") == std::string::npos);
  answer.not_read.emplace_back("another");
  const std::string words = view_of(answer).parts.back().sentences.front();
  CHECK(words.substr(words.size() - 10) == "and 1 more");
}

TEST_CASE("offers are the same where replicas, chips, price and times are") {
  serving_plan one;
  one.where = slice_for("v6e-4"), one.slices = 2, one.mesh.tensor = 4;
  serving_plan other = one;
  other.where = slice_for("v6e-8"), other.slices = 1;
  CHECK(readable::is_same_offer(one, other));
  const auto differs = [&](void (*change)(serving_plan&)) {
    serving_plan changed = other;
    change(changed);
    return !readable::is_same_offer(one, changed);
  };
  CHECK(differs([](serving_plan& plan) { plan.slices = 2; }));
  CHECK(differs([](serving_plan& plan) { plan.where = slice_for("v5e-8"); }));
  CHECK(differs([](serving_plan& plan) { plan.mesh.tensor = 8; }));
  CHECK(differs([](serving_plan& plan) { plan.mesh.attention = 1; }));
  CHECK(differs([](serving_plan& plan) { plan.kind = provisioning::spot; }));
  CHECK(differs([](serving_plan& plan) { plan.region = text<32>{"asia"}; }));
  CHECK(differs([](serving_plan& plan) { plan.rate = usd_per_hour(1); }));
  CHECK(differs([](serving_plan& plan) { plan.estimate.first_token = 1_s; }));
  CHECK(differs([](serving_plan& plan) { plan.estimate.per_token.total = 1_s; }));
}

TEST_CASE("words of numbers") {
  CHECK(readable::joined({"8", " chips"}) == "8 chips");
  CHECK(readable::counted(1, "slice") == "1 slice");
  CHECK(readable::counted(8, "slice") == "8 slices");
  CHECK(readable::grouped(-1234567) == "-1,234,567");
  CHECK(readable::four_digits(12.3456) == "12.35");
  // All digits before the point up to a million, of either sign; four of what is larger or has few before it.
  CHECK(readable::four_digits(9999.4) == "9999");
  CHECK(readable::four_digits(-9999.4) == "-9999");
  CHECK(readable::four_digits(10500.2) == "10500");
  CHECK(readable::four_digits(-10500.2) == "-10500");
  CHECK(readable::four_digits(999999) == "999999");
  CHECK(readable::four_digits(-999999) == "-999999");
  CHECK(readable::four_digits(1000001) == "1e+06");
  CHECK(readable::four_digits(-1200001) == "-1.2e+06");
  CHECK(readable::listed(std::vector<std::string>{"us", "asia"}) == "us, asia");
}

TEST_CASE("a view goes through JSON unchanged") {
  view shown;
  shown.title = "title";
  shown.parts = {readable::table_of("slice | >run:s", "plans")};
  shown.parts[0].rows = {{readable::cell("v5e-8"), readable::cell(90_s)}};
  shown.next = {{"train", {}, "its time"}};
  const nlohmann::ordered_json document = shown;
  CHECK(document["parts"][0]["rows"][0][1]["value"] == 90);
  CHECK(document["parts"][0]["rows"][0][0]["value"].is_null());
  const nlohmann::ordered_json again = read_json<view>(nlohmann::json(document), {}, "view");
  CHECK(again == document);
}

TEST_CASE("the view of whether a job fits has its memory by part and what to ask next") {
  transformer model;
  model.name = "small";
  model.layers = 2;
  model.d_model = 512;
  model.attention = {8, 8, 64};
  model.mlp.d_ff = 2048;
  model.vocab = 32000;
  asked_job asked;
  asked.job.sequence_length = 1024;
  model_config config;
  config.model = model;
  const fit_answer answer = answer_to_fit(placed(config, "v5e-8", open_layout(), asked));
  const view shown = view_of(answer);
  CHECK(shown.title.rfind("fits: small on v5litepod-8", 0) == 0);
  REQUIRE_FALSE(shown.parts.empty());
  CHECK(shown.parts[0].rows.back()[0].text == "usable");
  CHECK(shown.parts[0].rows.back()[1].value == answer.usable.value());
  REQUIRE(shown.next.size() == 1);
  CHECK(shown.next[0].question == "train");
  CHECK(shown.pictures.empty());
  view_options drawn;
  drawn.drawn = true;
  CHECK(view_of(answer, drawn).pictures.size() == 1);
}

}  // namespace show_view_tests
