# cmake -DSTEP=... -P check.cmake: one step of a vendor's work. WORK is the folder to work in, NAME
# the name of the test.
#   install   the component "sdk" of the build tree BUILD goes to WORK/sdk
#   build     the project SOURCE is configured with that SDK and the compilers C and CXX, built, tested, verified;
#             OPTIONS are further arguments of its configuration, separated by spaces; WARNINGS are
#             more flags for C++
#   new       `capstan plugin new` writes a project from TEMPLATE ("cloud_cpp": kind and language),
#             with --template VARIANT if that is set; the project is handled as by `build`, one in
#             Rust as by `cargo`
#   chain     the plugins that the tests PLUGINS ("a,b") built are one chain of expanders
#   scenario  the plugin that the test PLUGIN built is the cloud of the scenario SCENARIO
#   readme    the plugin that the installed README.md shows is handled as by `build`
#   cargo     the crate SOURCE is tested, built by CARGO, and verified
set(sdk "${WORK}/sdk")
set(place "${WORK}/${NAME}")
set(warnings "-Wall -Wextra -Wpedantic -Wshadow -Werror")

function(run)
    string(JOIN " " shown ${ARGN})
    message(STATUS "$ ${shown}")
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Writes the first block of `language` in the text `page` to `file`.
function(write_snippet page language file)
    if(NOT page MATCHES "```${language}\n(([^`]|`[^`])*)```")
        message(FATAL_ERROR "README.md shows no ${language}")
    endif()
    file(WRITE "${file}" "${CMAKE_MATCH_1}")
endfunction()

# Verifies a plugin, with the settings and the recorded HTTP exchanges of its project if it has
# some. Without them a class may remain unchecked (exit code 3); with them all must be checked.
function(verify plugin project)
    set(given "")
    if(EXISTS "${project}/verify.toml")
        list(APPEND given --settings "${project}/verify.toml")
    endif()
    if(EXISTS "${project}/verify.http")
        list(APPEND given --http "${project}/verify.http")
    endif()
    message(STATUS "$ capstan plugin verify ${plugin} ${given}")
    execute_process(COMMAND "${CAPSTAN_BINARY}" plugin verify "${plugin}" ${given} RESULT_VARIABLE code)
    if(NOT code EQUAL 0 AND (given OR NOT code EQUAL 3))
        message(FATAL_ERROR "${plugin}: verify ends with ${code}")
    endif()
endfunction()

# Verifies every .so below `folder`; there must be at least one.
function(verify_all folder project)
    file(GLOB_RECURSE plugins "${folder}/*.so")
    if(NOT plugins)
        message(FATAL_ERROR "${folder}: no plugin was built")
    endif()
    foreach(plugin IN LISTS plugins)
        verify("${plugin}" "${project}")
    endforeach()
endfunction()

# Checks that the project found the SDK that the step `install` installed, and no other.
function(check_origin build)
    load_cache("${build}" READ_WITH_PREFIX found_ capstan-sdk_DIR)
    string(FIND "${found_capstan-sdk_DIR}" "${sdk}/" at)
    if(NOT at EQUAL 0)
        message(FATAL_ERROR "capstan-sdk was found in ${found_capstan-sdk_DIR}, not below ${sdk}")
    endif()
endfunction()

# The headers of the SDK are not system headers here, so that the project's warnings apply to them,
# too.
function(build_project source build)
    run("${CMAKE_COMMAND}" -S "${source}" -B "${build}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${sdk}"
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DCMAKE_NO_SYSTEM_FROM_IMPORTED=ON
        "-DCMAKE_C_COMPILER=${C}" "-DCMAKE_CXX_COMPILER=${CXX}"
        "-DCMAKE_C_FLAGS=${warnings}" "-DCMAKE_CXX_FLAGS=${warnings} -Wnon-virtual-dtor ${WARNINGS}"
        "-DCMAKE_C_COMPILER_LAUNCHER=${LAUNCHER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" --no-warn-unused-cli ${ARGN})
    check_origin("${build}")
    run("${CMAKE_COMMAND}" --build "${build}" --parallel 2)
    run("${CMAKE_CTEST_COMMAND}" --test-dir "${build}" --output-on-failure)
endfunction()

# Tests, builds and verifies the crate `name` in `source`.
function(build_crate source name)
    set(ENV{CARGO_TARGET_DIR} "${place}/target")
    run("${CARGO}" test --offline --manifest-path "${source}/Cargo.toml")
    run("${CARGO}" build --release --offline --manifest-path "${source}/Cargo.toml")
    verify("${place}/target/release/lib${name}.so" "${source}")
endfunction()

if(NOT STEP STREQUAL install)
    file(REMOVE_RECURSE "${place}")
endif()

if(STEP STREQUAL install)
    file(REMOVE_RECURSE "${sdk}")
    run("${CMAKE_COMMAND}" --install "${BUILD}" --component sdk --prefix "${sdk}")
elseif(STEP STREQUAL build)
    separate_arguments(OPTIONS)
    build_project("${SOURCE}" "${place}" ${OPTIONS})
    verify_all("${place}" "${SOURCE}")
elseif(STEP STREQUAL new)
    string(REGEX MATCH "^(.*)_(.*)$" matched "${TEMPLATE}")
    set(kind ${CMAKE_MATCH_1})
    set(language ${CMAKE_MATCH_2})
    file(MAKE_DIRECTORY "${place}")
    set(variant "")
    if(VARIANT)
        set(variant --template ${VARIANT})
    endif()
    run("${CAPSTAN_BINARY}" plugin new --kind ${kind} --lang ${language} ${variant} --directory "${place}/project" my_${kind})
    if(language STREQUAL rust)
        build_crate("${place}/project" my_${kind})
    else()
        # Since CAPSTAN_BINARY is set, the project's own tests verify the plugin, too.
        build_project("${place}/project" "${place}/project/build" "-DCAPSTAN_BINARY=${CAPSTAN_BINARY}")
        verify_all("${place}/project/build" "${place}/project")
    endif()
elseif(STEP STREQUAL readme)
    file(READ "${sdk}/share/doc/capstan-sdk/README.md" page)
    write_snippet("${page}" cpp "${place}/project/plugin.cpp")
    write_snippet("${page}" cmake "${place}/project/CMakeLists.txt")
    build_project("${place}/project" "${place}/project/build")
    verify_all("${place}/project/build" "${place}/project")
elseif(STEP STREQUAL cargo)
    build_crate("${SOURCE}" rust_expander)
elseif(STEP STREQUAL chain)
    string(REPLACE "," ";" names "${PLUGINS}")
    set(tables "")
    foreach(name IN LISTS names)
        file(GLOB_RECURSE files "${WORK}/${name}/*.so")
        list(GET files 0 file)
        string(APPEND tables "[plugin.${name}]\nfile = \"${file}\"\n")
    endforeach()
    list(JOIN names "\", \"" chain)
    file(WRITE "${place}/capstan.toml"
         "[trust]\nsearch_paths = [\"${WORK}\"]\n[pipeline.scale_up]\nexpanders = [\"${chain}\"]\n${tables}")
    run("${CAPSTAN_BINARY}" pipeline --config "${place}/capstan.toml")
elseif(STEP STREQUAL scenario)
    file(GLOB_RECURSE files "${WORK}/${PLUGIN}/*.so")
    list(GET files 0 PLUGIN_FILE)
    configure_file("${SCENARIO}" "${place}/scenario.toml" @ONLY)
    run("${CAPSTAN_BINARY}" simulate "${place}/scenario.toml")
else()
    message(FATAL_ERROR "STEP=${STEP}: there is no such step")
endif()
