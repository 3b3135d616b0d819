// Words as a shell reads them.
#include <tpuplan/launch/shell.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace launch_shell_tests {

TEST_CASE("words of a shell, in one line and in several") {
  CHECK(shell_line({"echo", "a b"}) == "echo 'a b'");
  CHECK(shell_line({"echo", "it's"}) == "echo 'it'\\''s'");
  CHECK(shell_lines({"run", "--zone", "here"}) == "run \\\n    --zone here");
}

TEST_CASE("an option has two hyphens and a letter or more") {
  CHECK(shell_lines({"run", "--x"}) == "run \\\n    --x");
  CHECK(shell_lines({"run", "--", "-x"}) == "run -- -x");
}

}  // namespace launch_shell_tests
