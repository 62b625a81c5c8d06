#include <gmock/gmock.h>

#include <core_v1.pb.h>

#include "cloud_messages.hpp"
#include "node_message.hpp"

namespace capstan::external_grpc {
namespace {

using std::chrono::minutes;
namespace core = k8s::io::api::core::v1;

wire::Instance instance(wire::InstanceStatus::InstanceState state, const std::string& error = {},
                        int error_class = 0) {
    wire::Instance out;
    out.set_id("m-1");
    out.mutable_status()->set_instancestate(state);
    if (error_class == 0) return out;
    wire::InstanceErrorInfo& info = *out.mutable_status()->mutable_errorinfo();
    info.set_errorcode(error);
    info.set_errormessage("none left");
    info.set_instanceerrorclass(error_class);
    return out;
}

TEST(ExternalGrpcMessages, MapInstanceStates) {
    using Status = wire::InstanceStatus;
    const std::pair<Status::InstanceState, MachineState> cases[] = {
        {Status::unspecified, MachineState::running},
        {Status::instanceRunning, MachineState::running},
        {Status::instanceCreating, MachineState::creating},
        {Status::instanceDeleting, MachineState::deleting},
        {static_cast<Status::InstanceState>(9), MachineState::running}};
    for (const auto& [sent, state] : cases)
        EXPECT_EQ(machine_of(instance(sent), NodeGroupId("web")).state, state) << sent;
    wire::Instance bare;
    bare.set_id("m-2");
    const Machine machine = machine_of(bare, NodeGroupId("web"));
    EXPECT_EQ(machine.state, MachineState::running);
    EXPECT_EQ(machine.id, MachineId("m-2"));
    EXPECT_EQ(machine.group, NodeGroupId("web"));
}

TEST(ExternalGrpcMessages, MarkAFailedMachine) {
    using Status = wire::InstanceStatus;
    struct Case {
        wire::Instance sent;
        MachineState state;
        std::optional<ErrorCode> error;
    };
    const Case cases[] = {
        {instance(Status::instanceCreating, "stockout", 1), MachineState::failed,
         ErrorCode::out_of_capacity},
        {instance(Status::instanceCreating, "quota", 99), MachineState::failed,
         ErrorCode::unavailable},
        {instance(Status::instanceCreating, "", 1), MachineState::creating, std::nullopt},
        {instance(Status::instanceRunning, "stockout", 1), MachineState::running, std::nullopt},
        {instance(Status::instanceDeleting, "stockout", 1), MachineState::deleting, std::nullopt},
    };
    for (const Case& c : cases) {
        const Machine machine = machine_of(c.sent, NodeGroupId("web"));
        EXPECT_EQ(machine.state, c.state);
        ASSERT_EQ(machine.error.has_value(), c.error.has_value());
        if (!c.error) continue;
        EXPECT_EQ(machine.error->code, *c.error);
        EXPECT_EQ(machine.error->message, "none left");
        EXPECT_EQ(machine.error->subject, "m-1");
    }
}

TEST(ExternalGrpcMessages, IgnoreOptionsThatEqualTheDefaults) {
    const OptionDefaults defaults;
    EXPECT_EQ(options_of(message_of(defaults), defaults), GroupOptions{});
}

TEST(ExternalGrpcMessages, KeepAnExplicitZero) {
    OptionDefaults defaults;
    defaults.zero_or_max = true;
    auto sent = message_of(defaults);
    sent.set_scaledownutilizationthreshold(0);
    sent.set_zeroormaxnodescaling(false);
    sent.mutable_scaledownunneededduration()->Clear();
    const GroupOptions options = options_of(sent, defaults);
    EXPECT_EQ(options.utilization_threshold, 0.0);
    EXPECT_EQ(options.zero_or_max, false);
    EXPECT_EQ(options.unneeded_time, Duration::zero()) << "set but empty";
    EXPECT_EQ(options.gpu_utilization_threshold, std::nullopt);
}

TEST(ExternalGrpcMessages, OmitAnUnsetDuration) {
    const OptionDefaults defaults;
    auto sent = message_of(defaults);
    sent.clear_scaledownunneededduration();
    sent.clear_scaledownunreadyduration();
    sent.clear_maxnodeprovisionduration();
    EXPECT_EQ(options_of(sent, defaults), GroupOptions{});
}

TEST(ExternalGrpcMessages, ReadDurationsToTheNanosecondWithinBounds) {
    const OptionDefaults defaults;
    auto sent = message_of(defaults);
    sent.mutable_scaledownunreadyduration()->set_seconds(90);
    sent.mutable_scaledownunreadyduration()->set_nanos(5);
    sent.mutable_maxnodeprovisionduration()->set_seconds(std::int64_t{1} << 62);
    const GroupOptions options = options_of(sent, defaults);
    EXPECT_EQ(options.unready_time, std::chrono::seconds(90) + Duration(5));
    EXPECT_GT(options.max_node_provision_time, std::chrono::hours(24 * 365));
}

core::Node gpu_node() {
    core::Node node;
    node.mutable_metadata()->set_name("template-1");
    (*node.mutable_metadata()->mutable_labels())["pool"] = "gpu";
    (*node.mutable_metadata()->mutable_annotations())["note"] = "a";
    core::Taint& taint = *node.mutable_spec()->add_taints();
    taint.set_key("gpu");
    taint.set_value("yes");
    taint.set_effect("NoSchedule");
    node.mutable_spec()->add_taints()->set_effect("NoBread");
    auto& capacity = *node.mutable_status()->mutable_capacity();
    capacity["cpu"].set_string("4");
    capacity["memory"].set_string("16Gi");
    (*node.mutable_status()->mutable_allocatable())["cpu"].set_string("3900m");
    return node;
}

TEST(ExternalGrpcMessages, ReadANodeAsATemplate) {
    const auto node = parse_node(gpu_node().SerializeAsString());
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->name, "template-1");
    EXPECT_EQ(node->labels, (Labels{{"pool", "gpu"}}));
    EXPECT_EQ(node->annotations, (Labels{{"note", "a"}}));
    EXPECT_EQ(node->taints,
              (std::vector<Taint>{{.key = "gpu", .value = "yes", .effect = Effect::no_schedule}}));
    EXPECT_EQ(node->capacity, (Resources{{"cpu", 4_cpu}, {"memory", 16_GiB}}));
    EXPECT_EQ(node->allocatable, (Resources{{"cpu", 3900}}));
    EXPECT_EQ(node->free, node->allocatable);
}

/// A v1.Node written by k8s.io/api v0.37.2 (Node.Marshal()), with fields that are not read.
constexpr std::string_view kubernetes_node =
    "0a530a0a74656d706c6174652d3112001a0022002a03752d31320137380042005a1b0a126b756265726e657465732e"
    "696f2f617263681205616d6436345a0b0a04706f6f6c120367707562090a046e6f746512016112370a0b31302e302e"
    "302e302f323412001a0c636c6f75643a2f2f2f6d2d3120002a160a0367707512037965731a0a4e6f5363686564756c"
    "651a93010a0a0a0363707512030a01340a100a066d656d6f727912060a04313647690a0d0a04706f647312050a0331"
    "3130120e0a0363707512070a05333930306d12100a066d656d6f727912060a0431354769120d0a04706f647312050a"
    "033131301a0022150a0552656164791204547275651a0022002a00320032040a0208003a140a0012001a0022002a00"
    "32003a0042004a005200";

std::string bytes_of(std::string_view hex) {
    std::string out;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return out;
}

TEST(ExternalGrpcMessages, ReadANodeWrittenByKubernetes) {
    const auto node = parse_node(bytes_of(kubernetes_node));
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->name, "template-1");
    EXPECT_EQ(node->labels, (Labels{{"pool", "gpu"}, {"kubernetes.io/arch", "amd64"}}));
    EXPECT_EQ(node->annotations, (Labels{{"note", "a"}}));
    EXPECT_EQ(node->taints,
              (std::vector<Taint>{{.key = "gpu", .value = "yes", .effect = Effect::no_schedule}}));
    EXPECT_EQ(node->capacity, (Resources{{"cpu", 4_cpu}, {"memory", 16_GiB}, {"pods", 110}}));
    EXPECT_EQ(node->allocatable, (Resources{{"cpu", 3900}, {"memory", 15_GiB}, {"pods", 110}}));
}

TEST(ExternalGrpcMessages, UseCapacityIfAllocatableIsMissing) {
    core::Node sent = gpu_node();
    sent.mutable_status()->clear_allocatable();
    const auto node = parse_node(sent.SerializeAsString());
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->allocatable, node->capacity);
}

TEST(ExternalGrpcMessages, FingerprintTheOfferOfANodeWithoutItsName) {
    const auto fingerprint = [](const core::Node& node) {
        return parse_node(node.SerializeAsString())->fingerprint;
    };
    const core::Node first = gpu_node();
    core::Node renamed = first;
    renamed.mutable_metadata()->set_name("template-2");
    core::Node larger = first;
    (*larger.mutable_status()->mutable_capacity())["cpu"].set_string("8");
    EXPECT_EQ(fingerprint(first), fingerprint(renamed));
    EXPECT_NE(fingerprint(first), fingerprint(larger));
    EXPECT_FALSE(fingerprint(core::Node()).empty());
}

TEST(ExternalGrpcMessages, RejectInvalidNodesAndQuantities) {
    EXPECT_EQ(parse_node("\xff\xff").error().code, ErrorCode::unavailable);
    core::Node node = gpu_node();
    (*node.mutable_status()->mutable_capacity())["memory"].set_string("much");
    const auto read = parse_node(node.SerializeAsString());
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, ::testing::AllOf(::testing::HasSubstr("capacity: memory"),
                                                       ::testing::HasSubstr("\"much\"")));
}

TEST(ExternalGrpcMessages, ReadAWrittenNodeBackAsTheTemplate) {
    const auto node = parse_node(gpu_node().SerializeAsString());
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(parse_node(node_bytes("template-1", *node)), *node);
}

TEST(ExternalGrpcMessages, ReadATemplateNodeOfEitherGeneration) {
    wire::NodeGroupTemplateNodeInfoResponse sent;
    EXPECT_EQ(node_bytes_of(sent), "");
    sent.set_nodeinfo("old");
    EXPECT_EQ(node_bytes_of(sent), "old");
    sent.set_nodebytes("new");
    EXPECT_EQ(node_bytes_of(sent), "new");
}

TEST(ExternalGrpcMessages, WriteTimesAsSecondsAndNanoseconds) {
    const auto sent = message_of(Time(std::chrono::seconds(7)) + Duration(9));
    EXPECT_EQ(sent.seconds(), 7);
    EXPECT_EQ(sent.nanos(), 9);
}

}  // namespace
}  // namespace capstan::external_grpc
