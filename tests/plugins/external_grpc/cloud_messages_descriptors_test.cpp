// Compares the definitions in plugins/external_grpc/proto, field by field, with the protocols on
// the wire. Only this program links protobuf's full runtime, which provides descriptors.
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

namespace capstan::external_grpc {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;

/// "repeated Option", "map<string, bytes>", "int32".
std::string type_of(const FieldDescriptor& field) {
    if (field.is_map()) {
        return "map<" + type_of(*field.message_type()->map_key()) + ", " +
               type_of(*field.message_type()->map_value()) + ">";
    }
    std::string name = field.type_name();
    if (field.message_type() != nullptr) name = field.message_type()->name();
    if (field.enum_type() != nullptr) name = field.enum_type()->name();
    return (field.is_repeated() ? "repeated " : "") + name;
}

/// By number: "id string".
using Fields = std::map<int, std::string>;

Fields fields_of(const Descriptor& message) {
    Fields out;
    for (int i = 0; i < message.field_count(); ++i) {
        const FieldDescriptor& field = *message.field(i);
        out[field.number()] = field.name() + " " + type_of(field);
    }
    return out;
}

struct Definitions {
    DescriptorPool pool{};
    Definitions() {
        google::protobuf::FileDescriptorSet files;
        std::ifstream text(CAPSTAN_TEST_DESCRIPTORS, std::ios::binary);
        EXPECT_TRUE(files.ParseFromIstream(&text)) << CAPSTAN_TEST_DESCRIPTORS;
        for (const auto& file : files.file()) pool.BuildFile(file);
    }
    Fields fields(const std::string& message) const {
        const Descriptor* const found = pool.FindMessageTypeByName(message);
        EXPECT_NE(found, nullptr) << message;
        return found != nullptr ? fields_of(*found) : Fields{};
    }
};

struct Row {
    const char* message;
    Fields fields;
};

void expect(const std::string& package, const std::vector<Row>& rows) {
    const Definitions definitions;
    for (const Row& row : rows)
        EXPECT_EQ(definitions.fields(package + "." + row.message), row.fields) << row.message;
}

TEST(ExternalGrpcDescriptors, MatchTheUpstreamProviderMessages) {
    expect("clusterautoscaler.cloudprovider.v1.externalgrpc",
           {{"Timestamp", {{1, "seconds int64"}, {2, "nanos int32"}}},
            {"Duration", {{1, "seconds int64"}, {2, "nanos int32"}}},
            {"NodeGroup",
             {{1, "id string"}, {2, "minSize int32"}, {3, "maxSize int32"}, {4, "debug string"}}},
            {"ExternalGrpcNode",
             {{1, "providerID string"},
              {2, "name string"},
              {3, "labels map<string, string>"},
              {4, "annotations map<string, string>"}}},
            {"RefreshRequest", {}},
            {"RefreshResponse", {}},
            {"NodeGroupsRequest", {}},
            {"NodeGroupsResponse", {{1, "nodeGroups repeated NodeGroup"}}},
            {"PricingNodePriceRequest",
             {{1, "node ExternalGrpcNode"},
              {4, "startTimestamp Timestamp"},
              {5, "endTimestamp Timestamp"}}},
            {"PricingNodePriceResponse", {{1, "price double"}}},
            {"NodeGroupTargetSizeRequest", {{1, "id string"}}},
            {"NodeGroupTargetSizeResponse", {{1, "targetSize int32"}}},
            {"NodeGroupIncreaseSizeRequest", {{1, "delta int32"}, {2, "id string"}}},
            {"NodeGroupIncreaseSizeResponse", {}},
            {"NodeGroupDeleteNodesRequest",
             {{1, "nodes repeated ExternalGrpcNode"}, {2, "id string"}}},
            {"NodeGroupDeleteNodesResponse", {}},
            {"NodeGroupDecreaseTargetSizeRequest", {{1, "delta int32"}, {2, "id string"}}},
            {"NodeGroupDecreaseTargetSizeResponse", {}}});
}

TEST(ExternalGrpcDescriptors, MatchTheUpstreamNodeGroupMessages) {
    expect(
        "clusterautoscaler.cloudprovider.v1.externalgrpc",
        {{"NodeGroupNodesRequest", {{1, "id string"}}},
         {"NodeGroupNodesResponse", {{1, "instances repeated Instance"}}},
         {"Instance", {{1, "id string"}, {2, "status InstanceStatus"}}},
         {"InstanceStatus",
          {{1, "instanceState InstanceState"}, {2, "errorInfo InstanceErrorInfo"}}},
         {"InstanceErrorInfo",
          {{1, "errorCode string"}, {2, "errorMessage string"}, {3, "instanceErrorClass int32"}}},
         {"NodeGroupTemplateNodeInfoRequest", {{1, "id string"}}},
         // Field 1 is a v1.Node on the wire, read as bytes.
         {"NodeGroupTemplateNodeInfoResponse",
          {{1, "nodeInfo bytes"},
           {2, "nodeBytes bytes"},
           {3, "resourceSliceBytes repeated bytes"}}},
         {"NodeGroupAutoscalingOptions",
          {{1, "scaleDownUtilizationThreshold double"},
           {2, "scaleDownGpuUtilizationThreshold double"},
           {6, "zeroOrMaxNodeScaling bool"},
           {7, "ignoreDaemonSetsUtilization bool"},
           {8, "scaleDownUnneededDuration Duration"},
           {9, "scaleDownUnreadyDuration Duration"},
           {10, "MaxNodeProvisionDuration Duration"},
           {11, "maxNodeStartupDuration Duration"},
           {12, "allowNonAtomicScaleUpToMax bool"}}},
         {"NodeGroupAutoscalingOptionsRequest",
          {{1, "id string"}, {2, "defaults NodeGroupAutoscalingOptions"}}},
         {"NodeGroupAutoscalingOptionsResponse",
          {{1, "nodeGroupAutoscalingOptions NodeGroupAutoscalingOptions"}}}});
}

TEST(ExternalGrpcDescriptors, HaveTheNumbersOfInstanceStates) {
    const Definitions definitions;
    const auto* const states = definitions.pool.FindEnumTypeByName(
        "clusterautoscaler.cloudprovider.v1.externalgrpc.InstanceStatus.InstanceState");
    ASSERT_NE(states, nullptr);
    std::map<int, std::string> names;
    for (int i = 0; i < states->value_count(); ++i)
        names[states->value(i)->number()] = states->value(i)->name();
    EXPECT_EQ(names, (std::map<int, std::string>{{0, "unspecified"},
                                                 {1, "instanceRunning"},
                                                 {2, "instanceCreating"},
                                                 {3, "instanceDeleting"}}));
}

TEST(ExternalGrpcDescriptors, MatchTheUpstreamExpanderMessages) {
    // Nodes and pods of the older generation are messages on the wire, read as bytes.
    expect("grpcplugin", {{"BestOptionsRequest",
                           {{1, "options repeated Option"},
                            {2, "nodeMap map<string, bytes>"},
                            {3, "nodeBytesMap map<string, bytes>"}}},
                          {"BestOptionsResponse", {{1, "options repeated Option"}}},
                          {"Option",
                           {{1, "nodeGroupId string"},
                            {2, "nodeCount int32"},
                            {3, "debug string"},
                            {4, "pod repeated bytes"},
                            {5, "podBytes repeated bytes"}}}});
}

TEST(ExternalGrpcDescriptors, MatchTheWrittenPartOfAKubernetesPod) {
    expect(
        "k8s.io.api.core.v1",
        {{"Pod", {{1, "metadata ObjectMeta"}, {2, "spec PodSpec"}}},
         {"PodSpec",
          {{2, "containers repeated Container"},
           {7, "nodeSelector map<string, string>"},
           {18, "affinity Affinity"},
           {19, "schedulerName string"},
           {22, "tolerations repeated Toleration"},
           {25, "priority int32"}}},
         {"Container", {{1, "name string"}, {8, "resources ResourceRequirements"}}},
         {"ResourceRequirements", {{2, "requests map<string, Quantity>"}}},
         {"Toleration",
          {{1, "key string"}, {2, "operator string"}, {3, "value string"}, {4, "effect string"}}},
         {"Affinity", {{1, "nodeAffinity NodeAffinity"}}},
         {"NodeAffinity",
          {{1, "requiredDuringSchedulingIgnoredDuringExecution NodeSelector"},
           {2,
            "preferredDuringSchedulingIgnoredDuringExecution repeated "
            "PreferredSchedulingTerm"}}},
         {"NodeSelector", {{1, "nodeSelectorTerms repeated NodeSelectorTerm"}}},
         {"PreferredSchedulingTerm", {{1, "weight int32"}, {2, "preference NodeSelectorTerm"}}},
         {"NodeSelectorTerm",
          {{1, "matchExpressions repeated NodeSelectorRequirement"},
           {2, "matchFields repeated NodeSelectorRequirement"}}},
         {"NodeSelectorRequirement",
          {{1, "key string"}, {2, "operator string"}, {3, "values repeated string"}}}});
    const Fields metadata = Definitions().fields("k8s.io.api.core.v1.ObjectMeta");
    EXPECT_EQ(metadata.at(3), "namespace string");
    EXPECT_EQ(metadata.at(13), "ownerReferences repeated OwnerReference");
    const Fields owner = Definitions().fields("k8s.io.api.core.v1.OwnerReference");
    EXPECT_EQ(owner.at(1), "kind string");
    EXPECT_EQ(owner.at(3), "name string");
    EXPECT_EQ(owner.at(6), "controller bool");
}

TEST(ExternalGrpcDescriptors, MatchTheReadPartOfAKubernetesNode) {
    expect(
        "k8s.io.api.core.v1",
        {{"Quantity", {{1, "string string"}}},
         {"Taint", {{1, "key string"}, {2, "value string"}, {3, "effect string"}}},
         {"NodeSpec", {{3, "providerID string"}, {5, "taints repeated Taint"}}},
         {"NodeStatus",
          {{1, "capacity map<string, Quantity>"}, {2, "allocatable map<string, Quantity>"}}},
         {"Node", {{1, "metadata ObjectMeta"}, {2, "spec NodeSpec"}, {3, "status NodeStatus"}}}});
    const Fields metadata = Definitions().fields("k8s.io.api.core.v1.ObjectMeta");
    EXPECT_EQ(metadata.at(1), "name string");
    EXPECT_EQ(metadata.at(11), "labels map<string, string>");
    EXPECT_EQ(metadata.at(12), "annotations map<string, string>");
}

}  // namespace
}  // namespace capstan::external_grpc
