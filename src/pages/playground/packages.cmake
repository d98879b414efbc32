# The headers that the rooms use, for Emscripten: none of these packages needs a library in a browser, since nothing there
# opens a compressed file or starts a thread.
set(memlane_fmt fmt::fmt)
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(header fmt nlohmann boost zlib.h zconf.h)
  find_path(place_${header} ${header} PATHS /usr/include /usr/include/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu /usr/local/include
    NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(CREATE_LINK ${place_${header}}/${header} ${headers}/${header} SYMBOLIC)
endforeach()
foreach(package fmt::fmt nlohmann_json::nlohmann_json Boost::headers ZLIB::ZLIB Threads::Threads)
  add_library(${package} INTERFACE IMPORTED)
  set_target_properties(${package} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${headers})
endforeach()
set_target_properties(fmt::fmt PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY)
