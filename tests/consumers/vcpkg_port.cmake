# Runs the port in SOURCE without vcpkg. The functions stand in for those of vcpkg and do what its documentation says of
# them; the checks are those of vcpkg after a build. The package is left in FOLDER/package, where the next tests use it.
cmake_minimum_required(VERSION 3.19)
set(port_dir ${SOURCE}/examples/packaging/vcpkg/tpuplan)
set(PORT tpuplan)
set(CURRENT_PACKAGES_DIR ${FOLDER}/package)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${result}")
  endif()
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${arg_SOURCE_PATH} -B ${FOLDER}/build -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}
      -DCMAKE_CXX_COMPILER=${COMPILER} ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${FOLDER}/build --target install)
endfunction()

# Moves the CMake package to share/PORT, and its prefix two folders above that.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  file(RENAME ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH} ${CURRENT_PACKAGES_DIR}/share/${PORT})
  set(config ${CURRENT_PACKAGES_DIR}/share/${PORT}/tpuplanConfig.cmake)
  file(READ ${config} text)
  set(two_above "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_DIR}/../..\" ABSOLUTE)\n")
  string(REGEX REPLACE "(get_filename_component\\(_IMPORT_PREFIX [^\n]+\n)+" "${two_above}" text "${text}")
  file(WRITE ${config} "${text}")
endfunction()

function(vcpkg_fixup_pkgconfig)
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/share/pkgconfig/tpuplan.pc)
    message(FATAL_ERROR "no pkg-config file in share/pkgconfig, the place for a library of headers")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  configure_file(${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright COPYONLY)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
include(${port_dir}/portfile.cmake)
if(NOT VCPKG_BUILD_TYPE STREQUAL "release")
  message(FATAL_ERROR "vcpkg would build a library of headers twice, as release and debug")
endif()

file(GLOB_RECURSE expected RELATIVE ${SOURCE} ${SOURCE}/include/*)
list(APPEND expected share/pkgconfig/tpuplan.pc share/tpuplan/copyright share/tpuplan/tpuplanConfig.cmake
     share/tpuplan/tpuplanConfigVersion.cmake share/tpuplan/usage)
list(SORT expected)
file(GLOB_RECURSE files RELATIVE ${CURRENT_PACKAGES_DIR} ${CURRENT_PACKAGES_DIR}/*)
list(SORT files)
if(NOT files STREQUAL expected)
  message(FATAL_ERROR "the package holds ${files} instead of ${expected}")
endif()

# The manifest: the name is that of its folder, the version that of the library.
file(READ ${port_dir}/vcpkg.json manifest)
string(JSON name GET "${manifest}" name)
string(JSON version GET "${manifest}" version-semver)
if(NOT "${name} ${version}" STREQUAL "${PORT} ${VERSION}")
  message(FATAL_ERROR "vcpkg.json is of ${name} ${version} instead of ${PORT} ${VERSION}")
endif()
foreach(index IN ITEMS 0 1)
  string(JSON dependency GET "${manifest}" dependencies ${index} name)
  string(JSON on_host GET "${manifest}" dependencies ${index} host)
  list(APPEND dependencies ${dependency} ${on_host})
endforeach()
if(NOT dependencies STREQUAL "vcpkg-cmake;ON;vcpkg-cmake-config;ON")
  message(FATAL_ERROR "the functions that the port calls come from other ports than ${dependencies}")
endif()
