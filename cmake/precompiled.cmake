# What most sources include, compiled once for a build tree: it saves a third of the time of a test's compilation.
# All that use it have the same options and see the same macros.
set(CAPSTAN_PRECOMPILE none CACHE STRING "Which targets start from precompiled headers: none, tests or all")
if(CAPSTAN_PRECOMPILE STREQUAL none)
    function(capstan_precompile target)
    endfunction()
    return()
endif()

# As the targets of Boost and GTest define them for those that link them.
set(capstan_precompiled_macros BOOST_CONTAINER_DYN_LINK BOOST_CONTAINER_NO_LIB BOOST_JSON_DYN_LINK BOOST_JSON_NO_LIB
    GTEST_HAS_PTHREAD=1)
# What ccache asks for; `./dev` tells it the rest (CCACHE_SLOPPINESS).
set(capstan_precompiled_options -pthread
    "$<$<STREQUAL:${capstan_test_compiler_id},GNU>:-fpch-preprocess>"
    "$<$<STREQUAL:${capstan_test_compiler_id},Clang>:SHELL:-Xclang -fno-pch-timestamp>")
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "// Nothing but its precompiled headers.\n")
add_library(capstan_precompiled STATIC ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_compile_definitions(capstan_precompiled PRIVATE ${capstan_precompiled_macros})
target_compile_options(capstan_precompiled PRIVATE ${capstan_precompiled_options})
capstan_use_test_compiler(capstan_precompiled)
target_link_libraries(capstan_precompiled PRIVATE capstan::sdk GTest::gmock)
target_include_directories(capstan_precompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR})
# Named without a folder, so that the compiler cache knows it again in another checkout.
target_precompile_headers(capstan_precompiled PRIVATE <precompiled.hpp>)

function(capstan_precompile target)
    target_compile_definitions(${target} PRIVATE ${capstan_precompiled_macros})
    target_compile_options(${target} PRIVATE ${capstan_precompiled_options})
    target_precompile_headers(${target} REUSE_FROM capstan_precompiled)
endfunction()

# Every library of the folder and of those below that has C++ sources.
function(capstan_precompile_libraries folder)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        get_target_property(sources ${target} SOURCES)
        if(type MATCHES "^(STATIC|OBJECT|MODULE)_LIBRARY$" AND sources MATCHES "\\.cpp")
            capstan_precompile(${target})
        endif()
    endforeach()
    get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    foreach(below IN LISTS folders)
        capstan_precompile_libraries(${below})
    endforeach()
endfunction()
if(CAPSTAN_PRECOMPILE STREQUAL all)
    foreach(folder IN ITEMS sdk host plugins)
        capstan_precompile_libraries(${PROJECT_SOURCE_DIR}/${folder})
    endforeach()
endif()
