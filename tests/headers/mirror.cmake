# cmake -DSOURCE=DIR -P mirror.cmake: fails, and says which, where a public header has no test under its own path and name
# that includes it, or what stands for it in tests/support (tests/static/cost/price.cpp or tests/unit/cost/price.cpp for
# cost/price.hpp), and where a test has the name of no header. The rooms behind the doors that read, ask and show may
# have tests of their own, and need none.
cmake_minimum_required(VERSION 3.16)
file(GLOB_RECURSE headers RELATIVE ${SOURCE}/include/tpuplan ${SOURCE}/include/tpuplan/*.hpp)
set(problems "")

foreach(header IN LISTS headers)
  if(header MATCHES "^detail/|^(ask|json|launch|reflect)/|^(read|show)/[^/]+/")
    continue()
  endif()
  string(REGEX REPLACE "[.]hpp$" ".cpp" test ${header})
  set(found FALSE)
  foreach(kind IN ITEMS static unit)
    if(EXISTS ${SOURCE}/tests/${kind}/${test})
      file(STRINGS ${SOURCE}/tests/${kind}/${test} includes REGEX "^#include (<tpuplan|\"support)/${header}[>\"]")
      if(includes)
        set(found TRUE)
      endif()
    endif()
  endforeach()
  if(NOT found)
    string(APPEND problems "  ${header}: no tests/static/${test} or tests/unit/${test} that includes it\n")
  endif()
endforeach()

# A header may have several tests: plan/planner_brute_force.cpp is another one of plan/planner.hpp. Of no one header are
# the golden answers, the tests of tools/lab, and what holds between tables.
foreach(kind IN ITEMS static unit)
  file(GLOB_RECURSE tests RELATIVE ${SOURCE}/tests/${kind} ${SOURCE}/tests/${kind}/*.cpp)
  foreach(test IN LISTS tests)
    if(test MATCHES "^(golden|lab)/|^tables[.]cpp$")
      continue()
    endif()
    string(REGEX REPLACE "[.]cpp$" "" name ${test})
    while(NOT "${name}.hpp" IN_LIST headers AND name MATCHES "^(.*)_[^_/]*$")
      set(name "${CMAKE_MATCH_1}")
    endwhile()
    if(NOT "${name}.hpp" IN_LIST headers)
      string(APPEND problems "  tests/${kind}/${test}: the test of no header\n")
    endif()
  endforeach()
endforeach()

if(problems)
  message(FATAL_ERROR "tests do not lie where their headers lie:\n${problems}")
endif()
