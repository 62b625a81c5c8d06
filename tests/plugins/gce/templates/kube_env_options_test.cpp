#include <gmock/gmock.h>

#include "sources.hpp"

namespace capstan::gce {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

InstanceTemplate with_options(const std::string& options) {
    return usual_sources(kube_env_with("autoscaling_options=" + options)).instance_template;
}

TEST(KubeEnvOptions, AreReadLikeUpstream) {
    const KubeEnvOptions read = read_kube_env_options(
        with_options("scaledownutilizationthreshold=0.4,scaledowngpuutilizationthreshold=0.5,"
                     "scaledownunneededtime=1m,scaledownunreadytime=2m,maxnodeprovisiontime=7m"));
    ASSERT_TRUE(read.options);
    EXPECT_EQ(read.options->utilization_threshold, 0.4);
    EXPECT_EQ(read.options->gpu_utilization_threshold, 0.5);
    EXPECT_EQ(read.options->unneeded_time, 1min);
    EXPECT_EQ(read.options->unready_time, 2min);
    EXPECT_EQ(read.options->max_node_provision_time, 7min);
    EXPECT_THAT(read.warnings, IsEmpty());
}

TEST(KubeEnvOptions, AreAbsentByDefault) {
    EXPECT_EQ(read_kube_env_options(usual_sources().instance_template).options, std::nullopt);
    EXPECT_EQ(read_kube_env_options(with_options("")).options, std::nullopt);
}

TEST(KubeEnvOptions, WarnAboutInvalidOnesAndKeepOthers) {
    const KubeEnvOptions read = read_kube_env_options(
        with_options("scaledownutilizationthreshold=1.5,scaledownunneededtime=1m"));
    ASSERT_TRUE(read.options);
    EXPECT_EQ(read.options->utilization_threshold, std::nullopt);
    EXPECT_EQ(read.options->unneeded_time, 1min);
    EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("scaledownutilizationthreshold")));
}

}  // namespace
}  // namespace capstan::gce
