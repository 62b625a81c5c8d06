/// The one way the loader and the readers of a configuration say no.
#pragma once

#include <string>
#include <utility>

#include <capstan/result.hpp>

namespace capstan::runtime::plugin_files {

/// A file or a setting that must change before the host can go on. `reason` continues a sentence
/// that the layer above begins: "plugin /opt/x.so: " + "is empty".
inline Unexpected refuse(std::string reason) {
    return fail(ErrorCode::invalid_config, std::move(reason));
}

}  // namespace capstan::runtime::plugin_files
