// The worked numbers in the comments of model/vision.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/vision.hpp>

#include "support/near.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace static_model_vision_tests {

namespace {

static_assert(patches(224, 16) == 196);

constexpr vision_spec without_class_token() {
  vision_spec v = vit_b16();
  v.class_token = false;
  return v;
}
static_assert(vision_tokens(without_class_token()) == 196);
static_assert(vision_tokens(vit_b16()) == 197);

constexpr vision_spec gemma_3_tower() {
  vision_spec v;
  v.image_size = 896;
  v.patch_size = 14;
  v.layers = 27;
  v.d_model = 1152;
  v.heads = 16;
  v.d_ff = 4304;
  v.projector.merge = 4;
  return v;
}
static_assert(image_tokens(gemma_3_tower()) == 256);
static_assert(vision_parameters(vit_b16()) == 85798656);
static_assert(vision_flops_per_image(vit_b16()).value() == 2.0 * 17563060224);
constexpr vision_spec llava_projector() {
  vision_spec v;
  v.projector.input = 1024;
  v.projector.hidden = 4096;
  v.projector.output = 4096;
  v.projector.bias = true;
  return v;
}
static_assert(projector_parameters(llava_projector()) == 1024 * 4096 + 4096 + 4096 * 4096 + 4096);
static_assert(near(static_cast<double>(projector_parameters(llava_projector())) / 1e6, 21, 0.5));

}  // namespace

}  // namespace static_model_vision_tests
