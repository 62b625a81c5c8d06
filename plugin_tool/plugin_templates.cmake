# The projects of plugin_templates.txt as a C++ source, so that `capstan plugin new` needs no file beside the binary.
#
# When included, this file defines capstan_embed_plugin_templates(TARGET ROOT): adds the source to TARGET; folders of the list are
# below ROOT. Run as `cmake -DROOT=... -DOUTPUT=... -P plugin_templates.cmake`, this file writes the source.
set(capstan_template_list ${CMAKE_CURRENT_LIST_DIR}/plugin_templates.txt)

# For each template, calls capstan_on_template(KIND LANG TEMPLATE NAME FOLDER), then capstan_on_file(PATH SOURCE) for each
# file: SOURCE becomes PATH of the project.
macro(capstan_walk_templates)
    file(STRINGS ${capstan_template_list} lines REGEX "^[^#]")
    foreach(line IN LISTS lines)
        if(line MATCHES "^    ([^ ]+) from ([^ ]+)$")
            capstan_on_file(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
        elseif(line MATCHES "^    (.+)$")
            capstan_on_file(${CMAKE_MATCH_1} ${folder}/${CMAKE_MATCH_1})
        elseif(line MATCHES "^([a-z_]+) ([a-z]+) ([a-z]+|-) ([a-z_]+) ([^ ]+)$")
            capstan_on_template(${CMAKE_MATCH_1} ${CMAKE_MATCH_2} ${CMAKE_MATCH_3} ${CMAKE_MATCH_4} ${CMAKE_MATCH_5})
        else()
            message(FATAL_ERROR "${capstan_template_list}: cannot read '${line}'")
        endif()
    endforeach()
endmacro()

if(NOT CMAKE_SCRIPT_MODE_FILE)
    function(capstan_embed_plugin_templates target root)
        set(files "")
        macro(capstan_on_template kind lang variant name folder_)
            set(folder ${folder_})
        endmacro()
        macro(capstan_on_file path source_)
            list(APPEND files ${root}/${source_})
        endmacro()
        capstan_walk_templates()
        set(output ${CMAKE_CURRENT_BINARY_DIR}/plugin_templates.cpp)
        set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
        # Writes the source at configuration, so that linters have it without a build.
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script} ${capstan_template_list} ${files})
        execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${root} -DOUTPUT=${output} -P ${script} COMMAND_ERROR_IS_FATAL ANY)
        target_sources(${target} PRIVATE ${output})
    endfunction()
    return()
endif()

set(source "// Generated from plugin_tool/plugin_templates.txt.
#include \"plugin_tool/plugin_new.hpp\"

namespace capstan::plugin_tool {

const std::vector<PluginTemplate>& plugin_templates() {
    static const std::vector<PluginTemplate> all{")
set(end "")
macro(capstan_on_template kind lang variant name folder_)
    set(folder ${folder_})
    string(REPLACE "-" "" variant_name "${variant}")
    string(APPEND source "${end}\n        {\"${kind}\", \"${lang}\", \"${variant_name}\", \"${name}\", {")
    set(end "}},")
endmacro()
macro(capstan_on_file path source_)
    file(READ ${ROOT}/${source_} text)
    string(FIND "${text}" ")capstan_template\"" at)
    if(NOT at EQUAL -1)
        message(FATAL_ERROR "${source_}: holds the delimiter it would be embedded with")
    endif()
    string(APPEND source "\n            {\"${path}\", R\"capstan_template(${text})capstan_template\"},")
endmacro()
capstan_walk_templates()
file(WRITE ${OUTPUT}.new "${source}${end}\n    };\n    return all;\n}\n\n}  // namespace capstan::plugin_tool\n")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
file(REMOVE ${OUTPUT}.new)
