# How tests themselves are compiled, apart from what they test, which is compiled as it ships: the template instances of
# gtest's matchers are most of a test's compilation. clang takes less than half of g++'s time for them.
set(CAPSTAN_TEST_OPTIONS "" CACHE STRING "Options that tests alone are compiled with")
set(CAPSTAN_TEST_COMPILER "" CACHE STRING "The C++ compiler of tests alone, of the ABI of what they are linked with")

set(capstan_test_compiler_id ${CMAKE_CXX_COMPILER_ID})
if(CAPSTAN_TEST_COMPILER)
    set(capstan_test_compiler_id Clang)
endif()

function(capstan_use_test_compiler target)
    target_compile_options(${target} PRIVATE ${CAPSTAN_TEST_OPTIONS})
    if(CAPSTAN_TEST_COMPILER)
        set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/compile_with
                     ${CAPSTAN_TEST_COMPILER} ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_LAUNCHER})
    endif()
endfunction()
