#ifndef TPUPLAN_LAUNCH_NAMES_HPP
#define TPUPLAN_LAUNCH_NAMES_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/text.hpp>

/// @file
/// Names that a launch writes into commands and files: what is none of them could be syntax there.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_lower_or_digit(char c) noexcept { return is_lower(c) || is_digit(c); }

[[noreturn]] inline void refuse_name(std::string_view field, std::string_view given, std::string_view valid) {
  if (given.empty()) fail(errc::missing_field, field, "missing", valid);
  fail(errc::invalid_argument, field, given, valid);
}

/// An RFC 1035 label: lower-case letters, digits and dashes; it begins with a letter and ends with a letter or digit.
constexpr bool is_label(std::string_view given, std::size_t least, std::size_t most) noexcept {
  if (given.size() < least || given.size() > most || !is_lower(given[0]) || given.back() == '-') return false;
  for (const char c : given) {
    if (!is_lower_or_digit(c) && c != '-') return false;
  }
  return true;
}

/// "us-east5": words of letters, the last with a number.
constexpr bool is_region(std::string_view given) noexcept {
  if (!is_label(given, 4, 40) || !is_digit(given.back())) return false;
  const std::size_t last = given.find_last_not_of("0123456789");
  return given.find('-') < last && given[last] != '-' && given.find("--") == std::string_view::npos &&
         given.substr(0, last).find_first_of("0123456789") == std::string_view::npos;
}

/// The region of a zone: "us-east5" of "us-east5-b", "us-central1" of "us-central1-ai1a".
constexpr std::string_view region_of(std::string_view zone) noexcept { return zone.substr(0, zone.rfind('-')); }

constexpr bool is_zone(std::string_view given) noexcept {
  const std::size_t dash = given.rfind('-');
  return dash != std::string_view::npos && is_label(given.substr(dash + 1), 1, 6) && is_region(region_of(given));
}

/// Letters, digits and the separators, a letter or digit at both ends, without two dots in a row.
constexpr bool is_path_part(std::string_view given, std::string_view separators, bool capitals) noexcept {
  if (given.empty() || given.find("..") != std::string_view::npos) return false;
  for (const char c : given) {
    const bool letter = is_lower_or_digit(c) || (capitals && c >= 'A' && c <= 'Z');
    if (!letter && separators.find(c) == std::string_view::npos) return false;
  }
  return separators.find(given[0]) == std::string_view::npos && separators.find(given.back()) == std::string_view::npos;
}

/// Whether every part of the path between slashes is one of the set.
constexpr bool is_path(std::string_view given, std::string_view separators, bool capitals) noexcept {
  while (true) {
    const std::size_t slash = given.find('/');
    if (!is_path_part(given.substr(0, slash), separators, capitals)) return false;
    if (slash == std::string_view::npos) return true;
    given.remove_prefix(slash + 1);
  }
}

/// [HOST[:PORT]/]PATH[:TAG][@sha256:DIGEST], as the distribution specification of OCI has it.
constexpr bool is_image(std::string_view given) noexcept {
  if (given.size() > 512) return false;
  if (const std::size_t at = given.find('@'); at != std::string_view::npos) {
    const std::string_view digest = given.substr(at + 1);
    if (digest.size() != 71 || digest.substr(0, 7) != "sha256:" ||
        digest.find_first_not_of("0123456789abcdef", 7) != std::string_view::npos) {
      return false;
    }
    given = given.substr(0, at);
  }
  const std::size_t slash = given.rfind('/');
  const std::size_t colon = given.rfind(':');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    const std::string_view tag = given.substr(colon + 1);
    if (tag.size() > 128 || !is_path_part(tag, "._-", true)) return false;
    given = given.substr(0, colon);
  }
  if (const std::size_t port = given.find(':'); port != std::string_view::npos) {
    const std::size_t end = given.find('/');
    if (end == std::string_view::npos || end < port || parse_count(given.substr(port + 1, end - port - 1)) < 1) {
      return false;
    }
    return is_path_part(given.substr(0, port), ".-", false) && is_path(given.substr(end + 1), "._-", false);
  }
  return is_path(given, "._-", false);
}

/// gs://BUCKET[/FOLDER...]. Folders are narrower than Cloud Storage allows: letters, digits and "._=-".
constexpr bool is_bucket_path(std::string_view given) noexcept {
  if (given.size() > 1024 || given.substr(0, 5) != "gs://") return false;
  given.remove_prefix(5);
  const std::size_t slash = given.find('/');
  const std::string_view bucket = given.substr(0, slash);
  if (bucket.size() < 3 || bucket.size() > 63 || !is_path_part(bucket, "._-", false)) return false;
  return slash == std::string_view::npos || is_path(given.substr(slash + 1), "._=-", true);
}

/// NAME@DOMAIN of lower-case letters, digits, dots and dashes.
constexpr bool is_email(std::string_view given) noexcept {
  const std::size_t at = given.find('@');
  return given.size() <= 254 && at != std::string_view::npos && is_path_part(given.substr(0, at), ".-", false) &&
         is_path_part(given.substr(at + 1), ".-", false) && given.find('.', at) != std::string_view::npos;
}

/// A number without a sign and without a zero in front.
constexpr bool is_number(std::string_view given) noexcept {
  return !given.empty() && given.size() <= 20 && given[0] != '0' &&
         given.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The region in "projects/PROJECT/locations/REGION/tensorboards/NUMBER", as the API names a TensorBoard; empty for
/// other words. The project is its ID or its number.
inline std::string tensorboard_region(std::string_view given) {
  std::string_view parts[6];
  for (std::string_view& part : parts) {
    const std::size_t end = std::min(given.find('/'), given.size());
    part = given.substr(0, end);
    given.remove_prefix(std::min(end + 1, given.size()));
  }
  const bool right = given.empty() && parts[0] == "projects" && (is_number(parts[1]) || is_label(parts[1], 6, 30)) &&
                     parts[2] == "locations" && is_region(parts[3]) && parts[4] == "tensorboards" &&
                     is_number(parts[5]);
  return right ? std::string(parts[3]) : std::string();
}

/// A local path that no program reads as an option, a pattern or another machine's file.
constexpr bool is_local_path(std::string_view given) noexcept {
  if (given.empty() || given.size() > 1024 || given[0] == '-') return false;
  for (const char c : given) {
    if (c < ' ' || c > '~' || std::string_view(":*?[]\\\"").find(c) != std::string_view::npos) return false;
  }
  return true;
}

/// The last part of a path: "train.py" of "src/train.py"; empty for one that ends in a slash or a dot.
constexpr std::string_view last_part(std::string_view path) noexcept {
  const std::string_view last = path.substr(path.rfind('/') + 1);
  return last == "." || last == ".." ? std::string_view{} : last;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
