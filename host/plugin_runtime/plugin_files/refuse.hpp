/// The error of the loader and of the configuration's readers.
#pragma once

#include <string>
#include <utility>

#include <capstan/result.hpp>

namespace capstan::plugin_runtime::plugin_files {

/// `invalid_config`: a file or a setting must be changed. `reason` is the end of a sentence whose
/// beginning the caller adds: "plugin /opt/x.so: " + "is empty".
inline Unexpected refuse(std::string reason) {
    return fail(ErrorCode::invalid_config, std::move(reason));
}

}  // namespace capstan::plugin_runtime::plugin_files
