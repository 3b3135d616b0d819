#ifndef TPUPLAN_TESTS_FUZZ_JSON_MUTATOR_HPP
#define TPUPLAN_TESTS_FUZZ_JSON_MUTATOR_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

/// Mutations that keep JSON what it is, so that fuzzing gets past the parser: values are replaced, moved, nudged and
/// left out. Every fourth mutation is of bytes.

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

class json_mutator {
 public:
  explicit json_mutator(unsigned seed) : random_{seed} {}

  nlohmann::json operator()(nlohmann::json document) {
    for (std::size_t left = 1 + below(3); left != 0; --left) {
      std::vector<nlohmann::json*> values;
      collect(document, values);
      nlohmann::json& value = *values[below(values.size())];
      switch (below(5)) {
        case 0: value = interesting(); break;
        case 1: value = nlohmann::json(*values[below(values.size())]); break;
        case 2: leave_out(value); break;
        case 3: rename(value); break;
        default: nudge(value); break;
      }
    }
    return document;
  }

  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>{0, count - 1}(random_); }

 private:
  static void collect(nlohmann::json& value, std::vector<nlohmann::json*>& into) {
    into.push_back(&value);
    if (!value.is_structured()) return;
    for (nlohmann::json& part : value) collect(part, into);
  }

  nlohmann::json interesting() {
    static const nlohmann::json values =
        nlohmann::json::parse(R"([0, 1, -1, 2, 3, 7, 128, 1024, 4096, 0.5, -0.5, 1e-320,
      1e-300, 1e300, 1.7e308, -1e300, 9007199254740993, 4611686018427387904, 9223372036854775807, -9223372036854775808,
      18446744073709551615, 16777216, 16777217, 2147483648, 999999999, null, true, false, "", "x", "v5p", "bf16", "int8",
      "full", "\u0000", "0123456789012345678901234567890123456789012345678901234567890123456789", [], {}, [[]]])");
    return values[below(values.size())];
  }

  void leave_out(nlohmann::json& value) {
    if (!value.is_structured() || value.empty()) return;
    const auto place = static_cast<std::ptrdiff_t>(below(value.size()));
    value.erase(std::next(value.begin(), place));
  }

  /// The value of one key under another: so do fields come to stand where they are read.
  void rename(nlohmann::json& value) {
    if (!value.is_object() || value.empty()) return;
    const auto from = std::next(value.begin(), static_cast<std::ptrdiff_t>(below(value.size())));
    const auto to = std::next(value.begin(), static_cast<std::ptrdiff_t>(below(value.size())));
    *to = nlohmann::json(*from);
  }

  void nudge(nlohmann::json& value) {
    if (value.is_number_integer()) {
      const auto number = value.get<std::uint64_t>();
      const std::uint64_t nudged[] = {number + 1, number - 1, number * 2, number / 2, number * 1000, ~number};
      value = static_cast<std::int64_t>(nudged[below(6)]);
    } else if (value.is_number_float()) {
      const double factors[] = {-1, 0.5, 2, 1e-9, 1e9};
      value = value.get<double>() * factors[below(5)];
    } else if (value.is_string()) {
      const std::string before = value.get<std::string>();
      std::vector<std::uint8_t> bytes(before.begin(), before.end());
      const std::size_t size = bytes.size();
      bytes.resize(size + 8);
      bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
      value = std::string(bytes.begin(), bytes.end());
    } else if (value.is_boolean()) {
      value = !value.get<bool>();
    }
  }

  std::minstd_rand random_;
};

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  json_mutator mutate{seed};
  const nlohmann::json document = nlohmann::json::parse(data, data + size, nullptr, false);
  if (document.is_discarded() || mutate.below(4) == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string result = mutate(document).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (result.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, result.data(), result.size());
  return result.size();
}

#endif
