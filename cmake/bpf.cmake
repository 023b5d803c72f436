# bpf/*.bpf.c -> object -> skeleton header; target perfgap_bpf carries the include path of both.
find_program(BPF_CLANG NAMES clang-19 REQUIRED)
find_program(BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin REQUIRED)

set(bpf_out ${CMAKE_BINARY_DIR}/bpf)
file(MAKE_DIRECTORY ${bpf_out})
file(GLOB bpf_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bpf/*.h)
set(bpf_object ${bpf_out}/sampler.bpf.o)
set(bpf_skeleton ${bpf_out}/sampler.skel.h)
add_custom_command(
  OUTPUT ${bpf_object}
  COMMAND ${BPF_CLANG} -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror -D__TARGET_ARCH_x86 -D__bpf__
          -I${CMAKE_SOURCE_DIR}/bpf -c ${CMAKE_SOURCE_DIR}/bpf/sampler.bpf.c -o ${bpf_object}
  DEPENDS ${CMAKE_SOURCE_DIR}/bpf/sampler.bpf.c ${bpf_headers}
  VERBATIM)
add_custom_command(
  OUTPUT ${bpf_skeleton}
  COMMAND sh -c "\"$1\" gen skeleton \"$2\" name sampler_bpf > \"$3\"" sh ${BPFTOOL} ${bpf_object} ${bpf_skeleton}
  DEPENDS ${bpf_object}
  VERBATIM)
add_custom_target(perfgap_bpf_skeleton DEPENDS ${bpf_skeleton})
add_library(perfgap_bpf INTERFACE)
target_include_directories(perfgap_bpf SYSTEM INTERFACE ${bpf_out})
add_dependencies(perfgap_bpf perfgap_bpf_skeleton)
