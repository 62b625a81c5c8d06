/// Reads the files of [plugin.ID.tls].
#pragma once

#include <capstan/result.hpp>

#include "config/pipeline.hpp"
#include "io/tls_options.hpp"

namespace capstan::config {

/// The present content of the files; the private key is added to the known secrets. The message of
/// an error begins with the wrong key of the table, which is also the error's `subject`: "key_file:
/// ...". `not_found`: a file does not exist. `invalid_config`: a file cannot be read or has other
/// content, the private key does not match the certificate, or one of the two is missing.
Result<io::TlsOptions> read_plugin_tls(const PluginTls& files);

}  // namespace capstan::config
