#include "templates/accelerators.hpp"

#include <gmock/gmock.h>

namespace capstan::gce {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<TemplateAccelerator> two_cards{{"nvidia-tesla-a100", 2}};

TEST(GceAccelerators, AreThoseOfTheInstanceTemplate) {
    InstanceTemplate from;
    from.accelerators = two_cards;
    const GceMachineType type{.name = "a2-highgpu-1g", .accelerators = {{"nvidia-tesla-a100", 1}}};
    EXPECT_EQ(accelerators_of(from, type), two_cards);
    EXPECT_EQ(accelerators_of(InstanceTemplate(), type),
              (std::vector<TemplateAccelerator>{{"nvidia-tesla-a100", 1}}))
        << "or those bundled with the type";
    EXPECT_THAT(accelerators_of(InstanceTemplate(), std::nullopt), IsEmpty());
}

TEST(GceGpus, AreOnlyNvidiaCards) {
    std::vector<std::string> warnings;
    EXPECT_EQ(count_gpus({{"nvidia-tesla-t4", 4}, {"ct5lp", 4}}, {}, warnings), 4);
    EXPECT_EQ(count_gpus({}, {}, warnings), 0);
}

TEST(GceGpus, AreCountedForEachSharingClient) {
    std::vector<std::string> warnings;
    for (const char* strategy : {"time-sharing", "mps"}) {
        const Labels labels{{"cloud.google.com/gke-gpu-sharing-strategy", strategy},
                            {"cloud.google.com/gke-max-shared-clients-per-gpu", "8"}};
        EXPECT_EQ(count_gpus(two_cards, labels, warnings), 16) << strategy;
    }
    EXPECT_THAT(warnings, IsEmpty());
}

TEST(GceGpus, AreCountedForEachPartition) {
    std::vector<std::string> warnings;
    Labels labels{{"cloud.google.com/gke-gpu-partition-size", "1g.5gb"}};
    EXPECT_EQ(count_gpus(two_cards, labels, warnings), 14);
    labels["cloud.google.com/gke-gpu-sharing-strategy"] = "time-sharing";
    labels["cloud.google.com/gke-max-shared-clients-per-gpu"] = "2";
    EXPECT_EQ(count_gpus(two_cards, labels, warnings), 28) << "partitions can be shared";
    EXPECT_THAT(warnings, IsEmpty());
}

TEST(GceGpus, AreCountedOnceWithAWarningForUnknownLabels) {
    std::vector<std::string> warnings;
    EXPECT_EQ(
        count_gpus(two_cards, {{"cloud.google.com/gke-gpu-partition-size", "9g.9gb"}}, warnings),
        2);
    EXPECT_EQ(count_gpus(two_cards,
                         {{"cloud.google.com/gke-gpu-sharing-strategy", "mps"},
                          {"cloud.google.com/gke-max-shared-clients-per-gpu", "many"}},
                         warnings),
              2);
    EXPECT_THAT(warnings, SizeIs(2));
}

}  // namespace
}  // namespace capstan::gce
