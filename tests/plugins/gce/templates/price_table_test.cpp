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
        "families": {"n2": {"cpu": 0.03, "gib": 0.004, "spot_cpu": 0.007, "spot_gib": 0.001}},
        "custom": {"n2": {"cpu": 0.033, "gib": 0.0044}},
        "accelerators": {"nvidia-tesla-t4": {"on_demand": 0.35, "spot": 0.11}},
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

TEST(GcePrices, AreTheTypesAndTheBootDisks) {
    EXPECT_DOUBLE_EQ(*Machine().price(), 0.2 + boot_disk);
    EXPECT_DOUBLE_EQ(*Machine().price(true), 0.05 + boot_disk);
}

TEST(GcePrices, AreTheFamilysRatesWhereTheTypeHasNone) {
    Machine machine;
    machine.node.machine_type = "n2-highmem-4";
    machine.type->memory_mib = 32 * 1024;
    EXPECT_DOUBLE_EQ(*machine.price(), 4 * 0.03 + 32 * 0.004 + boot_disk);
    EXPECT_DOUBLE_EQ(*machine.price(true), 4 * 0.007 + 32 * 0.001 + boot_disk);
}

TEST(GcePrices, OfCustomTypesAreTheirOwnRates) {
    Machine machine;
    machine.node.machine_type = "n2-custom-4-8192";
    machine.type.reset();
    EXPECT_DOUBLE_EQ(*machine.price(), 4 * 0.033 + 8 * 0.0044 + boot_disk);
    EXPECT_EQ(machine.price(true), std::nullopt) << "no rate of spot is known";
}

TEST(GcePrices, HaveAcceleratorsThatAreAttached) {
    Machine machine;
    machine.node.accelerators = {{"nvidia-tesla-t4", 2}};
    EXPECT_DOUBLE_EQ(*machine.price(), 0.2 + 2 * 0.35 + boot_disk);
    EXPECT_DOUBLE_EQ(*machine.price(true), 0.05 + 2 * 0.11 + boot_disk);
    machine.node.accelerators = {{"nvidia-new", 1}};
    EXPECT_EQ(machine.price(), std::nullopt) << "it would look cheap without them";
}

TEST(GcePrices, HaveBundledAcceleratorsInTheirTypes) {
    Machine machine;
    machine.node.machine_type = "a2-highgpu-1g";
    machine.type->accelerators = {{"nvidia-tesla-a100", 1}};
    EXPECT_DOUBLE_EQ(*machine.price(), 3.67 + boot_disk);
}

TEST(GcePrices, HaveLocalSsdsThatAreAttached) {
    Machine machine;
    machine.node.disks.push_back({.type = "SCRATCH", .disk_type = "local-ssd"});
    EXPECT_DOUBLE_EQ(*machine.price(), 0.2 + boot_disk + 375 * 0.0001);
    machine.type->bundled_local_ssds = 1;
    EXPECT_DOUBLE_EQ(*machine.price(), 0.2 + boot_disk) << "they are in the type's price";
}

TEST(GcePrices, AreNotKnownOfOtherFamilies) {
    Machine machine;
    machine.node.machine_type = "x9-standard-4";
    EXPECT_EQ(machine.price(), std::nullopt);
}

TEST(GcePriceFiles, SayWhereAndWhenTheyAreOf) {
    EXPECT_EQ(table().region(), "us-central1");
    EXPECT_EQ(table().date(), "2026-11-01");
    EXPECT_TRUE(table().is_sample());
    EXPECT_EQ(table().find(Machine().node, Machine().type, false)->currency, "USD");
}

TEST(GcePriceFiles, OfTheSampleThatShipsAreRead) {
    std::ifstream file("deploy/gce/prices.sample.json");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto sample = PriceTable::parse(text);
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_TRUE(sample->is_sample());
    EXPECT_TRUE(sample->find(Machine().node, Machine().type, true));
}

TEST(GcePriceFiles, ThatAreNoneAreRefusedWithThePlace) {
    const std::string head = R"({"region": "r", "date": "2026-11-01")";
    for (const auto& [text, why] :
         {std::pair<std::string, const char*>{"[]", "no object"},
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
