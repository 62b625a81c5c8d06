#include "kubernetes/field_mask.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "kubernetes/object_stream.hpp"

namespace capstan::kubernetes {
namespace {

struct LastObject final : ObjectSink {
    void take(std::string_view, const boost::json::value& object) override { value = object; }
    void take_error(std::string_view) override {}
    boost::json::value value;
};

/// Objects of most kinds with most of the members that their decoders read.
TEST(FieldMask, KeepsMembersThatDecodersRead) {
    for (
        const char* text : {
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"n","name":"p","uid":"u","labels":{"a":"b"},
                 "annotations":{"c":"d"},"creationTimestamp":"t","deletionTimestamp":"t",
                 "generation":3,
                 "ownerReferences":[{"apiVersion":"v1","kind":"k","name":"n","uid":"u","controller":true}]},
                "spec":{"nodeName":"n","schedulerName":"s","priority":1,"preemptionPolicy":"Never","priorityClassName":"c","hostNetwork":true,
                 "nodeSelector":{"a":"b"},"overhead":{"cpu":"1"},"resources":{"requests":{"cpu":"1"}},
                 "containers":[{"restartPolicy":"Always","resources":{"limits":{"cpu":"1"}},"ports":[{"hostPort":1}]}],
                 "initContainers":[{"restartPolicy":"Always","resources":{},"ports":[]}],
                 "affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z"}]}},
                 "tolerations":[{"key":"k"}],"topologySpreadConstraints":[{"maxSkew":1}],
                 "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}},{"emptyDir":{"medium":"Memory"}},
                            {"hostPath":{}},{"ephemeral":{}},{"awsElasticBlockStore":{"volumeID":"v"}}],
                 "resourceClaims":[{"name":"r"}],"terminationGracePeriodSeconds":30,"schedulingGates":[{"name":"g"}]},
                "status":{"phase":"Pending","nominatedNodeName":"n",
                 "conditions":[{"type":"PodScheduled","status":"False","reason":"r"}]}})",
            R"({"metadata":{"name":"n"},"spec":{"providerID":"p","taints":[{"key":"k"}],"unschedulable":true},
                "status":{"capacity":{"cpu":"1"},"allocatable":{"cpu":"1"},
                 "addresses":[{"type":"InternalIP","address":"10.0.0.1"}],
                 "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"t"}]}})",
            R"({"metadata":{"name":"d"},"spec":{"template":{"metadata":{"labels":{"a":"b"},"annotations":{}},
                 "spec":{"containers":[{"resources":{"requests":{"cpu":"1"}}}],"tolerations":[{}]}}}})",
            R"({"metadata":{"name":"c"},"spec":{"volumeName":"v","storageClassName":"s","accessModes":["m"],
                 "resources":{"requests":{"storage":"1"}}}})",
            R"({"metadata":{"name":"v"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[]}},
                 "csi":{"driver":"d","volumeHandle":"h"},"capacity":{"storage":"1"},
                 "claimRef":{"name":"n","namespace":"n"}}})",
            R"({"metadata":{"name":"v"},"spec":{"azureDisk":{"diskURI":"d","kind":"Managed"},"cinder":{"volumeID":"v"},
                 "gcePersistentDisk":{"pdName":"d"},"portworxVolume":{"volumeID":"v"}}})",
            R"({"metadata":{"name":"s"},"provisioner":"p","volumeBindingMode":"m","allowedTopologies":[{"a":1}]})",
            R"({"metadata":{"name":"n"},"spec":{"drivers":[{"name":"d","allocatable":{"count":1}}]}})",
            R"({"metadata":{"name":"d"},"spec":{"storageCapacity":true}})",
            R"({"metadata":{"name":"b"},"spec":{"selector":{"matchLabels":{"a":"b"}}},
                "status":{"disruptionsAllowed":1,"observedGeneration":1}})",
            R"({"metadata":{"name":"r","resourceVersion":"7"},"spec":{"replicas":3},
                "status":{"conditions":[{"type":"ReplicaFailure","status":"True","message":"m"}]}})",
            R"({"metadata":{"name":"j"},"spec":{"completions":3,"parallelism":2,"suspend":true},
                "status":{"succeeded":1}})",
            R"({"metadata":{"name":"s"},"spec":{"selector":{"app":"web"}}})",
            R"({"kind":"Status","code":429,"reason":"TooManyRequests","message":"m",
                "details":{"causes":[{"message":"m"}],"retryAfterSeconds":2}})",
            R"({"metadata":{"name":"c"},"storageClassName":"s","nodeTopology":{"a":1},"capacity":"1"})",
        }) {
        LastObject last;
        ObjectStream stream(last);
        ASSERT_TRUE(stream.write(text));
        EXPECT_EQ(last.value, boost::json::parse(text));
    }
}

TEST(FieldMask, KeepsMomentsOnlyOfFiles) {
    for (
        const char* text :
        {R"({"metadata":{"name":"n","deletionGracePeriodSeconds":30,"managedFields":[{"manager":"m","time":"t"}]},
              "spec":{"taints":[{"key":"k"}],"nodeName":"n","csi":{"driver":"d"}},
              "status":{"phase":"Running","startTime":"t",
               "conditions":[{"type":"Ready","lastHeartbeatTime":"t","lastTransitionTime":"t"}],
               "containerStatuses":[{"name":"c","state":{"running":{"startedAt":"t"}},
                                     "lastState":{"terminated":{"finishedAt":"t"}}}]}})",
         R"({"metadata":{"name":"l"},"spec":{"renewTime":"t"}})",
         R"({"kind":"Event","lastTimestamp":"t","eventTime":"t","series":{"lastObservedTime":"t"}})"}) {
        LastObject of_file, of_server;
        ObjectStream file(of_file, file_mask()), server(of_server);
        ASSERT_TRUE(file.write(text));
        ASSERT_TRUE(server.write(text));
        EXPECT_EQ(of_file.value, boost::json::parse(text));
        EXPECT_NE(of_server.value, boost::json::parse(text));
    }
}

}  // namespace
}  // namespace capstan::kubernetes
