# Compiles ONNX's own schema. It comes from the system's package or the Python onnx package, so that
# the project carries no copy of it. Defines:
#   onnx_schema                          object library of the generated classes, "onnx_schema.pb.h"
#   tessera_link_onnx_schema(TARGET)     gives an object library the classes, and their object files
#                                        to everything that links it
set(TESSERA_ONNX_PROTO "" CACHE FILEPATH "onnx.proto; empty: the system's or the Python package's")

function(tessera_find_onnx_proto result)
  set(candidates /usr/include/onnx/onnx.proto /usr/local/include/onnx/onnx.proto)
  if(TESSERA_ONNX_PROTO)
    set(candidates ${TESSERA_ONNX_PROTO})
  endif()
  foreach(candidate IN LISTS candidates)
    if(EXISTS ${candidate})
      set(${result} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(TESSERA_ONNX_PROTO)
    message(FATAL_ERROR "TESSERA_ONNX_PROTO=${TESSERA_ONNX_PROTO}: no such file")
  endif()

  # Looks the package up without importing it: importing loads its native code and numpy.
  execute_process(
    COMMAND python3 -c "import importlib.util as u, os; s = u.find_spec('onnx'); \
print(os.path.join(os.path.dirname(s.origin), 'onnx.proto') if s and s.origin else '')"
    OUTPUT_VARIABLE candidate OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(candidate AND EXISTS ${candidate})
    set(${result} ${candidate} PARENT_SCOPE)
    return()
  endif()
  message(FATAL_ERROR
    "onnx.proto, the schema of ONNX files, is not installed. Any of these provides it:\n"
    "  apt install libonnx-dev\n"
    "  pip install onnx\n"
    "  cmake -DTESSERA_ONNX_PROTO=/path/to/onnx.proto")
endfunction()

find_package(Protobuf REQUIRED)
tessera_find_onnx_proto(onnx_proto)
message(STATUS "ONNX schema: ${onnx_proto}")

# The classes get a namespace of their own: a process may hold libonnx too, whose classes would
# otherwise have the same names but perhaps another version's fields.
set(schema_dir ${PROJECT_BINARY_DIR}/onnx_schema)
file(READ ${onnx_proto} schema)
string(REPLACE "\npackage onnx;" "\npackage tessera.onnx;" renamed "${schema}")
if(renamed STREQUAL schema)
  message(FATAL_ERROR "${onnx_proto} does not contain the line 'package onnx;': not ONNX's schema")
endif()
if(NOT renamed MATCHES "\noption optimize_for")
  string(APPEND renamed "\noption optimize_for = LITE_RUNTIME;\n")
endif()
set(previous "")
if(EXISTS ${schema_dir}/onnx_schema.proto)
  file(READ ${schema_dir}/onnx_schema.proto previous)
endif()
if(NOT renamed STREQUAL previous)  # keeps the time stamp, so that a re-configure rebuilds nothing
  file(WRITE ${schema_dir}/onnx_schema.proto "${renamed}")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${onnx_proto})

add_custom_command(
  OUTPUT ${schema_dir}/onnx_schema.pb.cc ${schema_dir}/onnx_schema.pb.h
  COMMAND protobuf::protoc --cpp_out=${schema_dir} --proto_path=${schema_dir}
          ${schema_dir}/onnx_schema.proto
  DEPENDS ${schema_dir}/onnx_schema.proto
  COMMENT "Generating the ONNX schema's classes"
  VERBATIM)
add_library(onnx_schema OBJECT ${schema_dir}/onnx_schema.pb.cc)
target_include_directories(onnx_schema SYSTEM PUBLIC ${schema_dir})
if(TARGET protobuf::libprotobuf-lite)
  target_link_libraries(onnx_schema PUBLIC protobuf::libprotobuf-lite)
else()
  target_link_libraries(onnx_schema PUBLIC protobuf::libprotobuf)
endif()
if(TESSERA_SANITIZE)
  target_compile_options(onnx_schema PRIVATE
    -fsanitize=${TESSERA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
endif()

function(tessera_link_onnx_schema target)
  target_link_libraries(${target} PRIVATE onnx_schema)
  # Linking passes on include folders and libraries of an object library, but not its objects.
  target_sources(${target} INTERFACE $<TARGET_OBJECTS:onnx_schema>)
endfunction()
