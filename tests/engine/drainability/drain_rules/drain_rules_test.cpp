#include "engine/drainability/drain_rules/drain_rules.hpp"

#include <functional>

#include <gmock/gmock.h>

#include <capstan/well_known.hpp>

#include "../drain_case.hpp"

namespace capstan::engine::drainability {
namespace {

struct Case {
    const char* what;
    std::function<void(TestCluster&, snapshot::PodObject&)>
        change;  ///< of a pod that would move otherwise
    drainability::Drain drain;
    const char* rule;
    const char* reason = "";
    std::function<void(Settings&)> set = [](Settings&) {};
};

drainability::DrainVerdict judged(const Case& c) {
    TestCluster test_cluster = one_node();
    snapshot::PodObject& pod = replica(test_cluster, "p");
    c.change(test_cluster, pod);
    const snapshot::Cluster cluster = test_cluster.cluster();
    Settings settings;
    c.set(settings);
    const pods::DisruptionBudgets budgets(cluster);
    return drainability::judge(*find_pod(cluster, "p"), {cluster, settings, budgets, noon});
}

void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        const drainability::DrainVerdict verdict = judged(c);
        EXPECT_EQ(verdict.drain, c.drain);
        EXPECT_EQ(verdict.rule, c.rule);
        EXPECT_EQ(verdict.reason, c.reason);
        const bool has_sentence = verdict.drain == drainability::Drain::block ||
                                  verdict.drain == drainability::Drain::wait;
        EXPECT_EQ(verdict.sentence.starts_with("pod "), has_sentence) << verdict.sentence;
    }
}

void deleted(snapshot::PodObject& pod, Duration ago, std::optional<Duration> grace = std::nullopt) {
    pod.deleted = noon - ago;
    pod.spec.termination_grace = grace;
}

void min_two_replicas(Settings& s) { s.scale_down.min_replica_count = 2; }
void custom_controllers_move(Settings& s) {
    s.scale_down.skip_nodes_with_custom_controller_pods = false;
}

TEST(DrainRules, MovePodsWithAController) {
    check({
        {"a ReplicaSet's", [](TestCluster&, snapshot::PodObject&) {}, drainability::Drain::move,
         ""},
        {"a StatefulSet's",
         [](TestCluster&, snapshot::PodObject& p) { owned_by(p, "StatefulSet", "apps"); },
         drainability::Drain::move, ""},
        {"a ReplicationController's",
         [](TestCluster&, snapshot::PodObject& p) { owned_by(p, "ReplicationController"); },
         drainability::Drain::move, ""},
        {"a Job's", [](TestCluster&, snapshot::PodObject& p) { owned_by(p, "Job", "batch"); },
         drainability::Drain::move, ""},
        {"of a kind in another API group",
         [](TestCluster& w, snapshot::PodObject& p) {
             owned_by(p, "StatefulSet", "apps.kruise.io");
             w.controller("StatefulSet", "another");
         },
         drainability::Drain::move, ""},
    });
}

TEST(DrainRules, SkipExpendableAndMirrorPodsAndRecognizeDaemonSetPods) {
    const auto below = [](TestCluster&, snapshot::PodObject& p) { p.spec.priority = -11; };
    check({
        {"expendable", below, drainability::Drain::skip, "expendable"},
        {"expendable and without a controller",
         [&](TestCluster& w, snapshot::PodObject& p) {
             p.owner = {};
             below(w, p);
         },
         drainability::Drain::skip, "expendable"},
        {"below the cutoff with preemptionPolicy Never",
         [&](TestCluster& w, snapshot::PodObject& p) {
             p.spec.never_preempts = true;
             below(w, p);
         },
         drainability::Drain::move, ""},
        {"at the cutoff", [](TestCluster&, snapshot::PodObject& p) { p.spec.priority = -10; },
         drainability::Drain::move, ""},
        {"a mirror pod",
         [](TestCluster&, snapshot::PodObject& p) {
             p.annotations["kubernetes.io/config.mirror"] = "x";
         },
         drainability::Drain::skip, "mirror"},
        {"owned by its node", [](TestCluster&, snapshot::PodObject& p) { owned_by(p, "Node"); },
         drainability::Drain::skip, "mirror"},
        {"a DaemonSet's",
         [](TestCluster&, snapshot::PodObject& p) { owned_by(p, "DaemonSet", "apps"); },
         drainability::Drain::daemon, "daemon_set"},
        {"annotated as a DaemonSet's",
         [](TestCluster&, snapshot::PodObject& p) {
             owned_by(p, "Custom");
             annotate(p, "daemonset-pod", "true");
         },
         drainability::Drain::daemon, "daemon_set"},
        {"a DaemonSet's, not safe to evict",
         [](TestCluster&, snapshot::PodObject& p) {
             owned_by(p, "DaemonSet", "apps");
             annotate(p, "safe-to-evict", "false");
         },
         drainability::Drain::daemon, "daemon_set"},
    });
}

TEST(DrainRules, SkipLongTerminatingPods) {
    const auto alone = [](Duration ago, std::optional<Duration> grace = std::nullopt) {
        return [=](TestCluster&, snapshot::PodObject& p) {
            p.owner = {};
            deleted(p, ago, grace);
        };
    };
    check({
        {"a minute after its deletion", alone(1min), drainability::Drain::block, "replicated",
         "NotReplicated"},
        {"more than a minute after its deletion", alone(1min + 1ns), drainability::Drain::skip,
         "long_terminating"},
        {"within its grace period", alone(5min, 5min), drainability::Drain::block, "replicated",
         "NotReplicated"},
        {"after its grace period", alone(5min + 31s, 5min), drainability::Drain::skip,
         "long_terminating"},
        {"with a grace period of 0", alone(31s, 0s), drainability::Drain::skip, "long_terminating"},
        {"with the longest grace period", alone(1h, Duration::max()), drainability::Drain::block,
         "replicated", "NotReplicated"},
    });
}

TEST(DrainRules, BlockPodsWhoseControllerIsMissingOrHasFewReplicas) {
    const auto of = [](const char* kind, int replicas, const char* name = "its-owner") {
        return [=](TestCluster& w, snapshot::PodObject& p) {
            owned_by(p, kind);
            w.controller(kind, name, replicas);
        };
    };
    check({
        {"existing controller", of("ReplicaSet", 3), drainability::Drain::move, ""},
        {"missing controller", of("ReplicaSet", 3, "another"), drainability::Drain::block,
         "replica_count", "ControllerNotFound"},
        {"no controllers of the kind known",
         [](TestCluster& w, snapshot::PodObject& p) {
             owned_by(p, "ReplicaSet");
             w.controller("StatefulSet", "another");
         },
         drainability::Drain::move, ""},
        {"a missing Job", of("Job", 1, "another"), drainability::Drain::block, "replica_count",
         "ControllerNotFound"},
        {"a missing DaemonSet",
         [](TestCluster& w, snapshot::PodObject& p) {
             owned_by(p, "DaemonSet", "apps");
             w.daemon_set("another");
         },
         drainability::Drain::block, "replica_count", "ControllerNotFound"},
        {"enough replicas", of("ReplicaSet", 2), drainability::Drain::move, "", "",
         min_two_replicas},
        {"too few", of("ReplicaSet", 1), drainability::Drain::block, "replica_count",
         "MinReplicasReached", min_two_replicas},
        {"too few of a ReplicationController", of("ReplicationController", 1),
         drainability::Drain::block, "replica_count", "MinReplicasReached", min_two_replicas},
        {"a StatefulSet of one", of("StatefulSet", 1), drainability::Drain::move, "", "",
         min_two_replicas},
        {"missing controller, ignored", of("ReplicaSet", 3, "another"), drainability::Drain::move,
         "", "", custom_controllers_move},
        {"missing controller, safe to evict",
         [&](TestCluster& w, snapshot::PodObject& p) {
             of("ReplicaSet", 3, "another")(w, p);
             annotate(p, "safe-to-evict", "true");
         },
         drainability::Drain::block, "replica_count", "ControllerNotFound"},
    });
}

TEST(DrainRules, HonourTheSafeToEvictAnnotation) {
    const auto annotated_with = [](const char* word) {
        return [=](TestCluster&, snapshot::PodObject& p) {
            p.owner = {};
            p.ns = "kube-system";
            p.created = noon;
            p.spec.local_volumes = {"data"};
            annotate(p, "safe-to-evict", word);
        };
    };
    check({
        {"safe", annotated_with("true"), drainability::Drain::move, "safe_to_evict"},
        {"safe on completion", annotated_with("on-completion"), drainability::Drain::wait,
         "on_completion"},
        {"unknown value", annotated_with("True"), drainability::Drain::block, "replicated",
         "NotReplicated"},
        {"not safe",
         [](TestCluster&, snapshot::PodObject& p) { annotate(p, "safe-to-evict", "false"); },
         drainability::Drain::block, "not_safe_to_evict", "NotSafeToEvictAnnotation"},
    });
}

TEST(DrainRules, HonourTheAnnotationOfKarpenter) {
    const auto with = [](const char* value, Duration age) {
        return [=](TestCluster&, snapshot::PodObject& p) {
            p.annotations[std::string(well_known::do_not_disrupt_annotation)] = value;
            p.created = noon - age;
        };
    };
    const auto blocked = drainability::Drain::block;
    check({
        {"true", with("true", 10h), blocked, "do_not_disrupt", "NotSafeToEvictAnnotation"},
        {"not old enough", with("4h", 4h), blocked, "do_not_disrupt", "NotSafeToEvictAnnotation"},
        {"old enough", with("4h", 4h + 1ns), drainability::Drain::move, ""},
        {"false", with("false", 1h), drainability::Drain::move, ""},
        {"no duration", with("soon", 1h), drainability::Drain::move, ""},
        {"off", with("true", 10h), drainability::Drain::move, "", "",
         [](Settings& settings) { settings.scale_down.drain_rules_off = {"do_not_disrupt"}; }},
        {"safe to evict comes first",
         [=](TestCluster& w, snapshot::PodObject& p) {
             with("true", 1h)(w, p);
             annotate(p, "safe-to-evict", "true");
         },
         drainability::Drain::move, "safe_to_evict"},
        {"an old system pod",
         [=](TestCluster& w, snapshot::PodObject& p) {
             with("true", 10h)(w, p);
             p.ns = "kube-system";
         },
         blocked, "do_not_disrupt", "NotSafeToEvictAnnotation"},
    });
}

TEST(DrainRules, BlockPodsWithoutAKnownController) {
    const auto custom = [](TestCluster&, snapshot::PodObject& p) {
        owned_by(p, "Rollout", "argoproj.io");
    };
    check({
        {"no controller", [](TestCluster&, snapshot::PodObject& p) { p.owner = {}; },
         drainability::Drain::block, "replicated", "NotReplicated"},
        {"custom controller", custom, drainability::Drain::block, "replicated", "NotReplicated"},
        {"custom controller, allowed", custom, drainability::Drain::move, "", "",
         custom_controllers_move},
        {"no controller, custom controllers allowed",
         [](TestCluster&, snapshot::PodObject& p) { p.owner = {}; }, drainability::Drain::block,
         "replicated", "NotReplicated", custom_controllers_move},
    });
}

TEST(DrainRules, BlockYoungSystemPodsWithoutABudget) {
    const auto aged = [](Duration age) {
        return [=](TestCluster&, snapshot::PodObject& p) {
            p.ns = "kube-system";
            p.created = noon - age;
        };
    };
    check({
        {"young", aged(1h), drainability::Drain::block, "system", "UnmovableKubeSystemPod"},
        {"old", aged(1h + 1ns), drainability::Drain::move, "system"},
        {"old, with local storage",
         [&](TestCluster& w, snapshot::PodObject& p) {
             aged(2h)(w, p);
             p.spec.local_volumes = {"tmp"};
         },
         drainability::Drain::move, "system"},
        {"old, and not safe to evict",
         [&](TestCluster& w, snapshot::PodObject& p) {
             aged(2h)(w, p);
             annotate(p, "safe-to-evict", "false");
         },
         drainability::Drain::block, "not_safe_to_evict", "NotSafeToEvictAnnotation"},
        {"young, with a budget",
         [&](TestCluster& w, snapshot::PodObject& p) {
             aged(0s)(w, p);
             p.labels = {{"app", "dns"}};
             w.budget("dns", 1).ns = "kube-system";
         },
         drainability::Drain::move, ""},
        {"young, ignored", aged(0s), drainability::Drain::move, "", "",
         [](Settings& s) { s.scale_down.skip_nodes_with_system_pods = false; }},
    });
}

TEST(DrainRules, BlockPodsWithLocalStorage) {
    const auto listed = [](const char* list) {
        return [=](TestCluster&, snapshot::PodObject& p) {
            p.spec.local_volumes = {"cache", "data"};
            annotate(p, "safe-to-evict-local-volumes", list);
        };
    };
    const char* reason = "LocalStorageRequested";
    check({
        {"none excepted", listed(""), drainability::Drain::block, "local_storage", reason},
        {"some excepted", listed("cache"), drainability::Drain::block, "local_storage", reason},
        {"others excepted", listed("caches,dat"), drainability::Drain::block, "local_storage",
         reason},
        {"all excepted", listed("data,cache"), drainability::Drain::move, ""},
        {"all excepted, with blanks and commas", listed(" cache ,, data,"),
         drainability::Drain::move, ""},
        {"ignored", listed(""), drainability::Drain::move, "", "",
         [](Settings& s) { s.scale_down.skip_nodes_with_local_storage = false; }},
    });
}

TEST(DrainRules, BlockPodsWhoseBudgetAllowsNoDisruption) {
    const auto allowed = [](int n) {
        return [=](TestCluster& w, snapshot::PodObject& p) {
            p.labels = {{"app", "web"}};
            w.budget("web", n);
        };
    };
    check({
        {"none", allowed(0), drainability::Drain::block, "pdb", "NotEnoughPdb"},
        {"negative", allowed(-1), drainability::Drain::block, "pdb", "NotEnoughPdb"},
        {"one", allowed(1), drainability::Drain::move, ""},
        {"none, pod being deleted",
         [&](TestCluster& w, snapshot::PodObject& p) {
             allowed(0)(w, p);
             deleted(p, 1s);
         },
         drainability::Drain::move, ""},
    });
}

TEST(DrainRules, BlockPodsWithTwoBudgets) {
    const auto of_two = [](TestCluster& w, snapshot::PodObject& p) {
        p.labels = {{"app", "web"}};
        w.budget("web", 5);
        w.budget("again", 5).selector = LabelSelector{.match_labels = {{"app", "web"}}};
    };
    const auto annotated_with = [&](const char* word) {
        return [=](TestCluster& w, snapshot::PodObject& p) {
            of_two(w, p);
            annotate(p, "safe-to-evict", word);
        };
    };
    check({
        {"both allow it", of_two, drainability::Drain::block, "several_pdbs", "NotEnoughPdb"},
        {"safe to evict", annotated_with("true"), drainability::Drain::block, "several_pdbs",
         "NotEnoughPdb"},
        {"on completion", annotated_with("on-completion"), drainability::Drain::wait,
         "on_completion"},
        {"being deleted",
         [&](TestCluster& w, snapshot::PodObject& p) {
             of_two(w, p);
             deleted(p, 1s);
         },
         drainability::Drain::move, ""},
    });
}

/// Results for pods of Jobs with upstream's policy, with Zalando's, and with Zalando's plus an
/// exception for safe-to-evict.
struct JobCase {
    const char* what;
    std::function<void(snapshot::PodObject&)> change;
    drainability::Drain upstream, zalando, with_exception;
};

TEST(DrainRules, BlockPodsOfJobsIfConfigured) {
    const auto annotated = [](const char* word) {
        return [=](snapshot::PodObject& p) { annotate(p, "safe-to-evict", word); };
    };
    const std::vector<JobCase> cases = {
        {"unchanged", [](snapshot::PodObject&) {}, drainability::Drain::move,
         drainability::Drain::block, drainability::Drain::block},
        {"safe to evict", annotated("true"), drainability::Drain::move, drainability::Drain::block,
         drainability::Drain::move},
        {"not safe to evict", annotated("false"), drainability::Drain::block,
         drainability::Drain::block, drainability::Drain::block},
        {"on completion", annotated("on-completion"), drainability::Drain::wait,
         drainability::Drain::block, drainability::Drain::block},
        {"expendable", [](snapshot::PodObject& p) { p.spec.priority = -100; },
         drainability::Drain::skip, drainability::Drain::skip, drainability::Drain::skip},
        {"deleted long ago", [](snapshot::PodObject& p) { deleted(p, 1h); },
         drainability::Drain::skip, drainability::Drain::block, drainability::Drain::block},
        {"a Job is an owner but not the controller",
         [](snapshot::PodObject& p) { p.owner.kind = "Workflow"; }, drainability::Drain::block,
         drainability::Drain::block, drainability::Drain::block},
        {"of a Job in another API group",
         [](snapshot::PodObject& p) { p.owner.job_among_owners = false; },
         drainability::Drain::move, drainability::Drain::move, drainability::Drain::move},
    };
    for (const JobCase& c : cases) {
        SCOPED_TRACE(c.what);
        const auto drain = [&](bool unmovable, bool exception) {
            const auto change = [&](TestCluster&, snapshot::PodObject& p) {
                owned_by(p, "Job", "batch");
                c.change(p);
            };
            return judged({"", change, drainability::Drain::move, "", "",
                           [=](Settings& s) {
                               s.scale_down.job_pods_unmovable = unmovable;
                               s.scale_down.safe_to_evict_frees_jobs = exception;
                           }})
                .drain;
        };
        EXPECT_EQ(drain(false, false), c.upstream);
        EXPECT_EQ(drain(false, true), c.upstream);
        EXPECT_EQ(drain(true, false), c.zalando);
        EXPECT_EQ(drain(true, true), c.with_exception);
    }
}

TEST(DrainRules, AreAppliedInOrderAndCanBeDisabled) {
    const auto change = [](TestCluster& w, snapshot::PodObject& p) {
        p.owner = {};
        p.ns = "kube-system";
        p.created = noon;
        p.labels = {{"app", "x"}};
        p.spec.local_volumes = {"data"};
        annotate(p, "safe-to-evict", "false");
        w.budget("x", 0);
    };
    std::vector<std::string> off;
    for (const char* rule : {"replicated", "system", "not_safe_to_evict", "local_storage", ""}) {
        const auto set = [&](Settings& s) { s.scale_down.drain_rules_off = off; };
        EXPECT_EQ(judged({"", change, drainability::Drain::block, "", "", set}).rule, rule);
        off.emplace_back(rule);
    }
}

TEST(DrainRules, HaveUniqueNamesAndDescriptions) {
    std::set<std::string_view> names;
    for (const drainability::DrainRule& rule : drainability::drain_rules()) {
        EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
        EXPECT_GT(rule.sentence.size(), 20u) << rule.name;
    }
}

struct SentenceCase {
    std::function<void(TestCluster&, snapshot::PodObject&)> change;
    const char* sentence;
    std::function<void(Settings&)> set = [](Settings&) {};
};

TEST(DrainRules, ExplainWhatBlocksThePod) {
    const std::vector<SentenceCase> cases = {
        {[](TestCluster&, snapshot::PodObject& p) { p.owner = {}; },
         "pod default/p has no controller that would recreate it"},
        {[](TestCluster&, snapshot::PodObject& p) { p.spec.local_volumes = {"data"}; },
         "pod default/p uses local storage: volume data"},
        {[](TestCluster&, snapshot::PodObject& p) { p.spec.local_volumes = {"cache", "data"}; },
         "pod default/p uses local storage: volumes cache, data"},
        {[](TestCluster& w, snapshot::PodObject& p) {
             p.labels = {{"app", "web"}};
             w.budget("web", 0);
         },
         "pod default/p cannot be evicted: budget default/web allows 0 disruptions"},
        {[](TestCluster& w, snapshot::PodObject&) { w.controller("ReplicaSet", "other"); },
         "pod default/p has lost its controller: ReplicaSet default/frontend not found"},
        {[](TestCluster& w, snapshot::PodObject&) { w.controller("ReplicaSet", "frontend", 1); },
         "pod default/p is one of 1 of ReplicaSet default/frontend, fewer than "
         "scale_down.min_replica_count (2)",
         min_two_replicas},
        {[](TestCluster&, snapshot::PodObject& p) {
             p.ns = "kube-system";
             p.created = noon;
         },
         "pod kube-system/p is a kube-system pod without a PodDisruptionBudget, younger than 1h"},
        {[](TestCluster&, snapshot::PodObject& p) {
             annotate(p, "safe-to-evict", "on-completion");
         },
         "pod default/p is waited for: annotation safe-to-evict is on-completion"},
    };
    for (const SentenceCase& c : cases) {
        EXPECT_EQ(judged({"", c.change, drainability::Drain::block, "", "", c.set}).sentence,
                  c.sentence);
    }
}

TEST(DrainRules, UseTheWallClockForTheAgeOfPods) {
    TestCluster test_cluster = one_node();
    snapshot::PodObject& pod = replica(test_cluster, "p");
    pod.ns = "kube-system";
    pod.created = noon + 1h;
    const snapshot::Cluster cluster = test_cluster.cluster();
    const Settings settings;
    const pods::DisruptionBudgets budgets(cluster);
    const PodIndex index = *find_pod(cluster, "p");
    const drainability::DrainVerdict young =
        drainability::judge(index, {cluster, settings, budgets, {noon, noon + 2h}});
    EXPECT_EQ(young.drain, drainability::Drain::block);
    EXPECT_EQ(young.until, noon + 1ns) << "on the steady clock";
    EXPECT_EQ(
        drainability::judge(index, {cluster, settings, budgets, {noon, noon + 2h + 1ns}}).drain,
        drainability::Drain::move);
}

}  // namespace
}  // namespace capstan::engine::drainability
