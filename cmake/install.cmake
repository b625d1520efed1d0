# `cmake --install` with an exported target: find_package(summand), then link summand::summand.
include(CMakePackageConfigHelpers)

# A static library carries no private libraries with it: the package configuration looks for these again.
set(SUMMAND_PRIVATE_LIBRARIES ${LAPACKE_LIBRARY} ${LBFGS_LIBRARY} ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES})
if(SUMMAND_HDF5 AND HDF5_LIBRARY)
  list(APPEND SUMMAND_PRIVATE_LIBRARIES ${HDF5_LIBRARY})
endif()
list(FILTER SUMMAND_PRIVATE_LIBRARIES INCLUDE REGEX "^/")
list(REMOVE_DUPLICATES SUMMAND_PRIVATE_LIBRARIES)

set(SUMMAND_PACKAGE_DIRECTORY ${CMAKE_INSTALL_LIBDIR}/cmake/summand)
install(TARGETS summand EXPORT summand-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET summand_cli)
  install(TARGETS summand_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/web/summand.js ${PROJECT_SOURCE_DIR}/web/summand.d.ts
        DESTINATION ${CMAKE_INSTALL_DATADIR}/summand/web)
install(EXPORT summand-targets NAMESPACE summand:: DESTINATION ${SUMMAND_PACKAGE_DIRECTORY})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/summand-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/summand-config.cmake.in
  ${PROJECT_BINARY_DIR}/summand-config.cmake INSTALL_DESTINATION ${SUMMAND_PACKAGE_DIRECTORY})
install(FILES ${PROJECT_BINARY_DIR}/summand-config.cmake ${PROJECT_BINARY_DIR}/summand-config-version.cmake
        DESTINATION ${SUMMAND_PACKAGE_DIRECTORY})

# For pkg-config. Whoever links a static library needs its private ones too, without asking for them by --static, and
# the runtime of C++, which a linker of C does not know.
list(JOIN SUMMAND_PRIVATE_LIBRARIES " " SUMMAND_PRIVATE_FLAGS)
list(JOIN ZLIB_LIBRARIES " " flags)
set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER runtime INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|m)$")
list(TRANSFORM runtime PREPEND "-l")
list(JOIN runtime " " runtime)
set(SUMMAND_PRIVATE_FLAGS " ${SUMMAND_PRIVATE_FLAGS} ${flags} ${runtime} -pthread")
get_target_property(type summand TYPE)
if(type STREQUAL "STATIC_LIBRARY")
  set(SUMMAND_PUBLIC_FLAGS "${SUMMAND_PRIVATE_FLAGS}")
endif()
file(RELATIVE_PATH SUMMAND_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" SUMMAND_PREFIX_FROM_PC "${SUMMAND_PREFIX_FROM_PC}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/summand.pc.in ${PROJECT_BINARY_DIR}/summand.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/summand.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
