#include "cli/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <tpuplan/show/text/readable.hpp>
#include <tpuplan/simulate/arrivals.hpp>

#include "cli/number.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// The limits in words: "1 to 9e+15", or "0 or more" if the upper limit is too large to matter.
std::string words_of(const limits& range) {
  return fmt::format("from {:.7g} to {:.7g}{}", range.least, range.most, range.unit);
}

/// The number, if the text is one and it lies within the limits.
template <class T>
T within(std::string_view option, std::string_view given, const limits& range, const std::optional<T>& number,
         std::string_view form) {
  if (!number) refuse(option, given, fmt::format("{}; {}", form, words_of(range)), errc::malformed_input);
  if (!range.has(static_cast<double>(*number))) refuse(option, given, words_of(range), errc::out_of_range);
  return *number;
}

}  // namespace

void refuse(std::string_view option, std::string_view given, std::string_view valid, errc why) {
  throw error(why, option, given, valid);
}

void refuse_missing(std::string_view option, std::string_view valid) {
  refuse(option, "missing", valid, errc::missing_field);
}

std::int64_t positive_count(std::string_view option, std::int64_t given) {
  if (given < 1) refuse(option, std::to_string(given), "a whole number from 1 on");
  return given;
}

void read(std::string_view option, const std::string& given, const limits& range, double& into) {
  const bool is_share = range.most <= 1;
  into = within(option, given, range, is_share ? scan_share(given) : scan_amount(given),
                is_share ? "a share such as 0.4 or 40%" : "a number such as 1.5e12, 300B, 4M, 4Mi, 0.5");
}
void read(std::string_view option, const std::string& given, const limits& range, std::int64_t& into) {
  into =
      within(option, given, range, scan_count(given), "a whole number such as 1024, 4k, 4Ki, 1e6, in decimal digits");
}
void read(std::string_view option, const std::string& given, const limits& range, seconds& into) {
  const std::optional<double> time = scan_seconds(given);
  const std::string valid =
      fmt::format("a time such as 2w, 30d, 12h, 1h30m, 45min, 600s, 50ms; from {} to {}",
                  readable::duration(seconds{range.least}), readable::duration(seconds{range.most}));
  if (!time) refuse(option, given, valid, errc::malformed_input);
  if (!range.has(*time)) refuse(option, given, valid, errc::out_of_range);
  into = seconds{*time};
}
void read(std::string_view option, const std::string& given, const limits& range, usd& into) {
  into = usd{within(option, given, range, scan_dollars(given), "dollars such as 150k, $1.2M, 9.60")};
}
void read(std::string_view option, const std::string& given, const limits& range, per_second& into) {
  into = per_second{within(option, given, range, scan_amount(given), "a number a second such as 0.5, 12, 4k")};
}
void read(std::string_view option, const std::string& given, const limits&, std::string& into) {
  if (given.empty()) refuse(option, "\"\"", "something", errc::missing_field);
  into = given;
}

namespace {

/// The name as JSON has it; refuses others.
std::string_view read_choice(std::string_view option, const std::string& given, const row_choices& choices) {
  const std::string_view found = choices.read(given);
  if (found.empty()) refuse(option, given, choices.valid, errc::unknown_name);
  return found;
}

template <class T>
T read_as(const question_row& row, const std::string& given) {
  T value{};
  read(row.option, given, {row.least, row.most, row.unit == "GiB" ? " GiB" : ""}, value);
  return value;
}

double share_of(const std::string& option, const std::string& given) {
  double share = 0;
  read(option, given, {0, 1}, share);
  return share;
}
std::int64_t tokens_of(const std::string& option, const std::string& given, double least) {
  std::int64_t tokens = 0;
  read(option, given, {least, 1e9}, tokens);
  return tokens;
}

/// "lognormal:400,0.8,8192": median, spread of the logarithm, longest.
length_distribution parse_log_normal(const std::string& option, const std::string& given) {
  constexpr std::string_view valid = "lognormal:MEDIAN,SPREAD,LONGEST such as lognormal:400,0.8,8192";
  const std::size_t first = given.find(','), second = first == std::string::npos ? first : given.find(',', first + 1);
  if (second == std::string::npos || given.find(',', second + 1) != std::string::npos)
    refuse(option, given, valid, errc::malformed_input);
  const std::size_t from = given.find(':') + 1;
  double median = 0, spread = 0;
  read("the median of " + option, given.substr(from, first - from), {1, 1e9}, median);
  read("the spread of " + option, given.substr(first + 1, second - first - 1), {1e-9, 10}, spread);
  const std::int64_t longest = tokens_of(option, given.substr(second + 1), 1);
  if (static_cast<double>(longest) < median)
    refuse(option, given.substr(second + 1), "a longest one of no fewer tokens than the median");
  return log_normal_lengths(median, spread, longest);
}

/// "1024": all alike; "0:16,0.5:400,1:8192": quantiles, each a share and the tokens that it does not exceed.
length_distribution parse_lengths(const std::string& option, const std::string& given) {
  if (given.rfind("lognormal:", 0) == 0) return parse_log_normal(option, given);
  if (given.find(':') == std::string::npos) return same_length(tokens_of(option, given, 1));
  std::vector<length_quantile> list;
  for (std::size_t at = 0; at <= given.size();) {
    const std::size_t end = std::min(given.find(',', at), given.size());
    const std::string one = given.substr(at, end - at);
    const std::size_t colon = one.find(':');
    if (colon == std::string::npos) refuse(option, given, "share:tokens,share:tokens ...", errc::malformed_input);
    const std::string share = one.substr(0, colon), tokens = one.substr(colon + 1);
    if (share.find_first_not_of("0123456789.%") != std::string::npos)
      refuse(option, given, "1024, 0:16,0.5:400,1:8192 or lognormal:400,0.8,8192", errc::malformed_input);
    list.push_back({share_of(option, share), tokens_of(option, tokens, 0)});
    at = end + 1;
  }
  try {
    return lengths_by_quantiles(std::move(list));
  } catch (const error& refusal) {
    refuse(fmt::format("{} {}: {}", option, given, refusal.field()), refusal.given(), refusal.valid(), refusal.code());
  }
}

/// Seconds; of a row in milliseconds or microseconds a number alone is of these.
double time_of(const question_row& row, const std::string& given) {
  const bool small = row.unit == "ms" || row.unit == "us";
  const std::optional<scaled_number> number = small ? scan_number(given) : std::nullopt;
  return read_as<seconds>(row, number && number->rest.empty() ? given + std::string(row.unit) : given).value();
}

nlohmann::json flag_value(std::string_view value) {
  return value == "true" || value == "false" ? nlohmann::json(value == "true") : nlohmann::json(value);
}

}  // namespace

nlohmann::json value_of(const question_row& row, const std::string& given) {
  const std::string option(row.option);
  switch (row.kind) {
    case value_kind::count: return read_as<std::int64_t>(row, given);
    case value_kind::number:
    case value_kind::share: return read_as<double>(row, given);
    case value_kind::time: return time_of(row, given);
    case value_kind::dollars: return read_as<usd>(row, given).value();
    case value_kind::dollars_an_hour: return usd_per_hour(read_as<usd>(row, given).value()).value();
    case value_kind::rate: return read_as<per_second>(row, given).value();
    case value_kind::choice: return flag_value(read_choice(option, given, *row.choices));
    case value_kind::flag: return flag_value(row.value);
    case value_kind::lengths:
    case value_kind::distribution: return parse_lengths(option, given);
    case value_kind::target: return latency_target{row.part, read_as<seconds>(row, given)};
    case value_kind::words:
    case value_kind::file: break;
  }
  return read_as<std::string>(row, given);
}

void read(std::string_view option, const std::string& given, const limits&, dtype& into) {
  into = dtype_for(read_choice(option, given, format_choices));
}
void read(std::string_view option, const std::string& given, const limits&, software_level& into) {
  into = *parse_software_level(read_choice(option, given, software_choices));
}
void read(std::string_view option, const std::string& given, const limits&, provisioning& into) {
  into = *parse_provisioning(read_choice(option, given, payment_choices));
}

namespace {

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    words.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

/// The place of a path in the request.
nlohmann::json& place_of(std::string_view of, nlohmann::json& request) {
  std::string path = "/" + std::string(of);
  std::replace(path.begin(), path.end(), '.', '/');
  return request[nlohmann::json::json_pointer(path)];
}

/// Puts the moments of lengths into the request, and the distribution of those that vary.
void put_lengths(const question_row& row, const std::string& given, nlohmann::json& request) {
  const length_distribution drawn = parse_lengths(std::string(row.option), given);
  place_of(row.path, request) = lengths_of(drawn);
  if (!drawn.quantiles.empty() || drawn.spread > 0) place_of(row.value, request) = drawn;
}

/// Adds a value to a list; the first one replaces what stands there. "all" is every name.
void add_value(const question_row& row, const std::string& given, bool is_first, nlohmann::json& list) {
  if (is_first) list = nlohmann::json::array();
  const auto add = [&](const nlohmann::json& value) {  // of a name that is given twice the first
    if (row.choices == nullptr || std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  };
  if (row.choices == nullptr || given != "all") return add(value_of(row, given));
  for (std::size_t i = 0; row.choices->at(i) != "?"; ++i) add(row.choices->at(i));
}

}  // namespace

option& command::ask(const question_row& row, nlohmann::json& request) {
  const option::shape form = row.kind == value_kind::flag ? option::shape::flag
                             : row.option.front() != '-'
                                 ? (row.several ? option::shape::arguments : option::shape::argument)
                             : row.several ? option::shape::list
                                           : option::shape::value;
  option& added = declare(form, std::string(row.option), std::string(row.help),
                          [row, &request, is_first = true](const std::string& given) mutable {
                            if (row.kind == value_kind::lengths) return put_lengths(row, given, request);
                            nlohmann::json& place = place_of(row.path, request);
                            if (row.several) return add_value(row, given, std::exchange(is_first, false), place);
                            place = value_of(row, given);
                          });
  return as_row_says(row, added);
}
option& command::as_row_says(const question_row& row, option& added) {
  added.fills = std::string(row.path) + " " + std::string(row.decides);
  added.usual_ = row.usual;
  added.needs_ = words_of(row.needs);
  added.excludes_ = words_of(row.excludes);
  added.must_be_given_ = row.must_be_given;
  return added;
}
void command::ask(const row_list& rows, nlohmann::json& request) {
  for (const question_row& row : rows)
    if (row.kind != value_kind::file) ask(row, request);
}
namespace {
const question_row& row_of(const row_list& rows, std::string_view option_name) {
  for (const question_row& row : rows)
    if (row.option == option_name) return row;
  throw std::logic_error("no row of " + std::string(option_name));
}
}  // namespace
option& command::ask(const row_list& rows, std::string_view option_name, nlohmann::json& request) {
  return ask(row_of(rows, option_name), request);
}
option& command::ask_file(const row_list& rows, std::string_view option_name, std::string& path) {
  const question_row& row = row_of(rows, option_name);
  return as_row_says(row, add(std::string(row.option), path, std::string(row.help)));
}

void command::ask_beside(const std::string& other, const question_row& row, nlohmann::json& request) {
  option& one = of(row.option);
  one.fills += " " + std::string(row.path);
  one.take = [row, &request, &beside = of(other), otherwise = one.take](const std::string& given) {
    if (!beside.is_given()) return otherwise(given);
    place_of(row.path, request) = value_of(row, given);
  };
}

option& command::of(std::string_view option_name) {
  const auto is = [&](const option& one) { return one.name == option_name; };
  return *std::find_if(options.begin(), options.end(), is);
}

const option* command::find(std::string_view option_name) const noexcept {
  for (const option& one : options) {
    if (one.name == option_name) return &one;
  }
  return nullptr;
}

bool command::is_given(std::string_view option_name) const noexcept {
  const option* found = find(option_name);
  return found != nullptr && found->is_given();
}

option& command::declare(option::shape form, const std::string& option_name, const std::string& says,
                         std::function<void(const std::string&)> take) {
  option& added = options.emplace_back();
  added.name = option_name;
  added.help = says;
  added.form = form;
  added.take = std::move(take);
  added.fills = option_name.substr(std::min<std::size_t>(option_name.find_first_not_of('-'), option_name.size()));
  std::replace(added.fills.begin(), added.fills.end(), '-', '_');
  return added;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace cli
