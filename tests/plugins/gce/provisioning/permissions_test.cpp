#include "provisioning/permissions.hpp"

#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "scripted_google.hpp"

namespace capstan::gce {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

std::vector<std::string> permissions_in(const std::string& file) {
    std::vector<std::string> out;
    for (const YAML::Node& each : YAML::LoadFile("deploy/gce/" + file)["includedPermissions"])
        out.push_back(each.as<std::string>());
    return out;
}

TEST(GceRoles, GrantExactlyTheNeededPermissions) {
    std::vector<std::string> role = permissions_in("role.yaml");
    EXPECT_THAT(role, UnorderedElementsAreArray(needed_permissions(false)));
    for (std::string& more : permissions_in("role_provisioning.yaml"))
        role.push_back(std::move(more));
    EXPECT_THAT(role, UnorderedElementsAreArray(needed_permissions(true)));
}

struct Project : ScriptedGoogle {
    Result<void> check(bool provisioning = false) {
        LookupApi lookup(client());
        return run(require_permissions(host().host(), lookup,
                                       {.projects = {"shop"}, .provisioning = provisioning}));
    }
    Project& grant(const std::vector<std::string>& permissions) {
        std::string text;
        for (const std::string& each : permissions)
            text += (text.empty() ? "\"" : ",\"") + each + "\"";
        on("POST projects/shop:testIamPermissions", R"({"permissions":[)" + text + "]}");
        return *this;
    }
    std::string log() {
        std::string out;
        for (const auto& line : host().log_lines()) out += line.message + "\n";
        return out;
    }
};

TEST(GcePermissions, AreAcceptedIfGranted) {
    Project project;
    project.grant(needed_permissions(true));
    EXPECT_TRUE(project.check(true));
    EXPECT_EQ(project.log(), "");
}

TEST(GcePermissions, AreReportedIfMissing) {
    std::vector<std::string> granted = needed_permissions(false);
    std::erase(granted, "compute.instanceGroupManagers.update");
    Project project;
    project.grant(granted);
    const auto refused = project.check();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::permission);
    EXPECT_EQ(refused.error().message,
              "compute.instanceGroupManagers.update is not granted on project shop");
    EXPECT_THAT(project.log(), HasSubstr("IAM conditions on single groups"));
}

TEST(GcePermissions, AreNotCheckedForOtherResources) {
    std::vector<std::string> granted = needed_permissions(true);
    std::erase(granted, "iam.serviceAccounts.actAs");
    Project project;
    project.grant(granted);
    EXPECT_TRUE(project.check(true));
    EXPECT_THAT(project.log(), HasSubstr("not checked: iam.serviceAccounts.actAs"));
}

TEST(GcePermissions, AreNotCheckedIfTheApiIsDisabled) {
    Project project;
    project.on(
        "POST projects/shop:testIamPermissions",
        R"({"error":{"code":403,"message":"off","details":[{"reason":"SERVICE_DISABLED"}]}})", 403);
    EXPECT_TRUE(project.check());
    EXPECT_THAT(project.log(),
                AllOf(HasSubstr("cannot check"), HasSubstr("gcloud services enable")));
}

TEST(GcePermissions, AreNotCheckedWithATokenOfNarrowScope) {
    Project project;
    project.on(
        "POST projects/shop:testIamPermissions",
        R"({"error":{"code":403,"message":"no","details":[{"reason":"ACCESS_TOKEN_SCOPE_INSUFFICIENT"}]}})",
        403);
    EXPECT_TRUE(project.check());
    EXPECT_THAT(project.log(), HasSubstr("cloud-platform"));
}

}  // namespace
}  // namespace capstan::gce
