# The same libraries as archives. OpenBLAS holds LAPACK, whose Fortran needs the runtime of gfortran; the build of
# OpenBLAS with threads of its own is taken before the one with OpenMP, whose runtime would clash with others.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(ZLIB_USE_STATIC_LIBS ON)
set(advice "-DSUMMAND_STATIC_DEPENDENCIES=OFF (pip: -C cmake.define.SUMMAND_STATIC_DEPENDENCIES=OFF) links shared libraries")

find_package(ZLIB REQUIRED)
find_library(SUMMAND_OPENBLAS_ARCHIVE openblas PATH_SUFFIXES openblas-pthread)
if(NOT SUMMAND_OPENBLAS_ARCHIVE)
  message(FATAL_ERROR "libopenblas.a was not found (Debian: libopenblas-dev); ${advice}")
endif()
set(BLAS_LIBRARIES ${SUMMAND_OPENBLAS_ARCHIVE})
set(LAPACK_LIBRARIES "")
foreach(name gfortran quadmath)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${name}.a
                  OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(EXISTS "${archive}")
    list(APPEND BLAS_LIBRARIES ${archive})
  elseif(name STREQUAL "gfortran")
    message(FATAL_ERROR "libgfortran.a was not found (Debian: libgfortran-12-dev); ${advice}")
  endif()
endforeach()

# math/blas.cpp knows these as weak symbols, for which nothing is taken out of an archive.
foreach(name set_num_threads get_config get_corename)
  list(APPEND BLAS_LIBRARIES -Wl,-u,openblas_${name})
endforeach()
