# Installs a build into a folder, then configures, builds and runs the consumer and the example
# against it, with nothing but CMAKE_PREFIX_PATH to find it by.
#   cmake -DBUILD=... -DSOURCE=... -DWORK=... -DMODEL=... -DGENERATOR=... -P run_consumer.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nexit code ${code}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

file(GLOB headers RELATIVE ${SOURCE}/engine/include ${SOURCE}/engine/include/tessera/*.h)
foreach(project IN ITEMS tests/consumer examples)
  set(build ${WORK}/${project})
  run(${CMAKE_COMMAND} -S ${SOURCE}/${project} -B ${build} -G ${GENERATOR}
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${prefix}
      "-DTESSERA_PUBLIC_HEADERS=${headers}" --no-warn-unused-cli)
  run(${CMAKE_COMMAND} --build ${build})
endforeach()

# The libraries without a package of their own are found outside the system's folders: where the
# build found them, and below a prefix that the user names.
file(GLOB_RECURSE package ${prefix}/*/tesseraLibraries.cmake)
cmake_path(GET package PARENT_PATH package)
set(find_libraries ${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/libraries -G ${GENERATOR}
    -DPACKAGE=${package} --no-warn-unused-cli)
run(${find_libraries} -B ${WORK}/remembered)
file(STRINGS ${package}/tesseraLibraries.cmake lines REGEX "^tessera_find_library\\(")
foreach(line IN LISTS lines)
  string(REGEX REPLACE ".*\\((.+) \".*" "\\1" name ${line})
  file(WRITE ${WORK}/moved-${name}/lib/lib${name}.so "")
  run(${find_libraries} -B ${WORK}/moved-${name}/build -DMOVED=${name}
      -DEXPECTED=${WORK}/moved-${name} -DCMAKE_PREFIX_PATH=${WORK}/moved-${name})
endforeach()

run(${WORK}/tests/consumer/consumer)
if(NOT output STREQUAL "NOT_FOUND\n")
  message(FATAL_ERROR "consumer printed '${output}', expected NOT_FOUND")
endif()
run(${WORK}/examples/classify ${MODEL})
if(NOT output MATCHES "^class [0-9], score ")
  message(FATAL_ERROR "classify printed '${output}'")
endif()
run(${prefix}/bin/infer --version)
