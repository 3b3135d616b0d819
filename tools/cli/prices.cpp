#include "cli/prices.hpp"

#include <algorithm>

#include "cli/option.hpp"

namespace cli {

using namespace tpuplan;

void add_price_file_option(command& to, std::string& file) {
  to.add("--prices", file, "a price file like data/prices.json");
}

void add_price_options(command& to, price_options& into) {
  to.add("--region", into.region, "us, or a region such as us-east5; of the prices").usually("us");
  add_price_file_option(to, into.file);
}

loaded_prices::loaded_prices(const std::string& file) {
  if (!file.empty()) own_ = load_prices(file);
}

price_book loaded_prices::book() const { return own_ ? own_->book() : price_book{}; }

std::vector<std::string> all_regions(const price_book& book) {
  std::vector<std::string> regions;
  for (std::size_t i = 0; i < book.size(); ++i) {
    const std::string region(book.row(i).region.view());
    if (std::find(regions.begin(), regions.end(), region) == regions.end()) regions.push_back(region);
  }
  return regions;
}

void check_region(const price_book& book, const std::string& region) {
  std::string known_regions;
  for (std::size_t i = 0; i < book.size(); ++i) {
    const std::string one(book.row(i).region.view());
    if (one == region) return;
    if (known_regions.find(one) == std::string::npos) known_regions += (known_regions.empty() ? "" : ", ") + one;
  }
  refuse("--region", region, known_regions + "; more with --prices", errc::unknown_name);
}

}  // namespace cli
