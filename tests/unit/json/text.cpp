// A document as text is what nlohmann_json makes of the document.
#include <tpuplan/json/text.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/json.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace json_text_tests {

TEST_CASE("numbers have few digits that read back, and a point or an exponent") {
  CHECK(detail::number_as_json(0.1) == "0.1");
  CHECK(detail::number_as_json(16) == "16.0");
  CHECK(detail::number_as_json(1e20) == "1e+20");
  CHECK(detail::number_as_json(-0.0) == "-0.0");
  for (int exponent = -320; exponent <= 308; ++exponent) {
    const std::string given = "1e" + std::to_string(exponent);
    CAPTURE(given);
    CHECK(detail::number_as_json(std::strtod(given.c_str(), nullptr)) == nlohmann::json::parse(given).dump());
  }
  std::mt19937_64 random{17};
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double x = 0;
    std::memcpy(&x, &bits, sizeof(x));
    if (!std::isfinite(x)) continue;
    CAPTURE(x);
    REQUIRE(nlohmann::json::parse(detail::number_as_json(x)).get<double>() == x);
    REQUIRE(detail::number_as_json(x) == nlohmann::json(x).dump());
  }
}

TEST_CASE("texts are quoted, levels indented, and what is empty stands on its line") {
  std::string every_character;
  for (int c = 0; c < 128; ++c) every_character += static_cast<char>(c);
  const auto write = [&](detail::json_sink to) {
    to.begin_object();
    to.key("quo\"te");
    to.text(every_character);
    to.key("numbers");
    to.begin_array();
    to.whole(-7);
    to.count(18446744073709551615U);
    to.number(2.5);
    to.flag(true);
    to.null();
    to.begin_array();
    to.end();
    to.end();
    to.key("empty");
    to.begin_object();
    to.end();
    to.end();
  };
  nlohmann::ordered_json document;
  detail::json_builder<nlohmann::ordered_json> builder{document};
  write(builder.sink());
  for (const int indent : {-1, 0, 1, 2, 4}) {
    CAPTURE(indent);
    detail::json_text_builder text{indent};
    write(text.sink());
    CHECK(text.text() == document.dump(indent));
  }
}

TEST_CASE("a value as an error quotes it") {
  CHECK(detail::shown_json("a\"b\\c") == "\"a\\\"b\\\\c\"");
  CHECK(detail::shown_json(std::string(38, 'x')) == '"' + std::string(38, 'x') + '"');
  CHECK(detail::shown_json(std::string(39, 'x')) == '"' + std::string(36, 'x') + "...");
}

TEST_CASE("a slice as the text of its document") {
  CHECK(json_text(slice_for("v5e-8"), -1).rfind(R"({"schema":"tpuplan/1","type":"slice","value":{)", 0) == 0);
  CHECK(json_text(slice_for("v5e-8")) == json_document(slice_for("v5e-8")).dump(2));
}

}  // namespace json_text_tests
