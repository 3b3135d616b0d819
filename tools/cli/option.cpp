#include "cli/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/show/text/readable.hpp>

#include "cli/number.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// The limits in words: "1 to 9e+15", or "0 or more" if the upper limit is too large to matter.
std::string words_of(const limits& range) { return fmt::format("from {:.7g} to {:.7g}", range.least, range.most); }

template <class T>
T parse_name(std::string_view option, std::string_view given, const maybe<T>& found, std::string_view valid) {
  if (!found) refuse(option, given, valid, errc::unknown_name);
  return *found;
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
void read(std::string_view option, const std::string& given, const limits&, dtype& into) {
  try {
    into = dtype_for(given);
  } catch (const error& refusal) {
    refuse(option, given, refusal.valid(), refusal.code());
  }
}
void read(std::string_view option, const std::string& given, const limits&, optimizer_kind& into) {
  into = parse_name(option, given, parse_optimizer(given), names_of<optimizer_kind>());
}
void read(std::string_view option, const std::string& given, const limits&, attention_kernel& into) {
  into = parse_name(option, given, parse_attention_kernel(given), names_of<attention_kernel>());
}
void read(std::string_view option, const std::string& given, const limits&, software_level& into) {
  into = parse_name(option, given, parse_software_level(given), names_of<software_level>());
}
void read(std::string_view option, const std::string& given, const limits&, remat_policy& into) {
  into = parse_name(option, given, parse_remat_policy(given), policy_names());
}
void read(std::string_view option, const std::string& given, const limits&, objective& into) {
  into = parse_name(option, given, parse_objective(given), names_of<objective>());
}
void read(std::string_view option, const std::string& given, const limits&, serving_engine& into) {
  into = parse_name(option, given, parse_serving_engine(given), names_of<serving_engine>());
}
void read(std::string_view option, const std::string& given, const limits&, provisioning& into) {
  std::string usual = given == "preemptible" ? "spot" : given;
  std::replace(usual.begin(), usual.end(), '-', '_');
  into = parse_name(option, given, parse_provisioning(usual), names_of<provisioning>());
}
void read(std::string_view option, const std::string& given, const limits&, spot_market& into) {
  into = parse_name(option, given, parse_spot_market(given), names_of<spot_market>());
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
  return added;
}

std::string policy_names() {
  std::string names;
  for (const named_remat_policy& policy : remat_policies)
    names += (names.empty() ? "" : ", ") + std::string(policy.name);
  return names;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace cli
