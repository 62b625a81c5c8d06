#include "templates/price_table.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "sources.hpp"

namespace capstan::gce {
namespace {

using ::testing::HasSubstr;

PriceTable table() {
    auto out = PriceTable::parse(R"({
        "region": "us-central1", "date": "2026-11-01", "sample": true,
        "types": {"n2-standard-4": {"on_demand": 0.2, "spot": 0.05}, "a2-highgpu-1g": {"on_demand": 3.67}},
        "families": {"n2": {"cpu": 0.03, "gib": 0.004, "spot_cpu": 0.007, "spot_gib": 0.001},
                     "a2": {"cpu": 0.031611, "gib": 0.004237}, "z3": {"cpu": 0.05, "gib": 0.007},
                     "e2": {"cpu": 0.02, "gib": 0.003}, "n1": {"cpu": 0.03, "gib": 0.004}},
        "custom": {"n2": {"cpu": 0.033, "gib": 0.0044}, "e2": {"cpu": 0.024, "gib": 0.003}},
        "accelerators": {"nvidia-tesla-a100": {"on_demand": 2.933908}, "nvidia-tesla-t4": {"on_demand": 0.35, "spot": 0.11}},
        "disks": {"pd-balanced": 0.0001, "pd-ssd": 0.0002},
        "local_ssd": {"on_demand": 0.0001, "spot": 0.00005}})");
    EXPECT_TRUE(out) << out.error().message;
    return *out;
}

struct Machine {
    InstanceTemplate node = usual_sources().instance_template;
    std::optional<GceMachineType> type = usual_sources().machine_type;

    std::optional<double> price(bool spot = false) const {
        const auto found = table().find(node, type, spot);
        return found ? found->per_hour : std::nullopt;
    }
};

constexpr double boot_disk = 0.01;

TEST(GcePriceTable, AddsTypeAndBootDisk) {
    EXPECT_DOUBLE_EQ(*Machine().price(), 0.2 + boot_disk);
    EXPECT_DOUBLE_EQ(*Machine().price(true), 0.05 + boot_disk);
}

TEST(GcePriceTable, UsesFamilyRatesIfTheTypeIsMissing) {
    Machine machine;
    machine.node.machine_type = "n2-highmem-4";
    machine.type->memory_mib = 32 * 1024;
    EXPECT_DOUBLE_EQ(*machine.price(), 4 * 0.03 + 32 * 0.004 + boot_disk);
    EXPECT_DOUBLE_EQ(*machine.price(true), 4 * 0.007 + 32 * 0.001 + boot_disk);
}

TEST(GcePriceTable, UsesTheRatesOfCustomTypes) {
    Machine machine;
    machine.node.machine_type = "n2-custom-4-8192";
    machine.type.reset();
    EXPECT_DOUBLE_EQ(*machine.price(), 4 * 0.033 + 8 * 0.0044 + boot_disk);
    EXPECT_EQ(machine.price(true), std::nullopt) << "the spot rate is unknown";
}

TEST(GcePriceTable, AddsAttachedAccelerators) {
    Machine machine;
    machine.node.accelerators = {{"nvidia-tesla-t4", 2}};
    EXPECT_DOUBLE_EQ(*machine.price(), 0.2 + 2 * 0.35 + boot_disk);
    EXPECT_DOUBLE_EQ(*machine.price(true), 0.05 + 2 * 0.11 + boot_disk);
    machine.node.accelerators = {{"nvidia-new", 1}};
    EXPECT_EQ(machine.price(), std::nullopt) << "a price without them would be too low";
}

TEST(GcePriceTable, IncludesBundledAcceleratorsInTypePrices) {
    Machine machine;
    machine.node.machine_type = "a2-highgpu-1g";
    machine.type->accelerators = {{"nvidia-tesla-a100", 1}};
    EXPECT_DOUBLE_EQ(*machine.price(), 3.67 + boot_disk);
    machine.node.accelerators = {{"nvidia-tesla-a100", 1}};
    EXPECT_DOUBLE_EQ(*machine.price(), 3.67 + boot_disk) << "templates repeat them";
}

TEST(GcePriceTable, AddsBundledAcceleratorsToRates) {
    Machine machine;
    machine.node.machine_type = "a2-highgpu-2g";
    machine.type = GceMachineType{.name = "a2-highgpu-2g",
                                  .vcpus = 24,
                                  .memory_mib = 170 * 1024,
                                  .accelerators = {{"nvidia-tesla-a100", 2}}};
    // The price of this type in a table of types.
    EXPECT_NEAR(*machine.price(), 7.34677 + boot_disk, 1e-5);
    machine.type->accelerators = {{"nvidia-new", 2}};
    EXPECT_EQ(machine.price(), std::nullopt) << "a price without them would be too low";
}

TEST(GcePriceTable, AddsAttachedLocalSsds) {
    Machine machine;
    machine.node.disks.push_back({.type = "SCRATCH", .disk_type = "local-ssd"});
    EXPECT_DOUBLE_EQ(*machine.price(), 0.2 + boot_disk + 375 * 0.0001);
    EXPECT_DOUBLE_EQ(*machine.price(true), 0.05 + boot_disk + 375 * 0.00005);
    machine.type->bundled_local_ssds = 1;
    EXPECT_DOUBLE_EQ(*machine.price(), 0.2 + boot_disk) << "the price of the type includes them";
}

TEST(GcePriceTable, AddsBundledLocalSsdsToRates) {
    Machine machine;
    machine.node.machine_type = "z3-highmem-88";
    machine.type = GceMachineType{
        .name = "z3-highmem-88", .vcpus = 88, .memory_mib = 704 * 1024, .bundled_local_ssds = 12};
    EXPECT_DOUBLE_EQ(*machine.price(), 88 * 0.05 + 704 * 0.007 + (boot_disk + 12 * 3000 * 0.0001));
}

TEST(GcePriceTable, ScalesRatesOfSharedCores) {
    struct Case {
        const char* type;
        double price;  ///< of cores and 2 GiB
    };
    for (const auto& [type, price] :
         {Case{"e2-micro", 0.25 * 0.02 + 0.006}, Case{"e2-small", 0.5 * 0.02 + 0.006},
          Case{"e2-medium", 0.02 + 0.006}, Case{"e2-standard-2", 2 * 0.02 + 0.006},
          Case{"e2-custom-micro-2048", 0.25 * 0.024 + 0.006},
          Case{"e2-custom-small-2048", 0.5 * 0.024 + 0.006},
          Case{"e2-custom-medium-2048", 0.024 + 0.006}, Case{"e2-custom-2-2048", 0.048 + 0.006}}) {
        Machine machine;
        machine.node.machine_type = type;
        machine.type = GceMachineType{.name = type, .vcpus = 2, .memory_mib = 2048};
        EXPECT_DOUBLE_EQ(*machine.price(), price + boot_disk) << type;
    }
    Machine old;
    old.node.machine_type = "f1-micro";
    EXPECT_EQ(old.price(), std::nullopt) << "its price cannot be computed from rates";
}

TEST(GcePriceTable, HasNoPriceForMissingFamilies) {
    Machine machine;
    machine.node.machine_type = "x9-standard-4";
    EXPECT_EQ(machine.price(), std::nullopt);
}

TEST(GcePriceFile, HasRegionDateCurrencyAndSampleFlag) {
    EXPECT_EQ(table().region(), "us-central1");
    EXPECT_EQ(table().date(), "2026-11-01");
    EXPECT_TRUE(table().is_sample());
    EXPECT_EQ(table().find(Machine().node, Machine().type, false)->currency, "USD");
}

TEST(GcePriceFile, ShipsAsASample) {
    std::ifstream file("deploy/gce/prices.sample.json");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto sample = PriceTable::parse(text);
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_TRUE(sample->is_sample());
    EXPECT_TRUE(sample->find(Machine().node, Machine().type, true));
}

TEST(GcePriceFile, ReportsWhereItIsInvalid) {
    const std::string head = R"({"region": "r", "date": "2026-11-01")";
    for (const auto& [text, why] :
         {std::pair<std::string, const char*>{"[]", "not a JSON object"},
          {R"({"date": "2026-11-01"})", "region"},
          {R"({"region": "r", "date": "today"})", "date"},
          {head + R"(, "currency": "dollars"})", "currency"},
          {head + R"(, "sample": 1})", "sample"},
          {head + R"(, "types": []})", "types"},
          {head + R"(, "types": {"a": 1}})", "types.a"},
          {head + R"(, "types": {"a": {"spot": -1}}})", "types.a.spot"},
          {head + R"(, "families": {"a": {"cpu": "x"}}})", "families.a.cpu"},
          {head + R"(, "disks": {"pd-ssd": "x"}})", "disks.pd-ssd"},
          {head + R"(, "local_ssd": {"spot": true}})", "local_ssd.spot"},
          {"{", ""}}) {
        const auto refused = PriceTable::parse(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_THAT(refused.error().message, HasSubstr(why)) << text;
    }
}

}  // namespace
}  // namespace capstan::gce
