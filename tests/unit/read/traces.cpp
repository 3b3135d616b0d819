// Traces of requests and days of traffic from files: what is read, and where what is not of the form is refused.
#include <filesystem>
#include <fstream>
#include <string>
#include <tpuplan/read/traces.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_traces_tests {

namespace {

const std::string header = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

std::string refusal_of_rows(const std::string& rows) {
  return refusal_of([&] { static_cast<void>(read_trace(header + rows)); }).message;
}
std::string refusal_of_day(const std::string& rows) {
  return refusal_of([&] { static_cast<void>(read_day("hour,requests_per_s\n" + rows)); }).message;
}

}  // namespace

TEST_CASE("the traces of 2023 and 2024 are read") {
  // The first rows of AzureLLMInferenceTrace_conv.csv of 2023, with the ends of lines of Windows.
  const std::vector<simulated_request> requests = read_trace(
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n"
      "2023-11-16 18:15:50.9951690,396,109\r\n2023-11-16 18:15:51.2224670,879,55\r\n");
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].arrival.value() == 0);
  CHECK(close(requests[1].arrival.value(), 4.314579));
  CHECK(requests[1].prompt == 396);
  CHECK(requests[1].output == 109);
  CHECK(requests[1].cached == 0);
  // Of 2024: UTC is said, microseconds, and a row without decimals; over the end of a leap February.
  const std::vector<simulated_request> later = read_trace(
      header + "2024-02-29 23:59:59.500000+00:00,2162,5\n2024-03-01 00:00:00+00:00,1,1\n2024-03-01 00:00:00Z,2,3");
  REQUIRE(later.size() == 3);
  CHECK(later[1].arrival.value() == 0.5);
  CHECK(later[2].output == 3);
}

TEST_CASE("bad rows of a trace are refused with their line and column") {
  const std::string good = "2023-11-16 18:15:46.68,374,44\n";
  CHECK(says(refusal_of_rows(good + "2023-11-16 18:15:46.68,374\n"), "trace, line 3, column 24"));
  CHECK(says(refusal_of_rows("2023-11-16 18:15:46.68,374,44,1\n"), "trace, line 2, column 28"));
  CHECK(says(refusal_of_rows("2023-11-16T18:15:46.68,374,44\n"), "trace, line 2, column 11"));
  CHECK(says(refusal_of_rows("2023-13-16 18:15:46.68,374,44\n"), "a time that there is"));
  CHECK(says(refusal_of_rows("2023-02-29 18:15:46.68,374,44\n"), "a time that there is"));
  CHECK(says(refusal_of_rows("1900-02-29 18:15:46.68,374,44\n"), "a time that there is"));
  CHECK(says(refusal_of_rows("2100-02-29 18:15:46.68,374,44\n"), "a time that there is"));
  CHECK(refusal_of_rows("2000-02-29 18:15:46.68,374,44\n").empty());
  CHECK(refusal_of_rows("2024-02-29 18:15:46.68,374,44\n").empty());
  CHECK(says(refusal_of_rows("2023-11-16 18:15:46.,374,44\n"), "column 21"));
  CHECK(says(refusal_of_rows("2023-11-16 18:15:46+02:00,374,44\n"), "a time of UTC"));
  CHECK(says(refusal_of_rows(good + "2023-11-16 18:15:46.67,374,44\n"), "line 3, column 1"));
  CHECK(says(refusal_of_rows(good + "2023-11-16 18:15:47,0,44\n"), "line 3, column 21"));
  CHECK(says(refusal_of_rows(good + "2023-11-16 18:15:47,374,0\n"), "line 3, column 25"));
  CHECK(says(refusal_of_rows(good + "2023-11-16 18:15:47,3.5,4\n"), "a whole number"));
  CHECK(says(refusal_of_rows(good + "2023-11-16 18:15:47,-3,4\n"), "a whole number"));
  CHECK(says(refusal_of_rows(good + "2023-11-16 18:15:47,99999999999999999999,4\n"), "whole number"));
  CHECK(says(refusal_of_rows(good + "\n"), "line 3, column 1"));
  CHECK(says(refusal_of_rows(""), "one request or more"));
  CHECK(says(refusal_of([] { static_cast<void>(read_trace("")); }).message, "TIMESTAMP,ContextTokens"));
  CHECK(
      says(refusal_of([] { static_cast<void>(read_trace("timestamp,prompt,output\n")); }).message, "line 1, column 1"));
  CHECK(
      says(refusal_of([] { static_cast<void>(load_trace("/nowhere/trace.csv")); }).message, "a file that can be read"));
}

TEST_CASE("a day of traffic by hour") {
  const traffic_day day = read_day("hour,requests_per_s\n0,10\n1,2.5\n");
  CHECK(day.rates.size() == 2);
  CHECK(requests_of(day) == 45000);
  CHECK(day.part.value() == 3600);
  CHECK(says(refusal_of_day("1,10\n"), "line 2, column 1"));
  CHECK(says(refusal_of_day("0,10\n2,10\n"), "hours in turn: 1"));
  CHECK(says(refusal_of_day("0,-1\n"), "line 2, column 3"));
  CHECK(says(refusal_of_day("0,1.2.3\n"), "line 2, column 3"));
  CHECK(says(refusal_of_day("0,\n"), "line 2, column 3"));
  CHECK(refusal_of_day("0,1.00000000000000\n").empty());  // 15 digits
  CHECK(says(refusal_of_day("0,1.000000000000000\n"), "line 2, column 3"));
  CHECK(says(refusal_of_day("0,0.1\n"), "requests of the day"));
  CHECK(says(refusal_of([] { static_cast<void>(load_day("/nowhere/day.csv")); }).message, "a file that can be read"));
}

TEST_CASE("a trace and a day from a file") {
  const std::string path = (std::filesystem::temp_directory_path() / "tpuplan_trace_test.csv").string();
  std::ofstream{path} << header + "2024-03-01 00:00:00Z,2,3\n";
  const std::vector<simulated_request> requests = load_trace(path);
  REQUIRE(requests.size() == 1);
  CHECK(requests.front().arrival == 0_s);
  std::ofstream{path} << "hour,requests_per_s\n0,10\n";
  CHECK(requests_of(load_day(path)) == 36000);
  std::filesystem::remove(path);
  CHECK(says(refusal_of([&] { (void)load_trace(path); }).message, "a file that can be read"));
}

TEST_CASE("a file of more than 2 GiB is refused before it is read") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "tpuplan_long_trace_test.csv";
  std::ofstream{path} << header;
  CHECK(detail::read_whole_file(path.string(), header.size()) == header);
  const auto refused = [&](std::size_t most) {
    return says(refusal_of([&] { (void)detail::read_whole_file(path.string(), most); }).message, "at most 2 GiB");
  };
  CHECK_FALSE(refused(header.size()));
  CHECK(refused(header.size() - 1));
  std::filesystem::resize_file(path, (std::uintmax_t{1} << 31) + 1);  // zeros that take no room
  CHECK(says(refusal_of([&] { (void)load_trace(path.string()); }).message, "at most 2 GiB"));
  std::filesystem::remove(path);
}

TEST_CASE("a byte order mark is no part of a table") {
  CHECK(read_day("\xEF\xBB\xBFhour,requests_per_s\n0,10\n").rates.size() == 1);
}

}  // namespace read_traces_tests
