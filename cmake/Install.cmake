# cmake --install: library, headers, simulator, pkg-config and CMake package files. The command's rules are in apps/.
# Everything is found relative to the file that names it, so an installed tree can be moved.
include(CMakePackageConfigHelpers)

set(nvp_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nvpulse)
set(nvp_sim_dir ${CMAKE_INSTALL_LIBDIR}/nvpulse/sim)

install(DIRECTORY include/nvpulse DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS nvpulse nvpulse-static EXPORT nvpulse-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# One folder for each simulated driver, holding libnvidia-ml.so.1 and the bare name beside it. Never in the library
# path: a simulated driver is used only where it is asked for.
if(NVP_SIM)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/sim/ DESTINATION ${nvp_sim_dir}
          FILES_MATCHING PATTERN "libnvidia-ml.so*" PATTERN "CMakeFiles" EXCLUDE)
endif()

# Completion, where the shells look for it; see apps/ for how it is made.
if(NVP_TOOLS AND NOT CMAKE_CROSSCOMPILING)
  install(FILES ${CMAKE_BINARY_DIR}/completion/nvpulse.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME nvpulse)
  install(FILES ${CMAKE_BINARY_DIR}/completion/_nvpulse DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${CMAKE_BINARY_DIR}/completion/nvpulse.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# pkg-config
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(nvp_pc_prefix ${CMAKE_INSTALL_PREFIX})
  set(nvp_pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  set(nvp_pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH nvp_up /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
  string(REGEX REPLACE "/$" "" nvp_up "${nvp_up}")
  set(nvp_pc_prefix "\${pcfiledir}/${nvp_up}")
  set(nvp_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(nvp_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/nvpulse.pc.in ${CMAKE_BINARY_DIR}/cmake/nvpulse.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/nvpulse.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# find_package(nvpulse)
install(EXPORT nvpulse-targets NAMESPACE nvpulse:: DESTINATION ${nvp_cmake_dir} FILE nvpulseTargets.cmake)
configure_package_config_file(cmake/nvpulseConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/nvpulseConfig.cmake
                              INSTALL_DESTINATION ${nvp_cmake_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/nvpulseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/nvpulseConfig.cmake ${CMAKE_BINARY_DIR}/cmake/nvpulseConfigVersion.cmake
        DESTINATION ${nvp_cmake_dir})

install(FILES README.md LICENSE docs/snapshot.schema.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
