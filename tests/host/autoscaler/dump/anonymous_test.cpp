#include "autoscaler/dump/anonymous.hpp"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "autoscaler/dump/dump_facts.hpp"

namespace capstan::autoscaler::dump {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string anonymous(const std::string& objects) {
    json::array items = json::parse("[" + objects + "]").as_array();
    make_anonymous(items);
    return json::serialize(items);
}

std::string text_at(const json::value& value, const char* place) {
    return std::string(value.at_pointer(place).as_string());
}

TEST(AnonymousDump, KeepsReferencesBetweenObjects) {
    const json::value out = json::parse(anonymous(R"(
        {"kind":"Node","metadata":{"name":"ip-10-0-1-7","labels":{"kubernetes.io/hostname":"ip-10-0-1-7",
          "acme.com/team":"payments","topology.kubernetes.io/zone":"eu-1a"}},
         "spec":{"providerID":"aws:///eu-1a/i-07","taints":[{"key":"acme.com/team","value":"payments","effect":"NoSchedule"}]},
         "status":{"capacity":{"cpu":"4","acme.com/fpga":"2"},"addresses":[{"type":"InternalIP","address":"10.0.1.7"},{"type":"Hostname","address":"ip-10-0-1-7"}]}},
        {"kind":"Pod","metadata":{"namespace":"shop","name":"web-0","labels":{"app":"web"},
          "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u-1","controller":true}]},
         "spec":{"nodeName":"ip-10-0-1-7","nodeSelector":{"acme.com/team":"payments"},
          "containers":[{"resources":{"requests":{"acme.com/fpga":"1"}}}],
          "tolerations":[{"key":"acme.com/team","operator":"Equal","value":"payments"}],
          "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
            {"topologyKey":"acme.com/team","labelSelector":{"matchLabels":{"app":"web"}}}]}},
          "volumes":[{"name":"cache","ephemeral":{"volumeClaimTemplate":{}}}]}},
        {"kind":"PersistentVolumeClaim","metadata":{"namespace":"shop","name":"web-0-cache"}},
        {"kind":"ReplicaSet","metadata":{"namespace":"shop","name":"web","uid":"u-1"}},
        {"kind":"PodDisruptionBudget","metadata":{"namespace":"shop","name":"web"},
         "spec":{"selector":{"matchExpressions":[{"key":"app","operator":"In","values":["web"]}]}}},
        {"kind":"Namespace","metadata":{"name":"shop","labels":{"kubernetes.io/metadata.name":"shop"}}})"));
    const json::value &node = out.at(0), &pod = out.at(1);
    const auto name = [](const json::value& object) { return text_at(object, "/metadata/name"); };
    EXPECT_EQ(text_at(node, "/metadata/labels/kubernetes.io~1hostname"), name(node));
    EXPECT_EQ(text_at(node, "/status/addresses/1/address"), name(node));
    EXPECT_NE(text_at(node, "/status/addresses/0/address"), "10.0.1.7");
    EXPECT_EQ(text_at(pod, "/spec/nodeName"), name(node));
    const json::value& taint = node.at_pointer("/spec/taints/0");
    const json::value& tolerated = pod.at_pointer("/spec/tolerations/0");
    EXPECT_EQ(taint.at("key"), tolerated.at("key"));
    EXPECT_EQ(taint.at("value"), tolerated.at("value"));
    EXPECT_EQ(pod.at_pointer("/spec/nodeSelector").as_object().begin()->key(),
              text_at(taint, "/key"));
    const json::value& term = pod.at_pointer(
        "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0");
    EXPECT_EQ(term.at("topologyKey"), taint.at("key"));
    EXPECT_EQ(term.at_pointer("/labelSelector/matchLabels"), pod.at_pointer("/metadata/labels"));
    EXPECT_EQ(text_at(pod, "/spec/volumes/0/persistentVolumeClaim/claimName"), name(out.at(2)));
    const json::value& owner = pod.at_pointer("/metadata/ownerReferences/0");
    EXPECT_EQ(text_at(owner, "/name"), name(out.at(3)));
    EXPECT_EQ(owner.at("uid"), out.at(3).at_pointer("/metadata/uid"));
    const json::value& selected = out.at(4).at_pointer("/spec/selector/matchExpressions/0");
    const auto& label = *pod.at_pointer("/metadata/labels").as_object().begin();
    EXPECT_EQ(text_at(selected, "/key"), label.key());
    EXPECT_EQ(selected.at_pointer("/values/0"), label.value());
    EXPECT_EQ(text_at(out.at(5), "/metadata/labels/kubernetes.io~1metadata.name"), name(out.at(5)));
    const auto& capacity = node.at_pointer("/status/capacity").as_object();
    ASSERT_EQ(capacity.size(), 2u);
    EXPECT_EQ(capacity.at("cpu"), "4");
    EXPECT_TRUE(pod.at_pointer("/spec/containers/0/resources/requests")
                    .as_object()
                    .contains((capacity.begin() + 1)->key()));
    const std::string text = json::serialize(out);
    for (const char* original : {"ip-10", "acme", "payments", "eu-1a", "i-07", "fpga", "shop",
                                 "web", "cache", "u-1", "app\""})
        EXPECT_THAT(text, Not(HasSubstr(original)));
}

TEST(AnonymousDump, KeepsNamesOfInTreePluginsAndTheirDrivers) {
    const std::string text = anonymous(R"(
        {"kind":"CSINode","metadata":{"name":"ip-10-0-1-7","annotations":{
          "storage.alpha.kubernetes.io/migrated-plugins":"kubernetes.io/aws-ebs"}},
         "spec":{"drivers":[{"name":"ebs.csi.aws.com","allocatable":{"count":25}}]}},
        {"kind":"StorageClass","metadata":{"name":"gp2"},"provisioner":"kubernetes.io/aws-ebs"},
        {"kind":"PersistentVolume","metadata":{"name":"pv-1"},
         "spec":{"awsElasticBlockStore":{"volumeID":"aws://eu-1a/vol-1","fsType":"ext4"}}},
        {"kind":"Pod","metadata":{"name":"web"},
         "spec":{"volumes":[{"azureDisk":{"diskURI":"/disks/secret","kind":"Managed"}}]}})");
    const json::value out = json::parse(text);
    const char* plugins = "/metadata/annotations/storage.alpha.kubernetes.io~1migrated-plugins";
    EXPECT_EQ(text_at(out.at(0), plugins), "kubernetes.io/aws-ebs");
    EXPECT_EQ(text_at(out.at(0), "/spec/drivers/0/name"), "ebs.csi.aws.com");
    EXPECT_EQ(text_at(out.at(1), "/provisioner"), "kubernetes.io/aws-ebs");
    EXPECT_EQ(text_at(out.at(3), "/spec/volumes/0/azureDisk/kind"), "Managed");
    EXPECT_TRUE(out.at(2).as_object().at("spec").as_object().contains("awsElasticBlockStore"));
    for (const char* name : {"vol-1", "secret", "gp2"}) EXPECT_THAT(text, Not(HasSubstr(name)));
}

TEST(AnonymousDump, KeepsOnlyWellKnownKeysAndValues) {
    struct Case {
        const char* key;
        const char* value;
        bool key_stays, value_stays;
    };
    const Case cases[]{
        {"kubernetes.io/arch", "arm64", true, true},
        {"node.kubernetes.io/instance-type", "m5.large", true, true},
        {"karpenter.sh/capacity-type", "spot", true, true},
        {"zalando.org/scaling-priority", "100", true, true},
        {"eks.amazonaws.com/nodegroup", "payments", true, false},
        {"topology.kubernetes.io/zone", "eu-west-1a", true, false},
        {"topology.ebs.csi.aws.com/zone", "eu-west-1a", true, false},
        {"apps.kubernetes.io/pod-index", "7", true, true},
        {"eks.amazonaws.com/account", "123456789012", true, false},
        {"node-role.kubernetes.io/control-plane", "", true, true},
        {"node-role.kubernetes.io/payments", "", false, true},
        {"acme.example/tier", "gold", false, false},
        {"notkubernetes.io/tier", "gold", false, false},
        {"tier", "7000000", false, false},
        {"critical", "true", false, true},
        {"type", "virtual-kubelet", true, true},
        {"type", "payments", true, false},
    };
    for (const Case& c : cases) {
        const json::object labels{{c.key, c.value}};
        const json::value out = json::parse(anonymous(json::serialize(
            json::object{{"kind", "Node"}, {"metadata", {{"name", "n"}, {"labels", labels}}}})));
        const auto& label = *out.at_pointer("/0/metadata/labels").as_object().begin();
        EXPECT_EQ(label.key() == c.key, c.key_stays) << c.key << " " << label.key();
        EXPECT_EQ(label.value() == c.value, c.value_stays) << c.key << " " << label.value();
    }
}

TEST(AnonymousDump, KeepsNumbersOfComparisons) {
    const std::string out = anonymous(R"(
        {"kind":"Node","metadata":{"name":"n","labels":{"acme.com/disks":"12"}}},
        {"kind":"Pod","metadata":{"name":"p"},"spec":{"affinity":{"nodeAffinity":{
          "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[
            {"key":"acme.com/disks","operator":"Gt","values":["11"]}]}]}}}}})");
    EXPECT_THAT(out, HasSubstr(R"("12")"));
    EXPECT_THAT(out, HasSubstr(R"(["11"])"));
    EXPECT_THAT(out, Not(HasSubstr("disks")));
}

TEST(AnonymousDump, SortsAliasesLikeTheOriginals) {
    std::string objects;
    for (const char* name : {"web-10", "api", "web-9", "zoo", "web", "b", "c", "d", "e", "f", "g"})
        objects += std::string(objects.empty() ? "" : ",") +
                   R"({"kind":"Node","metadata":{"name":")" + name + R"("}})";
    const json::value out = json::parse(anonymous(objects));
    const auto alias = [&](std::size_t i) { return text_at(out.as_array()[i], "/metadata/name"); };
    EXPECT_LT(alias(1), alias(4));
    EXPECT_LT(alias(4), alias(0));
    EXPECT_LT(alias(0), alias(2));
    EXPECT_LT(alias(2), alias(3));
    EXPECT_EQ(alias(0).size(), alias(3).size());
}

TEST(AnonymousDump, RemovesUnusedFieldsAndReasonsWithNames) {
    const std::string out = anonymous(R"(
        {"kind":"CapstanDump","metadata":{"name":"dump","annotations":{"Pod":"asked",
          "Job":"not taken: jobs is forbidden: User \"ann\" cannot list"}}},
        {"kind":"Pod","metadata":{"name":"p","secret":"hush","annotations":{
          "cluster-autoscaler.kubernetes.io/safe-to-evict":"true",
          "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes":"tmp, cache",
          "cluster-autoscaler.kubernetes.io/pod-scale-up-delay":"90s"}},
         "spec":{"containers":[{"name":"c","image":"registry.acme/web","env":[{"name":"A","value":"hush"}],
           "ports":[{"name":"http","hostPort":80,"hostIP":"10.1.2.3"}]}],
          "volumes":[{"name":"cache","emptyDir":{}}]},
         "status":{"phase":"Pending","conditions":[{"type":"acme.com/Ready","status":"True"},
           {"type":"PodScheduled","status":"False","reason":"Unschedulable"}]}})");
    for (const char* original :
         {"hush", "acme", "cannot list", "http", "10.1.2.3", "tmp", "cache\""})
        EXPECT_THAT(out, Not(HasSubstr(original)));
    for (const char* stays : {"Unschedulable", R"("90s")", R"("hostPort":80)", R"("Pod":"asked")",
                              R"("Job":"not taken")", R"(safe-to-evict":"true")"})
        EXPECT_THAT(out, HasSubstr(stays));
    const json::value pod = json::parse(out).as_array()[1];
    EXPECT_THAT(text_at(pod,
                        "/metadata/annotations/"
                        "cluster-autoscaler.kubernetes.io~1safe-to-evict-local-volumes"),
                HasSubstr(", " + text_at(pod, "/spec/volumes/0/name")));
}

}  // namespace
}  // namespace capstan::autoscaler::dump
