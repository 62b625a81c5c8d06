#include "runtime/services/plugin_http.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../tls_folder.hpp"

namespace capstan::runtime::services {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Looks at the files when the test says so.
struct RenewedTls : testing::Test {
    TlsFolder folder;
    std::vector<io::TlsOptions> used;
    std::vector<std::string> troubles;
    Duration now = 1h;

    TlsRenewal make() {
        return TlsRenewal(folder.files(),
                          [this](const Error& error) { troubles.push_back(error.message); });
    }
    Result<void> look(TlsRenewal& tls, Duration later = 0s) {
        now += later;
        return tls.renew(now, [this](const io::TlsOptions& read) { used.push_back(read); });
    }
};

TEST_F(RenewedTls, CountsWithinTenSeconds) {
    TlsRenewal tls = make();
    EXPECT_TRUE(look(tls));
    ASSERT_EQ(used.size(), 1u);
    EXPECT_TRUE(look(tls, 1min));
    EXPECT_EQ(used.size(), 1u) << "nothing is new";
    const io::TestIdentity second = folder.authority.issue("second");
    folder.renew(second);
    EXPECT_TRUE(look(tls, 9s));
    EXPECT_EQ(used.size(), 1u) << "files are not read for each request";
    EXPECT_TRUE(look(tls, 1s));
    ASSERT_EQ(used.size(), 2u);
    EXPECT_EQ(used[1].certificate_pem, second.certificate_pem());
    EXPECT_EQ(used[1].key_pem, second.key_pem());
}

TEST_F(RenewedTls, KeepsThePairThatFitsWhileOneIsReplaced) {
    TlsRenewal tls = make();
    EXPECT_TRUE(look(tls));
    const io::TestIdentity second = folder.authority.issue("second");
    folder.write("tls.crt", second.certificate_pem());
    EXPECT_TRUE(look(tls, 10s));
    EXPECT_TRUE(look(tls, 10s));
    EXPECT_EQ(used.size(), 1u);
    ASSERT_EQ(troubles.size(), 1u) << "said once";
    EXPECT_THAT(troubles[0], HasSubstr("key_file: "));
    folder.write("tls.key", second.key_pem());
    EXPECT_TRUE(look(tls, 10s));
    EXPECT_EQ(used.size(), 2u);
}

TEST_F(RenewedTls, KeepsWhatAFileHeldThatIsGone) {
    TlsRenewal tls = make();
    EXPECT_TRUE(look(tls));
    folder.remove("ca.pem");
    EXPECT_TRUE(look(tls, 10s));
    EXPECT_THAT(troubles, ElementsAre(HasSubstr("ca_file: there is no file")));
    folder.write("ca.pem", folder.authority.pem());
    EXPECT_TRUE(look(tls, 10s));
    folder.remove("ca.pem");
    EXPECT_TRUE(look(tls, 10s));
    EXPECT_EQ(troubles.size(), 2u) << "it was fine in between";
}

TEST_F(RenewedTls, FailsUntilTheFilesAreThere) {
    folder.remove("tls.crt");
    TlsRenewal tls = make();
    EXPECT_THAT(look(tls).error().message, HasSubstr("cert_file: there is no file"));
    EXPECT_THAT(look(tls, 1s).error().message, HasSubstr("cert_file: there is no file"));
    EXPECT_THAT(troubles, IsEmpty()) << "each request says so";
    folder.renew(folder.authority.issue("late"));
    EXPECT_TRUE(look(tls, 9s));
    EXPECT_EQ(used.size(), 1u);
}

TEST_F(RenewedTls, LeavesAnInstanceWithoutFilesToTheSystemsAuthorities) {
    TlsRenewal tls(config::PluginTls(), {});
    EXPECT_TRUE(look(tls));
    EXPECT_THAT(used, IsEmpty());
}

}  // namespace
}  // namespace capstan::runtime::services
