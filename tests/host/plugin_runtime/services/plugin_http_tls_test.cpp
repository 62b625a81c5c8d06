#include "plugin_runtime/services/plugin_http.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../tls_folder.hpp"

namespace capstan::plugin_runtime::services {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Tests decide when the files are checked.
struct TlsRenewalTest : testing::Test {
    TlsFolder folder;
    std::vector<io::TlsOptions> used;
    std::vector<std::string> problems;
    Duration now = 1h;

    TlsRenewal make() {
        return TlsRenewal(folder.files(),
                          [this](const Error& error) { problems.push_back(error.message); });
    }
    Result<void> check(TlsRenewal& tls, Duration later = 0s) {
        now += later;
        return tls.renew(now, [this](const io::TlsOptions& read) { used.push_back(read); });
    }
};

TEST_F(TlsRenewalTest, AppliesAfterTenSeconds) {
    TlsRenewal tls = make();
    EXPECT_TRUE(check(tls));
    ASSERT_EQ(used.size(), 1u);
    EXPECT_TRUE(check(tls, 1min));
    EXPECT_EQ(used.size(), 1u) << "nothing changed";
    const io::TestIdentity second = folder.authority.issue("second");
    folder.renew(second);
    EXPECT_TRUE(check(tls, 9s));
    EXPECT_EQ(used.size(), 1u) << "files are read at most every ten seconds";
    EXPECT_TRUE(check(tls, 1s));
    ASSERT_EQ(used.size(), 2u);
    EXPECT_EQ(used[1].certificate_pem, second.certificate_pem());
    EXPECT_EQ(used[1].key_pem, second.key_pem());
}

TEST_F(TlsRenewalTest, KeepsTheMatchingPairWhileFilesAreReplaced) {
    TlsRenewal tls = make();
    EXPECT_TRUE(check(tls));
    const io::TestIdentity second = folder.authority.issue("second");
    folder.write("tls.crt", second.certificate_pem());
    EXPECT_TRUE(check(tls, 10s));
    EXPECT_TRUE(check(tls, 10s));
    EXPECT_EQ(used.size(), 1u);
    ASSERT_EQ(problems.size(), 1u) << "reported once";
    EXPECT_THAT(problems[0], HasSubstr("key_file: "));
    folder.write("tls.key", second.key_pem());
    EXPECT_TRUE(check(tls, 10s));
    EXPECT_EQ(used.size(), 2u);
}

TEST_F(TlsRenewalTest, KeepsTheContentOfADeletedFile) {
    TlsRenewal tls = make();
    EXPECT_TRUE(check(tls));
    folder.remove("ca.pem");
    EXPECT_TRUE(check(tls, 10s));
    EXPECT_THAT(problems, ElementsAre(HasSubstr("ca_file: there is no file")));
    folder.write("ca.pem", folder.authority.pem());
    EXPECT_TRUE(check(tls, 10s));
    folder.remove("ca.pem");
    EXPECT_TRUE(check(tls, 10s));
    EXPECT_EQ(problems.size(), 2u) << "it was valid in between";
}

TEST_F(TlsRenewalTest, FailsUntilTheFilesExist) {
    folder.remove("tls.crt");
    TlsRenewal tls = make();
    EXPECT_THAT(check(tls).error().message, HasSubstr("cert_file: there is no file"));
    EXPECT_THAT(check(tls, 1s).error().message, HasSubstr("cert_file: there is no file"));
    EXPECT_THAT(problems, IsEmpty()) << "each request reports it";
    folder.renew(folder.authority.issue("late"));
    EXPECT_TRUE(check(tls, 9s));
    EXPECT_EQ(used.size(), 1u);
}

TEST_F(TlsRenewalTest, DoesNothingWithoutFiles) {
    TlsRenewal tls(config::PluginTls(), {});
    EXPECT_TRUE(check(tls));
    EXPECT_THAT(used, IsEmpty());
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
