# capstan_add_plugin(NAME ENTRY plugin.cpp [SOURCES a.cpp b.cpp ...] [LIBRARIES lib ...]
#                    [OUTPUT_NAME file] [OUTPUT_DIRECTORY dir])
#
# Builds NAME.so (or file.so) from ENTRY (which holds CAPSTAN_PLUGIN) and SOURCES (the logic). Exactly one symbol is
# visible, and without that one nothing is built; nothing is left undefined, and the file can be unloaded: a version script hides every template
# instance, and g++ makes no unique symbols (one std::make_shared would otherwise pin the file for ever).
# With SOURCES it also makes NAME_logic, a static library of the logic alone, for unit tests.
function(capstan_add_plugin name)
    # A variable of this file would not reach callers in other folders; the function knows where it is from.
    set(plugin_map "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map")
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "ENTRY;OUTPUT_NAME;OUTPUT_DIRECTORY" "SOURCES;LIBRARIES")
    if(NOT arg_ENTRY)
        message(FATAL_ERROR "capstan_add_plugin(${name}): ENTRY names the source with CAPSTAN_PLUGIN")
    endif()
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "capstan_add_plugin(${name}): does not know ${arg_UNPARSED_ARGUMENTS}")
    endif()

    set(compile_options -fvisibility=hidden -fno-plt
        $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
        $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)

    add_library(${name} MODULE ${arg_ENTRY})
    if(arg_SOURCES)
        add_library(${name}_logic STATIC ${arg_SOURCES})
        set_target_properties(${name}_logic PROPERTIES POSITION_INDEPENDENT_CODE ON)
        target_compile_options(${name}_logic PRIVATE ${compile_options})
        target_link_libraries(${name}_logic PUBLIC capstan::sdk ${arg_LIBRARIES})
        target_include_directories(${name}_logic PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
        target_link_libraries(${name} PRIVATE ${name}_logic)
    endif()
    target_link_libraries(${name} PRIVATE capstan::sdk ${arg_LIBRARIES})
    target_compile_options(${name} PRIVATE ${compile_options})
    set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" LINK_DEPENDS "${plugin_map}")
    if(arg_OUTPUT_NAME)
        set_target_properties(${name} PROPERTIES OUTPUT_NAME "${arg_OUTPUT_NAME}")
    endif()
    if(arg_OUTPUT_DIRECTORY)
        set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}")
    endif()
    # clang's sanitizers leave their runtime undefined in a library, so -z defs must not be asked for there.
    target_link_options(${name} PRIVATE
        "LINKER:--version-script=${plugin_map}"
        LINKER:--require-defined=capstan_entry_1
        LINKER:--exclude-libs,ALL
        LINKER:-z,now LINKER:-z,relro LINKER:-z,noexecstack
        $<$<NOT:$<BOOL:${CAPSTAN_SANITIZED}>>:LINKER:-z,defs>)
endfunction()
