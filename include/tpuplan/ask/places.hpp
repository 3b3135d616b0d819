#ifndef TPUPLAN_ASK_PLACES_HPP
#define TPUPLAN_ASK_PLACES_HPP

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/read/prices.hpp>
#include <tpuplan/read/zones.hpp>
#include <utility>
#include <vector>

/// @file
/// Who can order chips in the places of a question: what is left out of areas, and what is said of the others.

namespace tpuplan {
inline namespace abi_0 {

/// Where a question looks for capacity.
struct asked_places {
  std::vector<std::string> regions{};      ///< as they are named: "us", "us-east5", "europe", "all"
  std::vector<std::string> generations{};  ///< names of chips; empty: all
  std::vector<provisioning> kinds{};       ///< ways of paying; empty: all
  std::string zone{};                      ///< where it is named
};

namespace detail {

/// Whether a region of prices is one of Google Cloud, not several, as "us" and "us-east" are.
inline bool is_one_region(std::string_view region) {
  return !region.empty() && region.back() >= '0' && region.back() <= '9';
}
inline region_offer offer_of(const std::vector<zone_row>& rows, const price_row& price) {
  if (!is_one_region(price.region.view())) return region_offer::everyone;
  return offer_in_region(rows, price.region.view(), price.generation.view(), price.kind);
}
inline bool is_named_itself(const asked_places& asked, const price_row& price) {
  return std::find(asked.regions.begin(), asked.regions.end(), price.region.view()) != asked.regions.end();
}
/// Whether a price is of a region that a question names.
inline bool is_in_regions(const asked_places& asked, const price_row& price) {
  const auto has = [&](const std::string& name) { return is_in_area(price.region.view(), name); };
  return std::any_of(asked.regions.begin(), asked.regions.end(), has);
}
}  // namespace detail

/// Whether a question looks at a price.
[[nodiscard]] inline bool looks_at(const asked_places& asked, const price_row& price) {
  const auto is_of = [&](const std::string& name) { return chip_for(name).name == price.generation; };
  return detail::is_in_regions(asked, price) &&
         (asked.generations.empty() || std::any_of(asked.generations.begin(), asked.generations.end(), is_of)) &&
         (asked.kinds.empty() || std::find(asked.kinds.begin(), asked.kinds.end(), price.kind) != asked.kinds.end());
}

namespace detail {
/// The places of those prices that a test holds for, each once: "v6e in us-east4, v5e in us-east5".
template <class Test>
std::string places_where(const price_book& book, const Test& holds) {
  std::vector<std::string> places;
  std::string words;
  for (std::size_t i = 0; i < book.size(); ++i) {
    const price_row price = book.row(i);
    if (!holds(price)) continue;
    const std::string one = std::string(price.generation.view()) + " in " + std::string(price.region.view());
    if (std::find(places.begin(), places.end(), one) != places.end()) continue;
    places.push_back(one);
    words += (words.empty() ? "" : ", ") + one;
  }
  return words;
}

}  // namespace detail

/// Whether everyone can order what a price is of, by the rows of zones; prices of several regions are for everyone.
/// Worked: v6e on spot in us-east5 is, in us-east4, whose zones are for single tenants, it is not.
[[nodiscard]] inline bool is_for_everyone(const std::vector<zone_row>& rows, const price_row& price) {
  return detail::offer_of(rows, price) == region_offer::everyone;
}

/// Whether a price that an area of the question names counts: not in zones for single tenants, and where no zone is
/// known only if no other place of the question has that chip under that way of paying, asked for or not: a limit may
/// be relaxed. One of a region that is named itself always counts. Worked: of europe v5e on spot in europe-west4
/// counts, in europe-west3 it does not.
[[nodiscard]] inline bool counts_in(const asked_places& asked, const price_book& book,
                                    const std::vector<zone_row>& rows, const price_row& price) {
  if (detail::is_named_itself(asked, price)) return true;
  const region_offer offer = detail::offer_of(rows, price);
  if (offer != region_offer::no_zone) return offer == region_offer::everyone;
  for (std::size_t i = 0; i < book.size(); ++i) {
    const price_row other = book.row(i);
    if (other.generation == price.generation && other.kind == price.kind && detail::is_in_regions(asked, other) &&
        is_for_everyone(rows, other))
      return false;
  }
  return true;
}

/// What is to be said of the places of a question: what areas leave out, and what may not be had where it is named.
/// Worked: of us-east4 that its zones of v6e are for customers who have them for themselves.
[[nodiscard]] inline std::vector<assumption> said_of_places(const asked_places& asked, const price_book& book,
                                                            const std::vector<zone_row>& rows) {
  std::vector<assumption> said;
  const auto say = [&](const char* field, const char* words, region_offer which, bool counts) {
    const std::string places = detail::places_where(book, [&](const price_row& price) {
      return looks_at(asked, price) && detail::offer_of(rows, price) == which &&
             counts_in(asked, book, rows, price) == counts;
    });
    if (!places.empty()) said.push_back({field, places, words});
  };
  say("left out", "zones for single tenants; --region takes one of them", region_offer::single_tenants, false);
  say("left out", "no source names a zone; --region takes one of them", region_offer::no_zone, false);
  say("single tenants", "its zones are for customers who have them for themselves", region_offer::single_tenants, true);
  say("no zone known", "there is a price, but no source names a zone", region_offer::no_zone, true);
  for (const std::string& one : asked.zone.empty() ? std::vector<std::string>{} : asked.generations) {
    const std::string chip(chip_for(one).name.view());
    const auto is_closed = [&](provisioning kind) { return is_for_single_tenants(rows, asked.zone, chip, kind); };
    if (std::any_of(asked.kinds.begin(), asked.kinds.end(), is_closed))
      said.push_back(
          {"single tenants", chip + " in " + asked.zone, "the zone is for customers who have it for themselves"});
  }
  return said;
}

/// What the fields of a zone and of regions are called where they are refused.
struct place_fields {
  std::string_view zone = "zone";      ///< of the zone
  std::string_view region = "region";  ///< of the regions
};

/// The chips that a zone has. Throws, naming the field, for a region, with its zones, and for a name that is no zone
/// with TPUs. Worked: us-central2-b has v4 and v6e.
[[nodiscard]] inline std::vector<std::string> chips_of_zone(const std::vector<zone_row>& rows, const std::string& zone,
                                                            const place_fields& fields = {}) {
  std::vector<std::string> names = generations_in(rows, zone);
  if (!names.empty()) return names;
  const auto refuse = [&](const std::string& valid) { detail::fail(errc::unknown_name, fields.zone, zone, valid); };
  const auto listed = [](const auto& words) {
    std::string all;
    for (const std::string& one : words) all += (all.empty() ? "" : ", ") + one;
    return all;
  };
  if (const std::vector<std::string> own = zones_of_region(rows, zone); !own.empty())
    refuse("a zone of this region: " + listed(own));
  std::set<std::string> in_region, all;
  for (const zone_row& row : rows) {
    const std::string region = region_of_zone(row.zone);
    all.insert(region);
    if (region == region_of_zone(zone)) in_region.insert(row.zone);
  }
  refuse("a zone with TPUs: " + (in_region.empty() ? listed(all) + ", each with its letter" : listed(in_region)));
  return names;
}

/// The regions of a question that is kept to a zone: of those that are given, in each of which the zone has to be, "us"
/// or the region of the zone; of none the region of the zone or, where the book has no prices of it, "us". Throws,
/// naming the field, for another region, and for a zone elsewhere of whose region the book has no prices.
[[nodiscard]] inline std::vector<std::string> regions_of_zone(const std::vector<std::string>& regions, bool are_given,
                                                              const std::string& zone, const price_book& book,
                                                              const place_fields& fields = {}) {
  const std::string region = region_of_zone(zone);
  const bool in_us = region.rfind("us-", 0) == 0;
  std::vector<std::string> kept;
  for (std::size_t i = 0; are_given && i < regions.size(); ++i) {
    if (regions[i] == "us" ? !in_us : !is_in_area(region, regions[i]))
      detail::fail(errc::invalid_argument, fields.region, regions[i] + " with " + std::string(fields.zone) + " " + zone,
                   region + ", or none");
    const std::string& own = regions[i] == "us" ? regions[i] : region;  // of an area, what the zone is in
    if (std::find(kept.begin(), kept.end(), own) == kept.end()) kept.push_back(own);
  }
  if (!kept.empty()) return kept;
  const std::vector<std::string> known = all_regions(book);
  if (std::find(known.begin(), known.end(), region) != known.end()) return {region};
  if (!in_us)
    detail::fail(errc::unknown_name, fields.zone, zone, "a zone in the US, or prices of " + region + " of your own");
  return regions;
}

namespace detail {
/// Those of some chips that a plan takes where none is named; all of them where it would take none.
inline std::vector<std::string> usual_among(const std::vector<std::string>& chip_names) {
  const std::vector<std::string> usual = usual_generations();
  std::vector<std::string> kept;
  for (const std::string& one : chip_names)
    if (std::find(usual.begin(), usual.end(), one) != usual.end()) kept.push_back(one);
  return kept.empty() ? chip_names : kept;
}
}  // namespace detail

/// Keeps a plan to a zone: the chips that it has and a plan takes unasked (`usual_generations`), at the prices of its
/// region. Throws, naming the field, for what `chips_of_zone` and `regions_of_zone` refuse, and for chips that the zone
/// has not. Worked: a plan in us-central2-b is one of v4 and v6e.
template <class Plan>
void keep_to_zone(Plan& asked, const std::string& zone, bool has_regions, const std::vector<zone_row>& rows,
                  const price_book& book, const place_fields& fields = {}) {
  if (zone.empty()) return;
  const std::vector<std::string> there = chips_of_zone(rows, zone, fields);
  const maybe<provisioning> kind = asked.kinds.size() == 1 ? asked.kinds.front() : maybe<provisioning>{};
  for (const std::string& one : asked.generations) check_zone(rows, zone, chip_for(one).name.view(), kind);
  if (asked.generations.empty()) asked.generations = detail::usual_among(there);
  asked.regions = regions_of_zone(asked.regions, has_regions, zone, book, fields);
}

/// The flat price of flex-start or calendar mode that stands for a region without one, and words about it.
struct flat_price {
  maybe<price_row> row{};  ///< as of that region; nothing: the region is not in the US, and has none
  std::string words{};     ///< "tpu7x on flex_start in us-central1 at $6.00, as in us"
};

/// The flat prices of the US that a region of it without a row of its own takes: Google lists one rate for all regions
/// of the US. For regions elsewhere that have none it says what us has. One of the US of which the book has no row at
/// all is no region. Worked: us-central1 has no row of tpu7x on flex-start, us has $6.00.
[[nodiscard]] inline std::vector<flat_price> flat_prices_for(const price_book& book, const std::string& region,
                                                             const std::vector<std::string>& chip_names,
                                                             const std::vector<provisioning>& kinds) {
  std::vector<flat_price> found;
  const bool is_of_us = region.rfind("us-", 0) == 0;
  if (!detail::is_one_region(region)) return found;
  const std::vector<std::string> known = all_regions(book);
  if (is_of_us && std::find(known.begin(), known.end(), region) == known.end()) return found;
  for (std::size_t i = 0; i < book.size(); ++i) {
    price_row row = book.row(i);
    const bool is_flat = row.kind == provisioning::flex_start || row.kind == provisioning::calendar;
    if (row.region != std::string_view("us") || !is_flat) continue;
    if (!looks_at({{"us"}, chip_names, kinds, {}}, row)) continue;
    if (find_price(book, row.generation, region, row.kind, row.smallest_chips)) continue;
    const std::string what = std::string(row.generation.view()) + " on " + std::string(name(row.kind));
    const std::string price = readable::money(usd{in_usd_per_hour(row.per_chip)});
    flat_price& one = found.emplace_back();
    one.words = is_of_us ? what + " in " + region + " at " + price + ", as in us"
                         : what + ": none in " + region + "; us has " + price;
    row.region = std::string_view(region);
    row.grade = 'D';  // derived: of other regions
    if (is_of_us) one.row = row;
  }
  return found;
}

/// The prices of a question in its places, and what is to be said of them.
struct placed_prices {
  asked_prices prices{};           ///< rows where they are not those of the book
  std::vector<assumption> said{};  ///< what was left out of areas, taken from others, or may not be had
};

namespace detail {
/// The rows of a book with the flat prices that are missing in a region, under every way of paying, as one that was not
/// asked about may be what to relax; and words of those that were, or of all.
inline void take_flat_prices(const price_book& book, const asked_places& asked, bool says_all,
                             std::vector<price_row>& rows, std::vector<assumption>& said) {
  for (const std::string& region : asked.regions) {
    for (const flat_price& one : flat_prices_for(book, region, asked.generations, asked.kinds))
      if (one.row || says_all) said.push_back({"price", one.words, "no row of that region"});
    for (const flat_price& one : flat_prices_for(book, region, {}, {}))
      if (one.row) rows.push_back(*one.row);
  }
}
inline bool is_of_us_alone(const asked_places& asked) {
  const auto is_us = [](const std::string& region) { return region == "us"; };
  return asked.zone.empty() && std::all_of(asked.regions.begin(), asked.regions.end(), is_us);
}
}  // namespace detail

/// The prices of a book that count in the places of a plan: without those that its areas leave out (`counts_in`), and
/// elsewhere, where a plan may be sent, without those that "all" does; with the flat prices of its regions
/// (`flat_prices_for`). Prices of one's own are taken as they are, and not asked about here. Worked: us alone has none
/// of v6e in us-east4, where nobody else may order; us-central1 has the flat price of tpu7x on flex-start too.
[[nodiscard]] inline placed_prices prices_in_places(const asked_places& asked, const price_book& book,
                                                    const std::vector<zone_row>& zones) {
  placed_prices placed;
  const asked_places anywhere{{"all"}, {}, {}, {}};
  std::vector<price_row> rows;
  for (std::size_t i = 0; i < book.size(); ++i) {
    const price_row price = book.row(i);
    if (counts_in(detail::is_in_regions(asked, price) ? asked : anywhere, book, zones, price)) rows.push_back(price);
  }
  const std::size_t kept = rows.size();
  if (!detail::is_of_us_alone(asked)) {
    placed.said = said_of_places(asked, book, zones);
    detail::take_flat_prices(book, asked, true, rows, placed.said);
  }
  if (kept == book.size() && rows.size() == kept) return placed;
  std::vector<std::string> sources(rows.size());
  placed.prices.own.emplace(std::move(rows), std::move(sources));
  return placed;
}

/// The same of a question about one region, which counts whoever can order there: with its flat prices, so that a row
/// of a plan can be asked about. Worked: in us-central1 v6e has the flat price of flex-start, 1.35 USD an hour.
[[nodiscard]] inline placed_prices prices_in_region(const asked_places& asked, const price_book& book,
                                                    const std::vector<zone_row>& zones) {
  placed_prices placed;
  if (detail::is_of_us_alone(asked)) return placed;
  asked_places there = asked;
  there.kinds = {provisioning::on_demand, provisioning::spot};
  placed.said = said_of_places(there, book, zones);
  std::vector<price_row> rows;
  for (std::size_t i = 0; i < book.size(); ++i) rows.push_back(book.row(i));
  detail::take_flat_prices(book, asked, false, rows, placed.said);
  if (rows.size() == book.size()) return placed;
  std::vector<std::string> sources(rows.size());
  placed.prices.own.emplace(std::move(rows), std::move(sources));
  return placed;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
