# tessera_objects(NAME [DEPENDS ...]): an object library of every .cpp in the current folder and its
# subfolders named in FOLDERS, with the project's include root, warnings and sanitizers. The names
# are collected in TESSERA_OBJECTS, from which the library is put together.
set_property(GLOBAL PROPERTY TESSERA_OBJECTS "")

function(tessera_flags target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor>
    # GCC 12 sees overlapping copies in "text" + std::string (its bug 105651).
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TESSERA_WERROR}>>:-Werror>)
  if(TESSERA_SANITIZE)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TESSERA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
    # GCC's instrumentation makes it see uninitialised variables in the standard library.
    target_compile_options(${target} PRIVATE
      $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
    target_link_options(${target} PUBLIC -fsanitize=${TESSERA_SANITIZE})
  endif()
endfunction()

function(tessera_objects name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;DEPENDS" ${ARGN})
  if(NOT ARG_FOLDERS)
    set(ARG_FOLDERS .)
  endif()
  set(sources "")
  foreach(folder IN LISTS ARG_FOLDERS)
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  add_library(${name} OBJECT ${sources})
  tessera_flags(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY TESSERA_OBJECTS ${name})
endfunction()

# tessera_test(NAME SOURCES ... LIBRARIES ...): a GoogleTest program whose cases ctest lists by name.
# LIBRARIES are object libraries of this project or other targets.
function(tessera_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  tessera_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main)
  # Tests run side by side: OpenMP threads that wait must sleep, not spin.
  gtest_discover_tests(${name} TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 120
                       PROPERTIES TIMEOUT 600 ENVIRONMENT OMP_WAIT_POLICY=passive)
endfunction()
