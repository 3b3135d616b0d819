// Every public type has a text, a stream, a formatter and a picture of it in a notebook: whatever a function returns
// can be looked at.
#include <fmt/format.h>

#include <sstream>
#include <string>
#include <support/json_types.hpp>
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/read/prices.hpp>
#include <tpuplan/show/fmt.hpp>
#include <tpuplan/show/ostream.hpp>

#include "support/catch.hpp"
#include "support/kernel.hpp"
#include "support/models.hpp"
#include "support/xml.hpp"

using namespace tpuplan;

namespace show_ostream_tests {

namespace {

template <class T>
std::string streamed(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

/// A value as text, in a stream, formatted and in a notebook.
struct looks {
  std::string line, streamed, formatted;
  nlohmann::json displayed;
};
template <class T>
looks looks_of(const T& x) {
  return {one_line(x), streamed(x), fmt::format("{}", x), kernel::displayed(x)};
}

/// The four agree, and a table is well formed.
std::string text_of(const looks& all) {
  CHECK(all.streamed == all.line);
  CHECK(all.formatted == all.line);
  REQUIRE(all.displayed.contains("text/plain"));
  if (all.displayed.contains("text/html")) {
    const xml_reader reader(all.displayed["text/html"].get<std::string>());
    CHECK(reader.elements().size() > 2);
  }
  if (!all.displayed.contains("image/svg+xml")) CHECK(all.displayed["text/plain"] == all.line);
  return all.line;
}
template <class T>
std::string text_of_all(const T& x) {
  return text_of(looks_of(x));
}

/// The same of a type by its name.
void check_looks(std::string_view type, const looks& all) {
  CAPTURE(std::string(type));
  CHECK(text_of(all) != "nothing of its own");
}

template <class T>
std::string html(const T& x) {
  return kernel::displayed(x).at("text/html").template get<std::string>();
}

}  // namespace

TEST_CASE("every public struct can be looked at", "[shown]") {
  std::size_t count = 0;
  json_types::each_type([&](auto type) {
    using T = typename decltype(type)::type;
    ++count;
    // There is nothing to look at in a slice without a chip, a plan without a slice, a chart without a point.
    if constexpr (!detail::is_one_of<T, slice, plan, memory_chart, step_chart, frontier_chart, roofline_chart,
                                     pareto_chart, accuracy_chart>) {
      check_looks(detail::json_type_name<T>(), looks_of(T{}));
    }
  });
  CHECK(count > 130);
}

TEST_CASE("every enumerator can be looked at", "[shown]") {
  json_types::each_enum([](auto type) {
    constexpr auto first = static_cast<typename decltype(type)::type>(0);
    const std::string line = text_of_all(first);
    if (line != name(first)) FAIL_CHECK(line);
  });
}

TEST_CASE("what has no wording of its own is its fields", "[shown]") {
  CHECK(text_of_all(tile{8, 128}) == "tile{sublanes 8, lanes 128}");
  CHECK(text_of_all(tile{}) == "tile{}");
  CHECK(text_of_all(product_dtypes{}) == "product_dtypes{weights bf16, activations bf16, output bf16, compute bf16}");
  const parameter_count n = parameters(llama_3_8b());
  CHECK(text_of_all(n).substr(0, 38) == "parameter_count{embedding 525336576, a");
  CHECK(html(n).find("<td style=\"text-align:left\">embedding</td><td style=\"text-align:right\">525336576</td>") !=
        std::string::npos);
  CHECK(html(n).find("vision") != std::string::npos);  // a table has what is 0, too
  const product_time t = roofline(v5e, {512, 4096, 16384});
  CHECK(text_of_all(t).find("math 349 us") != std::string::npos);
  CHECK(text_of_all(t).find("limited_by") != std::string::npos);
  offer_comparison compared;
  compared.saving_fraction = 0.123456;
  compared.speed_ratio = 1e20;
  CHECK(text_of_all(compared) == "offer_comparison{saving_fraction 0.1235, speed_ratio 1e+20}");
  payment_terms terms;
  CHECK(text_of_all(terms).find("spot spot_terms{mean_time_between_preemptions 4.00 hours") != std::string::npos);
}

TEST_CASE("what may not be there says so", "[shown]") {
  CHECK(text_of_all(find_slice("v5p-128")) == "v5p-128");
  CHECK(html(find_slice("v5p-128")) == html(slice_for("v5p-128")));
  CHECK(text_of_all(find_slice("v5p-129")) == "none");
  CHECK(text_of_all(maybe<std::int64_t>{7}) == "7");
  CHECK(text_of_all(known<double>{0.5}) == "0.5");
  CHECK(text_of_all(known<std::int64_t>{}) == "unknown");
  CHECK(text_of_all(known<seconds>{absent_t{}}) == "absent");
  CHECK(text_of_all(price_book{}).find(" prices") != std::string::npos);
  CHECK(text_of_all(price_book{}.with("v5e", "us", provisioning::spot, usd_per_hour(1), "2026-11-21"))
            .find("1 of them") != std::string::npos);
}

TEST_CASE("what the standard library holds is shown by what it holds", "[shown]") {
  plan_sensitivity s;
  CHECK(kernel::displayed(s.twice_preempted).at("text/plain") == "none");
  s.twice_preempted = plan_cost{};
  CHECK(kernel::displayed(s.twice_preempted) == kernel::displayed(*s.twice_preempted));
  CHECK(streamed(s.twice_preempted) == one_line(*s.twice_preempted));
  CHECK(streamed(std::optional<plan_cost>{}) == "none");
  CHECK(streamed(16_GiB) == "16.0 GiB");
  CHECK(streamed(slice_for("v5p-128")) == "v5p-128");
  CHECK_FALSE(kernel::displayed(std::vector<verdict>{}).contains("text/html"));
  CHECK(kernel::displayed(std::optional<int>{}).at("text/plain") == "nothing of its own");
  plan p;
  p.where = slice_for("v6e-8");
  p.mesh.fsdp = 8;
  plan_answer answer;
  answer.plans = {p, p};
  CHECK(html(answer.plans) == html(answer));
  const owned_price_book prices({price_row{}, price_row{}}, {"", ""});
  CHECK(text_of_all(prices) == "2 prices");
}

TEST_CASE("a range that begins at nothing has the unit of its end", "[shown]") {
  CHECK(readable::duration_range(0_s, 2.5_s) == "0-2.50 s");
  CHECK(readable::duration_range(0_s, 0_s) == "0-0 us");
  CHECK(readable::duration_range(1_ms, 2.5_s) == "1.00 ms-2.50 s");
  CHECK(readable::duration_range(0.382_ms, 16.947_ms) == "0.38-16.9 ms");
  CHECK(readable::duration_range(8_ms, 900_ms) == "8.00-900 ms");
}

TEST_CASE("several values are a table", "[shown]") {
  const weight_matrices list = matrices_of(llama_3_8b());
  CHECK(html(list).find("<th style=\"text-align:left\">name</th>") != std::string::npos);
  CHECK(one_line(list).front() == '[');
  const std::vector<verdict> verdicts = {verdict::yes, verdict::no};
  CHECK(kernel::displayed(verdicts).at("text/plain") == "[yes, no]");
  CHECK(html(verdicts).find("<td style=\"text-align:left\">1</td><td style=\"text-align:right\">no</td>") !=
        std::string::npos);
  CHECK(kernel::displayed(std::vector<verdict>(9)).at("text/plain") == "9 of them");
  CHECK(kernel::displayed(std::vector<verdict>{}).at("text/plain") == "[]");
  CHECK(kernel::displayed(std::vector<int>{1}).at("text/plain") == "nothing of its own");
}

TEST_CASE("numbers of any size", "[shown]") {
  using readable::number;
  CHECK(number(0) == "0");
  CHECK(number(-3) == "-3");
  CHECK(number(238419) == "238419");
  CHECK(number(1e12) == "1000000000000");
  CHECK(number(1e20) == "1e+20");
  CHECK(number(0.9160722) == "0.9161");
  CHECK(number(2.5e-5) == "2.5e-05");
  CHECK(number(-1.0 / 3) == "-0.3333");
  CHECK(number(std::numeric_limits<double>::infinity()) == "inf");
}

TEST_CASE("plans over several slices say how many", "[shown]") {
  plan p;
  p.where = slice_for("v6e-256");
  p.mesh.fsdp = 256;
  p.mesh.dcn_data = 4;
  CHECK(one_line(p).substr(0, 12) == "4 x v6e-256,");
  CHECK(html(p).find(">4 x v6e-256<") != std::string::npos);
  CHECK(html(p).find(">1024<") != std::string::npos);
  plan_answer answer;
  plan_cost cost;
  cost.wall = 10_h;
  cost.total = 100_usd;
  p.costs = {cost};
  answer.plans = {p};
  CHECK(pareto_of(answer).points.at(0).label == "4 x v6e-256");
}

}  // namespace show_ostream_tests
