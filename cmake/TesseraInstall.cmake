# The library `tessera`, put together from the object libraries of all layers, and what
# `cmake --install` copies: the library, its public headers, the program infer, the CMake package.
include(CMakePackageConfigHelpers)
find_package(Threads REQUIRED)

# The package in which each linked target is found, as arguments of find_package. A static library
# passes its own dependencies on, so this list must be complete: an unknown target is an error.
set(TESSERA_FIND_Threads::Threads Threads)
set(TESSERA_FIND_protobuf::libprotobuf Protobuf)
set(TESSERA_FIND_protobuf::libprotobuf-lite Protobuf)
set(TESSERA_FIND_ZLIB::ZLIB ZLIB)
set(TESSERA_FIND_OpenMP::OpenMP_CXX OpenMP)
set(TESSERA_FIND_CUDA::cudart_static CUDAToolkit)

# tessera_export_dependency(ITEM): links `tessera` with one item of an object library. A file found
# by find_library becomes a target that tesseraLibraries.cmake defines for the user: the library may
# lie elsewhere there, or here outside the folders that a linker looks into.
function(tessera_export_dependency item)
  if(IS_ABSOLUTE ${item})
    cmake_path(GET item FILENAME name)
    string(REGEX REPLACE "^lib|\\.(so|a|dylib)[.0-9]*$" "" name ${name})
    cmake_path(GET item PARENT_PATH folder)
    target_link_libraries(tessera PUBLIC $<BUILD_INTERFACE:${item}>
                                         $<INSTALL_INTERFACE:tessera::${name}>)
    set_property(GLOBAL APPEND PROPERTY TESSERA_FIND_LIBRARY_LINES
                 "tessera_find_library(${name} \"${folder}\")")
    return()
  endif()
  if(NOT DEFINED TESSERA_FIND_${item})
    message(FATAL_ERROR "cmake/TesseraInstall.cmake does not know how a user of the installed "
                        "library finds '${item}': add a line TESSERA_FIND_${item}")
  endif()
  # The folder that found it first kept the imported target to itself.
  find_package(${TESSERA_FIND_${item}} REQUIRED)
  target_link_libraries(tessera PUBLIC ${item})
  list(JOIN TESSERA_FIND_${item} " " arguments)
  set_property(GLOBAL APPEND PROPERTY TESSERA_FIND_LINES "find_dependency(${arguments})")
endfunction()

get_property(objects GLOBAL PROPERTY TESSERA_OBJECTS)
list(APPEND objects onnx_schema)
list(REMOVE_DUPLICATES objects)
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE object_files)
add_library(tessera STATIC ${object_files})
add_library(tessera::tessera ALIAS tessera)
set_target_properties(tessera PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(tessera PUBLIC cxx_std_20)
target_include_directories(tessera PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tessera>)

set(dependencies Threads::Threads)
foreach(object IN LISTS objects)
  get_target_property(links ${object} INTERFACE_LINK_LIBRARIES)
  if(links)
    list(APPEND dependencies ${links})
  endif()
endforeach()
# Object libraries that link each other are all in `tessera` already.
list(FILTER dependencies EXCLUDE REGEX "LINK_ONLY:")
list(REMOVE_ITEM dependencies ${objects})
list(REMOVE_DUPLICATES dependencies)
foreach(dependency IN LISTS dependencies)
  tessera_export_dependency(${dependency})
endforeach()
if(TESSERA_SANITIZE)
  target_link_options(tessera PUBLIC -fsanitize=${TESSERA_SANITIZE})
endif()

# The public headers and the vocabulary that they include lie in a folder of their own, so that the
# short name core/ meets nothing else in an include path.
install(DIRECTORY engine/include/tessera core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera
        FILES_MATCHING PATTERN "*.h")
install(TARGETS tessera EXPORT tesseraTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The program finds its shared libraries where they were when it was linked.
set_target_properties(infer PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS infer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${package_dir})
get_property(find_lines GLOBAL PROPERTY TESSERA_FIND_LINES)
list(REMOVE_DUPLICATES find_lines)
list(JOIN find_lines "\n" TESSERA_FIND_DEPENDENCIES)
get_property(library_lines GLOBAL PROPERTY TESSERA_FIND_LIBRARY_LINES)
list(JOIN library_lines "\n" TESSERA_FIND_LIBRARIES)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tesseraLibraries.cmake.in
               ${PROJECT_BINARY_DIR}/tesseraLibraries.cmake @ONLY)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tesseraConfig.cmake.in
  ${PROJECT_BINARY_DIR}/tesseraConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
              ${PROJECT_BINARY_DIR}/tesseraLibraries.cmake
              ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake DESTINATION ${package_dir})
