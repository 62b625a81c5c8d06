// Situations in which pods wait or nodes stay: what `capstan explain` answers, and the remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "shell.hpp"

namespace capstan::commands {
namespace {

/// JSON is written with ' for ".
std::string quoted(std::string text) {
    std::ranges::replace(text, '\'', '"');
    return text;
}

std::string object(const std::string& kind, const std::string& name, const std::string& rest,
                   const std::string& metadata = {}) {
    return "{'kind':'" + kind + "','metadata':{'namespace':'shop','name':'" + name + "','uid':'" +
           name + "','generation':1,'creationTimestamp':'2026-01-01T01:00:00Z'" + metadata + "}," +
           rest + "}";
}

/// A node of 4 cores, of which pods get 3920m, in a zone; of the pool "web" unless `labels` say
/// otherwise.
std::string node(const std::string& name, const std::string& zone, const std::string& spec = "",
                 const std::string& labels = "'agentpool':'web'", const std::string& ready = "True",
                 const std::string& metadata = "") {
    return "{'kind':'Node','metadata':{'name':'" + name +
           "','creationTimestamp':'2026-01-01T00:00:00Z','labels':{'kubernetes.io/hostname':'" +
           name + "','topology.kubernetes.io/zone':'" + zone + "','kubernetes.io/arch':'amd64'," +
           labels + "}" + metadata + "},'spec':{" + spec +
           "},'status':{'capacity':{'cpu':'4','memory':'16Gi','pods':'20','ephemeral-storage':"
           "'50Gi'},'allocatable':{'cpu':'3920m','memory':'15Gi','pods':'20','ephemeral-storage':"
           "'50Gi'},'conditions':[{'type':'Ready','status':'" +
           ready + "','lastTransitionTime':'2026-01-01T00:51:00Z'}]}}";
}

constexpr const char* unschedulable =
    "'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False',"
    "'reason':'Unschedulable'}]";

/// A pod that waits and requests 1 core, unless `requests` say otherwise.
std::string pod(const std::string& name, const std::string& spec = "",
                const std::string& requests = "'cpu':'1'",
                const std::string& status = unschedulable, const std::string& metadata = "") {
    return object("Pod", name,
                  "'spec':{'containers':[{'resources':{'requests':{" + requests + "}}}]" +
                      (spec.empty() ? "" : "," + spec) + "},'status':{" + status + "}",
                  metadata);
}

std::string in_namespace(const std::string& ns, std::string object) {
    const std::string shop = "'namespace':'shop'";
    return object.replace(object.find(shop), shop.size(), "'namespace':'" + ns + "'");
}

std::string owned_by(const std::string& kind, const std::string& name) {
    return ",'ownerReferences':[{'apiVersion':'apps/v1','kind':'" + kind + "','name':'" + name +
           "','uid':'" + name + "','controller':true}]";
}

/// A pod that runs on the node.
std::string running(const std::string& name, const std::string& on, const std::string& cpu,
                    const std::string& metadata = owned_by("ReplicaSet", "web"),
                    const std::string& spec = "") {
    return pod(name, "'nodeName':'" + on + "'" + (spec.empty() ? "" : "," + spec),
               "'cpu':'" + cpu + "'", "'phase':'Running'", metadata);
}

/// Two nodes in two zones without room for a pod of one core, with the ReplicaSet of the pods that
/// run on them.
std::string full_nodes() {
    return node("web-1", "a") + "," + node("web-2", "b") + "," + running("filler-1", "web-1", "3") +
           "," + running("filler-2", "web-2", "3") + "," +
           object("ReplicaSet", "web", "'spec':{'replicas':2}");
}

std::string claim(const std::string& name, const std::string& spec) {
    return object("PersistentVolumeClaim", name, "'spec':{" + spec + "}");
}

std::string with_claim(const std::string& name) {
    return "'volumes':[{'name':'data','persistentVolumeClaim':{'claimName':'" + name + "'}}]";
}

std::string selecting(const std::string& labels) { return "'nodeSelector':{" + labels + "}"; }

struct Situation {
    const char* name;
    std::string question;  ///< "pod shop/x"
    std::string items;     ///< of a dump, or a scenario
    std::vector<std::string> expected;
    std::vector<std::string> absent = {};
};

void check(const Situation& situation) {
    const Folder folder;
    const bool is_scenario = situation.items.starts_with("title");
    const std::string file = folder.write(
        is_scenario ? "scenario.toml" : "dump.json",
        is_scenario
            ? situation.items
            : quoted("{'kind':'List','apiVersion':'v1','items':[" + situation.items + "]}"));
    const CommandResult ran = capstan("explain " + situation.question + " -f '" + file + "'");
    EXPECT_EQ(ran.code, 0) << situation.name << ": " << ran.err;
    for (const std::string& text : situation.expected)
        EXPECT_THAT(ran.out, ::testing::HasSubstr(text)) << situation.name;
    for (const std::string& text : situation.absent)
        EXPECT_THAT(ran.out, ::testing::Not(::testing::HasSubstr(text))) << situation.name;
}

TEST(ExplainSituations, PodsThatFitNoNodeGroup) {
    const std::string label_remedy =
        "remedy: change the pod's node selector or affinity, or add a group whose nodes have "
        "label ";
    const Situation situations[] = {
        {"wrong selector",
         "pod shop/x",
         full_nodes() + "," + pod("x", selecting("'disk':'ssd'")),
         {"wants disk=ssd, the node has no disk", label_remedy + "disk"}},
        {"typo in the zone",
         "pod shop/x",
         full_nodes() + "," + pod("x", selecting("'topology.kubernetes.io/zone':'aa'")),
         {"wants topology.kubernetes.io/zone=aa", label_remedy + "topology.kubernetes.io/zone"}},
        {"taint",
         "pod shop/x",
         node("web-1", "a", "'taints':[{'key':'team','value':'red','effect':'NoSchedule'}]") + "," +
             pod("x"),
         {"untolerated taint {team: red}", "remedy: add a toleration for team to the pod"}},
        {"taint of nodes that start",
         "pod shop/x",
         node("web-1", "a", "'taints':[{'key':'agent-missing','value':'','effect':'NoSchedule'}]") +
             "," + pod("x"),
         {"untolerated taint {agent-missing: }",
          "or list the taint in scale_up.startup_taint if it is removed after startup"}},
        {"spread over more zones than there are",
         "pod shop/x",
         full_nodes() + "," +
             pod("x",
                 "'topologySpreadConstraints':[{'maxSkew':1,'minDomains':3,'topologyKey':"
                 "'topology.kubernetes.io/zone','whenUnsatisfiable':'DoNotSchedule',"
                 "'labelSelector':{'matchLabels':{'app':'x'}}}]",
                 "'cpu':'1'", unschedulable, ",'labels':{'app':'x'}") +
             "," + running("x-1", "web-1", "100m", ",'labels':{'app':'x'}") + "," +
             running("x-2", "web-2", "100m", ",'labels':{'app':'x'}"),
         {"only 2 of 3 domains exist (minDomains)", "remedy: raise maxSkew"}},
        {"anti-affinity in each zone",
         "pod shop/x",
         full_nodes() + "," +
             pod("x",
                 "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                 "[{'topologyKey':'topology.kubernetes.io/zone','labelSelector':{'matchLabels':"
                 "{'app':'x'}}}]}}",
                 "'cpu':'1'", unschedulable, ",'labels':{'app':'x'}") +
             "," + running("x-1", "web-1", "100m", ",'labels':{'app':'x'}") + "," +
             running("x-2", "web-2", "100m", ",'labels':{'app':'x'}"),
         {"anti-affinity", "remedy: relax the pod's affinity or anti-affinity"}},
        {"affinity to pods that do not exist",
         "pod shop/x",
         full_nodes() + "," +
             pod("x",
                 "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                 "[{'topologyKey':'topology.kubernetes.io/zone','labelSelector':{'matchLabels':"
                 "{'app':'nobody'}}}]}}"),
         {"has none of the pods with app=nobody", "remedy: relax the pod's affinity"}},
        {"no label of a GPU",
         "pod shop/x",
         full_nodes() + "," + pod("x", selecting("'accelerator':'a100'")),
         {"wants accelerator=a100", label_remedy + "accelerator"}},
        {"taint of GPU nodes",
         "pod shop/x",
         node("gpu-1", "a", "'taints':[{'key':'nvidia.com/gpu','value':'','effect':'NoSchedule'}]",
              "'agentpool':'gpu'") +
             "," + pod("x"),
         {"untolerated taint {nvidia.com/gpu: }", "remedy: add a toleration for nvidia.com/gpu"}},
        {"more GPUs than a machine has",
         "pod shop/x",
         full_nodes() + "," + pod("x", "", "'nvidia.com/gpu':'8'"),
         {"Insufficient nvidia.com/gpu: needs 8, 0 of 0 are free",
          "remedy: lower the pod's request for nvidia.com/gpu, or add a group whose "
          "machines have more"}},
        {"more ephemeral storage than a machine has",
         "pod shop/x",
         full_nodes() + "," + pod("x", "", "'ephemeral-storage':'200Gi'"),
         {"Insufficient ephemeral-storage: needs 200Gi, 50Gi of 50Gi are free",
          "remedy: lower the pod's request for ephemeral-storage"}},
        {"larger than any machine",
         "pod shop/x",
         full_nodes() + "," + pod("x", "", "'cpu':'12'"),
         {"Insufficient cpu: needs 12, 3920m of 3920m are free",
          "remedy: lower the pod's request for cpu, or add a group whose machines have more"}},
        {"as large as a machine, with DaemonSets",
         "pod shop/x",
         node("web-1", "a") + "," + pod("x", "", "'cpu':'3920m'") + "," +
             object("DaemonSet", "logs",
                    "'spec':{'template':{'spec':{'containers':[{'resources':{'requests':"
                    "{'cpu':'200m'}}}]}}}") +
             "," + running("logs-1", "web-1", "200m", owned_by("DaemonSet", "logs")),
         {"Insufficient cpu: needs 3920m, 3720m of 3920m are free (200m for DaemonSets)",
          "remedy: lower the pod's request for cpu"}},
        {"resource claims",
         "pod shop/x",
         full_nodes() + "," + pod("x", "'resourceClaims':[{'name':'gpu'}]"),
         {"not supported: the pod uses resource claims",
          "remedy: add nodes for the pod by hand: raise the target of a group"}},
    };
    for (const Situation& situation : situations) check(situation);
}

TEST(ExplainSituations, PodsWithVolumes) {
    const std::string zonal_volume =
        claim("data", "'volumeName':'pv','storageClassName':'gp3'") + "," +
        object("PersistentVolume", "pv",
               "'spec':{'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':"
               "[{'key':'topology.kubernetes.io/zone','operator':'In','values':['c']}]}]}}}");
    const Situation situations[] = {
        {"volume in another zone",
         "pod shop/x",
         full_nodes() + "," + pod("x", with_claim("data")) + "," + zonal_volume,
         {"volume \"pv\" wants topology.kubernetes.io/zone in [c]",
          "add a group in the zone of its volume"}},
        {"claim missing",
         "pod shop/x",
         full_nodes() + "," + pod("x", with_claim("data")),
         {"persistentvolumeclaim \"data\" not found",
          "remedy: check the claim and its StorageClass"}},
        {"StorageClass missing",
         "pod shop/x",
         full_nodes() + "," + pod("x", with_claim("data")) + "," +
             claim("data", "'storageClassName':'fast'"),
         {"pod has unbound immediate PersistentVolumeClaims: \"data\" (StorageClass \"fast\" not "
          "found)",
          "remedy: check the claim and its StorageClass"}},
    };
    for (const Situation& situation : situations) check(situation);
}

TEST(ExplainSituations, PodsThatDoNotCount) {
    const std::string fits = "is not bound to it";
    const Situation situations[] = {
        {"priority below the cutoff",
         "pod shop/x",
         full_nodes() + "," + pod("x", "'priority':-20"),
         {"does not count as pending: expendable: priority below -10",
          "remedy: raise the pod's priority, or lower scale_up.expendable_pods_priority_cutoff"},
         {"0 pending pods"}},
        {"nominated to a node",
         "pod shop/x",
         full_nodes() + "," +
             pod("x", "", "'cpu':'1'", std::string(unschedulable) + ",'nominatedNodeName':'web-1'"),
         {"does not count as pending: nominated to a node by preemption",
          "remedy: wait until the pods that it preempts have ended"}},
        {"pod of a DaemonSet",
         "pod shop/x",
         full_nodes() + "," +
             pod("x", "", "'cpu':'1'", unschedulable, owned_by("DaemonSet", "logs")),
         {"does not count as pending: DaemonSet pods need no new node",
          "remedy: free room on the pod's node, or lower its requests"}},
        {"gated, and would fit",
         "pod shop/x",
         node("web-1", "a") + "," +
             pod("x", "'schedulingGates':[{'name':'example.com/quota'}]", "'cpu':'1'",
                 "'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False',"
                 "'reason':'SchedulingGated'}]"),
         {"does not count as pending: waiting for a scheduling gate",
          "remedy: remove the pod's schedulingGates"},
         {fits}},
        {"another scheduler",
         "pod shop/x --set 'scale_up.allowed_scheduler_names=[\"default-scheduler\"]'",
         full_nodes() + "," + pod("x", "'schedulerName':'volcano'"),
         {"does not count as pending: scheduler \"volcano\" is not in "
          "scale_up.allowed_scheduler_names",
          "remedy: add the scheduler to scale_up.allowed_scheduler_names"}},
        {"another scheduler, and would fit",
         "pod shop/x",
         node("web-1", "a") + "," + pod("x", "'schedulerName':'volcano'"),
         {"would fit on web-1 now, but scheduler \"volcano\" has not bound it"}},
        {"all of them",
         "matrix",
         full_nodes() + "," + pod("x", "'priority':-20") + "," +
             pod("y", "'schedulingGates':[{'name':'example.com/quota'}]"),
         {"no pending pods", "expendable: priority below -10", "waiting for a scheduling gate",
          "raise the pod's priority"}},
        {"fits now",
         "pod shop/x",
         node("web-1", "a") + "," + pod("x"),
         {"would fit on web-1 now, but " + fits, "1 fit on existing nodes"}},
    };
    for (const Situation& situation : situations) check(situation);
}

TEST(ExplainSituations, AreAnsweredAsJson) {
    const Folder folder;
    const std::string file = folder.write(
        "dump.json", quoted("{'kind':'List','apiVersion':'v1','items':[" + full_nodes() + "," +
                            pod("x", "'schedulingGates':[{'name':'example.com/quota'}]") + "]}"));
    const auto ask = [&](const std::string& question) {
        const CommandResult ran = capstan("explain " + question + " -f '" + file + "' -o json");
        EXPECT_EQ(ran.code, 0) << ran.err;
        return boost::json::parse(ran.out).as_object();
    };
    const boost::json::object of_pod = ask("pod shop/x"), matrix = ask("matrix");
    EXPECT_EQ(of_pod.at("skipped"), "SchedulingGated");
    EXPECT_EQ(of_pod.at("pending"), 0);
    const boost::json::object& skipped = matrix.at("skipped").at(0).as_object();
    EXPECT_EQ(skipped.at("code"), "SchedulingGated");
    EXPECT_EQ(skipped.at("count"), 1);
    EXPECT_EQ(skipped.at("remedy"), of_pod.at("remedy"));
    EXPECT_EQ(ask("node web-1").at("state"), "");
    EXPECT_EQ(ask("group web-a").at("not_similar").as_array().size(), 0u);
}

TEST(ExplainSituations, WorkloadsWithoutPods) {
    const std::string set =
        object("ReplicaSet", "api-7f",
               "'spec':{'replicas':5},'status':{'conditions':[{'type':'ReplicaFailure',"
               "'status':'True','reason':'FailedCreate','message':'exceeded quota: compute, "
               "requested: cpu=2, used: cpu=9, limited: cpu=10'}]}",
               owned_by("Deployment", "api"));
    const std::vector<std::string> expected{
        "wants 5 pods, has 0: exceeded quota: compute, requested: cpu=2, used: cpu=9, limited: "
        "cpu=10",
        "remedy: raise the ResourceQuota"};
    const Situation situations[] = {
        {"its ReplicaSet", "rs/api-7f -n shop", full_nodes() + "," + set, expected},
        {"its Deployment", "deploy/api -n shop", full_nodes() + "," + set, expected},
        {"a pod by the name of its owner", "pod shop/api-7f", full_nodes() + "," + set, expected},
        {"a pod by the beginning of its name", "pod shop/api", full_nodes() + "," + set, expected},
        {"a StatefulSet",
         "sts/db -n shop",
         full_nodes() + "," + object("StatefulSet", "db", "'spec':{'replicas':3}"),
         {"StatefulSet wants 3 pods, has 0: its controller has not created them",
          "remedy: read the Events of the controller"}},
        {"a suspended Job",
         "job/report -n shop",
         full_nodes() + "," +
             object("Job", "report",
                    "'spec':{'suspend':true},'status':{'conditions':[{'type':'Suspended',"
                    "'status':'True','message':'Job suspended'}]}"),
         {"Job wants 0 pods, has 0: Job suspended", "remedy: resume the Job"}},
    };
    for (const Situation& situation : situations) check(situation);
}

TEST(ExplainSituations, NodesThatStay) {
    const auto one_node = [](const std::string& more) {
        return node("web-1", "a") + "," + node("web-2", "a") + "," +
               object("ReplicaSet", "web", "'spec':{'replicas':2}") + "," + more;
    };
    const Situation situations[] = {
        {"naked pod",
         "node web-1",
         one_node(running("x", "web-1", "100m", "")),
         {"BlockedByPod", "pod shop/x has no controller that would recreate it",
          "remedy     annotate the pod with cluster-autoscaler.kubernetes.io/safe-to-evict"}},
        {"local storage",
         "node web-1",
         one_node(running("x", "web-1", "100m", owned_by("ReplicaSet", "web"),
                          "'volumes':[{'name':'cache','emptyDir':{}}]")),
         {"BlockedByPod", "cache",
          "remedy     list the volume in annotation "
          "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"}},
        {"annotation of the pod",
         "node web-1",
         one_node(running("x", "web-1", "100m",
                          owned_by("ReplicaSet", "web") +
                              ",'annotations':{'cluster-autoscaler.kubernetes.io/safe-to-evict':"
                              "'false'}")),
         {"BlockedByPod",
          "remedy     remove annotation cluster-autoscaler.kubernetes.io/safe-to-evict"}},
        {"budget without disruptions",
         "node web-1",
         one_node(running("x", "web-1", "100m",
                          owned_by("ReplicaSet", "web") + ",'labels':{'app':'x'}") +
                  "," +
                  object("PodDisruptionBudget", "x",
                         "'spec':{'maxUnavailable':0,'selector':{'matchLabels':{'app':'x'}}},"
                         "'status':{'disruptionsAllowed':0,'observedGeneration':1}")),
         {"BlockedByPod", "budget shop/x allows 0 disruptions, ever (maxUnavailable 0)",
          "remedy     give the budget maxUnavailable of at least 1"}},
        {"pod of kube-system",
         "node web-1",
         one_node(
             in_namespace("kube-system", running("x", "web-1", "100m")) + "," +
             in_namespace("kube-system", object("ReplicaSet", "web", "'spec':{'replicas':1}"))),
         {"BlockedByPod", "kube-system/x",
          "remedy     add a PodDisruptionBudget for the pod, or set "
          "scale_down.skip_nodes_with_system_pods = false"}},
        {"annotation of the node",
         "node web-1",
         node("web-1", "a", "", "'agentpool':'web'", "True",
              ",'annotations':{'cluster-autoscaler.kubernetes.io/scale-down-disabled':'true'}") +
             "," + pod("x"),
         {"ScaleDownDisabledAnnotation",
          "remedy     remove annotation cluster-autoscaler.kubernetes.io/scale-down-disabled"}},
        {"used node",
         "node web-1",
         one_node(running("x", "web-1", "3")),
         {"NotUnderutilized", "remedy     raise scale_down.utilization_threshold"}},
        {"unready node",
         "node web-2",
         node("web-1", "a") + "," + node("web-2", "a", "", "'agentpool':'web'", "False") + "," +
             pod("x"),
         {"web-2: not ready for "}},
    };
    for (const Situation& situation : situations) check(situation);
}

TEST(ExplainSituations, AnUnhealthyClusterIsNamedFirst) {
    std::string nodes;
    for (int n = 1; n <= 6; ++n)
        nodes += node("web-" + std::to_string(n), "a", "", "'agentpool':'web'",
                      n <= 2 ? "True" : "False") +
                 ",";
    const std::string items = nodes + pod("x", "", "'cpu':'3900m'");
    for (const char* question : {"pod shop/x", "node web-1", "group web", "matrix"}) {
        const Folder folder;
        const std::string file = folder.write(
            "dump.json", quoted("{'kind':'List','apiVersion':'v1','items':[" + items + "]}"));
        const CommandResult ran =
            capstan("explain " + std::string(question) + " -f '" + file + "'");
        EXPECT_EQ(ran.code, 0) << question << ": " << ran.err;
        EXPECT_TRUE(ran.out.starts_with("cluster is unhealthy: 4 of 6 nodes are not ready"))
            << question << ": " << ran.out;
        EXPECT_EQ(ran.out.find("4 of 6 nodes"), ran.out.rfind("4 of 6 nodes")) << ran.out;
        EXPECT_THAT(ran.out, ::testing::HasSubstr("remedy: repair or delete the unready nodes"));
    }
}

/// A group of machines of 4 cores.
std::string scenario_with(const std::string& group, const std::string& rest) {
    return "title = \"x\"\n[[group]]\nid = \"web\"\nmachine = { cpu = \"4\", memory = \"16Gi\" "
           "}\n" +
           group + "\n" + rest;
}

TEST(ExplainSituations, GroupsThatCannotGrow) {
    const std::string two_pods =
        "[[step]]\npods = [{ name = \"ok\", cpu = \"3\" }, { name = \"huge\", cpu = \"12\" }]\n"
        "advance = \"1m\"\n";
    const std::string filled =
        "[[step]]\npods = [{ name = \"filler\", cpu = \"3\", controller = \"replica_set\" }]\n"
        "advance = \"1m\"\n";
    const Situation situations[] = {
        {"at its maximum",
         "pod ok",
         scenario_with("max = 1\nsize = 1", filled + two_pods),
         {"group web: max node group size reached (1)", "remedy: raise max of web"}},
        {"at its maximum, in the matrix",
         "matrix",
         scenario_with("max = 1\nsize = 1", filled + two_pods),
         {"Insufficient cpu: needs 12, 4 of 4 are free; also max node group size reached (1)",
          "web  max node group size reached (1)", "raise max of web",
          "lower the pod's request for cpu"}},
        {"a missing claim, in groups at their maximum",
         "pod shop/x --set simulate.group.web-a.max=1 --set simulate.group.web-b.max=1",
         full_nodes() + "," + pod("x", with_claim("data")),
         {"persistentvolumeclaim \"data\" not found; also max node group size reached (1)",
          "remedy: check the claim"}},
        {"no node group, in the matrix",
         "matrix",
         node("worker", "a", "", "'disk':'ssd'") + "," + pod("x", "", "'cpu':'8'"),
         {"no node group exists", "shop/x (1 pod)"}},
        {"a limit of the cluster",
         "pod ok",
         scenario_with("max = 5\nsize = 1", filled + two_pods) + "[limits.cpu]\nmax = \"4\"\n",
         {"max cluster cpu limit reached: 4 of 4 used, a new node needs 4",
          "remedy: raise limits.cpu.max"}},
        {"backed off",
         "pod ok",
         scenario_with("max = 5\ncapacity = 0", two_pods),
         {"in backoff after failed scale-up until 00:0", " left)",
          "remedy: fix the cause (quota, capacity, permissions)"}},
        {"never joins",
         "pod ok",
         scenario_with("max = 5\njoins = false",
                       "[[step]]\npods = [{ name = \"ok\", cpu = \"3\" }]\n"
                       "advance = \"20m\"\n"),
         {"did not join and start within", "remedy: fix the cause"}},
        {"a host port that a DaemonSet uses",
         "pod ok",
         scenario_with("max = 5",
                       "[[daemon_set]]\nname = \"logs\"\nhost_ports = [\"9100\"]\n"
                       "[[step]]\npods = [{ name = \"ok\", host_ports = [\"9100\"] }]\n"
                       "advance = \"1m\"\n"),
         {"9100/TCP is in use", "remedy: use another hostPort, or a Service instead"}},
        {"as many pods as a node may have",
         "pod ok",
         "title = \"x\"\n[[group]]\nid = \"web\"\nmax = 5\n"
         "machine = { cpu = \"4\", memory = \"16Gi\", pods = 1 }\n"
         "[[daemon_set]]\nname = \"logs\"\n"
         "[[step]]\npods = [{ name = \"ok\" }]\nadvance = \"1m\"\n",
         {"Too many pods: 1 of 1 are used", "remedy: raise maxPods of the kubelets"}},
        {"a group that is not similar",
         "group web",
         scenario_with(
             "max = 5",
             "[[group]]\nid = \"other\"\nmax = 5\n"
             "machine = { cpu = \"4\", memory = \"16Gi\", labels = { team = \"red\" } }\n"
             "[[group]]\nid = \"large\"\nmax = 5\nmachine = { cpu = \"8\", memory = \"32Gi\" }\n"
             "[[step]]\npods = [{ name = \"ok\" }]\nadvance = \"1m\"\n"),
         {"NOT SIMILAR", "other", "labels: label team is missing on ", "large", "resources: "}},
    };
    for (const Situation& situation : situations) check(situation);
}

TEST(ExplainSituations, NamesTheGroupThatThePodSelectsFirst) {
    std::string groups = "title = \"teams\"\n";
    for (int n = 0; n < 40; ++n) {
        const std::string team = "t" + std::to_string(n);
        groups += "[[group]]\nid = \"" + std::string(n < 10 ? "team-0" : "team-") +
                  std::to_string(n) + "\"\nmax = 5\nmachine = { cpu = \"4\", memory = \"16Gi\", " +
                  "labels = { team = \"" + team + "\" }, taints = [\"team=" + team +
                  ":NoSchedule\"] }\n";
    }
    check(
        {"40 teams",
         "pod w",
         groups + "[[step]]\npods = [{ name = \"w\", node_selector = { team = \"t3\" } }]\n"
                  "advance = \"1m\"\n",
         {"0 of 40 node groups can schedule it: 1 node(s) had untolerated taint {team: t3} (group "
          "team-03)",
          "remedy: add a toleration for team to the pod"}});
}

TEST(ExplainSituations, SaysWhenANodeWasRemoved) {
    const std::string idle = scenario_with("max = 5\nsize = 1", "[[step]]\nadvance = \"1h\"\n");
    check({"removed", "node web-1", idle, {"web-1: removed at 10m"}});
    check({"removed earlier", "node web-1 --at 30m", idle, {"web-1: removed at 10m"}});
    check({"still there", "node web-1 --at 5m", idle, {"web-1\n"}, {"removed at"}});
}

}  // namespace
}  // namespace capstan::commands
