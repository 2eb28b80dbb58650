# Options of the build. An optional part has three settings: AUTO builds it when what it needs is
# found, ON makes a missing need an error, OFF leaves it out.
# CMake takes the string AUTO as true in if(), so these are compared as strings, never tested.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(TESSERA_CUDA AUTO CACHE STRING "CUDA backend: AUTO, ON or OFF")
set(TESSERA_ONEDNN AUTO CACHE STRING "CPU backend (oneDNN): AUTO, ON or OFF")
set(TESSERA_IMAGES AUTO CACHE STRING "PNG, JPEG and BMP decoders: AUTO, ON or OFF")
set_property(CACHE TESSERA_CUDA TESSERA_ONEDNN TESSERA_IMAGES PROPERTY STRINGS AUTO ON OFF)

option(TESSERA_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TESSERA_WERROR "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})
set(TESSERA_SANITIZE "" CACHE STRING "Sanitizers to build with: address, undefined, thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(TESSERA_CCACHE ccache)
if(TESSERA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TESSERA_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${TESSERA_CCACHE})
endif()
