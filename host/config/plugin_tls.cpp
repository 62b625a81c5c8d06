#include "config/plugin_tls.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "io/known_secrets.hpp"
#include "kubernetes/client/access/credentials.hpp"

namespace capstan::config {
namespace {

using kubernetes::client::PemKind;

Unexpected refuse_tls(const char* key, Error error) {
    error.subject = key;
    return fail(within(key, std::move(error)));
}

/// Empty: no file is set.
Result<std::string> read_pem(const char* key, const std::string& file, PemKind kind) {
    if (file.empty()) return std::string();
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        return refuse_tls(key, {ErrorCode::not_found, "there is no file " + file});
    Result<std::string> pem = kubernetes::client::read_pem_file(file, kind);
    if (!pem) return refuse_tls(key, std::move(pem).error());
    return pem;
}

}  // namespace

Result<io::TlsOptions> read_plugin_tls(const PluginTls& files) {
    const bool has_certificate = !files.cert_file.empty(), has_key = !files.key_file.empty();
    if (has_certificate != has_key)
        return refuse_tls(
            has_certificate ? "cert_file" : "key_file",
            {ErrorCode::invalid_config,
             has_certificate ? "key_file must be set, too" : "cert_file must be set, too"});
    io::TlsOptions out;
    CAPSTAN_TRY(out.ca_pem, read_pem("ca_file", files.ca_file, PemKind::certificate));
    CAPSTAN_TRY(out.certificate_pem, read_pem("cert_file", files.cert_file, PemKind::certificate));
    CAPSTAN_TRY(out.key_pem, read_pem("key_file", files.key_file, PemKind::private_key));
    if (!has_key) return out;
    io::known_secrets().add(out.key_pem);
    const Result<void> pair = kubernetes::client::check_key_pair(out.certificate_pem, out.key_pem);
    if (!pair)
        return refuse_tls("key_file",
                          within(files.key_file + " for " + files.cert_file, pair.error()));
    return out;
}

}  // namespace capstan::config
