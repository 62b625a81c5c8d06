#include "templates/type_table.hpp"

#include <gmock/gmock.h>

#include "known_types.hpp"
#include "templates/built_in_types.hpp"

namespace capstan::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(TypeTable, IsBuiltInWithItsDate) {
    const TypeTable& table = TypeTable::built_in();
    EXPECT_EQ(table.date(), "2026-10-27");
    EXPECT_THAT(table.all(), SizeIs(Ge(1300u)));
    EXPECT_EQ(table.find("m5.gigantic"), nullptr);
    EXPECT_EQ(table.find(""), nullptr);
    for (const auto& [name, type] : table.all()) {
        EXPECT_EQ(name, type.name);
        EXPECT_GT(type.vcpus, 0) << name;
        EXPECT_GT(type.memory_mib, 0) << name;
        EXPECT_THAT(type.architectures, SizeIs(Ge(1u))) << name;
        EXPECT_GT(type.network_interfaces, 0) << name;
        EXPECT_GT(type.ipv4_per_interface, 0) << name;
    }
}

TEST(TypeTable, HasTypesAsEc2DescribesThem) {
    const InstanceType m5 = type_named("m5.large");
    EXPECT_EQ(m5, (InstanceType{.name = "m5.large",
                                .vcpus = 2,
                                .memory_mib = 8192,
                                .architectures = {"x86_64"},
                                .network_interfaces = 3,
                                .ipv4_per_interface = 10,
                                .has_prefix_delegation = true,
                                .usage_classes = {"on-demand", "spot"}}));
    const InstanceType g4 = type_named("g4dn.12xlarge");
    EXPECT_THAT(g4.gpus,
                ElementsAre(Accelerators{
                    .manufacturer = "NVIDIA", .name = "T4", .count = 4, .memory_mib = 16384}));
    EXPECT_EQ(g4.instance_storage_gib, 838) << "900 of 10^9 bytes";
    EXPECT_EQ(type_named("trn1.32xlarge").neuron_cores, 32);
    EXPECT_EQ(type_named("trn1.32xlarge").efa_interfaces, 8);
    EXPECT_EQ(type_named("c6in.32xlarge").network_interfaces, 8) << "of the default card";
    EXPECT_TRUE(type_named("m5.metal").bare_metal);
    EXPECT_FALSE(type_named("c4.xlarge").has_prefix_delegation);
    EXPECT_THAT(type_named("t4g.medium").architectures, ElementsAre("arm64"));
}

TEST(TypeTable, ParsesEveryBuiltInLine) {
    const std::string_view lines = built_in_type_lines();
    EXPECT_EQ(TypeTable::built_in().all().size(),
              static_cast<std::size_t>(std::ranges::count(lines, '\n')));
}

TEST(TypeTable, SkipsInvalidLines) {
    EXPECT_THAT(read_type_lines(""), IsEmpty());
    EXPECT_THAT(read_type_lines("\n\nx\nx 1\nx y z\nx 0 1 x\n"), IsEmpty());
    const auto types = read_type_lines("a 1 2\nb 2 4 ix 3 10 pb A/B_C/2/8+D/E/1/4 - 0 5 1 oc");
    ASSERT_THAT(types, SizeIs(2u));
    EXPECT_EQ(types[0], (InstanceType{.name = "a", .vcpus = 1, .memory_mib = 2}));
    EXPECT_THAT(types[1].gpus,
                ElementsAre(Accelerators{"A", "B C", 2, 8}, Accelerators{"D", "E", 1, 4}));
    EXPECT_THAT(types[1].architectures, ElementsAre("i386", "x86_64"));
    EXPECT_THAT(types[1].usage_classes, ElementsAre("on-demand", "capacity-block"));
}

TEST(TypeTable, CanBeReadFromAFile) {
    const auto table = TypeTable::parse(R"({"date": "2026-11-01", "comment": 1, "types": [
        {"name": "acme.large", "vcpus": 2, "memory_mib": 4096, "architectures": ["x86_64"],
         "gpus": [{"manufacturer": "NVIDIA", "name": "T4", "count": 1, "memory_mib": 16384}],
         "neuron_cores": 4, "instance_storage_gib": 75, "efa_interfaces": 1, "network_interfaces": 3,
         "ipv4_per_interface": 10, "prefix_delegation": true, "bare_metal": true,
         "usage_classes": ["spot"], "later": {}},
        {"name": "acme.small", "vcpus": 1, "memory_mib": 1}]})");
    ASSERT_TRUE(table) << table.error();
    EXPECT_EQ(table->date(), "2026-11-01");
    ASSERT_NE(table->find("acme.large"), nullptr);
    EXPECT_EQ(*table->find("acme.large"), (InstanceType{.name = "acme.large",
                                                        .vcpus = 2,
                                                        .memory_mib = 4096,
                                                        .architectures = {"x86_64"},
                                                        .gpus = {{"NVIDIA", "T4", 1, 16384}},
                                                        .neuron_cores = 4,
                                                        .instance_storage_gib = 75,
                                                        .efa_interfaces = 1,
                                                        .network_interfaces = 3,
                                                        .ipv4_per_interface = 10,
                                                        .has_prefix_delegation = true,
                                                        .bare_metal = true,
                                                        .usage_classes = {"spot"}}));
    EXPECT_NE(table->find("acme.small"), nullptr);
}

TEST(TypeTable, ReportsWhereAFileIsInvalid) {
    const auto with_type = [](const std::string& type) {
        return R"({"date": "2026-11-01", "types": [{"name": "a", "vcpus": 1, "memory_mib": 1}, )" +
               type + "]}";
    };
    const std::pair<std::string, const char*> cases[] = {
        {"", "invalid JSON"},
        {"[]", "types is missing"},
        {R"({"types": []})", "date is missing"},
        {R"({"date": 3, "types": []})", "date is missing or not a string"},
        {R"({"date": "x", "types": {}})", "types is missing or not a list"},
        {with_type("7"), "types[1] is not an object"},
        {with_type("{}"), "types[1].name is missing"},
        {with_type(R"({"name": 7})"), "types[1].name is not a string"},
        {with_type(R"({"name": "a", "vcpus": 1, "memory_mib": 1})"), "is a duplicate"},
        {with_type(R"({"name": "b", "memory_mib": 1})"), "types[1].vcpus is missing or 0"},
        {with_type(R"({"name": "b", "vcpus": -1, "memory_mib": 1})"),
         "types[1].vcpus is not an integer"},
        {with_type(R"({"name": "b", "vcpus": 1.5, "memory_mib": 1})"),
         "types[1].vcpus is not an integer"},
        {with_type(R"({"name": "b", "vcpus": 1, "memory_mib": 1e30})"),
         "types[1].memory_mib is not"},
        {with_type(R"({"name": "b", "vcpus": 1, "memory_mib": 1, "efa_interfaces": 3000000000})"),
         "types[1].efa_interfaces is not an integer"},
        {with_type(R"({"name": "b", "vcpus": 1, "memory_mib": 1, "bare_metal": "no"})"),
         "types[1].bare_metal is not true or false"},
        {with_type(R"({"name": "b", "vcpus": 1, "memory_mib": 1, "architectures": "x86_64"})"),
         "types[1].architectures is not a list"},
        {with_type(R"({"name": "b", "vcpus": 1, "memory_mib": 1, "gpus": [{"count": "1"}]})"),
         "types[1].gpus.count is not an integer"}};
    for (const auto& [text, why] : cases) {
        const auto table = TypeTable::parse(text);
        ASSERT_FALSE(table) << text;
        EXPECT_THAT(table.error().message, HasSubstr(why)) << text;
    }
}

TEST(TypeTable, CanBeMadeFromApiData) {
    const TypeTable table = TypeTable::of({{.name = "b"}, {.name = "a"}}, "2026-11-02");
    EXPECT_EQ(table.date(), "2026-11-02");
    EXPECT_EQ(table.all().begin()->first, "a");
    EXPECT_THAT(TypeTable::of({}, "").all(), IsEmpty());
}

}  // namespace
}  // namespace capstan::aws
