// What io/reflect says of the library's types, and of one's own.
#include <string>
#include <string_view>
#include <tpuplan/io/reflect.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <vector>

#include "support/catch.hpp"

namespace own {
enum class pace { slow, fast };
constexpr std::string_view name(pace how) { return how == pace::slow ? "slow" : how == pace::fast ? "fast" : "?"; }
struct lap {
  double length = 0;
  pace how = pace::slow;
};
}  // namespace own
TPUPLAN_NAMED(own::pace)
TPUPLAN_FIELDS(own::lap, length, how)

using namespace tpuplan;

namespace io_reflect_tests {

namespace {

template <class T>
std::vector<std::string> names_of_fields() {
  T x{};
  std::vector<std::string> names;
  detail::fields_of<T>::each(x, [&](std::string_view name, auto&) { names.emplace_back(name); });
  return names;
}

}  // namespace

TEST_CASE("a struct of the library has its name and its fields in their order") {
  CHECK(detail::fields_of<layout>::type_name == "layout");
  CHECK(names_of_fields<layout>() == std::vector<std::string>{"data", "fsdp", "tensor", "expert", "context", "pipeline",
                                                              "dcn_data", "dcn_fsdp", "dcn_pipeline", "unit"});
}

TEST_CASE("a struct of one's own is known by the same means, and its fields can be changed through them") {
  CHECK(names_of_fields<own::lap>() == std::vector<std::string>{"length", "how"});
  own::lap lap;
  detail::fields_of<own::lap>::each(lap, [](std::string_view name, auto& field) {
    if constexpr (std::is_same<std::decay_t<decltype(field)>, double>::value) field = name == "length" ? 400 : 0;
  });
  CHECK(lap.length == 400);
}

TEST_CASE("enumerators without a name in their own header have one here") {
  STATIC_REQUIRE(name(placement::host) == "host");
  STATIC_REQUIRE(name(mesh_unit::chips) == "chips");
  STATIC_REQUIRE(name(static_cast<mesh_unit>(2)) == "?");
}

}  // namespace io_reflect_tests
