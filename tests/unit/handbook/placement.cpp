// Mesh axes on torus axes.
#include <cmath>
#include <tpuplan/handbook/placement.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace handbook_placement_tests {

namespace {

constexpr layout mesh_of(std::int64_t fsdp, std::int64_t tensor, std::int64_t data = 1) {
  layout mesh;
  mesh.fsdp = fsdp;
  mesh.tensor = tensor;
  mesh.data = data;
  return mesh;
}

constexpr std::array<std::int32_t, 3> lengths(std::int32_t a, std::int32_t b, std::int32_t c) { return {a, b, c}; }

}  // namespace

TEST_CASE("degrees lie on whole axes where they can") {
  constexpr slice cube = slice_for("v5p-128");  // 4x4x4, all wrapped
  constexpr torus_placement two = place_on_torus(mesh_of(16, 4), cube);
  CHECK(two.degrees[0].name == "tensor");
  CHECK(two.degrees[0].lengths == lengths(4, 1, 1));
  CHECK(two.degrees[0].rings);
  CHECK(two.degrees[3].lengths == lengths(1, 4, 4));
  CHECK(two.degrees[3].rings);
  // Half an axis is a line, and what is left of it is one too.
  const torus_placement half = place_on_torus(mesh_of(32, 2), cube);
  CHECK(half.degrees[0].lengths == lengths(2, 1, 1));
  CHECK_FALSE(half.degrees[0].rings);
  CHECK(half.degrees[3].lengths == lengths(2, 4, 4));
  CHECK_FALSE(half.degrees[3].rings);
  // The longest axis that fits whole is taken first: 16 of 8x16 on v5e, which wraps.
  const torus_placement flat = place_on_torus(mesh_of(8, 16), slice_for("v5litepod-128"));
  CHECK(flat.degrees[0].lengths == lengths(1, 16, 1));
  CHECK(flat.degrees[0].rings);
  CHECK(flat.degrees[3].lengths == lengths(8, 1, 1));
  CHECK_FALSE(flat.degrees[3].rings);
}

TEST_CASE("the devices of a chip go to the first even degree") {
  const slice s = slice_for("tpu7x-128");  // 64 chips, 128 devices
  const torus_placement p = place_on_torus(mesh_of(32, 4), s);
  CHECK(p.degrees[0].on_chip == 2);
  CHECK(p.degrees[0].lengths == lengths(2, 1, 1));
  CHECK(p.degrees[3].on_chip == 1);
  const torus_placement all = place_on_torus(fsdp_layout(s), s);
  CHECK(all.degrees[3].on_chip == 2);
  CHECK(all.degrees[3].lengths == lengths(4, 4, 4));
  CHECK(all.degrees[3].rings);
  layout in_chips = mesh_of(16, 4);
  in_chips.unit = mesh_unit::chips;
  CHECK(place_on_torus(in_chips, s).degrees[0].on_chip == 1);
}

TEST_CASE("every placement covers the slice, on all slices and power-of-two meshes") {
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice s = slice_at(i);
    for (std::int64_t tensor = 1; tensor <= 8 && devices(s) % tensor == 0; tensor *= 2) {
      for (std::int64_t data = 1; data <= 4 && devices(s) / tensor % data == 0; data *= 2) {
        INFO(std::string(name(s)) << " tensor " << tensor << " data " << data);
        const torus_placement p = place_on_torus(mesh_of(devices(s) / tensor / data, tensor, data), s);
        std::array<std::int64_t, 3> covered{1, 1, 1};
        for (const placed_degree& placed : p.degrees) {
          CHECK(placed.lengths[0] * placed.lengths[1] * placed.lengths[2] * placed.on_chip == placed.degree);
          for (std::size_t axis = 0; axis < 3; ++axis) covered[axis] *= placed.lengths[axis];
        }
        for (std::size_t axis = 0; axis < 3; ++axis) CHECK(covered[axis] == s.shape.dims[axis]);
      }
    }
  }
}

TEST_CASE("a group that is placed communicates as its shape says") {
  const slice s = slice_for("v5p-128");
  const placed_degree fsdp = place_on_torus(mesh_of(16, 4), s).degrees[3];
  // Two rings of 4 at 180 GB/s both ways.
  CHECK(std::abs(all_gather(360_GB, group_of(fsdp, s)).bandwidth.value() - 1) < 1e-12);
  CHECK(members(group_of(fsdp, s)) == 16);
  CHECK_THROWS_AS(place_on_torus(mesh_of(8, 4), s), error);  // does not fill the slice
}

}  // namespace handbook_placement_tests
