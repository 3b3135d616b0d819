#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <support/catch.hpp>
#include <support/golden.hpp>
#include <support/json_types.hpp>
#include <support/models.hpp>
#include <support/refusal.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/read/prices.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <tpuplan/tpuplan.hpp>
#include <vector>

/// Types of a program that uses the library.
namespace mine {
enum class colour { red, blue };
constexpr std::string_view name(colour c) { return c == colour::red ? "red" : c == colour::blue ? "blue" : "?"; }
struct step {
  tpuplan::seconds wall{};
  std::vector<double> losses{};
  colour kind{};
  std::optional<tpuplan::bytes> memory{};
  std::vector<tpuplan::seconds> lengths{};
};
}  // namespace mine
TPUPLAN_NAMED(mine::colour)
TPUPLAN_FIELDS(mine::step, wall, losses, kind, memory, lengths)

using namespace tpuplan;

namespace json_tests {
using json_types::each_type;
using nlohmann::json;

namespace {

std::string file(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

/// The same document with every leaf another: numbers and flags changed, "unknown" a figure, texts that are not names
/// of something longer by a letter.
json disturbed(const json& given, double& counter, const std::string& key = "") {
  json result = given;
  if (given.is_structured()) {
    for (auto it = result.begin(); it != result.end(); ++it)
      *it = disturbed(*it, counter, given.is_object() ? it.key() : key);
  } else if (given.is_boolean()) {
    result = key == "built_in" || !given.get<bool>();
  } else if (given.is_number_float()) {
    result = given.get<double>() * 1.0625 + (counter += 1) / 3;
  } else if (given.is_number()) {
    result = given.get<std::int64_t>() + static_cast<std::int64_t>(counter += 1);
  } else if (given == "") {
    result = "a";
  } else if (given == "unknown" || given == "absent") {
    const bool count = key == "sparsecores" || key == "vcpus" || key == "ram_gb";
    result = given == "absent" ? json("unknown") : count ? json(7) : json(0.1);
  }
  return result;
}

/// Names of the structs whose fields ask lists beside them.
std::set<std::string> structs_of_ask() {
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TPUPLAN_TESTS_DIR) + "/../include/tpuplan/ask")) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const std::string start = "TPUPLAN_FIELDS(tpuplan::";
      if (line.rfind(start, 0) == 0)
        names.insert(line.substr(start.size(), line.find_first_of(",)", start.size()) - start.size()));
    }
  }
  return names;
}

/// Names of structs outside `namespace detail` of every header.
std::set<std::string> public_structs() {
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(TPUPLAN_TESTS_DIR) + "/../include")) {
    if (!entry.is_regular_file()) continue;
    std::istringstream lines(file(entry.path().string()));
    bool internal = false;
    for (std::string line; std::getline(lines, line);) {
      if (line == "namespace detail {" || line == "namespace blocks {")
        internal = true;  // of blocks none is stored yet
      if (line == "}  // namespace detail" || line == "}  // namespace blocks") internal = false;
      if (internal || line.rfind("struct ", 0) != 0 || line.find('{') == std::string::npos ||
          line.rfind("struct fmt::", 0) == 0)
        continue;
      names.insert(line.substr(7, line.find_first_of(" {", 7) - 7));
    }
  }
  return names;
}

template <class T, class = void>
struct is_readable : std::false_type {};
template <class T>
struct is_readable<T, decltype(static_cast<void>(read_json<T>(json())))> : std::true_type {};
template <class T, class = void>
struct is_document : std::false_type {};
template <class T>
struct is_document<T, decltype(static_cast<void>(json_document(std::declval<T>())))> : std::true_type {};

template <class T>
refusal refused(const json& given, const json_reading& how = {}) {
  return refusal_of([&] { (void)read_json<T>(given, how); });
}

plan_request small_request() {
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(256, 4096);
  request.tokens = 1e11;
  request.generations = {"v5e", "v5p"};
  request.largest_chips = 64;
  request.deadline = 90_days;
  request.quotas = {{"v5e", "us", provisioning::on_demand, 64}};
  request.policies = {remat::full, remat::minimal};
  request.kinds = {provisioning::on_demand, provisioning::spot};
  request.prices = request.prices.with("v5p", "us", provisioning::spot, usd_per_hour(1.10), "2026-11-21");
  return request;
}

}  // namespace

TEST_CASE("every public struct is in the list of types") {
  std::set<std::string> listed;
  each_type([&](auto type) { listed.emplace(detail::json_type_name<typename decltype(type)::type>()); });

  const std::set<std::string> without = {
      "dim",  // a type, not a value
      "absent_t", "unknown_t",
      "nothing_t",                      // tags, which `known` and `maybe` write
      "hf_default", "shown_host_rate",  // rows of a built-in table, views of texts
      "measured",
      "unit",                                   // show/text/readable.hpp: between a number and its text
      "json_limits", "json_reading",            // how to read
      "launch_target",                          // a function among its fields
      "launch_output",                          // a document is one of its fields
      "catalog_prices",                         // owns its rows, as owned_price_book
      "published_lifetime", "lifetime_belief",  // rows of a built-in table, and what rests on one
      "played_number",                          // which of many runs
      "run_outlook",                            // quantiles in std::optional
                                                // readers of other people's files and of runs, which own what they read
      "maxtext_keys", "maxtext_log", "maxtext_log_rule", "maxtext_question", "maxtext_value", "measured_run",
      "measured_runs", "own_constants", "serving_memory_record", "serving_prediction", "serving_record", "routed_plans",
      "training_record", "zone_row",
      // answers and pictures that are included by name
      "achieved_fraction", "any_model", "asked_job", "asked_places", "asked_prices", "band_place", "band_shape",
      "counted_runs", "day_chart", "engine_limit", "fed_network_step", "flat_price", "chosen_plans", "next_step",
      "terminal_form", "view", "view_cell", "view_column", "view_options", "view_part", "latency_chart",
      "latency_point", "launch_text", "lost_group", "network_answer", "nearest_run", "network_config", "network_plan",
      "network_request", "picture", "place_fields", "placed_job", "placed_network", "question_row", "row_choices",
      "row_list", "run_price_list", "sweep_plan", "sweep_request", "generation_part", "read_generation",
      "generation_work", "generation_freedom", "laid_out_generation", "layout_refusal", "generation_request",
      "generation_plan", "generation_plan_answer", "denoiser", "text_encoder", "diffusion_pipeline", "latent_size",
      "run_chances", "critical_batch_band", "estimated_range", "first_token_time", "published_degrees",
      "published_rate", "published_slices", "timed_part", "request_range", "request_times", "software_share",
      "training_band", "training_comparison", "trial_slice", "diffusion_answer", "diffusion_plan", "diffusion_request",
      "laid_out_training", "placed_run", "placed_prices"};
  const std::set<std::string> asked = structs_of_ask();  // have a list beside them
  for (const std::string& name : public_structs()) {
    if (asked.count(name) == 1) continue;
    CAPTURE(name);
    CHECK((listed.count(name) == 1) != (without.count(name) == 1));
  }
}

namespace {

/// A type's document, written again from what was read of it.
template <class T>
json written_again(const json& given) {
  T read{};
  detail::json_form<T>::read(given, {nullptr, "value", 0}, json_reading{}, read);
  return detail::json_of<json>(read, {nullptr, "value", 0});
}
void check_written_again(std::string_view type, json given, json (*again)(const json&)) {
  CAPTURE(std::string(type));
  for (double seed = 0; seed < 300; seed += 100) {
    double counter = seed;
    CHECK(again(given).dump() == given.dump());
    given = disturbed(given, counter);
  }
}

}  // namespace

TEST_CASE("every type is read as it was written, whatever its figures") {
  each_type([](auto type) {
    using T = typename decltype(type)::type;
    check_written_again(detail::json_type_name<T>(), detail::json_of<json>(T{}, {nullptr, "value", 0}),
                        written_again<T>);
  });
}

namespace {

/// An enumeration by the numbers of its enumerators.
struct enum_ways {
  std::string_view (*name_of)(std::uint8_t);
  json (*write)(std::uint8_t);
  std::uint8_t (*read)(const json&);
};
template <class E>
enum_ways ways_of() {
  return {[](std::uint8_t i) { return std::string_view(name(static_cast<E>(i))); },
          [](std::uint8_t i) { return json(static_cast<E>(i)); },
          [](const json& given) { return static_cast<std::uint8_t>(given.get<E>()); }};
}
void check_enum(const enum_ways& ways) {
  const auto refused = [&](const json& given) { return refusal_of([&] { (void)ways.read(given); }).code; };
  std::uint8_t count = 0;
  for (; ways.name_of(count) != "?"; ++count) {
    CHECK(ways.write(count) == ways.name_of(count));
    CHECK(ways.read(ways.write(count)) == count);
  }
  CHECK(count > 1);
  CHECK(refusal_of([&] { (void)ways.write(200); }).code == errc::invalid_argument);
  CHECK(refused("") == errc::unknown_name);
  CHECK(refused(0) == errc::malformed_input);
}

}  // namespace

TEST_CASE("every enumerator is read by the name it is written with") {
  json_types::each_enum([](auto type) { check_enum(ways_of<typename decltype(type)::type>()); });

  // Those that reflect/types.inc names by their order.
  STATIC_REQUIRE(name(attention_against::layers) == "layers");
  STATIC_REQUIRE(name(attention_flops::causal_half) == "causal_half");
  STATIC_REQUIRE(name(cache_sharding::batch) == "batch");
  STATIC_REQUIRE(name(host_state::optimizer) == "optimizer");
  STATIC_REQUIRE(name(host_state::parameters_and_optimizer) == "parameters_and_optimizer");
  STATIC_REQUIRE(name(member_share::whole) == "whole");
  STATIC_REQUIRE(name(member_share::others) == "others");
  STATIC_REQUIRE(name(mesh_unit::chips) == "chips");
  STATIC_REQUIRE(name(name_counts::chips) == "chips");
  STATIC_REQUIRE(name(network_kind::line) == "line");
  STATIC_REQUIRE(name(network_kind::switch_) == "switch");
  STATIC_REQUIRE(name(placement::device) == "device");
  STATIC_REQUIRE(name(placement::host) == "host");
  STATIC_REQUIRE(name(tpuplan::remainder::keep) == "keep");
  STATIC_REQUIRE(name(tpu_creation::tpu_vm) == "tpu_vm");
  STATIC_REQUIRE(name(weight_sharding::two_dimensions) == "two_dimensions");
  STATIC_REQUIRE(name(weight_sharding::gathered) == "gathered");
  STATIC_REQUIRE(name(window_eviction::evict) == "evict");
  STATIC_REQUIRE(name(window_flops::clipped) == "clipped");
  STATIC_REQUIRE(name(window_flops::half) == "half");
  STATIC_REQUIRE(name(wraparound_rule::axis_of_16) == "axis_of_16");
  STATIC_REQUIRE(name(wraparound_rule::whole_cubes) == "whole_cubes");
}

namespace {

/// Apart from the lambda of each field of each type, of which there are thousands.
void add_key(std::string& keys, std::string_view field, std::string_view unit) {
  keys += " " + detail::json_key(field, unit);
}

}  // namespace

TEST_CASE("keys are the fields' names with their unit, and change only with the schema") {
  std::string keys = "schema " + std::string(json_schema) + "\n";
  each_type([&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (detail::has_trait<detail::fields_of, T>) {
      keys += std::string(detail::json_type_name<T>()) + ":";
      const T any{};
      detail::fields_of<T>::each(any, [&](std::string_view field, const auto& value) {
        add_key(keys, field, detail::json_unit<std::decay_t<decltype(value)>>::suffix);
      });
      keys += "\n";
    }
  });
  // A key that is new is added to the file; one that goes or changes asks for another `json_schema`.
  CHECK(golden_problem("json_keys.txt", keys) == "");
}

TEST_CASE("answers of every kind are read as they were written") {
  const auto check = [](const auto& x) {
    using T = std::decay_t<decltype(x)>;
    const nlohmann::ordered_json document = json_document(x);
    CAPTURE(std::string(document.at("type")));
    const T read = read_json_document<T>(json::parse(document.dump()));
    CHECK(json_document(read).dump() == document.dump());
    CHECK(json_text(read) == document.dump(2));
    CHECK(json_text(read, -1) == document.dump());
    CHECK(json(read) == json(x));
  };
  const plan_request request = small_request();
  const plan_answer answer = make_plan(request);
  REQUIRE(answer.plans.size() > 1);
  REQUIRE(!answer.rejected.empty());
  check(request);
  check(answer);
  check(sensitivity_of(answer.plans.front(), request));
  check(training_advice(request.model, request.job, answer.plans.front().mesh, answer.plans.front().where));
  check(matrices_of(request.model));
  for (const chip_spec& chip : generations) check(chip);
  check(load_hf_config(std::string(TPUPLAN_DATA_DIR) + "/models/deepseek-v3.json"));

  serving_request served;
  served.model = request.model;
  served.job.prompt = fixed_length(1024);
  served.job.output = fixed_length(256);
  served.job.request_rate = per_second{20};
  served.largest_chips = 32;
  const serving_plan_answer servers = plan_serving(served);
  REQUIRE(!servers.plans.empty());
  check(served);
  check(servers);
}

TEST_CASE("a request read from JSON is planned as the request") {
  const plan_request request = small_request();
  const plan_answer expected = make_plan(request);
  const plan_answer got = make_plan(json(request).get<plan_request>());
  CHECK(json(got).dump() == json(expected).dump());
}

TEST_CASE("prices that a request looks at are kept by the caller") {
  const owned_price_book owned = load_prices(std::string(TPUPLAN_DATA_DIR) + "/prices.json");
  plan_request request = small_request();
  request.prices = owned.book().with("v5p", "us", provisioning::spot, usd_per_hour(1.10), "2026-11-21");
  const json written = request;
  REQUIRE(written.at("prices").at("rows").size() == owned.rows().size());
  REQUIRE(written.at("prices").at("own").size() == 1);

  const refusal without = refused<plan_request>(written);
  CHECK(without.code == errc::unsupported);
  CHECK(says(without.message, "value.prices.built_in is false; valid: true, or rows kept elsewhere"));

  std::vector<price_row> kept;
  const plan_request read = read_json<plan_request>(written, {unknown_keys::refuse, &kept});
  CHECK(kept.size() == owned.rows().size());
  CHECK(json(read) == written);
  CHECK(json(make_plan(read)).dump() == json(make_plan(request)).dump());

  // One list of rows holds one book.
  const refusal second = refusal_of([&] { (void)read_json<plan_request>(written, {unknown_keys::refuse, &kept}); });
  CHECK(second.code == errc::invalid_argument);
  CHECK(says(second.message, "an empty list of rows for each book"));
  json wrong_row = written;
  wrong_row["prices"]["rows"][3].erase("date");
  std::vector<price_row> other;
  const refusal no_date = refusal_of([&] { (void)read_json<plan_request>(wrong_row, {unknown_keys::refuse, &other}); });
  CHECK(no_date.code == errc::missing_field);
  CHECK(says(no_date.message, "value.prices.rows[3] is refused; valid: tpuplan: price.date"));
  json alias = {{"built_in", false}, {"rows", {written["prices"]["rows"][0]}}};
  alias["rows"][0]["generation"] = "Trillium";
  other.clear();
  CHECK(read_json<price_book>(alias, {unknown_keys::refuse, &other}).row(0).generation == "v6e");

  // A book of no rows has no prices, not the built-in ones.
  kept.clear();
  const json none = {{"built_in", false}};
  const price_book empty = read_json<price_book>(none, {unknown_keys::refuse, &kept});
  CHECK(empty.size() == 0);
  CHECK(!empty.is_built_in());
  CHECK(refused<price_book>({{"rows", written.at("prices").at("rows")}}).code == errc::invalid_argument);
  CHECK(says(refused<price_book>({{"row", 1}}).message, "value.row is not a key; valid: rows"));
  CHECK(refused<price_book>(json::array()).code == errc::malformed_input);
  json nine = {{"own", json::array()}};
  for (int i = 1; i <= 9; ++i) {
    nine["own"].push_back(written.at("prices").at("own").at(0));
    nine["own"].back()["smallest_chips"] = i;
  }
  CHECK(refused<price_book>(nine).code == errc::out_of_range);
  nine["own"].erase(8);
  CHECK(read_json<price_book>(nine).own_size() == 8);
  nine["own"][2]["date"] = "";
  CHECK(refused<price_book>(nine).code == errc::missing_field);
  CHECK(says(refused<price_book>(nine).message, "value.own[2] is refused"));
}

TEST_CASE("a chip, a slice and a policy may be given by name") {
  CHECK(json(read_json<slice>("v5p-128")) == json(slice_for("v5p-128")));
  CHECK(json(read_json<chip_spec>("Ironwood")) == json(tpu7x));
  CHECK(read_json<remat_policy>("minimal") == remat::minimal);
  CHECK(read_json<topology>("4x4x12") == topology{{4, 4, 12}, 3});
  CHECK(says(refused<topology>("4x").message, "value is 4x; valid: a shape such as 4x8"));
  CHECK(read_json<training_job>({{"remat", "full"}, {"global_batch", 1e3}}).global_batch == 1000);

  const refusal slice_name = refusal_of([] { (void)read_json<plan>({{"where", "v5e-24"}}); });
  CHECK(slice_name.code == errc::unknown_name);
  CHECK(says(slice_name.message, "value.where is v5e-24"));
  CHECK(says(slice_name.message, "v5litepod-16"));
  CHECK(says(refused<chip_spec>("v9").message, "value is v9; valid: v2, v3, v4"));
  CHECK(says(refused<training_job>({{"remat", "some"}}).message, "value.remat is some; valid: full"));
  CHECK(says(refused<slice>({{"chip", "v9"}}).message, "value.chip is v9"));
}

TEST_CASE("what JSON cannot say as a number") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(json(seconds{infinity}) == "infinity");
  CHECK(json(seconds{-infinity}).get<seconds>() == seconds{-infinity});
  CHECK(json("infinity").get<seconds>() == seconds{infinity});
  plan_cost cost;
  cost.low = usd{std::nan("")};
  const refusal nan = refusal_of([&] { (void)json_document(cost); });
  CHECK(nan.code == errc::not_finite);
  CHECK(says(nan.message, "plan_cost.low_usd is nan"));
  CHECK(json(known<bytes>{absent}) == "absent");
  CHECK(json(known<bytes>{unknown}) == "unknown");
  CHECK(json("absent").get<known<bytes>>().is_absent());
  CHECK(refused<known<bytes>>("16").code == errc::unknown_name);
  CHECK(json(maybe<bytes>{}).is_null());
  CHECK(!json(nullptr).get<maybe<bytes>>().has_value());
  CHECK(json(16_GiB).dump() == "17179869184.0");
  CHECK(json(known<bytes>{bytes{infinity}}).get<known<bytes>>().value() == bytes{infinity});
  CHECK(says(refused<known<bytes>>(nullptr).message, "valid: a figure, absent or unknown"));
  plan_request endless;
  endless.most_plans = std::numeric_limits<std::size_t>::max();
  CHECK(json(endless).get<plan_request>().most_plans == endless.most_plans);
  chip_spec named = v5e;
  named.name = "\xb0";
  CHECK(says(refusal_of([&] { (void)json(named); }).message, "value.name is not UTF-8"));
  const plan none_chosen = read_json<plan>({{"chosen", 3}});
  CHECK(says(refusal_of([&] { (void)chosen_cost(none_chosen); }).message, "plan.chosen is 3"));
  const refusal nothing_alike = refused<plan>({{"zzz", 1}});
  CHECK(says(nothing_alike.message, "value.zzz is not a key; valid: where, mesh, job"));
  CHECK(says(refused<plan>({{"", 1}}).message, "value. is not a key"));
}

TEST_CASE("refusals of JSON name the key") {
  struct row {
    json given;
    errc code;
    const char* words;
  };
  const row rows[] = {
      {{{"jbo", 1}}, errc::unknown_name, "value.jbo is not a key; valid: job"},
      {{{"job", {{"glob", 1}}}}, errc::unknown_name, "value.job.glob is not a key; valid: global_batch"},
      {{{"deadline", 5}}, errc::unknown_name, "value.deadline is not a key; valid: deadline_s"},
      {{{"foo", 5}}, errc::unknown_name, "value.foo is not a key; valid: model, job, tokens, smallest_batch_tokens"},
      {{{"job", 5}}, errc::malformed_input, "value.job is 5; valid: an object"},
      {{{"job", nullptr}}, errc::malformed_input, "value.job is null; valid: an object"},
      {{{"tokens", "1T"}}, errc::malformed_input, "value.tokens is \"1T\"; valid: a number"},
      {{{"tokens", json::array({1})}}, errc::malformed_input, "value.tokens is array; valid: a number"},
      {{{"kinds", {"spot", "spt"}}}, errc::unknown_name, "value.kinds[1] is \"spt\"; valid: on_demand, spot"},
      {{{"kinds", "spot"}}, errc::malformed_input, "value.kinds is \"spot\"; valid: an array"},
      {{{"regions", {1}}}, errc::malformed_input, "value.regions[0] is 1; valid: a text"},
      {{{"accept_uncertain", 1}}, errc::malformed_input, "value.accept_uncertain is 1; valid: true or false"},
      {{{"largest_chips", 1.5}}, errc::malformed_input, "value.largest_chips is 1.5; valid: a whole number"},
      {{{"largest_chips", 9223372036854775808u}}, errc::out_of_range, "value.largest_chips is 9223372036854775808"},
      {{{"most_plans", -1}}, errc::out_of_range, "value.most_plans is -1; valid: a whole number from 0 on"},
      {{{"constants", {{"chips", 1}}}}, errc::malformed_input, "value.constants.chips is 1; valid: an array"},
      {{{"model", {{"name", std::string(65, 'x')}}}}, errc::out_of_range, "valid: a text of at most 64 characters"},
      {{{"model", {{"name", 1}}}}, errc::malformed_input, "value.model.name is 1; valid: a text"},
      {json::array(), errc::malformed_input, "value is array; valid: an object"},
  };
  for (const row& r : rows) {
    const refusal got = refused<plan_request>(r.given);
    CAPTURE(r.given.dump(), got.message);
    CHECK(got.code == r.code);
    CHECK(says(got.message, r.words));
  }
  CHECK(says(refused<topology>({{"axes", 3000000000}}).message,
             "value.axes is 3000000000; valid: a whole number of 32 bits"));
  CHECK(says(refused<topology>({{"axes", -3000000000}}).message, "a whole number of 32 bits"));
  CHECK(says(refused<price_row>({{"grade", "AB"}}).message, "value.grade is \"AB\"; valid: one character"));
  CHECK(says(refused<payment_options>(json(std::vector<paid_run>(7))).message,
             "value is an array of 7; valid: an array of at most 6"));

  json later = small_request();
  later["new_in_a_later_version"] = 1;
  later["job"]["also_new"] = json::object();
  CHECK(refused<plan_request>(later).code == errc::unknown_name);
  const plan_request read = read_json<plan_request>(later, {unknown_keys::ignore, nullptr});
  CHECK(json(read) == json(small_request()));
}

TEST_CASE("a struct of the caller's own is one of the library's") {
  mine::step step;
  step.wall = 2_s;
  step.kind = mine::colour::blue;
  step.lengths = {3_s};
  const nlohmann::ordered_json document = json_document(step);
  CHECK(document.dump() ==
        R"({"schema":"tpuplan/1","type":"mine::step","value":{"wall_s":2.0,"losses":[],"kind":"blue",)"
        R"("memory_bytes":null,"lengths_s":[3.0]}})");
  const mine::step again = read_json_document<mine::step>(json::parse(document.dump()));
  CHECK(again.kind == mine::colour::blue);
  CHECK(json_document(again) == document);
  CHECK(says(refused<mine::step>({{"wall", 2}}).message, "value.wall is not a key; valid: wall_s"));
  CHECK(says(refused<mine::step>({{"kind", "green"}}).message, "value.kind is \"green\"; valid: red, blue"));
  CHECK(one_line(step) == "mine::step{wall 2.00 s, kind blue, lengths [3.00 s]}");
  CHECK(one_line(mine::colour::red) == "red");
}

TEST_CASE("what JSON cannot hold is no match, rather than an error in a function's body") {
  STATIC_REQUIRE(!is_readable<std::ostringstream>::value);
  STATIC_REQUIRE(!is_document<int>::value);
  STATIC_REQUIRE(!is_document<std::ostringstream>::value);
  STATIC_REQUIRE(is_readable<int>::value);
  STATIC_REQUIRE(is_document<plan>::value);
}

TEST_CASE("UTF-8 is what nlohmann_json takes for it") {
  // Every pair of bytes, behind each kind of first byte of three and four.
  const auto agrees = [](const std::string& words) {
    bool dumped = true;
    try {
      (void)json(words).dump();
    } catch (const json::exception&) {
      dumped = false;
    }
    return detail::is_utf8(words) == dumped;
  };
  std::size_t wrong = 0;
  for (const char* before : {"", "\xe0", "\xe1", "\xed", "\xf0", "\xf1", "\xf4", "\xf0\x90", "\xed\x9f", "\xf4\x8f"}) {
    for (int a = 0; a < 256; ++a) {
      for (int b = 0; b < 256; b += 3) {
        wrong += agrees(std::string(before) + static_cast<char>(a) + static_cast<char>(b)) ? 0u : 1u;
        wrong += agrees(std::string(before) + static_cast<char>(a)) ? 0u : 1u;
      }
    }
  }
  CHECK(wrong == 0);
  // The first and the last character of each length, and those beside what UTF-16 keeps for itself.
  for (const char* character : {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xef\xbf\xbf", "\xed\x9f\xbf", "\xee\x80\x80",
                                "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    CHECK(detail::is_utf8(character));
}

TEST_CASE("texts that could speak to a terminal are refused both ways") {
  transformer m = llama_3_8b();
  m.name = "\x1b[31mred";
  CHECK(refusal_of([&] { (void)json(m); }).code == errc::malformed_input);
  json given = json(llama_3_8b());
  for (const char* name : {"\x1b[31mred", "two\nlines", "\x7f"}) {
    given["name"] = name;
    const refusal got = refused<transformer>(given);
    CHECK(got.code == errc::malformed_input);
    CHECK(says(got.message, "value.name is "));
    CHECK(says(got.message, "a text without control characters"));
  }
  given["name"] = "caf\xc3\xa9";
  CHECK(read_json<transformer>(given).name == "caf\xc3\xa9");
}

TEST_CASE("brackets are counted outside of texts") {
  using detail::bracket_depth;
  CHECK(bracket_depth("") == 0);
  CHECK(bracket_depth("1") == 0);
  CHECK(bracket_depth("[{},{}]") == 2);
  CHECK(bracket_depth("[[],[[]]]") == 3);
  CHECK(bracket_depth(R"(["[[[", "\"[[", 1])") == 1);
  CHECK(bracket_depth(R"(["\\", [1]])") == 2);
  CHECK_NOTHROW((void)parse_json(std::string(64, '[') + std::string(64, ']'), "deep"));
  CHECK(says(refusal_of([] { (void)parse_json(std::string(65, '[') + std::string(65, ']'), "deep"); }).message,
             "deep is 65 lists and objects in each other; valid: at most 64"));
}

TEST_CASE("a document says what it is") {
  const json document = json::parse(json_document(slice_for("v5e-8")).dump());
  CHECK(document.at("schema") == "tpuplan/1");
  CHECK(document.at("type") == "slice");
  CHECK(json(read_json_document<slice>(document)) == json(slice_for("v5e-8")));
  const auto refuses = [&](const char* key, const json& value, const char* words, errc code) {
    json wrong = document;
    wrong[key] = value;
    const refusal got = refusal_of([&] { (void)read_json_document<slice>(wrong); });
    CAPTURE(got.message);
    CHECK(got.code == code);
    CHECK(says(got.message, words));
  };
  refuses("schema", "tpuplan/2", "document.schema is \"tpuplan/2\"; valid: tpuplan/1", errc::unsupported);
  refuses("schema", 1, "document.schema is 1; valid: tpuplan/1", errc::unsupported);
  refuses("type", "plan", "document.type is \"plan\"; valid: slice", errc::unsupported);
  refuses("value", 1, "slice is 1; valid: an object", errc::malformed_input);
  refuses("valeu", 1, "document.valeu is not a key; valid: value", errc::unknown_name);
  for (const char* key : {"schema", "type", "value"}) {
    json without = document;
    without.erase(key);
    const refusal got = refusal_of([&] { (void)read_json_document<slice>(without); });
    CAPTURE(key, got.message);
    CHECK(got.code == errc::missing_field);
    CHECK(says(got.message, std::string("document.") + key + " is missing"));
  }
  CHECK(refusal_of([] { (void)read_json_document<slice>(json("v5e-8")); }).code == errc::malformed_input);
}

TEST_CASE("stragglers were jitter in documents of before") {
  CHECK(read_json<step_breakdown>({{"jitter_s", 2.0}}).stragglers == 2_s);
  CHECK(says(refusal_of([] {
               (void)read_json<step_breakdown>({{"jitter_s", 2.0}, {"stragglers_s", 2.0}});
             }).message,
             "stragglers_s"));
}

}  // namespace json_tests
