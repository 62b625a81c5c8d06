#pragma once

#include <string_view>

namespace capstan::commands {

/// examples/question.json, embedded at build time.
extern const std::string_view sample_request;

}  // namespace capstan::commands
