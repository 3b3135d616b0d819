// The types of the lab are made known as those of any program (tools/lab/reflect.hpp): they are written and read, too.
#include <lab/reflect.hpp>
#include <string>
#include <tpuplan/json.hpp>
#include <tpuplan/show/text/one_line.hpp>

#include <support/catch.hpp>

using namespace tpuplan;

namespace lab_reflect_tests {

TEST_CASE("records and fits are written and read", "[lab]") {
  const auto check = [](const auto& x) {
    using T = std::decay_t<decltype(x)>;
    const nlohmann::ordered_json document = json_document(x);
    const T again = read_json_document<T>(nlohmann::json::parse(document.dump()));
    CHECK(json_document(again) == document);
    CHECK(!one_line(x).empty());
  };
  check(calibration_fit{}), check(left_out_run{}), check(serving_fit{}), check(record_exception{});
  check(fitted_constant{}), check(training_record{}), check(serving_record{}), check(serving_memory_record{});
  check(serving_prediction{}), check(record_check{}), check(error_summary{}), check(baseline_errors{});
  check(held_constant{}), check(left_out_serving{}), check(serving_accuracy{});
  record_exception exception;
  exception.id = "run-7";
  exception.what = not_judged::used_bytes;
  check(exception);
  CHECK(one_line(exception) == "record_exception{id run-7, what used_bytes}");
  CHECK(json_document(serving_record{}).at("value").at("question") == "decode_step");
  STATIC_REQUIRE(name(serving_question::end_to_end) == "end_to_end");
  STATIC_REQUIRE(name(static_cast<serving_question>(5)) == "?");
}

}  // namespace lab_reflect_tests
