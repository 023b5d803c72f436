# Debian packages, each behind one deps:: name; scripts/install_packages lists what to install.
find_package(PkgConfig REQUIRED)

function(perfgap_pkg name)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET GLOBAL ${ARGN})
  add_library(deps::${name} ALIAS PkgConfig::${name})
endfunction()

perfgap_pkg(libbpf libbpf>=1.1)
perfgap_pkg(elfutils libdw libelf)
perfgap_pkg(lzma liblzma)
perfgap_pkg(re2 re2)
perfgap_pkg(zlib zlib)
perfgap_pkg(fmt fmt)

# Packages without a pkg-config file.
function(perfgap_library name header)
  find_path(${name}_include ${header} REQUIRED)
  add_library(deps_${name} INTERFACE)
  target_include_directories(deps_${name} SYSTEM INTERFACE ${${name}_include})
  foreach(library IN LISTS ARGN)
    find_library(${name}_${library} ${library} REQUIRED)
    target_link_libraries(deps_${name} INTERFACE ${${name}_${library}})
  endforeach()
  add_library(deps::${name} ALIAS deps_${name})
endfunction()

perfgap_library(pfm perfmon/pfmlib_perf_event.h pfm)
perfgap_library(json nlohmann/json.hpp)
perfgap_library(protozero protozero/pbf_reader.hpp)
perfgap_library(tomlplusplus toml++/toml.h)
perfgap_library(cli11 CLI/CLI.hpp)
