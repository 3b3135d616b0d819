#ifndef TPUPLAN_READ_TRACES_HPP
#define TPUPLAN_READ_TRACES_HPP

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/simulate/arrivals.hpp>
#include <vector>

/// @file
/// Traffic from files: traces of requests in the form of the Azure LLM inference traces of 2023 and 2024, and requests
/// a second by hour. Anything else is refused with its line and column.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A file of lines with commas, read field by field.
class csv_reader {
 public:
  /// A byte order mark, as spreadsheets write it, is no part of the first line.
  csv_reader(std::string_view characters, std::string_view source) : left_{characters}, source_{source} {
    if (left_.substr(0, 3) == "\xEF\xBB\xBF") left_.remove_prefix(3);
  }

  /// Goes to the next line; false after the last one.
  bool next_line() {
    if (left_.empty()) return false;
    const std::size_t end = left_.find('\n');
    line_ = left_.substr(0, end);
    left_.remove_prefix(end == std::string_view::npos ? left_.size() : end + 1);
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    at_ = 0;
    ++number_;
    return true;
  }
  /// Refuses the line unless it is the header.
  void expect_header(std::string_view header) {
    if (!next_line() || line_ != header) refuse(number_ == 0 ? "nothing" : line_, header);
  }
  /// The characters to the next comma, or to the end of the line for the last field.
  std::string_view field(bool last) {
    begin_ = at_;
    const std::size_t comma = line_.find(',', at_);
    if (!last && comma == std::string_view::npos) refuse(line_.substr(at_), "a further field behind a comma");
    if (last && comma != std::string_view::npos) refuse(line_.substr(at_), "no further field");
    const std::string_view found = line_.substr(at_, last ? std::string_view::npos : comma - at_);
    at_ = last ? line_.size() : comma + 1;
    return found;
  }
  /// A whole number in decimal digits.
  std::int64_t count(bool last, std::int64_t most) {
    const std::string_view given = field(last);
    std::int64_t value = 0;
    for (const char c : given) {
      if (c < '0' || c > '9' || value > most) refuse(given, "a whole number from 1 on, in decimal digits");
      value = 10 * value + (c - '0');
    }
    if (given.empty() || value < 1 || value > most) refuse(given, "a whole number from 1 on that is no absurd length");
    return value;
  }
  [[noreturn]] void refuse(std::string_view given, std::string_view valid, std::size_t further = 0) const {
    text<96> field{source_.substr(0, 48)};
    field.append(", line ").append(number_).append(", column ");
    field.append(static_cast<std::int64_t>(begin_ + further + 1));
    fail(errc::malformed_input, field.view(), given.substr(0, 60), valid);
  }

 private:
  std::string_view left_, source_, line_{};
  std::size_t at_ = 0, begin_ = 0;
  std::int64_t number_ = 0;
};

/// Days from 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms", 2021).
constexpr std::int64_t days_from_civil(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = year / 400, of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/// "2023-11-16 18:15:46.6805900", and "2024-05-10 00:00:00.009930+00:00": nanoseconds since 1970, of UTC.
inline std::int64_t read_timestamp(const csv_reader& reader, std::string_view given) {
  constexpr std::string_view form = "0000-00-00 00:00:00", valid = "a time such as 2023-11-16 18:15:46.6805900";
  std::int64_t parts[6] = {};
  std::size_t part = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (i >= given.size()) reader.refuse(given, valid, i);
    if (form[i] != '0') {
      if (given[i] != form[i]) reader.refuse(given, valid, i);
      ++part;
    } else if (given[i] < '0' || given[i] > '9') {
      reader.refuse(given, valid, i);
    } else {
      parts[part] = 10 * parts[part] + (given[i] - '0');
    }
  }
  constexpr std::int64_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = parts[0] % 4 == 0 && (parts[0] % 100 != 0 || parts[0] % 400 == 0);
  const bool is_month = parts[1] >= 1 && parts[1] <= 12;
  if (!is_month || parts[2] < 1 || parts[2] > days[parts[1] - 1] + (leap && parts[1] == 2 ? 1 : 0) || parts[3] > 23 ||
      parts[4] > 59 || parts[5] > 59 || parts[0] < 1970)
    reader.refuse(given, "a time that there is, from 1970 on");
  std::size_t at = form.size();
  std::int64_t nanoseconds = 0;
  if (at < given.size() && given[at] == '.') {
    std::int64_t unit = 100000000;
    const std::size_t first = ++at;
    for (; at < given.size() && given[at] >= '0' && given[at] <= '9' && unit > 0; ++at, unit /= 10)
      nanoseconds += unit * (given[at] - '0');
    if (at == first) reader.refuse(given, valid, at);
  }
  const std::string_view zone = given.substr(at);
  if (!zone.empty() && zone != "+00:00" && zone != "Z") reader.refuse(given, "a time of UTC", at);
  const std::int64_t day = days_from_civil(parts[0], parts[1], parts[2]);
  return (((day * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5]) * 1000000000 + nanoseconds;
}

inline std::string read_whole_file(const std::string& path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(errc::malformed_input, "file", path, "a file that can be read");
  file.seekg(0, std::ios::end);
  bool too_long = file.tellg() > static_cast<std::streamoff>(most);
  file.clear();  // a pipe has no end yet
  file.seekg(0);
  file.clear();
  std::string characters;
  for (char block[65536]; file && !too_long;) {
    file.read(block, sizeof(block));
    characters.append(block, static_cast<std::size_t>(file.gcount()));
    too_long = characters.size() > most;
  }
  if (too_long) fail(errc::malformed_input, "file", path, "a file of at most 2 GiB");
  return characters;
}

}  // namespace detail

/// The requests of a trace in the form of the public Azure LLM inference traces: a line
/// `TIMESTAMP,ContextTokens,GeneratedTokens`, then one for each request by rising time, which is that of UTC with up to
/// nine decimals and may end in +00:00. The first request arrives at 0. Throws `errc::malformed_input` with line and
/// column for everything else: other columns, lengths of 0, falling or invalid times. `source` is the name of the trace
/// in errors. Source: github.com/Azure/AzurePublicDataset, AzureLLMInferenceDataset2023.md and 2024.md (read
/// 2026-11-22). Worked: the second request of the trace "conv" of 2023 arrives 4.314579 s after the first.
[[nodiscard]] inline std::vector<simulated_request> read_trace(std::string_view csv,
                                                               std::string_view source = "trace") {
  detail::csv_reader reader(csv, source);
  reader.expect_header("TIMESTAMP,ContextTokens,GeneratedTokens");
  std::vector<simulated_request> requests;
  std::int64_t first = 0, before = 0;
  while (reader.next_line()) {
    const std::string_view given = reader.field(false);
    const std::int64_t time = detail::read_timestamp(reader, given);
    if (requests.empty()) first = before = time;
    if (time < before) reader.refuse(given, "a time that is not before that of the line above");
    before = time;
    simulated_request request;
    request.arrival = seconds{static_cast<double>(time - first) * 1e-9};
    request.prompt = reader.count(false, std::int64_t{1} << 28);
    request.output = reader.count(true, std::int64_t{1} << 28);
    requests.push_back(request);
  }
  if (requests.empty()) reader.refuse("nothing", "one request or more");
  return requests;
}

/// The requests of a trace file, as `read_trace` reads them. Throws as it does, and for a file that cannot be read or
/// is over 2 GiB. Worked: a file with the header and one row has one request, at 0 s.
[[nodiscard]] inline std::vector<simulated_request> load_trace(const std::string& path) {
  return read_trace(detail::read_whole_file(path, std::size_t{1} << 31), path);
}

/// A day from lines `hour,requests_per_s`, then 0,4.2 to 23,5: one line for each hour. Throws `errc::malformed_input`
/// with line and column for everything else, and for fewer than `least` requests. Worked:
/// "hour,requests_per_s\n0,10\n1,2.5\n" has 45,000 requests.
[[nodiscard]] inline traffic_day read_day(std::string_view csv, std::string_view source = "day", double least = 1000) {
  detail::csv_reader reader(csv, source);
  reader.expect_header("hour,requests_per_s");
  traffic_day day;
  while (reader.next_line()) {
    text<8> hour;
    hour.append(static_cast<std::int64_t>(day.rates.size()));
    if (const std::string_view given = reader.field(false); given != hour.view())
      reader.refuse(given, text<48>{"hours in turn: "}.append(hour.view()).view());
    const std::string_view given = reader.field(true);
    double rate = 0, unit = 0;
    std::size_t digits = 0;
    for (const char c : given) {
      if (c == '.' && unit == 0) {
        unit = 1;
        continue;
      }
      if (c < '0' || c > '9' || ++digits > 15) reader.refuse(given, "requests a second such as 12 or 4.25");
      rate = 10 * rate + (c - '0');
      unit *= 10;
    }
    if (digits == 0) reader.refuse(given, "requests a second such as 12 or 4.25");
    day.rates.push_back(per_second{unit > 0 ? rate / unit : rate});
    if (day.rates.size() > 24 * 366) reader.refuse(given, "at most a year of hours");
  }
  detail::validate(day, least);
  return day;
}

/// A day from a file, as `read_day` reads it. Throws as it does, and for a file that cannot be read or is over 1 MiB.
/// Worked: a file with "hour,requests_per_s" and "0,10" has 36,000 requests.
[[nodiscard]] inline traffic_day load_day(const std::string& path, double least = 1000) {
  return read_day(detail::read_whole_file(path, std::size_t{1} << 20), path, least);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
