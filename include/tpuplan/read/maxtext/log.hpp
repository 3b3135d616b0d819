#ifndef TPUPLAN_READ_MAXTEXT_LOG_HPP
#define TPUPLAN_READ_MAXTEXT_LOG_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/read/maxtext/keys.hpp>
#include <vector>

/// @file
/// The log of a MaxText run as a measurement: the time of a step, and the memory that the log states.

namespace tpuplan {
inline namespace abi_0 {

/// What a log says of a run.
struct maxtext_log {
  std::size_t steps = 0;         ///< steps in the log, each counted once
  std::size_t warm_up = 0;       ///< of these, the first ones that are left out
  seconds step{};                ///< the median of the others
  double spread = 0;             ///< half the width of the middle two thirds of them, over the median
  double tokens_per_device = 0;  ///< of a step, by its rate; 0: not stated
  bytes compiled{};  ///< of a device, as the compiler counts: arguments, outputs, temporaries; 0: not stated
  bytes in_use{};    ///< of a device, the most between steps; 0: not stated
};

/// Which steps of a log count.
struct maxtext_log_rule {
  std::size_t warm_up = 5;  ///< first steps, which are left out: they compile, and fill queues
};

/// The largest log that `read_maxtext_log` reads, in bytes.
inline constexpr std::size_t most_maxtext_log = std::size_t{256} << 20;

namespace detail {

/// The number behind a label in a line; NaN if the label is missing. Refuses a label that no number follows.
inline double number_after(std::string_view line, std::string_view label, const std::string& where) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return std::nan("");
  std::string_view given = line.substr(at + label.size());
  given = given.substr(0, given.find_first_not_of("0123456789.eE+-"));
  const std::string digits(given.substr(0, 40));
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0' || !is_finite(value) || value < 0 || given.size() > 30)
    fail(errc::malformed_input, where + ": " + std::string(label), line.substr(at + label.size()).substr(0, 40),
         "a number of 0 or more");
  return value;
}

/// The least time of each step that was printed, and its rate of tokens.
struct logged_step {
  double time = 0, tokens = 0;
};

inline void read_step_line(std::string_view line, const std::string& where,
                           std::map<std::int64_t, logged_step>& steps) {
  if (line.find("[Rampup Batch Size Phase]") != std::string_view::npos) return;
  const double number = number_after(line, "completed step: ", where);
  const double time = number_after(line, "seconds: ", where);
  if (std::isnan(number) || std::isnan(time)) return;
  in_range(where + ": completed step", number, 0, 9e15, "a step of 0 to 9e15");
  in_range(where + ": seconds", time, 1e-6, 1e6, "a time of 1e-6 to 1e6 seconds");
  const double rate = number_after(line, "Tokens/s/device: ", where);
  const logged_step read{time, std::isnan(rate) ? 0 : rate * time};
  const auto [place, is_new] = steps.insert({static_cast<std::int64_t>(number), read});
  if (!is_new && time < place->second.time) place->second = read;
}

/// "Using (GB) 21.3 / 31.25 (68 %) on TPU_0(…)", and the compiler's total. MaxText's GB are GiB.
inline void read_memory_line(std::string_view line, const std::string& where, maxtext_log& log) {
  const auto most = [](bytes& held, double gib) { held = max(held, bytes{gib * 1073741824.0}); };
  if (line.find(") on ") != std::string_view::npos && line.find("Using (GB) ") != std::string_view::npos)
    most(log.in_use, number_after(line, "Using (GB) ", where));
  for (const char* label : {"Total estimated memory size: ", "Total memory size: "}) {
    if (line.find(label) != std::string_view::npos) most(log.compiled, number_after(line, label, where));
  }
}

inline double middle_of(std::vector<double> numbers, double part) {
  std::sort(numbers.begin(), numbers.end());
  const double place = part * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, numbers.size() - 1);
  return numbers[below] + (numbers[above] - numbers[below]) * (place - static_cast<double>(below));
}

}  // namespace detail

/// The measurement in a log; other lines are ignored; `source` is its name in errors. A step that is printed several
/// times (by several hosts, or again after a restart) counts once, with its least time; steps of a batch that is ramped
/// up, and those in which the profiler starts or ends, do not count. The first `warm_up` steps are left out; the median
/// of the others is the time of a step. Throws, naming the line, for invalid numbers, and if no step is left. Worked:
/// seven steps of 40, 2, 2, 2, 2, 4.0 and 4.2 s take 4.1 s.
[[nodiscard]] inline maxtext_log read_maxtext_log(std::string_view text, std::string_view source,
                                                  const maxtext_log_rule& rule = {}) {
  if (text.size() > most_maxtext_log)
    detail::fail(errc::malformed_input, source, static_cast<std::int64_t>(text.size()), "a log of at most 256 MiB");
  maxtext_log log;
  std::map<std::int64_t, detail::logged_step> steps;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = detail::next_line(text);
    if (line.find("completed step: ") != std::string_view::npos) {
      detail::read_step_line(line, std::string(source) + " line " + std::to_string(number), steps);
    } else if (line.find("(GB) ") != std::string_view::npos || line.find("memory size: ") != std::string_view::npos) {
      detail::read_memory_line(line, std::string(source) + " line " + std::to_string(number), log);
    }
  }
  log.steps = steps.size();
  if (log.steps <= rule.warm_up)
    detail::fail(errc::invalid_argument, std::string(source) + ": completed steps",
                 static_cast<std::int64_t>(log.steps),
                 "more than the " + std::to_string(rule.warm_up) + " that are left out as warm-up");
  log.warm_up = rule.warm_up;
  std::vector<double> times, tokens;
  std::size_t place = 0;
  for (const auto& [number, step] : steps) {
    if (place++ < rule.warm_up) continue;
    times.push_back(step.time);
    if (step.tokens > 0) tokens.push_back(step.tokens);
  }
  log.step = seconds{detail::middle_of(times, 0.5)};
  log.spread = (detail::middle_of(times, 5.0 / 6) - detail::middle_of(times, 1.0 / 6)) / 2 / log.step.value();
  if (!tokens.empty()) log.tokens_per_device = detail::middle_of(tokens, 0.5);
  return log;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
