# An overlay port of the checkout that it lies in:
#   vcpkg install tpuplan --overlay-ports=examples/packaging/vcpkg --no-binarycaching
# vcpkg's cache looks at the files of the port alone and would not see a changed header. In a registry,
# vcpkg_from_github of a release takes the place of the next line.
get_filename_component(SOURCE_PATH ${CMAKE_CURRENT_LIST_DIR}/../../../.. ABSOLUTE)

set(VCPKG_BUILD_TYPE release) # there are only headers
vcpkg_cmake_configure(
  SOURCE_PATH ${SOURCE_PATH}
  OPTIONS -DTPUPLAN_INSTALL=ON -DTPUPLAN_BUILD_TOOLS=OFF -DTPUPLAN_BUILD_EXAMPLES=OFF -DTPUPLAN_BUILD_TESTS=OFF -DTPUPLAN_BUILD_BENCHMARKS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/tpuplan)
vcpkg_fixup_pkgconfig()

file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/usage DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
