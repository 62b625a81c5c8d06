#include "templates/reserves.hpp"

#include <gmock/gmock.h>

#include <capstan/well_known.hpp>

#include "sources.hpp"

namespace capstan::gce {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const NodeImage cos{}, ubuntu{.distribution = Distribution::ubuntu};

NodeImage on_arm(NodeImage image) {
    image.arch = "arm64";
    return image;
}

TEST(KernelReserve, MatchesMeasurementsOfContainerOptimizedOs) {
    struct Case {
        std::int64_t memory, base;  ///< base: without the measured share
    };
    // 1/64, 16 MiB, 64 MiB beyond 3 GiB, 8 MiB up to 8 GiB.
    for (const auto& [memory, base] :
         {Case{256 * mib, 28 * mib}, Case{2 * gib, 56 * mib}, Case{3 * gib, 72 * mib},
          Case{3328 * mib, 140 * mib}, Case{4 * gib, 152 * mib}, Case{8 * gib, 216 * mib},
          Case{8 * gib + mib, 208 * mib + mib / 64}}) {
        const auto share = static_cast<std::int64_t>(0.00175 * static_cast<double>(memory));
        EXPECT_EQ(kernel_reserve(cos, memory), base + share) << memory;
        EXPECT_EQ(kernel_reserve(ubuntu, memory), base + share + 4 * mib) << memory;
        EXPECT_EQ(kernel_reserve({.distribution = Distribution::unknown}, memory), base) << memory;
    }
}

TEST(KernelReserve, MatchesOneMachineToTheByte) {
    EXPECT_EQ(kernel_reserve(cos, 4 * gib), 166'899'744);
    EXPECT_EQ(kernel_reserve(ubuntu, 4 * gib), 171'094'048);
    EXPECT_EQ(kernel_reserve(on_arm(cos), 4 * gib), 166'415'735);
}

TEST(KernelReserve, IsLimited) {
    EXPECT_EQ(kernel_reserve(cos, 512 * gib), 8 * gib + 80 * mib + 248 * mib);
}

TEST(KernelReserve, IsZeroOnWindows) {
    EXPECT_EQ(kernel_reserve({.os = "windows", .distribution = Distribution::windows}, 8 * gib), 0);
}

TEST(BootDiskReserve, DependsOnTheDistribution) {
    const std::int64_t disk = 100 * gib;
    EXPECT_EQ(boot_disk_reserve(cos, disk), 1'678'795'342 + 4'453'881'086 + 100 * mib);
    EXPECT_EQ(boot_disk_reserve(on_arm(cos), disk), boot_disk_reserve(cos, disk) + 64 * mib);
    EXPECT_EQ(boot_disk_reserve(ubuntu, disk), 3'310'346'044 + 183'609'852 + 100 * mib);
    EXPECT_EQ(boot_disk_reserve({.os = "windows", .distribution = Distribution::windows}, disk),
              121'654'949 + 10'737'419);
    EXPECT_EQ(boot_disk_reserve({.distribution = Distribution::unknown}, disk), 0);
}

TEST(BootDiskReserve, IncludesAThousandthOfASmallDisk) {
    EXPECT_EQ(boot_disk_reserve(ubuntu, 10 * gib), 331'034'605 + 183'609'852 + 10'737'419);
}

TEST(LocalSsdOverhead, MatchesMeasurements) {
    constexpr std::int64_t kib = 1024;
    EXPECT_EQ(local_ssd_overhead(Distribution::cos, 1), 7'289'472 * kib);
    EXPECT_EQ(local_ssd_overhead(Distribution::ubuntu, 1), 7'219'840 * kib);
    EXPECT_EQ(local_ssd_overhead(Distribution::cos, 8), 51'556'096 * kib);
    EXPECT_EQ(local_ssd_overhead(Distribution::cos, 9), 52'837'800 * kib) << "that of 16 disks";
    EXPECT_EQ(local_ssd_overhead(Distribution::cos, 16), 52'837'800 * kib);
    EXPECT_EQ(local_ssd_overhead(Distribution::cos, 17), 78'686'620 * kib) << "that of 24 disks";
    EXPECT_EQ(local_ssd_overhead(Distribution::ubuntu, 32), 78'601'704 * kib);
    EXPECT_EQ(local_ssd_overhead(Distribution::cos, 0), 0);
    EXPECT_EQ(local_ssd_overhead(Distribution::windows, 1), std::nullopt);
}

TEST(PredictedReserve, MatchesTheTiersToTheByte) {
    struct Case {
        std::int64_t vcpus, memory_mib;  ///< of the machine
        std::int64_t millis, kept_mib;   ///< reserved by kubelet
    };
    for (const Case& c :
         {Case{1, 600, 60, 255}, Case{1, 1000, 60, 255}, Case{1, 1001, 60, 250},
          Case{1, 3840, 60, 960}, Case{2, 7680, 70, 1736}, Case{2, 8000, 70, 1800},
          Case{4, 15'360, 80, 2536}, Case{4, 16'000, 80, 2600}, Case{8, 30'720, 90, 3483},
          Case{16, 61'440, 110, 5326}, Case{32, 128'000, 150, 9320}, Case{64, 245'760, 230, 11'675},
          Case{1, 0, 60, 255}}) {
        const Resources kept = predicted_reserve(c.vcpus, c.memory_mib * mib);
        EXPECT_EQ(kept.amount(well_known::cpu), c.millis) << c.vcpus;
        EXPECT_EQ(kept.amount(well_known::memory), c.kept_mib * mib) << c.memory_mib;
    }
}

TEST(EvictionThreshold, IsTheKubeletDefault) {
    std::vector<std::string> warnings;
    EXPECT_EQ(read_eviction(env_of("os=linux"), warnings), EvictionThresholds());
    EXPECT_EQ(EvictionThresholds().memory, 100 * mib);
    EXPECT_THAT(warnings, IsEmpty());
}

TEST(EvictionThreshold, IsReadFromKubeEnv) {
    struct Case {
        const char* text;
        std::int64_t memory;
        double share;
    };
    for (const auto& [text, memory, share] :
         {Case{"memory.available=200Mi,nodefs.available=15%,nodefs.inodesFree=5%", 200 * mib, 0.15},
          Case{"memory.available=2Gi,nodefs.available=11.5%", 2 * gib, 0.115},
          Case{"memory.available=110292", 110'292, 0.1}, Case{"nodefs.available=0%", 100 * mib, 0},
          Case{"nodefs.available=100%", 100 * mib, 1}, Case{"memory.available=0", 0, 0.1}}) {
        std::vector<std::string> warnings;
        const EvictionThresholds read =
            read_eviction(env_of("evictionHard=" + std::string(text)), warnings);
        EXPECT_EQ(read.memory, memory) << text;
        EXPECT_DOUBLE_EQ(read.storage_share, share) << text;
        EXPECT_THAT(warnings, IsEmpty()) << text;
    }
}

TEST(EvictionThreshold, IsTheDefaultWithAWarningIfInvalid) {
    for (const std::string text :
         {"memory.available=lots", "memory.available=-1", "nodefs.available=10",
          "nodefs.available=120%", "nodefs.available=-11%", "nodefs.available=x%",
          "memory.available=abcb12", "memory.available"}) {
        std::vector<std::string> warnings;
        EXPECT_EQ(read_eviction(env_of("evictionHard=" + text), warnings), EvictionThresholds())
            << text;
        EXPECT_THAT(warnings, SizeIs(1)) << text;
    }
}

const Resources predicted{{"cpu", 80}, {"memory", 2536 * mib}};

Resources reserved_by(const std::string& yaml) {
    std::vector<std::string> warnings;
    const Resources out = read_reserved(*KubeEnv::parse(yaml), predicted, warnings);
    EXPECT_THAT(warnings, IsEmpty()) << yaml;
    return out;
}

TEST(KubeEnvReserves, ArePreferredToPredictedReserves) {
    const Resources configured{{"cpu", 1000}, {"memory", 300'000 * mib}};
    for (const char* yaml :
         {"KUBELET_TEST_ARGS: --experimental-x --kube-reserved=cpu=1000m,memory=300000Mi\n",
          "KUBELET_ARGS: --kube-reserved=cpu=1000m,memory=300000Mi --max-pods=110\n",
          "AUTOSCALER_ENV_VARS: node_labels=a=b;node_taints='a=b:NoSchedule';"
          "kube_reserved=cpu=1000m,memory=300000Mi;os=linux\nKUBELET_TEST_ARGS: --x\n",
          "AUTOSCALER_ENV_VARS: kube_reserved=cpu=1000m,ignored=300Mi,memory=300000Mi\n"
          "KUBELET_TEST_ARGS: --kube-reserved=cpu=1m\n"})
        EXPECT_EQ(reserved_by(yaml), configured) << yaml;
    for (const char* yaml : {"KUBELET_TEST_ARGS: --x\n", "NODE_LABELS: a=b\n", ""})
        EXPECT_EQ(reserved_by(yaml), predicted) << yaml;
    EXPECT_EQ(reserved_by("AUTOSCALER_ENV_VARS: kube_reserved=\n"), Resources())
        << "an empty list has priority";
}

TEST(KubeEnvReserves, IncludeSystemReserves) {
    EXPECT_EQ(reserved_by("AUTOSCALER_ENV_VARS: kube_reserved=cpu=70m,memory=1773Mi,"
                          "ephemeral-storage=5Gi,pid=1000;system_reserved=cpu=30m,memory=27Mi\n"),
              Resources({{"cpu", 100}, {"memory", 1800 * mib}, {"ephemeral-storage", 5 * gib}}));
    EXPECT_EQ(reserved_by("AUTOSCALER_ENV_VARS: system_reserved=memory=64Mi\n"),
              Resources({{"cpu", 80}, {"memory", 2600 * mib}}))
        << "kubelet reserves the predicted amounts";
    EXPECT_EQ(reserved_by("KUBELET_ARGS: --system-reserved=cpu=20m\n").amount("cpu"), 100);
}

TEST(KubeEnvReserves, SkipInvalidAmounts) {
    std::vector<std::string> warnings;
    const auto kept = read_reserved(
        env_of("kube_reserved=cpu=much,memory=-5Mi,ephemeral-storage=1Gi"), predicted, warnings);
    EXPECT_EQ(kept, Resources({{"ephemeral-storage", gib}}));
    EXPECT_THAT(warnings, SizeIs(2));
    EXPECT_THAT(warnings.front(), HasSubstr("\"much\" is not a valid amount of cpu"));
}

TEST(KubeEnvReserves, ArePredictedIfTheListIsInvalid) {
    std::vector<std::string> warnings;
    EXPECT_EQ(read_reserved(env_of("kube_reserved=This is wrong;system_reserved=so is this"),
                            predicted, warnings),
              predicted);
    EXPECT_THAT(warnings, SizeIs(2));
}

}  // namespace
}  // namespace capstan::gce
