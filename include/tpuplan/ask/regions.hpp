#ifndef TPUPLAN_ASK_REGIONS_HPP
#define TPUPLAN_ASK_REGIONS_HPP

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/ask/question.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/plan/regions.hpp>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/read/prices.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <utility>
#include <vector>

/// @file
/// The prices of a question, the regions and generations that it means, and what it leaves out of them.

namespace tpuplan {
inline namespace abi_0 {

/// What a question left open, and the values assumed for it.
using assumed_values = std::vector<std::pair<std::string, std::string>>;

/// The rows of a price file that a question has in it; none where it has none, which means the built-in prices.
struct asked_prices {
  std::optional<owned_price_book> own{};  ///< the rows; nothing: none in the question
  /// It refers to `own`.
  [[nodiscard]] price_book book() const { return own ? own->book() : price_book{}; }
};
/// Throws as `read_prices` does. Worked: of null the book is the built-in one.
[[nodiscard]] inline asked_prices prices_of(const nlohmann::json& prices) {
  if (prices.is_null()) return {};
  return {read_prices(prices)};
}

/// Whether a region is one of those that a name means: of "all", of an area such as europe, or the one of that name.
/// Worked: europe-west4 is in europe, us-east5 is not in "us", the region of prices for all of the US.
[[nodiscard]] inline bool is_in_area(std::string_view region, std::string_view name) {
  if (name == "all" || region == name) return true;
  return name != "us" && region.size() > name.size() && region.substr(0, name.size()) == name &&
         region[name.size()] == '-' && name.find('-') == std::string_view::npos;
}

/// The regions of those that only an area or "all" named. Worked: of {"us", "europe"} all that are in Europe.
[[nodiscard]] inline std::vector<std::string> regions_by_area(const std::vector<std::string>& regions,
                                                              const std::vector<std::string>& names) {
  std::vector<std::string> others;
  for (const std::string& one : regions) {
    if (std::find(names.begin(), names.end(), one) == names.end()) others.push_back(one);
  }
  return others;
}

/// Generations that a plan takes only where they are named: the Cloud TPU API and Vertex AI alone start them. Google's
/// Cluster Toolkit (@1047080) and Compute Engine, which the API's page names in its place, have neither.
inline constexpr std::string_view generations_on_request[] = {"v2", "v3"};

/// The generations that a plan chooses among where none is named: all that can be rented but `generations_on_request`.
/// Worked: v4, v5e, v5p, v6e and tpu7x.
[[nodiscard]] inline std::vector<std::string> usual_generations() {
  std::vector<std::string> names;
  for (const chip_spec& chip : generations) {
    const bool asked_for = std::find(std::begin(generations_on_request), std::end(generations_on_request),
                                     chip.name.view()) != std::end(generations_on_request);
    if (!chip.announced_only && !asked_for) names.emplace_back(chip.name.view());
  }
  return names;
}

/// Adds what a request leaves out unless it is named: generations, and prices of areas that are far below others.
template <class Request>
void add_left_out(const Request& request, assumed_values& assumed) {
  if (request.generations == usual_generations())
    assumed.emplace_back("left out",
                         "v2 and v3, which Cluster Toolkit and Compute Engine do not start, where they are not named");
  const price_book& book = request.prices;
  for (std::size_t i = 0; i < book.size(); ++i) {
    const price_row price = book.row(i);
    const auto is_of = [&](const std::string& one) { return detail::same_name(one, price.generation); };
    const bool counts =
        std::find(request.kinds.begin(), request.kinds.end(), price.kind) != request.kinds.end() &&
        (request.generations.empty() || std::any_of(request.generations.begin(), request.generations.end(), is_of));
    if (!counts || !detail::is_left_out(request, price)) continue;
    assumed.emplace_back("left out", std::string(name(price.kind)) + " of " + std::string(price.generation.view()) +
                                         " in " + std::string(price.region.view()) + " at " +
                                         readable::money(usd{in_usd_per_hour(price.per_chip)}) + " a chip and hour, " +
                                         std::string(far_below_words(book, price)) + ", from one catalog of " +
                                         std::string(price.date.view()) + ", where the region is not named");
  }
}

/// The regions of a book, in words, with the areas that have several of them first where areas may be named. Worked:
/// "areas all, europe; regions us, europe-west1, europe-west4".
[[nodiscard]] inline std::string known_regions(const price_book& book, bool with_areas) {
  std::string regions, areas = "all";
  for (const std::string& one : all_regions(book)) {
    regions += (regions.empty() ? "" : ", ") + one;
    const std::string area = one.substr(0, one.find('-'));
    if (one != area && area != "us" && (", " + areas + ",").find(", " + area + ",") == std::string::npos)
      areas += ", " + area;
  }
  return with_areas && areas != "all" ? "areas " + areas + "; regions " + regions : regions;
}

/// The regions of a book that have a price of a slice, in words. Worked: of v4-128 in the built-in
/// book "us, us-central2".
[[nodiscard]] inline std::string regions_with_price(const price_book& book, const slice& where) {
  std::string words;
  for (const std::string& region : all_regions(book)) {
    bool has_price = false;
    for (const provisioning kind : all_provisioning)
      has_price = has_price || find_price(book, where, region, kind).has_value();
    if (has_price) words += (words.empty() ? "" : ", ") + region;
  }
  return words.empty() ? "none" : words;
}

/// Throws `errc::unknown_name`, with the regions there are, for a region of which the book has no row. Worked: "us" is
/// in the built-in book; "mars" is refused.
inline void expect_region(const price_book& book, const std::string& region, bool may_be_area = false) {
  const std::vector<std::string> all = all_regions(book);
  if (std::find(all.begin(), all.end(), region) == all.end())
    detail::fail(errc::unknown_name, "region", region, known_regions(book, may_be_area));
}

/// The regions of a book that the names mean, each once: "all", an area (europe, asia), a region. Throws as
/// `expect_region` does for a name that means none. Worked: europe-west4 is among those of {"us", "europe"}.
[[nodiscard]] inline std::vector<std::string> regions_named(const price_book& book,
                                                            const std::vector<std::string>& names) {
  const std::vector<std::string> all = all_regions(book);
  std::vector<std::string> regions;
  for (const std::string& name : names) {
    if (std::none_of(all.begin(), all.end(), [&](const std::string& one) { return is_in_area(one, name); }))
      expect_region(book, name, true);
    for (const std::string& one : all) {
      if (is_in_area(one, name) && std::find(regions.begin(), regions.end(), one) == regions.end())
        regions.push_back(one);
    }
  }
  return regions;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
