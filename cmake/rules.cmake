# rules/*.toml -> one generated source that defines builtin_rules()'s table (analyzers/builtin_rules.h).
set(PERFGAP_BUILTIN_RULES_SOURCE ${CMAKE_BINARY_DIR}/rules/builtin_rules_data.cc)
file(GLOB rule_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rules/*.toml)
add_custom_command(
  OUTPUT ${PERFGAP_BUILTIN_RULES_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${PERFGAP_BUILTIN_RULES_SOURCE} -DRULES=${CMAKE_SOURCE_DIR}/rules
          -P ${CMAKE_SOURCE_DIR}/cmake/embed_rules.cmake
  DEPENDS ${rule_files} ${CMAKE_SOURCE_DIR}/cmake/embed_rules.cmake
  VERBATIM)
