# Everything the library links privately, behind one target. All come from Debian packages; see ./dev.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)

option(SUMMAND_STATIC_DEPENDENCIES "Link OpenBLAS, LAPACKE, libLBFGS and zlib statically, for modules that are handed on" OFF)
if(SUMMAND_STATIC_DEPENDENCIES)
  include(${CMAKE_CURRENT_LIST_DIR}/static_dependencies.cmake)
else()
  find_package(ZLIB REQUIRED)
  set(BLA_VENDOR OpenBLAS)
  find_package(BLAS REQUIRED)
  find_package(LAPACK REQUIRED)
endif()
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas openblas-pthread x86_64-linux-gnu aarch64-linux-gnu REQUIRED)
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES openblas REQUIRED)
find_library(LAPACKE_LIBRARY lapacke REQUIRED)
find_path(LBFGS_INCLUDE_DIR lbfgs.h REQUIRED)
find_library(LBFGS_LIBRARY lbfgs REQUIRED)

add_library(summand_dependencies INTERFACE)
target_include_directories(summand_dependencies SYSTEM INTERFACE
                           ${CBLAS_INCLUDE_DIR} ${LAPACKE_INCLUDE_DIR} ${LBFGS_INCLUDE_DIR})
target_link_libraries(summand_dependencies INTERFACE
                      ${LAPACKE_LIBRARY} ${LBFGS_LIBRARY} ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES}
                      ZLIB::ZLIB nlohmann_json::nlohmann_json)

option(SUMMAND_HDF5 "Read ann-benchmarks HDF5 files" ON)
if(SUMMAND_HDF5)
  find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(HDF5_LIBRARY NAMES hdf5_serial hdf5)
  if(HDF5_INCLUDE_DIR AND HDF5_LIBRARY)
    target_include_directories(summand_dependencies SYSTEM INTERFACE ${HDF5_INCLUDE_DIR})
    target_link_libraries(summand_dependencies INTERFACE ${HDF5_LIBRARY})
    target_compile_definitions(summand_dependencies INTERFACE SUMMAND_HAS_HDF5)
  else()
    message(STATUS "HDF5 not found: .hdf5 files will be refused with a message")
  endif()
endif()
