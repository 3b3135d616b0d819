// Formats of numbers.

#include <cstdint>
#include <string>
#include <tpuplan/base/dtype.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace dtype_tests {

TEST_CASE("formats: sizes and names both ways") {
  struct row {
    dtype type;
    std::int64_t width;
    double size;
    std::vector<std::string> names;
  };
  const std::vector<row> rows = {
      {dtype::fp32, 32, 4, {"fp32", "float32", "f32", "FP32"}},
      {dtype::bf16, 16, 2, {"bf16", "bfloat16", "BF16", "BFloat16"}},
      {dtype::fp16, 16, 2, {"fp16", "float16", "f16"}},
      {dtype::fp8, 8, 1, {"fp8", "float8_e4m3fn", "float8_e5m2", "f8e4m3", "f8e5m2"}},
      {dtype::int8, 8, 1, {"int8", "s8", "INT8"}},
      {dtype::int4, 4, 0.5, {"int4", "s4"}},
  };
  for (const row& r : rows) {
    INFO(r.names.front());
    CHECK(bits(r.type) == r.width);
    CHECK(size_of(r.type).value() == r.size);
    CHECK(name(r.type) == r.names.front());
    for (const std::string& alias : r.names) {
      INFO(alias);
      CHECK(parse_dtype(alias) == r.type);
      CHECK(dtype_for(alias) == r.type);
    }
  }
  const std::vector<std::string> wrong = {"",
                                          "bf",
                                          "bf16 ",
                                          " bf16",
                                          "float",
                                          "int",
                                          "int16",
                                          "fp64",
                                          "uint8",
                                          "fp4",
                                          std::string(10000, 'f'),
                                          std::string{"bf16\0", 5}};
  for (const std::string& bad : wrong) {
    INFO(bad.substr(0, 40));
    CHECK_FALSE(parse_dtype(bad).has_value());
    const refusal got = refusal_of([&] { (void)dtype_for(bad); });
    CHECK(got.code == errc::unknown_name);
    CHECK(says(got.message, "dtype"));
  }
  CHECK(says(refusal_of([] { (void)dtype_for("fp64"); }).message, "fp64; valid: fp32, bf16, fp16, fp8, int8 or int4"));
  CHECK(refusal_of([] { (void)bits(static_cast<dtype>(99)); }).code == errc::unknown_name);
}

}  // namespace dtype_tests
