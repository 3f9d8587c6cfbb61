# NVP_SANITIZE switches sanitizers on for every target.
if(NVP_SANITIZE)
  add_compile_options(-fsanitize=${NVP_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NVP_SANITIZE})
  if(NVP_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
    add_link_options(-fno-sanitize-recover=undefined)
  endif()
endif()

# The fuzzers follow coverage into the library and the command.
if(NVP_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
