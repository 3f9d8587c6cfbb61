# nvp_warnings(TARGET): the warnings under which all code of ours is clean.
option(NVP_WERROR "Treat warnings as errors" OFF)

function(nvp_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes
                                           -Wmissing-prototypes -Wformat=2 -Wundef)
  if(NVP_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
