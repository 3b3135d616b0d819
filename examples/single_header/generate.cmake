# cmake -P examples/single_header/generate.cmake
# Writes tpuplan.hpp beside this script, or the file that -DOUTPUT=FILE names: what <tpuplan/tpuplan.hpp> includes, but not
# the planner, whose standard headers cost more to include than all the rest. Each header is there as it is, guard and
# all, after those that it needs.
cmake_minimum_required(VERSION 3.16)
set(include_dir ${CMAKE_CURRENT_LIST_DIR}/../../include)
if(NOT OUTPUT)
  set(OUTPUT ${CMAKE_CURRENT_LIST_DIR}/tpuplan.hpp)
endif()

function(tpuplan_append header)
  get_property(seen GLOBAL PROPERTY tpuplan_seen)
  if(header IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY tpuplan_seen ${header})

  file(READ ${include_dir}/${header} text)
  string(REGEX MATCHALL "#include [^\n]+" lines "${text}")
  foreach(line IN LISTS lines)
    if(line MATCHES "^#include <(tpuplan/[a-z0-9_/]+\\.hpp)>$")
      tpuplan_append(${CMAKE_MATCH_1})
    elseif(NOT line MATCHES "^#include <[a-z_]+>$")
      message(FATAL_ERROR "${header}: '${line}' is neither a header of tpuplan nor a standard header")
    endif()
  endforeach()
  string(REGEX REPLACE "#include <tpuplan/[^\n]+\n" "" text "${text}")
  string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
  set_property(GLOBAL APPEND_STRING PROPERTY tpuplan_text "\n// ${header}\n\n${text}")
endfunction()

# Not tpuplan.hpp itself: its guard stays undefined, so that including it later adds the planner.
file(STRINGS ${include_dir}/tpuplan/tpuplan.hpp roots REGEX "^#include <tpuplan/")
foreach(root IN LISTS roots)
  string(REGEX REPLACE "#include <(.+)>" "\\1" root "${root}")
  if(NOT root MATCHES "^tpuplan/plan/")
    tpuplan_append(${root})
  endif()
endforeach()

get_property(text GLOBAL PROPERTY tpuplan_text)
foreach(part IN ITEMS MAJOR MINOR PATCH)
  string(REGEX MATCH "#define TPUPLAN_VERSION_${part} ([0-9]+)" found "${text}")
  list(APPEND version ${CMAKE_MATCH_1})
endforeach()
list(JOIN version "." version)
string(
  CONCAT
    text
    "// tpuplan ${version} in one file: <tpuplan/tpuplan.hpp> without the planner. It needs C++17 and nothing else.\n"
    "// SPDX-License-Identifier: Apache-2.0\n"
    "// Written by examples/single_header/generate.cmake from include/tpuplan: change those headers, not this file.\n"
    "// The guards are theirs, so both forms of one version may meet in a program.\n\n"
    "#if !defined(__cplusplus) || __cplusplus < 201703L\n"
    "#error \"tpuplan needs C++17 or newer (-std=c++17)\"\n"
    "#else\n"
    "${text}\n"
    "#endif\n")

file(WRITE ${OUTPUT} "${text}")
