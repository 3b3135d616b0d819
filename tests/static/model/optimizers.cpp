// The worked numbers in the comments of model/optimizers.hpp and of names in base/text.hpp. It compiles, so it passes.
#include <tpuplan/model/optimizers.hpp>
#include <tpuplan/model/training_job.hpp>

using namespace tpuplan;

namespace static_model_optimizers_tests {

namespace {

static_assert(optimizer_bytes_per_parameter(*parse_optimizer("AdamW"), dtype::fp32) == 8_B);
static_assert(optimizer_bytes_per_parameter(optimizer_kind::adafactor, dtype::bf16) == bytes{0.5});
static_assert(optimizer_bytes_per_parameter(optimizer_kind::lars, dtype::bf16) == 2_B);
static_assert(optimizer_bytes_per_parameter(optimizer_kind::sgd) == 0_B);
// Adam of Keras: the same state.
static_assert(parse_optimizer("Adam").value() == optimizer_kind::adam && name(optimizer_kind::adam) == "adam");
static_assert(optimizer_bytes_per_parameter(optimizer_kind::adam) ==
              optimizer_bytes_per_parameter(optimizer_kind::adamw));
static_assert(parse_optimizer("AdamH").value() == optimizer_kind::adamh &&
              optimizer_bytes_per_parameter(optimizer_kind::adamh).value() == 8);
static_assert(!parse_optimizer("adamax") && !parse_optimizer("?") && name(static_cast<optimizer_kind>(99)) == "?");

constexpr bool keeps_none(optimizer_kind kind) { return optimizer_bytes_per_parameter(kind) < 1_B; }
static_assert(names_where<optimizer_kind>(keeps_none) == "adafactor or sgd");
static_assert(names_where<optimizer_kind>([](optimizer_kind) { return false; }).empty());
static_assert(names_of<optimizer_kind>() == "adamw, adafactor, lion, sgd_momentum, lars, lamb, sgd, adam or adamh");
static_assert(names_of<attention_kernel>() == "flash, unfused or tuned");

}  // namespace

}  // namespace static_model_optimizers_tests
