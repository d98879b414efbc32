# Writes FOLDER/page_script.inc: page.js and Observable Plot as C++ string literals. Without NPM, or if something fails,
# an empty file; pages then hold memlane's own SVG alone.
#   cmake -D NPM=... -D NODE=... -D SOURCE=... -D FOLDER=... -P bundle.cmake
set(script ${FOLDER}/page_script.inc)
file(REMOVE ${FOLDER}/failed)
if(NOT NPM)
  file(WRITE ${script} "")
  return()
endif()

function(bundle)
  foreach(file package.json package-lock.json page.js bundle.mjs)
    file(COPY ${SOURCE}/${file} DESTINATION ${FOLDER})
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
    execute_process(COMMAND ${NODE} bundle.mjs ${script}
      WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE failed OUTPUT_FILE ${FOLDER}/bundle.log ERROR_FILE ${FOLDER}/bundle.log
      TIMEOUT 120)
  endif()
  set(failed "${failed}" PARENT_SCOPE)
endfunction()

bundle()
if(failed)
  file(WRITE ${script} "")
  file(WRITE ${FOLDER}/failed "")
  message(NOTICE "pages will hold memlane's own SVG instead of Observable Plot: npm could not install or bundle it (${FOLDER}/*.log)")
endif()
