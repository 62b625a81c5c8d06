// The identity that Capstan has for Google Cloud.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "../clouds/variable.hpp"
#include "gce_scenario.hpp"

namespace capstan::gce {
namespace {

namespace json = boost::json;
using clouds::Variable;
using e2e::becomes;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto audience =
    "//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/shop/"
    "providers/cluster";

/// The principal that listed the groups.
std::string principal_of(const GceServer& gce) {
    const std::vector<Call> lists = gce.calls("aggregatedList");
    return lists.empty() ? "" : lists.front().principal;
}

/// Credentials of a workload in another cloud, in the form of gcloud.
json::object external_account(const GceServer& gce, const std::string& token_file) {
    return {{"type", "external_account"},
            {"audience", audience},
            {"subject_token_type", "urn:ietf:params:oauth:token-type:jwt"},
            {"token_url", gce.url() + "/v1/token"},
            {"credential_source", json::object{{"file", token_file}}},
            {"universe_domain", "googleapis.com"}};
}

/// A workload identity pool with one token and the permissions of its holder.
json::object workload(json::array permissions) {
    return {{"audience", audience},
            {"token", "a-workloads-token"},
            {"permissions", std::move(permissions)}};
}

/// A project with one group and these identities.
ServerSetup with_identities(json::object identities) {
    ServerSetup setup{.groups = {{.name = "web"}}};
    setup.more["identities"] = std::move(identities);
    return setup;
}

class GceIdentity : public GceDaemon {
protected:
    commands::CommandResult doctor() {
        commands::CommandResult out = scenario_->run_command("doctor");
        return out;
    }
    GceScenario& begin_with(json::object identities, const ScenarioOptions& options = {}) {
        scenario_ = &begin(with_identities(std::move(identities)), options);
        return *scenario_;
    }
    /// The file exists until the end of the test.
    std::string write(const json::value& credentials) {
        return folder_.write("credentials.json", json::serialize(credentials));
    }
    std::string write_token(const std::string& token) { return folder_.write("token", token); }

private:
    GceScenario* scenario_ = nullptr;
    commands::Folder folder_{};
};

TEST_F(GceIdentity, IsTheAccountOfTheMachine) {
    GceScenario& s = begin_with({});
    const commands::CommandResult ran = doctor();
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_EQ(principal_of(s.gce()), account);
}

TEST_F(GceIdentity, IsTheAccountOfAKeyFile) {
    GceScenario& s = begin_with({});
    json::value key = s.gce().get(std::string("key?email=") + account + "&url=" + s.gce().url());
    const Variable file("GOOGLE_APPLICATION_CREDENTIALS", write(key));
    const commands::CommandResult ran = doctor();
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_THAT(s.gce().calls("token"), Not(IsEmpty())) << "by a signed assertion";
    EXPECT_EQ(principal_of(s.gce()), account);
}

TEST_F(GceIdentity, IsAFederatedWorkload) {
    GceScenario& s = begin_with({{"workload", workload({"*"})}});
    const Variable file("GOOGLE_APPLICATION_CREDENTIALS",
                        write(external_account(s.gce(), write_token("a-workloads-token"))));
    const commands::CommandResult ran = doctor();
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_THAT(principal_of(s.gce()), StartsWith("principal://iam.googleapis.com/"));
}

TEST_F(GceIdentity, CanImpersonateAnAccount) {
    GceScenario& s = begin_with({{"workload", workload({"iam.serviceAccounts.getAccessToken"})}});
    json::object credentials = external_account(s.gce(), write_token("a-workloads-token"));
    credentials["service_account_impersonation_url"] =
        s.gce().url() + "/v1/projects/-/serviceAccounts/" + account + ":generateAccessToken";
    const Variable file("GOOGLE_APPLICATION_CREDENTIALS", write(credentials));
    const commands::CommandResult ran = doctor();
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_THAT(s.gce().calls("generateAccessToken"), Not(IsEmpty()));
    EXPECT_EQ(principal_of(s.gce()), account);
}

TEST_F(GceIdentity, IsNotTheMachineIfAWorkloadIsRefused) {
    GceScenario& s = begin_with({{"workload", workload({"*"})}});
    const Variable file("GOOGLE_APPLICATION_CREDENTIALS",
                        write(external_account(s.gce(), write_token("a-strangers-token"))));
    const commands::CommandResult ran = doctor();
    EXPECT_NE(ran.code, 0);
    EXPECT_THAT(ran.out + ran.err, HasSubstr("invalid_grant"));
    EXPECT_THAT(s.gce().calls("aggregatedList"), IsEmpty());
}

TEST_F(GceIdentity, IsRenewedBeforeExpiryAndAfterARefusal) {
    GceScenario& s = begin_with({{"token_seconds", 20}});
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    s.gce().set("expire", json::object{{"token", ""}});
    s.scale(2);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(2); })) << "a refused token is renewed";
    s.gce().set("time", json::object{{"advance", 3600}});
    s.scale(3);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); })) << "an hour later";
}

/// Only deploy/gce/role.yaml is granted.
TEST_F(GceIdentity, NeedsOnlyTheShippedRole) {
    GceScenario& s = begin_with({});
    s.scale(2);
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(2); }));
    s.scale(1);
    EXPECT_TRUE(becomes(90s, [&] { return s.gce().target("web") == 1; }));
    for (const Call& call : s.gce().calls())
        EXPECT_NE(call.status, 403) << call.method << " " << call.response;
}

TEST_F(GceIdentity, IsCheckedForMissingPermissions) {
    GceScenario& s = begin_with({});
    s.gce().set("policy",
                json::object{{"name", account},
                             {"permissions", json::array{"compute.instanceGroupManagers.list",
                                                         "compute.instanceGroupManagers.get"}}});
    commands::CommandResult ran = doctor();
    EXPECT_NE(ran.code, 0);
    EXPECT_THAT(ran.out + ran.err, HasSubstr("compute.instanceGroupManagers.update"));

    s.gce().set("policy", json::object{{"name", account}, {"permissions", json::array{"*"}}});
    s.gce().set("disabled", json::array{"cloudresourcemanager.googleapis.com"});
    ran = doctor();
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.out + ran.err, HasSubstr("not checked"));
}

}  // namespace
}  // namespace capstan::gce
