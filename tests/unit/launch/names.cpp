// What services accept as names: launch/names.hpp.
#include <string>
#include <tpuplan/launch/names.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

TEST_CASE("a number has up to 20 figures, no sign and no zero in front") {
  STATIC_REQUIRE(detail::is_number("1"));
  STATIC_REQUIRE(detail::is_number("12345678901234567890"));
  STATIC_REQUIRE_FALSE(detail::is_number("123456789012345678901"));
  for (const char* none : {"", "0", "01", "-1", "1e3"}) CHECK_FALSE(detail::is_number(none));
}

TEST_CASE("a region has a number at its end") {
  for (const char* region : {"us-east5", "asia-northeast1", "us-central12"}) CHECK(detail::is_region(region));
  for (const char* none : {"us-east", "us5", "us-east5-b", "us--east5", "us-5", "Us-east5", ""})
    CHECK_FALSE(detail::is_region(none));
}

TEST_CASE("an image may name its host, with a port from 1 on") {
  for (const char* image : {"jax", "eu.gcr.io/p/i:v1", "localhost:5000/i", "host:1/path/i"})
    CHECK(detail::is_image(image));
  for (const char* none : {"host:0/i", "host:/i", "host:5000/", "Host:x/i"}) CHECK_FALSE(detail::is_image(none));
}

TEST_CASE("an address of mail has up to 254 characters, with a dot behind the name") {
  const auto of_length = [](std::size_t all) { return "a@" + std::string(all - 4, 'b') + ".c"; };
  CHECK(detail::is_email(of_length(254)));
  CHECK_FALSE(detail::is_email(of_length(255)));
  for (const char* none : {"a.b", "a@b", "A@b.c", "@b.c"}) CHECK_FALSE(detail::is_email(none));
}
