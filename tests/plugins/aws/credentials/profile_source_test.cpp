#include <gmock/gmock.h>

#include "fake_machine.hpp"

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct ProfileMachine : FakeMachine {
    explicit ProfileMachine(std::string text) {
        environment.set["HOME"] = "/h";
        environment.files["/h/.aws/config"] = std::move(text);
        responses[std::string("POST ") + sts_url] =
            sts_response("AssumeRole", "R", host.now() + 1h);
    }
    Credentials found() {
        const auto response = ask(&ask_profile);
        EXPECT_TRUE(response) << response.error().message;
        return response && response->credentials ? *response->credentials : Credentials{};
    }
    std::string absence() {
        const auto response = ask(&ask_profile);
        return response ? response->absence : "an error: " + response.error().message;
    }
    std::string mistake() {
        const auto response = ask(&ask_profile);
        EXPECT_FALSE(response);
        return response ? std::string() : response.error().message;
    }
    std::vector<HttpRequest> sts() { return requests_to(sts_url); }
};

TEST(ProfileSource, ReturnsTheKeysOfTheDefaultProfile) {
    ProfileMachine m(
        "[default]\naws_access_key_id=AKIA\naws_secret_access_key=s\naws_session_token=t\n");
    const Credentials found = m.found();
    EXPECT_EQ(found.access_key_id, "AKIA");
    EXPECT_EQ(found.secret_access_key, "s");
    EXPECT_EQ(found.session_token, "t");
    EXPECT_EQ(found.source, "profile \"default\"");
}

TEST(ProfileSource, IsAbsentWithoutFilesOrKeys) {
    ProfileMachine m("[default]\nregion=r\n");
    EXPECT_EQ(m.absence(), "profile \"default\" has neither keys nor a role");
    m.environment.files.clear();
    EXPECT_EQ(m.absence(), "no profile \"default\" in /h/.aws/config, /h/.aws/credentials");
    m.environment.set.clear();
    EXPECT_THAT(m.absence(), HasSubstr("HOME is not set"));
}

TEST(ProfileSource, FailsIfTheRequestedProfileDoesNotExist) {
    ProfileMachine m("[default]\naws_access_key_id=AKIA\naws_secret_access_key=s\n");
    m.environment.set["AWS_PROFILE"] = "ops";
    EXPECT_THAT(m.mistake(), AllOf(HasSubstr("no profile \"ops\""), HasSubstr("AWS_PROFILE")));
    m.config.profile = "mine";
    EXPECT_THAT(m.mistake(),
                AllOf(HasSubstr("no profile \"mine\""), HasSubstr("credentials.profile")));
}

TEST(ProfileSource, AssumesARoleWithTheKeysOfAnotherProfile) {
    ProfileMachine m(
        "[default]\nrole_arn=arn:aws:iam::1:role/a\nsource_profile=base\nexternal_id=e/1\n"
        "role_session_name=night\nduration_seconds=1800\n"
        "[profile base]\naws_access_key_id=AKIABASE\naws_secret_access_key=s\n");
    const Credentials found = m.found();
    EXPECT_EQ(found.access_key_id, "ASIAR");
    EXPECT_EQ(found.source, "role arn:aws:iam::1:role/a through profile \"default\"");
    const HttpRequest sent = m.sts().at(0);
    EXPECT_EQ(sent.body,
              "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fa&"
              "RoleSessionName=night&DurationSeconds=1800&ExternalId=e%2F1");
    EXPECT_THAT(header_named(sent, "authorization"), HasSubstr("Credential=AKIABASE/"));
}

TEST(ProfileSource, FollowsAChainOfRoles) {
    ProfileMachine m(
        "[default]\nrole_arn=arn:aws:iam::1:role/outer\nsource_profile=b\n"
        "[profile b]\nrole_arn=arn:aws:iam::1:role/inner\nsource_profile=c\n"
        "[profile c]\naws_access_key_id=AKIAC\naws_secret_access_key=s\n");
    m.found();
    ASSERT_EQ(m.sts().size(), 2U);
    EXPECT_THAT(m.sts()[0].body, HasSubstr("inner"));
    EXPECT_THAT(header_named(m.sts()[0], "authorization"), HasSubstr("Credential=AKIAC/"));
    EXPECT_THAT(m.sts()[1].body, HasSubstr("outer"));
    EXPECT_THAT(header_named(m.sts()[1], "authorization"), HasSubstr("Credential=ASIAR/"));
}

TEST(ProfileSource, CanBeItsOwnSourceProfile) {
    ProfileMachine m(
        "[default]\nrole_arn=arn:aws:iam::1:role/a\nsource_profile=default\n"
        "aws_access_key_id=AKIAOWN\naws_secret_access_key=s\n");
    m.found();
    EXPECT_THAT(header_named(m.sts().at(0), "authorization"), HasSubstr("Credential=AKIAOWN/"));
}

TEST(ProfileSource, PrefersTheKeysOfASourceProfileToItsRole) {
    ProfileMachine m(
        "[default]\nrole_arn=arn:aws:iam::1:role/outer\nsource_profile=b\n"
        "[profile b]\nrole_arn=arn:aws:iam::1:role/inner\nsource_profile=b\n"
        "aws_access_key_id=AKIAB\naws_secret_access_key=s\n");
    m.found();
    ASSERT_EQ(m.sts().size(), 1U);
    EXPECT_THAT(m.sts()[0].body, HasSubstr("outer"));
    EXPECT_THAT(header_named(m.sts()[0], "authorization"), HasSubstr("Credential=AKIAB/"));
}

TEST(ProfileSource, UsesTheNamedCredentialSource) {
    ProfileMachine m("[default]\nrole_arn=arn:aws:iam::1:role/a\ncredential_source=Environment\n");
    m.environment.set["AWS_ACCESS_KEY_ID"] = "AKIAENV";
    m.environment.set["AWS_SECRET_ACCESS_KEY"] = "s";
    m.found();
    EXPECT_THAT(header_named(m.sts().at(0), "authorization"), HasSubstr("Credential=AKIAENV/"));
}

TEST(ProfileSource, UsesTheInstanceRoleIfItIsTheCredentialSource) {
    ProfileMachine m(
        "[default]\nrole_arn=arn:aws:iam::1:role/a\ncredential_source=Ec2InstanceMetadata\n");
    serve_metadata(m, "NODE", m.host.now() + 6h);
    m.found();
    EXPECT_THAT(header_named(m.sts().at(0), "authorization"), HasSubstr("Credential=ASIANODE/"));
}

TEST(ProfileSource, AssumesARoleWithWebIdentity) {
    ProfileMachine m("[default]\nrole_arn=arn:aws:iam::1:role/w\nweb_identity_token_file=/token\n");
    m.environment.files["/token"] = "jwt";
    m.responses[std::string("POST ") + sts_url] =
        sts_response("AssumeRoleWithWebIdentity", "W", m.host.now() + 1h);
    EXPECT_EQ(m.found().access_key_id, "ASIAW");
    EXPECT_EQ(header_named(m.sts().at(0), "authorization"), "");
}

TEST(ProfileSource, ReportsAnInvalidProfile) {
    const std::pair<const char*, const char*> cases[] = {
        {"[default]\naws_access_key_id=AKIA\n", "has only one of aws_access_key_id"},
        {"[default]\nrole_arn=r\n", "needs exactly one of source_profile and credential_source"},
        {"[default]\nrole_arn=r\nsource_profile=a\ncredential_source=Environment\n",
         "needs exactly one of source_profile and credential_source"},
        {"[default]\nrole_arn=r\nsource_profile=gone\n", "\"gone\", which does not exist"},
        {"[default]\nrole_arn=r\nsource_profile=default\n",
         "has a source_profile cycle through \"default\""},
        {"[default]\nrole_arn=r\nsource_profile=a\n[profile a]\nrole_arn=s\nsource_profile=b\n"
         "[profile b]\nrole_arn=t\nsource_profile=a\n",
         "profile \"b\" has a source_profile cycle through \"a\""},
        {"[default]\nrole_arn=r\nsource_profile=a\n[profile a]\nregion=x\n",
         "profile \"a\" has neither keys nor a role"},
        {"[default]\nrole_arn=r\ncredential_source=Vault\n", "expected Environment"},
        {"[default]\nrole_arn=r\ncredential_source=Environment\n",
         "Environment: AWS_ACCESS_KEY_ID is not set"},
        {"[default]\nrole_arn=r\nsource_profile=a\nmfa_serial=arn:m\n[profile a]\n",
         "which a daemon cannot enter"},
        {"[default]\nrole_arn=r\nsource_profile=a\nduration_seconds=5\n[profile "
         "a]\naws_access_key_id=k\naws_secret_access_key=s\n",
         "900 to 43200"},
        {"[default]\nweb_identity_token_file=/t\n", "without a role_arn"},
        {"[default]\ncredential_process=/bin/keys --secret s3cr3t\n", "plugins cannot run"},
        {"[default]\nsso_session=x\nsso_account_id=1\n", "SSO"},
        {"[default]\nsso_start_url=https://x\n", "SSO"},
    };
    for (const auto& [text, why] : cases) {
        ProfileMachine m(text);
        const auto response = m.ask(&ask_profile);
        ASSERT_FALSE(response) << text;
        EXPECT_THAT(response.error().message, AllOf(HasSubstr(why), Not(HasSubstr("s3cr3t"))))
            << text;
        EXPECT_TRUE(m.sts().empty()) << text;
    }
}

TEST(ProfileSource, PrefersKeysToACredentialProcess) {
    ProfileMachine m(
        "[default]\ncredential_process=x\naws_access_key_id=AKIA\naws_secret_access_key=s\n");
    EXPECT_EQ(m.found().access_key_id, "AKIA");
}

}  // namespace
}  // namespace capstan::aws
