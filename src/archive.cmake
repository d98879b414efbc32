# What CPack reads for each kind of package: an archive unpacks to a folder of its own, a package for Debian to /usr.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
