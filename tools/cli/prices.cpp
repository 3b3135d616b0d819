#include "cli/prices.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/world_prices.hpp>
#include <tpuplan/show/views/common.hpp>

#include "cli/option.hpp"
#include "cli/print.hpp"

namespace cli {

using namespace tpuplan;

void add_price_file_option(command& to, std::string& file) {
  to.add("--prices", file,
         "a price file like data/prices.json, vms.csv of SkyPilot or SKUs of Google as JSON: docs/prices.md");
}

void add_price_options(command& to, price_options& into, std::initializer_list<const char*> needed) {
  to.add("--region", into.region, "us, or a region of the prices, such as us-east5 or europe-west4")
      .usually("us")
      .needs(needed);
  add_price_file_option(to, into.file);
  to.options.back().needs(needed);
}

namespace {

bool has_region(const price_book& book, const std::string& region) {
  for (std::size_t i = 0; i < book.size(); ++i) {
    if (book.row(i).region == std::string_view(region)) return true;
  }
  return false;
}

/// The day on which a file was last written, today for a pipe: catalogs of others do not say when they were read.
std::string day_of(const std::string& file) {
  namespace fs = std::filesystem;
  fs::file_time_type::duration age{};
  if (fs::is_regular_file(file)) age = fs::file_time_type::clock::now() - fs::last_write_time(file);
  const auto when = std::chrono::system_clock::now() - std::chrono::duration_cast<std::chrono::seconds>(age);
  const std::time_t time = std::chrono::system_clock::to_time_t(when);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", std::gmtime(&time));
  return text.data();
}

bool own_prices = false;

/// The prices of a catalog; its entries about TPUs that were not read are said once, beside the answer.
owned_price_book prices_of(const catalog_prices& catalog) {
  if (!catalog.skipped.empty() && !own_prices) {
    const std::size_t more = catalog.skipped.size() - 1;
    write_error(fmt::format("tpuplan: --prices: not read: {}{}", catalog.skipped.front(),
                            more == 0 ? "" : fmt::format("; and {} more", more)));
  }
  return catalog.prices;
}

/// Prices of our own format, or those of a catalog as of the day of its file.
owned_price_book load_any_prices(const std::string& file) {
  if (std::filesystem::path(file).extension() == ".csv" && std::filesystem::is_regular_file(file))
    return prices_of(load_price_catalog(file, day_of(file)));
  const nlohmann::json document = load_json(file);
  if (document.is_array() || (document.is_object() && document.contains("skus")))
    return prices_of(read_billing_catalog(document, day_of(file), file));
  return read_prices(document, file);
}

}  // namespace

bool prices_are_own() { return own_prices; }

owned_price_book load_own_prices(const std::string& file) {
  owned_price_book prices = load_any_prices(file);
  own_prices = true;
  const std::string day = today();
  for (const price_row& row : prices.rows()) {
    if (age_in_days(row, day) >= 0) continue;
    refuse("--prices", fmt::format("{} with a price of {} on {}", file, row.generation.view(), row.date.view()),
           fmt::format("prices that were read by today, {}", day), errc::out_of_range);
  }
  return prices;
}

loaded_prices::loaded_prices(const std::string& file, const session& with)
    : own_(!file.empty()   ? load_own_prices(file)
           : with.own_data ? load_prices(with.data_dir + "/prices.json")
                           : world_prices()) {}

void add_region(std::vector<follow_up_option>& own, std::string_view region, const session& with) {
  if (region != "us" || with.is_given("--zone")) own.emplace_back("--region", std::string(region));
}

std::string today() {
  std::time_t now = std::time(nullptr);
  if (const char* given = std::getenv("SOURCE_DATE_EPOCH")) {
    const std::string_view digits(given);
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), now);
  }
  std::array<char, 16> text{};
  const std::tm* day = std::gmtime(&now);
  if (day == nullptr || std::strftime(text.data(), text.size(), "%Y-%m-%d", day) != 10) return "1970-01-01";
  return text.data();
}

void say_start(const session& with, std::vector<assumption>& assumed) {
  if (with.is_given("--by") && !with.is_given("--start")) assumed.push_back({"start", today(), "today: see --start"});
}

void check_region(const price_book& book, const std::string& region, bool may_be_area) {
  if (has_region(book, region)) return;
  const std::size_t dash = region.rfind('-');  // us-east5-b is a zone
  if (dash != std::string::npos && region.size() == dash + 2 && has_region(book, region.substr(0, dash)))
    refuse("--region", region, region.substr(0, dash) + ", the region of that zone", errc::unknown_name);
  refuse("--region", region, known_regions(book, may_be_area) + "; more with --prices", errc::unknown_name);
}

}  // namespace cli
