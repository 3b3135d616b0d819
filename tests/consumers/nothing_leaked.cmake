# Before and after the library is added: nothing but its target, and cache entries of its own name, may be new.
macro(remember_settings)
  get_cmake_property(cache_before CACHE_VARIABLES)
  read_settings(settings_before)
endmacro()

# What a library could change in the project that uses it, as one text.
function(read_settings result)
  set(settings "")
  foreach(variable IN ITEMS CMAKE_CXX_FLAGS CMAKE_CXX_STANDARD CMAKE_CXX_EXTENSIONS CMAKE_BUILD_TYPE CMAKE_MODULE_PATH
                            CMAKE_POSITION_INDEPENDENT_CODE BUILD_TESTING BUILD_SHARED_LIBS)
    string(APPEND settings "${variable}=${${variable}} ")
  endforeach()
  foreach(property IN ITEMS COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES LINK_LIBRARIES LINK_OPTIONS TESTS)
    get_directory_property(value ${property})
    string(APPEND settings "${property}=${value} ")
  endforeach()
  set(${result} "${settings}" PARENT_SCOPE)
endfunction()

# assert_nothing_leaked([folder]): the folder is that of the library, where it is built as a part of the project.
function(assert_nothing_leaked)
  read_settings(settings)
  if(NOT settings STREQUAL settings_before)
    message(FATAL_ERROR "changed: ${settings_before} to ${settings}")
  endif()

  # Its own cache entries: where it is, and its options, all off.
  get_cmake_property(cache CACHE_VARIABLES)
  list(REMOVE_ITEM cache ${cache_before})
  list(FILTER cache EXCLUDE REGEX "^FETCHCONTENT_|^tpuplan_(DIR|SOURCE_DIR|BINARY_DIR|IS_TOP_LEVEL)$")
  foreach(entry IN LISTS cache)
    if(NOT entry MATCHES "^TPUPLAN_(INSTALL|BUILD_TOOLS|BUILD_EXAMPLES|BUILD_TESTS|BUILD_BENCHMARKS)$" OR ${entry})
      message(FATAL_ERROR "new in the cache: ${entry}=${${entry}}")
    endif()
  endforeach()

  # Its target asks for C++17 and an include folder.
  foreach(property IN ITEMS COMPILE_DEFINITIONS COMPILE_OPTIONS LINK_LIBRARIES LINK_OPTIONS SOURCES)
    get_target_property(value tpuplan::tpuplan INTERFACE_${property})
    if(value)
      message(FATAL_ERROR "${property} of the target: ${value}")
    endif()
  endforeach()
  get_target_property(features tpuplan::tpuplan INTERFACE_COMPILE_FEATURES)
  if(NOT features STREQUAL "cxx_std_17")
    message(FATAL_ERROR "features that the target asks for: ${features}")
  endif()

  foreach(folder IN LISTS ARGN)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    get_property(tests DIRECTORY ${folder} PROPERTY TESTS)
    get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    if(NOT "${targets}|${tests}|${folders}" STREQUAL "tpuplan||")
      message(FATAL_ERROR "more than one target: ${targets} ${tests} ${folders}")
    endif()
  endforeach()
endfunction()
