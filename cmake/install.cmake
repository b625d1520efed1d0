# `cmake --install` with an exported target: find_package(summand), then link summand::summand.
include(CMakePackageConfigHelpers)
install(TARGETS summand EXPORT summand-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/summand DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT summand-targets NAMESPACE summand:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/summand)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/summand-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/summand-config.cmake.in
  ${PROJECT_BINARY_DIR}/summand-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/summand)
install(FILES ${PROJECT_BINARY_DIR}/summand-config.cmake ${PROJECT_BINARY_DIR}/summand-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/summand)
