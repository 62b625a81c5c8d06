#include "credentials/profiles.hpp"

#include <gmock/gmock.h>

#include "fake_machine.hpp"

namespace capstan::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Profiles parsed_profiles(std::string_view text, ProfileFile kind = ProfileFile::config) {
    const Result<Profiles> out = parse_profiles(text, kind);
    EXPECT_TRUE(out) << out.error().message;
    return out.value_or(Profiles{});
}

TEST(Profiles, AreSectionsWithProperties) {
    const Profiles read = parsed_profiles(
        "[default]\nregion = eu-central-1\n\n[profile ops]\nrole_arn=arn:aws:iam::1:role/a\n");
    EXPECT_EQ(read, (Profiles{{"default", {{"region", "eu-central-1"}}},
                              {"ops", {{"role_arn", "arn:aws:iam::1:role/a"}}}}));
}

TEST(Profiles, HaveNoPrefixInTheCredentialsFile) {
    EXPECT_EQ(parsed_profiles("[ops]\na=1", ProfileFile::credentials),
              (Profiles{{"ops", {{"a", "1"}}}}));
    EXPECT_THAT(parsed_profiles("[ops]\na=1"), IsEmpty());
}

TEST(Profiles, IgnoreOtherSections) {
    EXPECT_EQ(
        parsed_profiles("[sso-session x]\nsso_region=r\n[services y]\nec2 =\n  endpoint_url = "
                        "u\n[profile a]\nb=c\n[profiles d]\ne=f"),
        (Profiles{{"a", {{"b", "c"}}}}));
}

TEST(Profiles, AcceptQuotedNames) {
    EXPECT_EQ(parsed_profiles("[profile \"with blanks\"]\na=1\n[profile\t'b']\nc=2"),
              (Profiles{{"with blanks", {{"a", "1"}}}, {"b", {{"c", "2"}}}}));
}

TEST(Profiles, IgnoreCommentsAndBlankLines) {
    EXPECT_EQ(parsed_profiles("# head\n\n[default] ; of all\n  ; indented\nkey = a#b;c # why\n"),
              (Profiles{{"default", {{"key", "a#b;c"}}}}));
}

TEST(Profiles, IgnoreNestedProperties) {
    EXPECT_EQ(parsed_profiles("[default]\ns3 =\n    max_attempts = 5\nregion = r\n"),
              (Profiles{{"default", {{"s3", ""}, {"region", "r"}}}}));
}

TEST(Profiles, IgnoreTheCaseOfKeysButNotOfValues) {
    EXPECT_EQ(parsed_profiles("[default]\nAWS_Access_Key_Id = AkIa=/+\n"),
              (Profiles{{"default", {{"aws_access_key_id", "AkIa=/+"}}}}));
}

TEST(Profiles, MergeDuplicateSections) {
    EXPECT_EQ(parsed_profiles("[default]\na=1\nb=2\n[profile x]\n[default]\nb=3"),
              (Profiles{{"default", {{"a", "1"}, {"b", "3"}}}, {"x", {}}}));
}

TEST(Profiles, AcceptWindowsLineEnds) {
    EXPECT_EQ(parsed_profiles("\xef\xbb\xbf[default]\r\na = 1\r\n"),
              (Profiles{{"default", {{"a", "1"}}}}));
}

TEST(Profiles, ReportTheLineOfAMistakeWithoutItsText) {
    const std::pair<const char*, const char*> cases[] = {
        {"[default\na=1", "line 1 is a section without ']'"},
        {"a=secret", "line 1 is a property before the first section"},
        {"[default]\n\nsecret", "line 3 is neither a section nor NAME = VALUE"},
        {"[default]\n=secret", "line 2 is neither a section nor NAME = VALUE"},
    };
    for (const auto& [text, mistake] : cases) {
        const auto read = parse_profiles(text, ProfileFile::config);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code, ErrorCode::invalid_config);
        EXPECT_EQ(read.error().message, mistake);
    }
}

std::shared_ptr<const SharedFiles> shared_files(FakeMachine& m) {
    const auto out = testing::run(m.host, read_shared_files(m.environment, m.environment.set));
    EXPECT_TRUE(out) << out.error().message;
    return out ? *out : std::make_shared<const SharedFiles>();
}

TEST(SharedFiles, AreReadFromTheHomeDirectoryOfTheUser) {
    FakeMachine m;
    m.environment.set["HOME"] = "/home/a";
    m.environment.files["/home/a/.aws/config"] = "[default]\nregion=r\naws_access_key_id=old\n";
    m.environment.files["/home/a/.aws/credentials"] = "[default]\naws_access_key_id=new\n";
    const auto files = shared_files(m);
    EXPECT_THAT(files->paths, ElementsAre("/home/a/.aws/config", "/home/a/.aws/credentials"));
    EXPECT_EQ(files->profiles,
              (Profiles{{"default", {{"aws_access_key_id", "new"}, {"region", "r"}}}}));
}

TEST(SharedFiles, AreReadFromThePathsInTheEnvironment) {
    FakeMachine m;
    m.environment.set = {{"HOME", "/home/a"},
                         {"AWS_CONFIG_FILE", "~/c"},
                         {"AWS_SHARED_CREDENTIALS_FILE", "/etc/keys"}};
    m.environment.files["/etc/keys"] = "[x]\na=1";
    EXPECT_THAT(shared_files(m)->paths, ElementsAre("/home/a/c", "/etc/keys"));
    EXPECT_EQ(shared_files(m)->profiles, (Profiles{{"x", {{"a", "1"}}}}));
}

TEST(SharedFiles, AreAbsentWithoutAHomeDirectory) {
    FakeMachine m;
    EXPECT_THAT(shared_files(m)->paths, IsEmpty());
    EXPECT_THAT(m.environment.reads, IsEmpty());
}

TEST(SharedFiles, NameTheFileWithAMistake) {
    FakeMachine m;
    m.environment.set["HOME"] = "/h";
    m.environment.files["/h/.aws/config"] = "[default\n";
    const auto mistaken = testing::run(m.host, read_shared_files(m.environment, m.environment.set));
    ASSERT_FALSE(mistaken);
    EXPECT_EQ(mistaken.error().message, "\"/h/.aws/config\": line 1 is a section without ']'");
}

TEST(SharedFiles, AreAbsentIfTheHomeDirectoryIsNotReadable) {
    FakeMachine m;
    m.environment.set["HOME"] = "/home/pod";
    m.environment.refused["/home/pod/.aws/config"] = {
        ErrorCode::permission, "\"/home/pod/.aws/config\": permission denied"};
    EXPECT_THAT(shared_files(m)->paths, ElementsAre("\"/home/pod/.aws/config\": permission denied",
                                                    "/home/pod/.aws/credentials"));
}

TEST(SharedFiles, MustBeReadableIfAVariableNamesThem) {
    FakeMachine m;
    m.environment.set["AWS_CONFIG_FILE"] = "/etc/aws";
    m.environment.refused["/etc/aws"] = {ErrorCode::permission, "permission denied"};
    EXPECT_EQ(
        testing::run(m.host, read_shared_files(m.environment, m.environment.set)).error().code,
        ErrorCode::permission);
}

TEST(ProfileChoice, PrefersSettingsToEnvironmentToDefault) {
    Variables variables{{"AWS_DEFAULT_PROFILE", "c"}};
    EXPECT_EQ(choose_profile("", {}).name, "default");
    EXPECT_EQ(choose_profile("", {}).chosen_by, "");
    EXPECT_EQ(choose_profile("", variables).name, "c");
    variables["AWS_PROFILE"] = "b";
    EXPECT_EQ(choose_profile("", variables).name, "b");
    EXPECT_EQ(choose_profile("", variables).chosen_by, "AWS_PROFILE");
    EXPECT_EQ(choose_profile("a", variables).name, "a");
}

}  // namespace
}  // namespace capstan::aws
