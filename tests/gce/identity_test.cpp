// Whose right it is that Capstan uses.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "../clouds/variable.hpp"
#include "gce_story.hpp"

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

/// The principal that has asked for the groups.
std::string principal_of(const GceServer& gce) {
    const std::vector<Call> lists = gce.calls("aggregatedList");
    return lists.empty() ? "" : lists.front().principal;
}

/// Of a workload of another cloud, as gcloud writes it.
json::object external_account(const GceServer& gce, const std::string& token_file) {
    return {{"type", "external_account"},
            {"audience", audience},
            {"subject_token_type", "urn:ietf:params:oauth:token-type:jwt"},
            {"token_url", gce.url() + "/v1/token"},
            {"credential_source", json::object{{"file", token_file}}},
            {"universe_domain", "googleapis.com"}};
}

/// A pool that knows one token; `permissions`: of what has it.
json::object workload(json::array permissions) {
    return {{"audience", audience},
            {"token", "a-workloads-token"},
            {"permissions", std::move(permissions)}};
}

/// A project whose machine has an account that may do nothing.
World with_identities(json::object identities) {
    World world{.groups = {{.name = "web"}}};
    world.more["identities"] = std::move(identities);
    return world;
}

class GceIdentities : public GceStories {
protected:
    commands::Ran doctor() {
        commands::Ran out = story_->ask("doctor");
        return out;
    }
    GceStory& begin_with(json::object identities, const StoryOptions& options = {}) {
        story_ = &begin(with_identities(std::move(identities)), options);
        return *story_;
    }
    /// The file is there as long as the test.
    std::string write(const json::value& credentials) {
        return folder_.write("credentials.json", json::serialize(credentials));
    }
    std::string write_token(const std::string& token) { return folder_.write("token", token); }

private:
    GceStory* story_ = nullptr;
    commands::Folder folder_{};
};

TEST_F(GceIdentities, AreTheMachinesOwn) {
    GceStory& s = begin_with({});
    const commands::Ran said = doctor();
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_EQ(principal_of(s.gce()), account);
}

TEST_F(GceIdentities, AreThoseOfAServiceAccountsKey) {
    GceStory& s = begin_with({});
    json::value key = s.gce().ask(std::string("key?email=") + account + "&url=" + s.gce().url());
    const Variable file("GOOGLE_APPLICATION_CREDENTIALS", write(key));
    const commands::Ran said = doctor();
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(s.gce().calls("token"), Not(IsEmpty())) << "by a signed assertion";
    EXPECT_EQ(principal_of(s.gce()), account);
}

TEST_F(GceIdentities, AreThoseOfAWorkloadThatAnotherCloudKnows) {
    GceStory& s = begin_with({{"workload", workload({"*"})}});
    const Variable file("GOOGLE_APPLICATION_CREDENTIALS",
                        write(external_account(s.gce(), write_token("a-workloads-token"))));
    const commands::Ran said = doctor();
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(principal_of(s.gce()), StartsWith("principal://iam.googleapis.com/"));
}

TEST_F(GceIdentities, ImpersonateAnAccount) {
    GceStory& s = begin_with({{"workload", workload({"iam.serviceAccounts.getAccessToken"})}});
    json::object credentials = external_account(s.gce(), write_token("a-workloads-token"));
    credentials["service_account_impersonation_url"] =
        s.gce().url() + "/v1/projects/-/serviceAccounts/" + account + ":generateAccessToken";
    const Variable file("GOOGLE_APPLICATION_CREDENTIALS", write(credentials));
    const commands::Ran said = doctor();
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(s.gce().calls("generateAccessToken"), Not(IsEmpty()));
    EXPECT_EQ(principal_of(s.gce()), account);
}

TEST_F(GceIdentities, AreNotTheMachinesWhereAWorkloadIsRefused) {
    GceStory& s = begin_with({{"workload", workload({"*"})}});
    const Variable file("GOOGLE_APPLICATION_CREDENTIALS",
                        write(external_account(s.gce(), write_token("a-strangers-token"))));
    const commands::Ran said = doctor();
    EXPECT_NE(said.code, 0);
    EXPECT_THAT(said.out + said.err, HasSubstr("invalid_grant"));
    EXPECT_THAT(s.gce().calls("aggregatedList"), IsEmpty());
}

TEST_F(GceIdentities, AreRenewedBeforeTheyEndAndWhenTheyAreRefused) {
    GceStory& s = begin_with({{"token_seconds", 20}});
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    s.gce().tell("expire", json::object{{"token", ""}});
    s.scale(2);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(2); })) << "a refused token is renewed";
    s.gce().tell("time", json::object{{"advance", 3600}});
    s.scale(3);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); })) << "an hour later";
}

/// deploy/gce/role.yaml and nothing else.
TEST_F(GceIdentities, NeedNoMoreThanTheRoleThatShips) {
    GceStory& s = begin_with({});
    s.scale(2);
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(2); }));
    s.scale(1);
    EXPECT_TRUE(becomes(90s, [&] { return s.gce().target("web") == 1; }));
    for (const Call& call : s.gce().calls())
        EXPECT_NE(call.status, 403) << call.method << " " << call.answer;
}

TEST_F(GceIdentities, AreToldWhatTheyLack) {
    GceStory& s = begin_with({});
    s.gce().tell("policy",
                 json::object{{"name", account},
                              {"permissions", json::array{"compute.instanceGroupManagers.list",
                                                          "compute.instanceGroupManagers.get"}}});
    commands::Ran said = doctor();
    EXPECT_NE(said.code, 0);
    EXPECT_THAT(said.out + said.err, HasSubstr("compute.instanceGroupManagers.update"));

    s.gce().tell("policy", json::object{{"name", account}, {"permissions", json::array{"*"}}});
    s.gce().tell("disabled", json::array{"cloudresourcemanager.googleapis.com"});
    said = doctor();
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(said.out + said.err, HasSubstr("not checked"));
}

}  // namespace
}  // namespace capstan::gce
