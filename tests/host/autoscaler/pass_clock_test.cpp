#include "autoscaler/pass_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Groups = std::vector<engine::Group>;
using Machines = std::vector<engine::CloudMachines>;

engine::Group priced(const char* id, std::optional<double> per_hour, const char* currency) {
    return {.group = {.id = NodeGroupId(id),
                      .price = Price{.per_hour = per_hour, .currency = currency}}};
}

engine::Snapshot snapshot_of(Groups groups, Machines machines = {}) {
    return {.cluster = engine::snapshot::ClusterBuilder().build(),
            .groups = std::make_shared<const Groups>(std::move(groups)),
            .machines = std::make_shared<const Machines>(std::move(machines))};
}

Machines offers_in(const char* currency) {
    const MachineType type{.name = "m",
                           .offerings = {{.price_per_hour = 1.0, .currency = currency}}};
    return {{.cloud = PluginInstanceId("east"), .types = {type}}};
}

TEST(PassCurrency, IsThatOfTheFirstGroupWithAPrice) {
    PassCurrency currency(
        snapshot_of({priced("a", {}, "GBP"), priced("b", 1.0, "EUR"), priced("c", 1.0, "USD")}));
    EXPECT_TRUE(currency.takes("EUR"));
    EXPECT_FALSE(currency.takes("USD"));
    EXPECT_EQ(currency.refusal("USD"), "price in USD ignored: prices are compared in EUR");
}

TEST(PassCurrency, IsThatOfTheFirstOfferingIfNoGroupHasAPrice) {
    PassCurrency currency(snapshot_of({}, offers_in("EUR")));
    EXPECT_FALSE(currency.takes("USD"));
}

TEST(PassCurrency, IsThatOfTheFirstPriceIfNothingIsListed) {
    PassCurrency currency(snapshot_of({}));
    EXPECT_TRUE(currency.takes("CHF"));
    EXPECT_FALSE(currency.takes("USD"));
}

TEST(PassCurrency, IgnoresOfferingsInAnotherCurrency) {
    const engine::Snapshot both = snapshot_of({priced("a", 1.0, "EUR")}, offers_in("USD"));
    PassCurrency currency(both);
    std::vector<std::string> notes;
    const auto machines = currency.filter(both.machines, notes);
    EXPECT_EQ(machines->at(0).types.at(0).offerings.at(0).price_per_hour, std::nullopt);
    EXPECT_THAT(notes, ElementsAre(HasSubstr("plugin east: machine types: price in USD")));
}

TEST(PassCurrency, ReturnsTheSameListIfAllPricesMatch) {
    const engine::Snapshot same = snapshot_of({priced("a", 1.0, "EUR")}, offers_in("EUR"));
    PassCurrency currency(same);
    std::vector<std::string> notes;
    EXPECT_EQ(currency.filter(same.machines, notes), same.machines);
    EXPECT_THAT(notes, IsEmpty());
}

}  // namespace
}  // namespace capstan::autoscaler
