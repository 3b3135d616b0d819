// expect: deleted
#include <tpuplan/read/prices.hpp>

using namespace tpuplan;

price_book read(const nlohmann::json& document) {
#ifdef TPUPLAN_MISUSE
  return read_prices(document).book();
#else
  static const owned_price_book owned = read_prices(document);
  return owned.book();
#endif
}
