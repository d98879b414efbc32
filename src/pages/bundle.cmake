# Writes FOLDER/page_script.inc and FOLDER/timeline_script.inc, scripts of pages as C++ string literals: page.js with
# Observable Plot, and the player of timelines. Without NPM, or if something fails, the first is empty, so that pages hold
# memlane's own SVG alone; the second needs no package, and is then timeline_plain.js: its modules as they are.
#   cmake -D NPM=... -D NODE=... -D SOURCE=... -D FOLDER=... -D "TIMELINE=a.js b.js" -P bundle.cmake
separate_arguments(TIMELINE)
file(REMOVE ${FOLDER}/failed)

# The modules of the player, each after those that it imports, become one function: imports and exports are its lines that
# begin so. What it returns has a name, as esbuild gives it.
set(plain "var memlane_timeline = (() => {\n")
set(literals "R\"memlane(${plain})memlane\",\n")
foreach(file IN LISTS TIMELINE)
  file(READ ${SOURCE}/${file} text)
  string(REGEX REPLACE "\n(import|export) {[^\n]*" "" text "\n${text}")
  string(REPLACE "\nexport " "\n" text "${text}")
  string(APPEND plain "${text}")
  string(APPEND literals "R\"memlane(${text})memlane\",\n") # each is shorter than compilers demand
endforeach()
set(text "\nreturn { mountTimeline, mountTimelines };\n})();\n")
string(APPEND plain "${text}")
string(APPEND literals "R\"memlane(${text})memlane\",\n")
file(WRITE ${FOLDER}/timeline_plain.js "${plain}")

function(write_plain)
  file(WRITE ${FOLDER}/page_script.inc "")
  file(WRITE ${FOLDER}/timeline_script.inc "${literals}")
endfunction()

if(NOT NPM)
  write_plain()
  return()
endif()

function(bundle)
  foreach(file package.json package-lock.json page.js bundle.mjs ${TIMELINE})
    get_filename_component(folder ${FOLDER}/${file} DIRECTORY)
    file(COPY ${SOURCE}/${file} DESTINATION ${folder})
  endforeach()
  # Packages are what the lock file says, by their hashes; none of their scripts runs. Once for each lock file.
  file(SHA256 ${FOLDER}/package-lock.json lock)
  set(installed "")
  if(EXISTS ${FOLDER}/node_modules/.installed)
    file(READ ${FOLDER}/node_modules/.installed installed)
  endif()
  set(failed 0)
  if(NOT installed STREQUAL lock)
    execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --no-update-notifier
        --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=20000
      WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE failed OUTPUT_FILE ${FOLDER}/npm.log ERROR_FILE ${FOLDER}/npm.log
      TIMEOUT 120)
  endif()
  if(NOT failed)
    file(WRITE ${FOLDER}/node_modules/.installed ${lock})
    execute_process(COMMAND ${NODE} bundle.mjs page_script.inc timeline_script.inc
      WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE failed OUTPUT_FILE ${FOLDER}/bundle.log ERROR_FILE ${FOLDER}/bundle.log
      TIMEOUT 120)
  endif()
  set(failed "${failed}" PARENT_SCOPE)
endfunction()

bundle()
if(failed)
  write_plain()
  file(WRITE ${FOLDER}/failed "")
  message(NOTICE "pages will hold memlane's own SVG instead of Observable Plot: npm could not install or bundle it (${FOLDER}/*.log)")
endif()
