#include <capstan/quantity.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace capstan {
namespace {

using Format = Quantity::Format;

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

struct QuantityCase {
    std::string_view written;
    std::string_view canonical;
    Format format;
};

// The expectations of Kubernetes' own tests of the type, and similar ones.
const std::vector<QuantityCase> cases = {
    {"0", "0", Format::decimal},
    {"00", "0", Format::decimal},
    {"0n", "0", Format::decimal},
    {"0Ki", "0", Format::binary},
    {"0E", "0", Format::decimal},
    {"0e5", "0", Format::exponent},
    {"1", "1", Format::decimal},
    {"007", "7", Format::decimal},
    {"1Ki", "1Ki", Format::binary},
    {"8Ki", "8Ki", Format::binary},
    {"7Mi", "7Mi", Format::binary},
    {"6Gi", "6Gi", Format::binary},
    {"100Ti", "100Ti", Format::binary},
    {"4Pi", "4Pi", Format::binary},
    {"3Ei", "3Ei", Format::binary},
    {"1024Mi", "1Gi", Format::binary},
    {"307200Ki", "300Mi", Format::binary},
    {"1025024Mi", "1001Gi", Format::binary},
    {"1.5Gi", "1536Mi", Format::binary},
    {"0.5Mi", "512Ki", Format::binary},
    {"0.05Gi", "53687091200m", Format::binary},
    {"0.025Ti", "27487790694400m", Format::binary},
    {"100.035Ki", "102435840m", Format::binary},
    {"0.5Ki", "512", Format::binary},
    {"57812.5Ki", "59200000", Format::binary},
    {".001Ki", "1024m", Format::binary},
    {".000001Ki", "1024u", Format::decimal},
    {".000000001Ki", "1024n", Format::decimal},
    {".000000000001Ki", "2n", Format::decimal},
    {"5n", "5n", Format::decimal},
    {"4u", "4u", Format::decimal},
    {"3m", "3m", Format::decimal},
    {"8k", "8k", Format::decimal},
    {"50k", "50k", Format::decimal},
    {"40T", "40T", Format::decimal},
    {"2P", "2P", Format::decimal},
    {"1E", "1E", Format::decimal},
    {"12E", "12E", Format::decimal},
    {"1000E", "1e21", Format::decimal},
    {"1000000E", "1e24", Format::decimal},
    {"1000k", "1M", Format::decimal},
    {"0.001T", "1G", Format::decimal},
    {"1000000000", "1G", Format::decimal},
    {"1234567M", "1234567M", Format::decimal},
    {"1000m", "1", Format::decimal},
    {"1080000000n", "1080m", Format::decimal},
    {"1.5", "1500m", Format::decimal},
    {"0.5", "500m", Format::decimal},
    {".5", "500m", Format::decimal},
    {"1.", "1", Format::decimal},
    {"1.G", "1G", Format::decimal},
    {"0.0005k", "500m", Format::decimal},
    {"0.00500", "5m", Format::decimal},
    {"9.01", "9010m", Format::decimal},
    {"8.1k", "8100", Format::decimal},
    {"7.123456M", "7123456", Format::decimal},
    {"1.01E", "1010P", Format::decimal},
    {"12e6", "12e6", Format::exponent},
    {"12E6", "12e6", Format::exponent},
    {"1e3", "1e3", Format::exponent},
    {"1E-3", "1e-3", Format::exponent},
    {"1.3E+6", "1300e3", Format::exponent},
    {"1e14", "100e12", Format::exponent},
    {"0.5e0", "500e-3", Format::exponent},
    {"0.5e-2", "5e-3", Format::exponent},
    {".001e12", "1e9", Format::exponent},
    {"1.2e3", "1200", Format::exponent},
    {"1e03", "1e3", Format::exponent},
    {"3.001n", "4n", Format::decimal},
    {"0.9n", "1n", Format::decimal},
    {"0.0000000001", "1n", Format::decimal},
    {"0.00000012345", "124n", Format::decimal},
    {"1.1E-9", "2e-9", Format::exponent},
    {"1e-100", "1e-9", Format::exponent},
    {"9Ei", "9223372036854775807", Format::binary},
    {"9223372036854775807Ki", "9223372036854775807", Format::binary},
    {"99999999999999999999999999999999999999999Ei", "9223372036854775807", Format::binary},
    {"9223372036854775807", "9223372036854775807", Format::decimal},
    {"9223372036854775808", "9223372036854775808", Format::decimal},
    {"12000000000000000005.000000007", "12000000000000000005000000007n", Format::decimal},
    {"10000000000000000000000000000", "10e27", Format::decimal},
    {"10000000000000000000000000000.000000009", "10e27", Format::decimal},
    {"10000000000000000000000000000.0000000091", "10e27", Format::decimal},
    {"9999999999999999999999999999.9999999991", "10e27", Format::decimal},
    {"1e100", "10e27", Format::exponent},
    {"1e99999999999999999999", "10e27", Format::exponent},
};

TEST(Quantity, HasTheCanonicalFormOfKubernetes) {
    for (const QuantityCase& c : cases) {
        const auto quantity = parse_quantity(c.written);
        ASSERT_TRUE(quantity) << c.written << ": " << quantity.error();
        EXPECT_EQ(to_string(*quantity), c.canonical) << c.written;
        EXPECT_EQ(quantity->format(), c.format) << c.written;
    }
}

TEST(Quantity, AcceptsEitherSign) {
    for (const QuantityCase& c : cases) {
        const std::string written(c.written);
        const auto negative = parse_quantity("-" + written);
        const auto positive = parse_quantity("+" + written);
        ASSERT_TRUE(negative && positive) << written;
        EXPECT_EQ(to_string(*positive), c.canonical) << written;
        EXPECT_EQ(to_string(*negative), c.canonical == "0" ? "0" : "-" + std::string(c.canonical))
            << written;
    }
}

TEST(Quantity, RejectsInvalidText) {
    for (const std::string_view written :
         {"",      "+",   "-",     ".",    "-.",   "1.1.1", "1.1.M", "1+1.0M", "0.1mi", "0.1am",
          "aoeu",  ".5i", "1i",    "1gi",  "1 Gi", " 1",    "1 ",    "e3",     "Ki",    "5e",
          "5e+",   "5e-", "1e3.5", "1e3k", "1K",   "1KI",   "1iK",   "1mm",    "1EE",   "0x10",
          "1_000", "1,5", "--1",   "+-1",  "1-",   "NaN",   "inf",   "1e 3",   "1Gi\n", "\xff"}) {
        const auto quantity = parse_quantity(written);
        ASSERT_FALSE(quantity) << written;
        EXPECT_EQ(quantity.error().code, ErrorCode::invalid_argument) << written;
    }
    EXPECT_FALSE(parse_quantity(std::string_view("1\0", 2)));
}

TEST(Quantity, ReportsTheInvalidText) {
    EXPECT_EQ(parse_quantity("1gi").error().message,
              "quantity \"1gi\": unknown suffix, expected one of n u m k M G T P E Ki Mi Gi "
              "Ti Pi Ei or an exponent like e6");
    EXPECT_EQ(parse_quantity("Gi").error().message, "quantity \"Gi\": no number");
    EXPECT_LT(parse_quantity(std::string(100'000, 'x')).error().message.size(), 300u);
}

TEST(Quantity, RoundsWholeUnitsAndThousandthsAwayFromZero) {
    struct Numbers {
        std::string_view written;
        std::int64_t value, milli;
    };
    for (const auto& [written, value, milli] :
         std::vector<Numbers>{{"0.5m", 1, 1},
                              {"1.5", 2, 1500},
                              {"-1.5", -2, -1500},
                              {"100m", 1, 100},
                              {"1n", 1, 1},
                              {"-1n", -1, -1},
                              {"9.01", 10, 9010},
                              {"0.5Gi", 536870912, 536870912000},
                              {"12E", highest, highest},
                              {"-12E", lowest, lowest},
                              {"9223372036854775", 9223372036854775, 9223372036854775000}}) {
        const auto quantity = parse_quantity(written);
        ASSERT_TRUE(quantity) << written;
        EXPECT_EQ(quantity->value(), value) << written;
        EXPECT_EQ(quantity->milli_value(), milli) << written;
    }
}

TEST(Quantity, ComparesAmountsWithAnySuffix) {
    EXPECT_EQ(*parse_quantity("1Ki"), *parse_quantity("1024"));
    EXPECT_LT(*parse_quantity("1G"), *parse_quantity("1Gi"));
    EXPECT_GT(*parse_quantity("10000T"), *parse_quantity("100Gi"));
    EXPECT_LT(*parse_quantity("-1"), *parse_quantity("0"));
    EXPECT_EQ(parse_quantity("-1m")->sign(), -1);
    EXPECT_EQ(Quantity().sign(), 0);
}

TEST(Quantity, AddsExactlyAndSaturates) {
    EXPECT_EQ(to_string(*parse_quantity("100m") + *parse_quantity("0.2")), "300m");
    EXPECT_EQ(to_string(*parse_quantity("1Gi") - *parse_quantity("512Mi")), "512Mi");
    EXPECT_EQ(to_string(Quantity() + *parse_quantity("1Gi")), "1Gi")
        << "a zero uses the suffixes of the other";
    EXPECT_EQ(to_string(Quantity() - *parse_quantity("1Gi")), "-1Gi");
    Quantity large = *parse_quantity("1e100");
    large += large;
    EXPECT_EQ(large, *parse_quantity("1e100"));
    EXPECT_EQ(large - large, Quantity());
}

TEST(Quantity, ReadsBackWhatItWrote) {
    std::mt19937_64 random(20240611);
    for (int i = 0; i < 2000; ++i) {
        const auto shift = random() % 64;
        const auto n = static_cast<std::int64_t>(random() >> shift);
        for (const Format format : {Format::decimal, Format::binary, Format::exponent}) {
            for (const Quantity& quantity :
                 {Quantity::units(n, format), Quantity::milli(n, format)}) {
                const auto again = parse_quantity(to_string(quantity));
                ASSERT_TRUE(again) << to_string(quantity);
                EXPECT_EQ(*again, quantity);
            }
        }
    }
}

TEST(Quantity, CrossesTheAbiInMillicoresAndWholeUnits) {
    EXPECT_EQ(amount_of("cpu", *parse_quantity("1.5")), 1500);
    EXPECT_EQ(amount_of("cpu", *parse_quantity("0.5m")), 1);
    EXPECT_EQ(amount_of("memory", *parse_quantity("2Gi")), std::int64_t{2} << 30);
    EXPECT_EQ(amount_of("memory", *parse_quantity("100m")), 1);
    EXPECT_EQ(amount_of("nvidia.com/gpu", *parse_quantity("2")), 2);
}

TEST(Quantity, FormatsAmountsAsIsUsualForTheirResource) {
    EXPECT_EQ(format_amount("cpu", 1500), "1500m");
    EXPECT_EQ(format_amount("cpu", 4000), "4");
    EXPECT_EQ(format_amount("memory", std::int64_t{2} << 30), "2Gi");
    EXPECT_EQ(format_amount("memory", 1'000'000'001), "1000000001");
    EXPECT_EQ(format_amount("ephemeral-storage", 1 << 20), "1Mi");
    EXPECT_EQ(format_amount("hugepages-2Mi", 4 << 20), "4Mi");
    EXPECT_EQ(format_amount("pods", 110), "110");
    EXPECT_EQ(format_amount("cpu", lowest), "-9223372036854775808m");
}

}  // namespace
}  // namespace capstan
