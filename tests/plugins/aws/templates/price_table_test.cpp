#include "templates/price_table.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace capstan::aws {
namespace {

using ::testing::HasSubstr;

constexpr const char* two_types = R"({"region": "us-east-1", "date": "2026-11-01", "prices": {
    "m5.large": {"on_demand": 0.096, "spot": {"us-east-1a": 0.03, "us-east-1b": 0.04}},
    "c5.large": {"on_demand": 0.085},
    "r5.large": {"spot": {"us-east-1a": 0.05}},
    "free": {"on_demand": 0}, "nothing": {}}})";

std::optional<double> hourly(const PriceTable& table, const char* type, const char* zone,
                             bool spot) {
    const auto price = table.find(type, zone, spot);
    return price ? price->per_hour : std::nullopt;
}

TEST(AwsPriceTable, FindsOnDemandAndSpotPricesByZone) {
    const auto table = PriceTable::parse(two_types);
    ASSERT_TRUE(table) << table.error();
    EXPECT_EQ(hourly(*table, "m5.large", "us-east-1a", false), 0.096);
    EXPECT_EQ(hourly(*table, "m5.large", "", false), 0.096);
    EXPECT_EQ(hourly(*table, "m5.large", "us-east-1a", true), 0.03);
    EXPECT_EQ(hourly(*table, "m5.large", "us-east-1b", true), 0.04);
    EXPECT_EQ(hourly(*table, "free", "us-east-1a", false), 0.0);
}

TEST(AwsPriceTable, UsesTheHighestRegionalPriceForAMissingZone) {
    const auto table = PriceTable::parse(two_types);
    ASSERT_TRUE(table);
    EXPECT_EQ(hourly(*table, "m5.large", "us-east-1f", true), 0.04);
    EXPECT_EQ(hourly(*table, "m5.large", "", true), 0.04);
}

TEST(AwsPriceTable, HasNoPriceForAMissingType) {
    const auto table = PriceTable::parse(two_types);
    ASSERT_TRUE(table);
    EXPECT_EQ(table->find("m5.xlarge", "us-east-1a", false), std::nullopt);
    EXPECT_EQ(table->find("c5.large", "us-east-1a", true), std::nullopt)
        << "there is no spot price";
    EXPECT_EQ(table->find("r5.large", "us-east-1a", false), std::nullopt);
    EXPECT_EQ(table->find("nothing", "us-east-1a", false), std::nullopt);
    EXPECT_EQ(PriceTable().find("m5.large", "us-east-1a", false), std::nullopt);
}

TEST(AwsPriceTable, HasRegionDateCurrencyAndSampleFlag) {
    const auto table = PriceTable::parse(two_types);
    ASSERT_TRUE(table);
    EXPECT_EQ(table->region(), "us-east-1");
    EXPECT_EQ(table->date(), "2026-11-01");
    EXPECT_EQ(table->size(), 5u);
    EXPECT_FALSE(table->is_sample());
    EXPECT_EQ(table->find("m5.large", "", false)->currency, "USD");
    const auto other = PriceTable::parse(R"({"region": "cn-north-1", "date": "2026-11-01",
        "currency": "CNY", "sample": true, "prices": {"m5.large": {"on_demand": 1}}})");
    ASSERT_TRUE(other);
    EXPECT_TRUE(other->is_sample());
    EXPECT_EQ(other->find("m5.large", "", false)->currency, "CNY");
}

TEST(AwsPriceTable, ReportsWhereAFileIsInvalid) {
    const auto with = [](const std::string& prices) {
        return R"({"region": "r", "date": "2026-11-01", "prices": )" + prices + "}";
    };
    const std::pair<std::string, const char*> cases[] = {
        {"", "invalid JSON"},
        {"[]", "region is missing"},
        {R"({"region": "r", "prices": {}})", "date is not a date"},
        {R"({"region": "r", "date": "today", "prices": {}})", "date is not a date"},
        {R"({"region": "r", "date": "2026/11/01", "prices": {}})", "date is not a date"},
        {R"({"region": "r", "date": "2026-11-01", "currency": "usd", "prices": {}})", "currency"},
        {R"({"region": "r", "date": "2026-11-01", "currency": 3, "prices": {}})", "currency"},
        {R"({"region": "r", "date": "2026-11-01", "sample": "no", "prices": {}})", "sample"},
        {R"({"region": "r", "date": "2026-11-01"})", "prices is missing"},
        {with("[]"), "prices is missing or not an object"},
        {with(R"({"m5.large": 3})"), "prices.m5.large is not an object"},
        {with(R"({"m5.large": {"on_demand": "0.1"}})"), "prices.m5.large.on_demand is not a price"},
        {with(R"({"m5.large": {"on_demand": -1}})"), "prices.m5.large.on_demand is not a price"},
        {with(R"({"m5.large": {"on_demand": 1e999}})"), "prices.m5.large.on_demand is not a price"},
        {with(R"({"m5.large": {"spot": 1}})"), "prices.m5.large.spot is not an object"},
        {with(R"({"m5.large": {"spot": {"a": null}}})"), "prices.m5.large.spot.a is not a price"}};
    for (const auto& [text, why] : cases) {
        const auto table = PriceTable::parse(text);
        ASSERT_FALSE(table) << text;
        EXPECT_THAT(table.error().message, HasSubstr(why)) << text;
    }
}

TEST(AwsPriceTable, ShipsAsASample) {
    std::ifstream file("deploy/aws/prices.sample.json");
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const auto table = PriceTable::parse(text);
    ASSERT_TRUE(table) << table.error();
    EXPECT_TRUE(table->is_sample());
    EXPECT_GT(table->size(), 0u);
}

}  // namespace
}  // namespace capstan::aws
