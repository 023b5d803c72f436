# perfgap_precompile(TARGET): with PERFGAP_PCH, TARGET's sources begin with the headers that most of them include, parsed
# once for all targets. The debug preset and clang-tidy do without, and so find a source that forgot an include.
if(PERFGAP_PCH)
  add_compile_options(-pthread)  # the same for all, or the header fits only some
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "")
  add_library(perfgap_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(perfgap_precompiled PRIVATE deps::fmt)
  target_precompile_headers(perfgap_precompiled PRIVATE
    <algorithm> <array> <expected> <functional> <map> <memory> <optional> <span> <string> <string_view>
    <unordered_map> <vector> <fmt/format.h>)
endif()

function(perfgap_precompile target)
  if(PERFGAP_PCH)
    target_precompile_headers(${target} REUSE_FROM perfgap_precompiled)
  endif()
endfunction()
