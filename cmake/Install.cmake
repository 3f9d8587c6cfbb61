# cmake --install: library, headers, command, simulator, pkg-config and CMake package files.
