// What reflect says of the library's types, and of one's own.
#include <string>
#include <string_view>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/reflect.hpp>
#include <tpuplan/tpuplan.hpp>
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

namespace reflect_tests {

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

namespace {

/// Another value of a field, where its type is a number, a flag, a quantity, a text or an enumeration.
template <class T>
bool changed(T& field) {
  if constexpr (std::is_same<T, bool>::value) return field = !field, true;
  if constexpr (std::is_arithmetic<T>::value) return field = static_cast<T>(field + 1), true;
  if constexpr (std::is_enum<T>::value) return field = static_cast<T>(static_cast<int>(field) + 1), true;
  return false;
}
template <class Dim>
bool changed(quantity<Dim>& field) {
  return field = quantity<Dim>{field.value() + 1}, true;
}
template <std::size_t Capacity>
bool changed(text<Capacity>& field) {
  return field.append("x"), true;
}

}  // namespace

namespace {

void check_apart(std::string_view field, bool are_equal, bool differ) {
  INFO(field);
  CHECK(differ);
  CHECK_FALSE(are_equal);
}

/// The fields of which another value makes a struct another one.
template <class T>
std::size_t compared_fields() {
  std::size_t compared = 0;
  T one{};
  const T other{};
  INFO(detail::fields_of<T>::type_name);
  CHECK(one == other);
  CHECK_FALSE(one != other);
  detail::fields_of<T>::each(one, [&](std::string_view field, auto& value) {
    const auto before = value;
    if (!changed(value)) return;
    check_apart(field, one == other, one != other);
    value = before;
    ++compared;
  });
  CHECK(one == other);
  return compared;
}
template <class... Types>
std::size_t compared_fields_of() {
  return (compared_fields<Types>() + ...);
}

}  // namespace

TEST_CASE("two structs are equal where all fields are, and differ where one does", "[door]") {
  CHECK(compared_fields_of<chip_spec, slice, transformer, training_job, serving_job, layout, serving_layout,
                           step_breakdown, memory_breakdown, plan_request, serving_request, plan, plan_cost, price_row,
                           quota_row, spot_run, calibration, serving_estimate>() > 120);
  CHECK(plan_answer{} == plan_answer{});
  plan_request request;
  request.quotas = {{"v6e", "us", provisioning::spot, 8}};
  CHECK(request != plan_request{});
}

}  // namespace reflect_tests
