# Empties FOLDER, where the consumers are built, lest an old cache hide what the library adds to it. Installs BUILD there:
# the headers of SOURCE, the packages for CMake and pkg-config, where it was built the program with its data, and nothing
# else. Moves that to MOVED, where it must work.
set(stage ${FOLDER}/stage)
file(REMOVE_RECURSE ${FOLDER})
execute_process(
  COMMAND ${CMAKE_COMMAND} --install ${BUILD} --config "${CONFIG}" --prefix ${stage}
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cmake --install ended with ${result}")
endif()

file(GLOB_RECURSE expected RELATIVE ${SOURCE} ${SOURCE}/include/*)
list(APPEND expected share/cmake/tpuplan/tpuplanConfig.cmake share/cmake/tpuplan/tpuplanConfigVersion.cmake
     share/pkgconfig/tpuplan.pc)
if(EXISTS ${BUILD}/tools/cli/tpuplan)
  file(GLOB models RELATIVE ${SOURCE} ${SOURCE}/data/models/* ${SOURCE}/data/networks/*)
  list(TRANSFORM models PREPEND share/tpuplan/)
  list(APPEND expected bin/tpuplan ${models})
  foreach(name IN ITEMS gpus hardware launch prices zones)
    list(APPEND expected share/tpuplan/data/${name}.json)
  endforeach()
endif()
list(SORT expected)
file(GLOB_RECURSE installed RELATIVE ${stage} ${stage}/*)
list(SORT installed)
if(NOT installed STREQUAL expected)
  set(missing ${expected})
  list(REMOVE_ITEM missing ${installed})
  list(REMOVE_ITEM installed ${expected})
  message(FATAL_ERROR "not installed: ${missing}; installed, but no part of the library: ${installed}")
endif()

# The packages must not know where they were made, nor PREFIX, for which they were configured.
foreach(file IN ITEMS share/cmake/tpuplan/tpuplanConfig.cmake share/pkgconfig/tpuplan.pc)
  file(READ ${stage}/${file} text)
  foreach(place IN ITEMS ${SOURCE} ${FOLDER} ${PREFIX})
    string(FIND "${text}" "${place}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${file} names ${place}:\n${text}")
    endif()
  endforeach()
endforeach()
file(RENAME ${stage} ${MOVED})
