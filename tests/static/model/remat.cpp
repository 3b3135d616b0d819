// Rematerialisation policies and their names. It compiles, so it passes.
#include <iterator>
#include <tpuplan/model/remat.hpp>

using namespace tpuplan;

namespace static_model_remat_tests {

namespace {

constexpr bool names_are_read_back() {
  for (const named_remat_policy& one : remat_policies) {
    if (parse_remat_policy(name(one.policy)) != one.policy) return false;
  }
  return true;
}
static_assert(names_are_read_back());
static_assert(name(remat::save_qkv_proj) == "save_qkv_proj" && remat::full == remat_policy{});
static_assert(std::begin(remat_policies)->policy == remat::full && std::rbegin(remat_policies)->policy == remat::none);
static_assert(remat::minimal != remat::minimal_with_context);  // the core of attention is done again, or not

static_assert(parse_remat_policy("FULL") == remat::full && !parse_remat_policy("half").has_value());

}  // namespace

}  // namespace static_model_remat_tests
