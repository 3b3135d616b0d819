// The worked numbers in the comments of model/blocks/resample.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/resample.hpp>
#include <tpuplan/model/sums.hpp>

using namespace tpuplan;

namespace static_model_blocks_resample_tests {

namespace {

constexpr blocks::site clip{16, 64, 64, 0, 21};
static_assert(after(blocks::resample{2}, clip).height == 128 && after(blocks::resample{2}, clip).columns == 128);
static_assert(after(blocks::resample{1, 2, 0, false, true}, clip).frames == 41);
static_assert(after(blocks::resample{1, 2}, clip).frames == 42);
static_assert(after(blocks::resample{2, 2, 64, true, true}, clip).frames == 11);
static_assert(after(blocks::resample{2, 2, 64, true}, clip).frames == 11);
static_assert(after(blocks::resample{2, 2, 64, true}, clip).width == 64);
static_assert(after(blocks::resample{}, clip).width == 16 && positions(after(blocks::resample{}, clip)) == 86016);

}  // namespace

}  // namespace static_model_blocks_resample_tests
