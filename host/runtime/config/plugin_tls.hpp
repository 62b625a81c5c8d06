/// The files that [plugin.ID.tls] names, read.
#pragma once

#include <capstan/result.hpp>

#include "io/tls_options.hpp"
#include "runtime/config/pipeline.hpp"

namespace capstan::runtime::config {

/// What the files hold now; the key is among the known secrets from here on. The message begins
/// with the key of the table that is wrong, which is the error's `subject`: "key_file: ...".
/// `not_found`: a file is not there; `invalid_config`: it cannot be read or holds something else,
/// the private key is not the certificate's, or one of the two is missing.
Result<io::TlsOptions> read_plugin_tls(const PluginTls& files);

}  // namespace capstan::runtime::config
