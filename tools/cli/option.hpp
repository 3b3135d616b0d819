#ifndef TPUPLAN_CLI_OPTION_HPP
#define TPUPLAN_CLI_OPTION_HPP

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/cost/price_table.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/error.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/plan/plan.hpp>
#include <type_traits>

// Each option is declared once, by `add`: its name, the field of the question that it fills, and its help. The type of
// the field says how its text is read. Every refusal names the option, what was given, and what is valid.
namespace cli {

/// Throws tpuplan::error: "OPTION is GIVEN; valid: VALID".
[[noreturn]] void refuse(std::string_view option, std::string_view given, std::string_view valid,
                         tpuplan::errc why = tpuplan::errc::invalid_argument);
/// The same for an option that is needed and was not given.
[[noreturn]] void refuse_missing(std::string_view option, std::string_view valid);

/// The number, unless it is not finite or not above 0.
double positive(std::string_view option, double given);
/// The count, unless it is below 1.
std::int64_t positive_count(std::string_view option, std::int64_t given);
/// The share, unless it is not from 0 to 1; `valid` says what these two mean.
double share(std::string_view option, double given, std::string_view valid);

/// "15T", "1.5e12", "300B", "2M", "4k", "1024": a number above 0 with a decimal suffix.
double parse_amount(std::string_view option, std::string_view given);
/// The same as a whole number.
std::int64_t parse_count(std::string_view option, std::string_view given);
/// "30d", "12h", "45min", "600s", "50ms": a time above 0.
tpuplan::seconds parse_duration(std::string_view option, std::string_view given);

/// @{
/// What was typed, read as the type of the field says: an amount, a count from 1 on, a time, dollars, a name.
void read(std::string_view option, const std::string& given, double& into);
void read(std::string_view option, const std::string& given, std::int64_t& into);
void read(std::string_view option, const std::string& given, tpuplan::seconds& into);
void read(std::string_view option, const std::string& given, tpuplan::usd& into);
void read(std::string_view option, const std::string& given, tpuplan::dtype& into);
void read(std::string_view option, const std::string& given, tpuplan::optimizer_kind& into);
void read(std::string_view option, const std::string& given, tpuplan::attention_kernel& into);
void read(std::string_view option, const std::string& given, tpuplan::remat_policy& into);
void read(std::string_view option, const std::string& given, tpuplan::objective& into);
void read(std::string_view option, const std::string& given, tpuplan::provisioning& into);
void read(std::string_view option, const std::string& given, tpuplan::spot_market& into);
template <class T>
void read(std::string_view option, const std::string& given, std::optional<T>& into) {
  read(option, given, into.emplace());
}
/// @}

/// Declares an option of a command. The help shows the name that an enumeration has unless the option is given.
template <class T>
CLI::Option* add(CLI::App& command, const std::string& option, T& into, const std::string& help) {
  CLI::Option* added = command.add_option_function<std::string>(
      option, [option, &into](const std::string& given) { read(option, given, into); }, help);
  if constexpr (std::is_enum<T>::value) added->default_str(std::string(name(into)));
  return added;
}

/// "full, minimal, …": the names of remat policies.
std::string policy_names();
/// Equality of names as people type them: letter case ignored.
bool same_name(std::string_view a, std::string_view b);

}  // namespace cli

#endif
