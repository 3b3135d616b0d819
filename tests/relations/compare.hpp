#ifndef TPUPLAN_TESTS_RELATIONS_COMPARE_HPP
#define TPUPLAN_TESTS_RELATIONS_COMPARE_HPP

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "relations/ask.hpp"

/// @file
/// What a relation is run with: random numbers, how much to ask, and the count of what differs.

namespace relations {

/// Random numbers of a seed, the same with each standard library.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : engine_(seed) {}
  /// 0 … end - 1.
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(engine_() % end); }
  /// 0 … 1.
  double share() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double probability) { return share() < probability; }
  /// Between two numbers, each factor as likely as another; in three digits.
  double between(double low, double high) {
    const double x = low * std::pow(high / low, share());
    const double digit = std::pow(10.0, std::floor(std::log10(x)) - 2);
    return digit >= 1 ? std::round(x / digit) * digit : x;
  }
  std::int64_t count_between(double low, double high) { return static_cast<std::int64_t>(between(low, high)); }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// One run of a relation.
class relation {
 public:
  relation(std::uint64_t seed, std::int64_t questions, bool whole) : random(seed), wanted(questions), sweep(whole) {}
  random_numbers random;
  const std::int64_t wanted;  ///< questions to ask, of those that are drawn
  const bool sweep;           ///< every model of data/models and data/checkpoints.json

  /// Another question was asked; false where there are enough.
  bool next() { return ++drawn_ <= wanted; }
  /// A question whose answer has nothing to compare: counted under its reason.
  void skip(const std::string& reason) { ++skipped_[reason]; }
  /// Two figures were compared, or two words.
  void compared(std::int64_t count = 1) { compared_ += count; }

  /// That two answers give one figure: a relative tolerance. What differs is printed with both questions.
  template <class First, class Second>
  bool same(const std::string& what, const First& first, const json& a, const Second& second, const json& b,
            double tolerance = 1e-12) {
    compared();
    if (equal(a, b, tolerance)) return true;
    differ(what, first.asked(), a.dump(), second.asked(), b.dump());
    return false;
  }
  /// That a claim on an answer holds. The words say what was found.
  template <class Answer>
  bool holds(bool claim, const std::string& what, const Answer& answer, const std::string& found) {
    compared();
    if (!claim) differ(what, answer.asked(), found, {}, {});
    return claim;
  }
  /// The same of two answers.
  template <class First, class Second>
  bool holds(bool claim, const std::string& what, const First& first, const std::string& found, const Second& second,
             const std::string& found_there) {
    compared();
    if (!claim) differ(what, first.asked(), found, second.asked(), found_there);
    return claim;
  }
  /// Prints one that differs, and counts it.
  void differ(const std::string& what, const std::string& first, const std::string& a, const std::string& second,
              const std::string& b);
  /// Prints the counts: true where something was compared and nothing differs.
  bool report(const std::string& name) const;

  std::int64_t most_printed = 3;  ///< of one kind

  /// Whether numbers differ by no more than a share of the larger, or by no more than `rounding`.
  static bool equal(const json& a, const json& b, double tolerance, double rounding = 0);

 private:
  std::int64_t drawn_ = 0, compared_ = 0;
  std::map<std::string, std::int64_t> differing_{}, skipped_{};
};

/// Where two documents differ: paths with both values, numbers by more than a relative 1e-12 and an ulp of the largest
/// number of the same unit beside them. Keys that only one has differ, but those that are passed over.
std::vector<std::string> differences(const json& a, const json& b, const std::vector<std::string>& passed_over = {},
                                     double tolerance = 1e-12);

/// A figure as it is printed for people, "703 ms", "$95.8k", "41.2 %", "15.5 of 31.2 GiB": the number in SI units, and
/// half of its last digit. Nothing of words.
struct printed_figure {
  bool is_number = false;
  double value = 0, rounding = 0;
};
printed_figure parse_figure(std::string_view text);

}  // namespace relations

#endif
