#include "templates/user_data.hpp"

#include <gtest/gtest.h>

#include <string>

#include <capstan/base64.hpp>

namespace capstan::aws {
namespace {

UserDataFacts facts(std::string_view text) { return read_user_data(base64_encode(text)); }

TEST(UserData, SetsMaxPodsForEachImageFamily) {
    const std::pair<const char*, std::optional<std::int64_t>> cases[] = {
        {"/etc/eks/bootstrap.sh prod --kubelet-extra-args '--max-pods=58'", 58},
        {"/etc/eks/bootstrap.sh prod --use-max-pods false --kubelet-extra-args \"--max-pods 58\"",
         58},
        {"/etc/eks/bootstrap.sh prod --kubelet-extra-args '--max-pods=58' --use-max-pods false",
         58},
        {"/etc/eks/bootstrap.sh prod --use-max-pods false", 110},
        {"/etc/eks/bootstrap.sh prod --use-max-pods true", std::nullopt},
        {"kind: NodeConfig\nspec:\n  kubelet:\n    config:\n      maxPods: 17\n", 17},
        {"{\"kubelet\": {\"config\": {\"maxPods\": 17, \"x\": 1}}}", 17},
        {"[settings.kubernetes]\nmax-pods = 42\n", 42},
        {"[settings.kubernetes]\n\"max-pods\" = 42\n", 42},
        {"--max-pods=20\n--max-pods=30\n", 30},  // the last of several flags is used
        {"--max-pods=$MAX_PODS", std::nullopt},
        {"--max-pods=0", std::nullopt},
        {"--max-pods=99999999999999999999", std::nullopt},
        {"curl .../max-pods-calculator.sh", std::nullopt},
        {"# --max-pods=58\n", std::nullopt},
        {"--max-pods", std::nullopt},
        {"--max-pods=", std::nullopt},
        {"", std::nullopt}};
    for (const auto& [text, pods] : cases) EXPECT_EQ(facts(text).max_pods, pods) << text;
}

TEST(UserData, SetsHowLocalDisksAreJoined) {
    const std::pair<const char*, LocalDisks> cases[] = {
        {"/etc/eks/bootstrap.sh prod --local-disks raid0", LocalDisks::striped},
        {"/etc/eks/bootstrap.sh prod --local-disks=raid10", LocalDisks::mirrored},
        {"/etc/eks/bootstrap.sh prod --local-disks mount", LocalDisks::unused},
        {"instance:\n  localStorage:\n    strategy: RAID0\n", LocalDisks::striped},
        {"    strategy: RAID10", LocalDisks::mirrored},
        {"    strategy: Mount", LocalDisks::unused},
        {"#   strategy: RAID0", LocalDisks::unused},
        {"", LocalDisks::unused}};
    for (const auto& [text, disks] : cases) EXPECT_EQ(facts(text).local_disks, disks) << text;
}

TEST(UserData, ShowsTheImageFamily) {
    const std::pair<const char*, ImageFamily> cases[] = {
        {"#!/bin/bash\n/etc/eks/bootstrap.sh prod\n", ImageFamily::amazon_linux_2},
        {"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n", ImageFamily::amazon_linux_2023},
        {"[settings.kubernetes]\napi-server = \"x\"\n", ImageFamily::bottlerocket},
        {"#!/bin/bash\nkubeadm join\n", ImageFamily::unknown}};
    for (const auto& [text, family] : cases) EXPECT_EQ(facts(text).family, family) << text;
}

TEST(UserData, IsIgnoredIfInvalid) {
    for (const std::string& written : {std::string("--max-pods=58"), std::string("!"),
                                       base64_encode(std::string_view("\x1f\x8b\x08\0max", 7))}) {
        const UserDataFacts read = read_user_data(written);
        EXPECT_EQ(read.max_pods, std::nullopt);
        EXPECT_EQ(read.family, ImageFamily::unknown);
        EXPECT_EQ(read.local_disks, LocalDisks::unused);
    }
}

}  // namespace
}  // namespace capstan::aws
