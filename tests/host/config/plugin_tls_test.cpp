#include "config/plugin_tls.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../plugin_runtime/tls_folder.hpp"
#include "config/configuration.hpp"
#include "io/known_secrets.hpp"
#include "shipped_folder.hpp"

namespace capstan::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct PluginTlsTest : ::testing::Test {
    plugin_runtime::TlsFolder folder;
    ShippedFolder shipped{"expanders/random.so"};

    /// Diagnostics of a configuration with these lines in the table of the instance.
    std::string check(const std::string& lines) const {
        const std::string text = "[plugin.random.tls]\n" + lines;
        return load_config(Source{"capstan.toml", text}, shipped.plugins()).diagnostics.text();
    }
    std::string line(const std::string& key, const std::string& file) const {
        return key + " = \"" + folder.path(file) + "\"\n";
    }
};

TEST_F(PluginTlsTest, ReadsAuthorityCertificateAndKey) {
    const Result<io::TlsOptions> tls = read_plugin_tls(folder.files());
    ASSERT_TRUE(tls) << tls.error();
    EXPECT_EQ(tls->ca_pem, folder.authority.pem());
    EXPECT_THAT(tls->certificate_pem, HasSubstr("BEGIN CERTIFICATE"));
    EXPECT_THAT(tls->key_pem, HasSubstr("PRIVATE KEY"));
    EXPECT_TRUE(tls->verify);
    EXPECT_THAT(io::redacted(tls->key_pem), HasSubstr("[redacted]")) << "no log has the key";
}

TEST_F(PluginTlsTest, AcceptsMissingFiles) {
    const Result<io::TlsOptions> none = read_plugin_tls({});
    ASSERT_TRUE(none);
    EXPECT_EQ(*none, io::TlsOptions());
    const Result<io::TlsOptions> authority = read_plugin_tls({.ca_file = folder.path("ca.pem")});
    ASSERT_TRUE(authority);
    EXPECT_EQ(authority->ca_pem, folder.authority.pem());
    EXPECT_EQ(authority->key_pem, "");
}

TEST_F(PluginTlsTest, IsCheckedWithTheConfiguration) {
    EXPECT_THAT(check(line("ca_file", "ca.pem") + line("cert_file", "tls.crt") +
                      line("key_file", "tls.key")),
                Not(HasSubstr("tls")));
    EXPECT_THAT(
        check(line("cert_file", "tls.crt")),
        HasSubstr("capstan.toml:2:13: plugin.random.tls.cert_file: key_file must be set, too"));
    EXPECT_THAT(check(line("key_file", "tls.key")),
                HasSubstr("plugin.random.tls.key_file: cert_file must be set, too"));
    EXPECT_THAT(check(line("ca_file", "tls.key")),
                HasSubstr("/tls.key: contains no PEM certificate"));
    EXPECT_THAT(check(line("cert_file", "tls.crt") + line("key_file", "ca.pem")),
                HasSubstr("/ca.pem: contains no PEM private key"));
    EXPECT_THAT(check("ca_files = \"x\"\n"), HasSubstr("ca_file"));
}

TEST_F(PluginTlsTest, ReportsAMismatchedKey) {
    folder.write("tls.key", folder.authority.issue("other").key_pem());
    const std::string text = check(line("cert_file", "tls.crt") + line("key_file", "tls.key"));
    EXPECT_THAT(text, HasSubstr("capstan.toml:3:12: plugin.random.tls.key_file: "));
    EXPECT_THAT(text, HasSubstr("the client key does not match the client certificate"));
}

TEST_F(PluginTlsTest, WarnsAboutAMissingFile) {
    EXPECT_THAT(
        check(line("ca_file", "none.pem")),
        HasSubstr("capstan.toml:2:11: warning: plugin.random.tls.ca_file: there is no file "));
}

}  // namespace
}  // namespace capstan::config
