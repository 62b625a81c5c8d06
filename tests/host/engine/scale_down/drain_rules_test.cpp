#include "engine/drainability/drain_rules/drain_rules.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "removal_case.hpp"

namespace capstan::engine {
namespace {

struct Case {
    const char* what;
    std::function<void(World&, PodObject&)> change;  ///< of a pod that moves without it
    Drain drain;
    const char* rule;
    const char* reason = "";
    std::function<void(Settings&)> set = [](Settings&) {};
};

DrainVerdict judged(const Case& c) {
    World world = one_node();
    PodObject& pod = replica(world, "p");
    c.change(world, pod);
    const Cluster cluster = world.cluster();
    Settings settings;
    c.set(settings);
    const DisruptionBudgets budgets(cluster);
    return judge(*find_pod(cluster, "p"), {cluster, settings, budgets, noon});
}

void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        const DrainVerdict verdict = judged(c);
        EXPECT_EQ(verdict.drain, c.drain);
        EXPECT_EQ(verdict.rule, c.rule);
        EXPECT_EQ(verdict.reason, c.reason);
        const bool has_words = verdict.drain == Drain::block || verdict.drain == Drain::wait;
        EXPECT_EQ(verdict.sentence.starts_with("pod "), has_words) << verdict.sentence;
    }
}

void deleted(PodObject& pod, Duration ago, std::optional<Duration> grace = std::nullopt) {
    pod.deleted = noon - ago;
    pod.spec.termination_grace = grace;
}

void min_two_replicas(Settings& s) { s.scale_down.min_replica_count = 2; }
void custom_controllers_move(Settings& s) {
    s.scale_down.skip_nodes_with_custom_controller_pods = false;
}

TEST(DrainRules, MovePodsThatNothingHolds) {
    check({
        {"a ReplicaSet's", [](World&, PodObject&) {}, Drain::move, ""},
        {"a StatefulSet's", [](World&, PodObject& p) { owned_by(p, "StatefulSet", "apps"); },
         Drain::move, ""},
        {"a ReplicationController's",
         [](World&, PodObject& p) { owned_by(p, "ReplicationController"); }, Drain::move, ""},
        {"a Job's", [](World&, PodObject& p) { owned_by(p, "Job", "batch"); }, Drain::move, ""},
        {"of a kind of the same name elsewhere",
         [](World& w, PodObject& p) {
             owned_by(p, "StatefulSet", "apps.kruise.io");
             w.controller("StatefulSet", "another");
         },
         Drain::move, ""},
    });
}

TEST(DrainRules, LeavePodsThatGoWithTheNode) {
    const auto below = [](World&, PodObject& p) { p.spec.priority = -11; };
    check({
        {"expendable", below, Drain::skip, "expendable"},
        {"expendable and without a controller",
         [&](World& w, PodObject& p) {
             p.owner = {};
             below(w, p);
         },
         Drain::skip, "expendable"},
        {"at the cutoff", [](World&, PodObject& p) { p.spec.priority = -10; }, Drain::move, ""},
        {"a mirror pod",
         [](World&, PodObject& p) { p.annotations["kubernetes.io/config.mirror"] = "x"; },
         Drain::skip, "mirror"},
        {"owned by its node", [](World&, PodObject& p) { owned_by(p, "Node"); }, Drain::skip,
         "mirror"},
        {"a DaemonSet's", [](World&, PodObject& p) { owned_by(p, "DaemonSet", "apps"); },
         Drain::daemon, "daemon_set"},
        {"as good as a DaemonSet's",
         [](World&, PodObject& p) {
             owned_by(p, "Custom");
             annotate(p, "daemonset-pod", "true");
         },
         Drain::daemon, "daemon_set"},
        {"a DaemonSet's, never to be evicted",
         [](World&, PodObject& p) {
             owned_by(p, "DaemonSet", "apps");
             annotate(p, "safe-to-evict", "false");
         },
         Drain::daemon, "daemon_set"},
    });
}

TEST(DrainRules, GiveUpOnPodsThatShouldHaveEndedHalfAMinuteAgo) {
    const auto alone = [](Duration ago, std::optional<Duration> grace = std::nullopt) {
        return [=](World&, PodObject& p) {
            p.owner = {};
            deleted(p, ago, grace);
        };
    };
    check({
        {"a minute after it was deleted, not later", alone(1min), Drain::block, "replicated",
         "NotReplicated"},
        {"later", alone(1min + 1ns), Drain::skip, "long_terminating"},
        {"within its own time", alone(5min, 5min), Drain::block, "replicated", "NotReplicated"},
        {"past its own time", alone(5min + 31s, 5min), Drain::skip, "long_terminating"},
        {"without any time", alone(31s, 0s), Drain::skip, "long_terminating"},
        {"with more time than there is", alone(1h, Duration::max()), Drain::block, "replicated",
         "NotReplicated"},
    });
}

TEST(DrainRules, BlockWhereTheControllerIsGoneOrSmall) {
    const auto of = [](const char* kind, int replicas, const char* name = "its-owner") {
        return [=](World& w, PodObject& p) {
            owned_by(p, kind);
            w.controller(kind, name, replicas);
        };
    };
    check({
        {"there", of("ReplicaSet", 3), Drain::move, ""},
        {"gone", of("ReplicaSet", 3, "another"), Drain::block, "replica_count",
         "ControllerNotFound"},
        {"of a kind nobody told of",
         [](World& w, PodObject& p) {
             owned_by(p, "ReplicaSet");
             w.controller("StatefulSet", "another");
         },
         Drain::move, ""},
        {"a Job that is gone", of("Job", 1, "another"), Drain::block, "replica_count",
         "ControllerNotFound"},
        {"a DaemonSet that is gone",
         [](World& w, PodObject& p) {
             owned_by(p, "DaemonSet", "apps");
             w.daemon_set("another");
         },
         Drain::block, "replica_count", "ControllerNotFound"},
        {"enough replicas", of("ReplicaSet", 2), Drain::move, "", "", min_two_replicas},
        {"too few", of("ReplicaSet", 1), Drain::block, "replica_count", "MinReplicasReached",
         min_two_replicas},
        {"too few of a ReplicationController", of("ReplicationController", 1), Drain::block,
         "replica_count", "MinReplicasReached", min_two_replicas},
        {"a StatefulSet of one", of("StatefulSet", 1), Drain::move, "", "", min_two_replicas},
        {"gone, and nobody cares", of("ReplicaSet", 3, "another"), Drain::move, "", "",
         custom_controllers_move},
        {"gone, though safe to evict",
         [&](World& w, PodObject& p) {
             of("ReplicaSet", 3, "another")(w, p);
             annotate(p, "safe-to-evict", "true");
         },
         Drain::block, "replica_count", "ControllerNotFound"},
    });
}

TEST(DrainRules, TakeTheOwnersWord) {
    const auto said = [](const char* word) {
        return [=](World&, PodObject& p) {
            p.owner = {};
            p.ns = "kube-system";
            p.created = noon;
            p.spec.local_volumes = {"data"};
            annotate(p, "safe-to-evict", word);
        };
    };
    check({
        {"safe", said("true"), Drain::move, "safe_to_evict"},
        {"safe once it has ended", said("on-completion"), Drain::wait, "on_completion"},
        {"no word that is known", said("True"), Drain::block, "replicated", "NotReplicated"},
        {"not safe", [](World&, PodObject& p) { annotate(p, "safe-to-evict", "false"); },
         Drain::block, "not_safe_to_evict", "NotSafeToEvictAnnotation"},
    });
}

TEST(DrainRules, BlockPodsThatNobodyWouldStartElsewhere) {
    const auto custom = [](World&, PodObject& p) { owned_by(p, "Rollout", "argoproj.io"); };
    check({
        {"no controller", [](World&, PodObject& p) { p.owner = {}; }, Drain::block, "replicated",
         "NotReplicated"},
        {"one of others", custom, Drain::block, "replicated", "NotReplicated"},
        {"one of others, which is fine", custom, Drain::move, "", "", custom_controllers_move},
        {"no controller, whatever is fine", [](World&, PodObject& p) { p.owner = {}; },
         Drain::block, "replicated", "NotReplicated", custom_controllers_move},
    });
}

TEST(DrainRules, BlockSystemPodsForAnHourUnlessABudgetTellsMore) {
    const auto aged = [](Duration age) {
        return [=](World&, PodObject& p) {
            p.ns = "kube-system";
            p.created = noon - age;
        };
    };
    check({
        {"young", aged(1h), Drain::block, "system", "UnmovableKubeSystemPod"},
        {"old", aged(1h + 1ns), Drain::move, "system"},
        {"old, with local storage",
         [&](World& w, PodObject& p) {
             aged(2h)(w, p);
             p.spec.local_volumes = {"tmp"};
         },
         Drain::move, "system"},
        {"old, and not safe to evict",
         [&](World& w, PodObject& p) {
             aged(2h)(w, p);
             annotate(p, "safe-to-evict", "false");
         },
         Drain::block, "not_safe_to_evict", "NotSafeToEvictAnnotation"},
        {"young, with a budget",
         [&](World& w, PodObject& p) {
             aged(0s)(w, p);
             p.labels = {{"app", "dns"}};
             w.budget("dns", 1).ns = "kube-system";
         },
         Drain::move, ""},
        {"young, and nobody cares", aged(0s), Drain::move, "", "",
         [](Settings& s) { s.scale_down.skip_nodes_with_system_pods = false; }},
    });
}

TEST(DrainRules, BlockPodsWithDataOnTheNode) {
    const auto listed = [](const char* list) {
        return [=](World&, PodObject& p) {
            p.spec.local_volumes = {"cache", "data"};
            annotate(p, "safe-to-evict-local-volumes", list);
        };
    };
    const char* reason = "LocalStorageRequested";
    check({
        {"none excepted", listed(""), Drain::block, "local_storage", reason},
        {"some excepted", listed("cache"), Drain::block, "local_storage", reason},
        {"others excepted", listed("caches,dat"), Drain::block, "local_storage", reason},
        {"all excepted", listed("data,cache"), Drain::move, ""},
        {"all excepted, with blanks and commas", listed(" cache ,, data,"), Drain::move, ""},
        {"nobody cares", listed(""), Drain::move, "", "",
         [](Settings& s) { s.scale_down.skip_nodes_with_local_storage = false; }},
    });
}

TEST(DrainRules, BlockWhereABudgetAllowsNothing) {
    const auto allowed = [](int n) {
        return [=](World& w, PodObject& p) {
            p.labels = {{"app", "web"}};
            w.budget("web", n);
        };
    };
    check({
        {"none", allowed(0), Drain::block, "pdb", "NotEnoughPdb"},
        {"below none", allowed(-1), Drain::block, "pdb", "NotEnoughPdb"},
        {"one", allowed(1), Drain::move, ""},
        {"none, and being deleted already",
         [&](World& w, PodObject& p) {
             allowed(0)(w, p);
             deleted(p, 1s);
         },
         Drain::move, ""},
    });
}

TEST(DrainRules, BlockPodsOfTwoBudgetsWhichTheApiNeverEvicts) {
    const auto of_two = [](World& w, PodObject& p) {
        p.labels = {{"app", "web"}};
        w.budget("web", 5);
        w.budget("again", 5).selector = LabelSelector{.match_labels = {{"app", "web"}}};
    };
    const auto said = [&](const char* word) {
        return [=](World& w, PodObject& p) {
            of_two(w, p);
            annotate(p, "safe-to-evict", word);
        };
    };
    check({
        {"though both allow it", of_two, Drain::block, "several_pdbs", "NotEnoughPdb"},
        {"whatever its owner says", said("true"), Drain::block, "several_pdbs", "NotEnoughPdb"},
        {"not where it is waited for", said("on-completion"), Drain::wait, "on_completion"},
        {"not one that is being deleted",
         [&](World& w, PodObject& p) {
             of_two(w, p);
             deleted(p, 1s);
         },
         Drain::move, ""},
    });
}

/// Whose policy on Jobs: upstream's, Zalando's, and that with the exception it does not have.
struct JobCase {
    const char* what;
    std::function<void(PodObject&)> change;
    Drain upstream, zalando, with_exception;
};

TEST(DrainRules, KeepJobsWhereTheSettingSaysSo) {
    const auto annotated = [](const char* word) {
        return [=](PodObject& p) { annotate(p, "safe-to-evict", word); };
    };
    const std::vector<JobCase> cases = {
        {"as it is", [](PodObject&) {}, Drain::move, Drain::block, Drain::block},
        {"safe to evict", annotated("true"), Drain::move, Drain::block, Drain::move},
        {"not safe to evict", annotated("false"), Drain::block, Drain::block, Drain::block},
        {"on completion", annotated("on-completion"), Drain::wait, Drain::block, Drain::block},
        {"expendable", [](PodObject& p) { p.spec.priority = -100; }, Drain::skip, Drain::skip,
         Drain::skip},
        {"deleted long ago", [](PodObject& p) { deleted(p, 1h); }, Drain::skip, Drain::block,
         Drain::block},
        {"not its controller, but an owner", [](PodObject& p) { p.owner.kind = "Workflow"; },
         Drain::block, Drain::block, Drain::block},
        {"of a kind Job of others", [](PodObject& p) { p.owner.job_among_owners = false; },
         Drain::move, Drain::move, Drain::move},
    };
    for (const JobCase& c : cases) {
        SCOPED_TRACE(c.what);
        const auto drain = [&](bool unmovable, bool exception) {
            const auto change = [&](World&, PodObject& p) {
                owned_by(p, "Job", "batch");
                c.change(p);
            };
            return judged({"", change, Drain::move, "", "",
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

TEST(DrainRules, AreAskedInOrderAndLeftOutByName) {
    const auto change = [](World& w, PodObject& p) {
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
        EXPECT_EQ(judged({"", change, Drain::block, "", "", set}).rule, rule);
        off.emplace_back(rule);
    }
}

TEST(DrainRules, HaveNamesOfTheirOwnAndASentenceEach) {
    std::set<std::string_view> names;
    for (const DrainRule& rule : drain_rules()) {
        EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
        EXPECT_TRUE(is_drain_rule(rule.name));
        EXPECT_GT(rule.sentence.size(), 20u) << rule.name;
    }
    EXPECT_FALSE(is_drain_rule("local-storage"));
    EXPECT_FALSE(is_drain_rule(""));
}

struct Words {
    std::function<void(World&, PodObject&)> change;
    const char* sentence;
    std::function<void(Settings&)> set = [](Settings&) {};
};

TEST(DrainRules, SayInOneSentenceWhatHoldsThePod) {
    const std::vector<Words> cases = {
        {[](World&, PodObject& p) { p.owner = {}; },
         "pod default/p has no controller that would start it elsewhere"},
        {[](World&, PodObject& p) { p.spec.local_volumes = {"data"}; },
         "pod default/p uses local storage: volume data"},
        {[](World&, PodObject& p) { p.spec.local_volumes = {"cache", "data"}; },
         "pod default/p uses local storage: volumes cache, data"},
        {[](World& w, PodObject& p) {
             p.labels = {{"app", "web"}};
             w.budget("web", 0);
         },
         "pod default/p may not be disrupted: default/web allows 0 disruptions, 1 is needed"},
        {[](World& w, PodObject&) { w.controller("ReplicaSet", "other"); },
         "pod default/p has lost its controller: there is no ReplicaSet default/frontend"},
        {[](World& w, PodObject&) { w.controller("ReplicaSet", "frontend", 1); },
         "pod default/p is one of 1 of the ReplicaSet default/frontend, fewer than "
         "min_replica_count, 2",
         min_two_replicas},
        {[](World&, PodObject& p) {
             p.ns = "kube-system";
             p.created = noon;
         },
         "pod kube-system/p is a system pod without a PodDisruptionBudget, and not older than 1h"},
        {[](World&, PodObject& p) { annotate(p, "safe-to-evict", "on-completion"); },
         "pod default/p is to end by itself: its safe-to-evict is on-completion"},
    };
    for (const Words& c : cases) {
        EXPECT_EQ(judged({"", c.change, Drain::block, "", "", c.set}).sentence, c.sentence);
    }
}

TEST(DrainRules, TakeTheAgeOfPodsFromTheWallClock) {
    World world = one_node();
    PodObject& pod = replica(world, "p");
    pod.ns = "kube-system";
    pod.created = noon + 1h;
    const Cluster cluster = world.cluster();
    const Settings settings;
    const DisruptionBudgets budgets(cluster);
    const PodIndex index = *find_pod(cluster, "p");
    const DrainVerdict young = judge(index, {cluster, settings, budgets, {noon, noon + 2h}});
    EXPECT_EQ(young.drain, Drain::block);
    EXPECT_EQ(young.until, noon + 1ns) << "by the even clock, which wakes";
    EXPECT_EQ(judge(index, {cluster, settings, budgets, {noon, noon + 2h + 1ns}}).drain,
              Drain::move);
}

}  // namespace
}  // namespace capstan::engine
