#include "templates/kubelet_reserves.hpp"

#include <gtest/gtest.h>

#include <capstan/quantity.hpp>

namespace capstan::aws {
namespace {

struct ReserveCase {
    const char* type;
    std::int64_t vcpus, pods;
    std::int64_t cpu;  // in thousandths of a core
    std::int64_t memory_mib;
};

TEST(KubeletReserves, FollowPodsAndCoresLikeEks) {
    const ReserveCase cases[] = {
        {"t3.medium", 2, 17, 70, 11 * 17 + 355},  // 542Mi
        {"m5.large", 2, 29, 70, 674},             //
        {"m5.xlarge", 4, 58, 80, 993},            //
        {"m5.2xlarge", 8, 58, 90, 993},           //
        {"c5.4xlarge", 16, 234, 110, 2929},       //
        {"m5.24xlarge", 96, 737, 310, 8462},      //
        {"one core", 1, 8, 60, 443},              //
        {"more cores than there are", 4000, 0, 10070, 355},
    };
    for (const ReserveCase& c : cases) {
        const Resources kept = reserved_by_kubelet({.family = ImageFamily::amazon_linux_2023,
                                                    .vcpus = c.vcpus,
                                                    .eni_pods = c.pods,
                                                    .pods = 110});
        EXPECT_EQ(kept.amount("cpu"), c.cpu) << c.type;
        EXPECT_EQ(kept.amount("memory"), c.memory_mib << 20) << c.type;
    }
}

TEST(KubeletReserves, UseTheMaxPodsOfTheNodeOnlyOnBottlerocket) {
    const auto memory = [](ImageFamily family) {
        return format_amount(
            "memory",
            reserved_by_kubelet({.family = family, .vcpus = 2, .eni_pods = 29, .pods = 110})
                .amount("memory"));
    };
    EXPECT_EQ(memory(ImageFamily::amazon_linux_2), "674Mi");
    EXPECT_EQ(memory(ImageFamily::amazon_linux_2023), "674Mi");
    EXPECT_EQ(memory(ImageFamily::ubuntu), "674Mi");
    EXPECT_EQ(memory(ImageFamily::bottlerocket), "1565Mi");
}

TEST(KubeletReserves, TakeOneGibibyteAndATenthOfTheDisk) {
    const Resources kept = reserved_by_kubelet({.family = ImageFamily::amazon_linux_2,
                                                .vcpus = 2,
                                                .eni_pods = 29,
                                                .ephemeral_storage = std::int64_t{20} << 30});
    EXPECT_EQ(format_amount("ephemeral-storage", kept.amount("ephemeral-storage")), "3Gi");
}

TEST(KubeletReserves, IncludeOnlyATenthOfTheDiskForOtherImages) {
    for (const ImageFamily family : {ImageFamily::unknown, ImageFamily::windows}) {
        EXPECT_EQ(reserved_by_kubelet({.family = family, .vcpus = 2, .eni_pods = 29}), Resources{});
        EXPECT_EQ(reserved_by_kubelet({.family = family, .vcpus = 2, .ephemeral_storage = 1001}),
                  (Resources{{"ephemeral-storage", 101}}))
            << "the default of kubelet";
    }
}

}  // namespace
}  // namespace capstan::aws
