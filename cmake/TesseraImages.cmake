# The picture formats whose libraries are found (option TESSERA_IMAGES). Each is one file in
# engine/image/formats; a generated list of their names is all that differs between builds. PNM
# needs no library and is always there.
# Global properties for the summary: TESSERA_IMAGE_FORMATS and TESSERA_IMAGE_FORMATS_MISSING.

# tessera_image_library(PREFIX header library): cache variables PREFIX_INCLUDE_DIR, PREFIX_LIBRARY.
function(tessera_image_library prefix header library)
  find_path(${prefix}_INCLUDE_DIR ${header} PATH_SUFFIXES stb)
  find_library(${prefix}_LIBRARY ${library})
  mark_as_advanced(${prefix}_INCLUDE_DIR ${prefix}_LIBRARY)
endfunction()

# tessera_image_format(TARGET name PACKAGES "..." HEADERS vars LIBRARIES vars SOURCES files): adds
# SOURCES to the target when all variables named in HEADERS and LIBRARIES hold something found.
function(tessera_image_format target name)
  cmake_parse_arguments(ARG "" "PACKAGES" "HEADERS;LIBRARIES;SOURCES" ${ARGN})
  foreach(variable IN LISTS ARG_HEADERS ARG_LIBRARIES)
    if(TESSERA_IMAGES STREQUAL "OFF" OR NOT ${variable})
      if(TESSERA_IMAGES STREQUAL "ON")
        message(FATAL_ERROR "TESSERA_IMAGES=ON, but what ${name} needs was not found: install "
                            "${ARG_PACKAGES}, or configure with -DTESSERA_IMAGES=AUTO.")
      endif()
      set_property(GLOBAL APPEND PROPERTY TESSERA_IMAGE_FORMATS_MISSING "${name} (${ARG_PACKAGES})")
      return()
    endif()
  endforeach()
  foreach(variable IN LISTS ARG_HEADERS)
    target_include_directories(${target} SYSTEM PRIVATE ${${variable}})
  endforeach()
  foreach(variable IN LISTS ARG_LIBRARIES)
    target_link_libraries(${target} PUBLIC ${${variable}})
  endforeach()
  target_sources(${target} PRIVATE ${ARG_SOURCES})
  set_property(GLOBAL APPEND PROPERTY TESSERA_IMAGE_FORMATS ${name})
endfunction()

tessera_image_library(TESSERA_SPNG spng.h spng)
tessera_image_library(TESSERA_TURBOJPEG turbojpeg.h turbojpeg)
tessera_image_library(TESSERA_EXIF libexif/exif-data.h exif)
tessera_image_library(TESSERA_STB stb_image.h stb)
tessera_image_library(TESSERA_ZLIB zlib.h z)

# tessera_add_image_formats(TARGET): to be called from the engine's folder.
function(tessera_add_image_formats target)
  set(formats image/formats)
  target_sources(${target} PRIVATE ${formats}/pnm.cpp)
  set_property(GLOBAL PROPERTY TESSERA_IMAGE_FORMATS pnm)
  set_property(GLOBAL PROPERTY TESSERA_IMAGE_FORMATS_MISSING "")
  tessera_image_format(${target} png PACKAGES "libspng-dev" SOURCES ${formats}/png.cpp
    HEADERS TESSERA_SPNG_INCLUDE_DIR LIBRARIES TESSERA_SPNG_LIBRARY)
  # A JPEG reader that does not know the orientation would turn pictures silently, so libexif is a
  # condition of JPEG and not an option of it.
  tessera_image_format(${target} jpeg PACKAGES "libturbojpeg0-dev libexif-dev"
    SOURCES ${formats}/jpeg.cpp ${formats}/orientation.cpp
    HEADERS TESSERA_TURBOJPEG_INCLUDE_DIR TESSERA_EXIF_INCLUDE_DIR
    LIBRARIES TESSERA_TURBOJPEG_LIBRARY TESSERA_EXIF_LIBRARY)
  tessera_image_format(${target} bmp PACKAGES "libstb-dev"
    SOURCES ${formats}/bmp.cpp ${formats}/stb_image.cpp HEADERS TESSERA_STB_INCLUDE_DIR)
  set_source_files_properties(${formats}/stb_image.cpp PROPERTIES COMPILE_OPTIONS -w)
  tessera_image_format(${target} gzip PACKAGES "zlib1g-dev"
    HEADERS TESSERA_ZLIB_INCLUDE_DIR LIBRARIES TESSERA_ZLIB_LIBRARY)

  get_property(found GLOBAL PROPERTY TESSERA_IMAGE_FORMATS)
  if("gzip" IN_LIST found)
    set_source_files_properties(image/gzip.cpp PROPERTIES COMPILE_DEFINITIONS TESSERA_HAVE_ZLIB)
  endif()
  list(REMOVE_ITEM found gzip)
  list(TRANSFORM found REPLACE "(.+)" "TESSERA_IMAGE_DECODER(\\1)\n" OUTPUT_VARIABLE list)
  list(JOIN list "" list)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/engine/image/decoders.inc
       CONTENT "${list}")
endfunction()
