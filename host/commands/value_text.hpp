/// JSON values as text: for programs, for people, and as YAML. Numbers have no exponents.
#pragma once

#include <string>

#include <boost/json/value.hpp>

namespace capstan::commands {

/// On one line, without spaces.
std::string json_line(const boost::json::value& value);
/// Indented by two; an object or array without members is `{}` or `[]`.
std::string json_indented(const boost::json::value& value);
/// Block style, ends with a line break. Texts that YAML could take for something else are in
/// double quotes, as in JSON.
std::string yaml_text(const boost::json::value& value);

}  // namespace capstan::commands
