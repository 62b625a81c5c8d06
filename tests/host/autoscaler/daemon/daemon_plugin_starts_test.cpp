// The daemon starts its plugins, on virtual time.
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <string>

#include "live_cluster.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::Contains;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using namespace std::chrono_literals;

/// A shipped class whose first starts fail. At most one object may exist, because
/// `capstan_class::create` gets no user pointer.
class FailingStarts {
public:
    /// `starts`: the status of each of the first starts; later starts succeed.
    explicit FailingStarts(std::deque<capstan_status> starts) { starts_ = std::move(starts); }
    ~FailingStarts() { made_.clear(); }
    FailingStarts(const FailingStarts&) = delete;
    FailingStarts& operator=(const FailingStarts&) = delete;

    /// Replaces the class of the instance `id`.
    void replace_class(LoadedConfig& config, const std::string& id) {
        const auto plugin = std::ranges::find(config.plugins, PluginInstanceId(id),
                                              [](const auto& p) { return p.config.id; });
        real_ = plugin->plugin_class.raw;
        type_ = *real_;
        type_.create = &create;
        plugin->plugin_class.raw = &type_;
    }
    static std::size_t created() { return made_.size(); }

private:
    struct Made {
        const capstan_host* host;
        const capstan_instance* real;
        capstan_instance shown;
    };
    static capstan_status create(const capstan_host* host, const capstan_settings* settings,
                                 const capstan_call* call, const capstan_instance** out) noexcept {
        const capstan_instance* made = nullptr;
        const capstan_status status = real_->create(host, settings, call, &made);
        if (status != CAPSTAN_OK) return status;
        made_.push_back({host, made, *made});
        made_.back().shown.struct_size = sizeof(capstan_instance);
        made_.back().shown.start = &start;
        *out = &made_.back().shown;
        return CAPSTAN_OK;
    }
    static capstan_status start(void* self, capstan_op op,
                                const capstan_start_request* request) noexcept {
        if (!starts_.empty()) {
            const capstan_status status = starts_.front();
            starts_.pop_front();
            return status;
        }
        const Made& made = made_.back();
        if (CAPSTAN_HAS(made.real, capstan_instance, start))
            return made.real->start(self, op, request);
        const auto* const ops =
            static_cast<const capstan_ops*>(made.host->service(made.host, CAPSTAN_SERVICE_OPS));
        ops->complete(made.host, op, CAPSTAN_RESULT_NONE, nullptr);
        return CAPSTAN_OK;
    }

    static inline const capstan_class* real_ = nullptr;
    static inline capstan_class type_{};
    static inline std::list<Made> made_;
    static inline std::deque<capstan_status> starts_;
};

std::string lease_holder(const LiveCluster& cluster) {
    const auto lease = cluster.find("leases.coordination.k8s.io", "cluster-autoscaler");
    return lease ? std::string(lease->at("spec").at("holderIdentity").as_string()) : "no Lease";
}

constexpr const char* web_group =
    "groups = [{ id = \"web\", max = 50, boot = \"1h\", machine = { cpu = \"4\", memory = "
    "\"16Gi\" } }]";
constexpr const char* two_clouds =
    "groups = [{ id = \"web\", max = 50, boot = \"1h\", machine = { cpu = \"4\", memory = "
    "\"16Gi\" } }]\n[plugin.second]\nclass = \"simulated\"\n[plugin.second.settings]\n"
    "groups = [{ id = \"batch\", max = 50, boot = \"1h\", machine = { cpu = \"4\", memory = "
    "\"16Gi\" } }]";

std::vector<std::string> groups_of(const PassReport& pass) {
    std::vector<std::string> out;
    for (const engine::Group& group : *pass.input.snapshot.groups)
        out.push_back(group.group.id.value());
    return out;
}

TEST(DaemonPluginStarts, DelayTheLeaseUntilACloudRuns) {
    FailingStarts cloud({CAPSTAN_E_UNAVAILABLE});
    LiveCluster cluster({}, web_group,
                        [&](LoadedConfig& all) { cloud.replace_class(all, "cloud"); });
    cluster.at(4s, [&] { EXPECT_EQ(lease_holder(cluster), "no Lease"); });
    cluster.run(30s);
    EXPECT_EQ(FailingStarts::created(), 2u);
    ASSERT_THAT(cluster.begins, Not(IsEmpty()));
    EXPECT_THAT(cluster.begins.front(), Ge(5s));
    EXPECT_THAT(cluster.begins.front(), Le(10s));
    EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_plugin_running{plugin=\"cloud\"} 1"));
}

TEST(DaemonPluginStarts, OfOneCloudDoNotDelayOthers) {
    FailingStarts second({CAPSTAN_E_UNAUTHENTICATED, CAPSTAN_E_THROTTLED});
    LiveCluster cluster({}, two_clouds, [&](LoadedConfig& all) {
        all.config.pipeline.clouds.emplace_back("second");
        second.replace_class(all, "second");
    });
    std::map<Duration, std::vector<std::string>> seen;
    cluster.on_pass = [&](const PassReport& pass) { seen[cluster.now()] = groups_of(pass); };
    cluster.run(1min);
    ASSERT_THAT(seen, Not(IsEmpty()));
    EXPECT_THAT(seen.begin()->first, Le(3s)) << "passes of the first cloud are not delayed";
    EXPECT_THAT(seen.begin()->second, Not(Contains("batch")));
    EXPECT_THAT(seen.rbegin()->second, Contains("batch"));
    EXPECT_THAT(seen.rbegin()->second, Contains("web"));
}

TEST(DaemonPluginStarts, ReportACloudThatIsDisabled) {
    FailingStarts second({CAPSTAN_E_UNSUPPORTED});
    LiveCluster cluster({}, two_clouds, [&](LoadedConfig& all) {
        all.config.pipeline.clouds.emplace_back("second");
        second.replace_class(all, "second");
    });
    cluster.run(1min);
    EXPECT_EQ(FailingStarts::created(), 1u);
    EXPECT_THAT(cluster.begins.size(), Ge(6u));
    EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_plugin_running{plugin=\"second\"} 0"));
}

TEST(DaemonPluginStarts, OfTheOnlyCloudDelayPassesButNotAStop) {
    FailingStarts cloud(std::deque<capstan_status>(100, CAPSTAN_E_UNAVAILABLE));
    LiveCluster cluster({}, web_group,
                        [&](LoadedConfig& all) { cloud.replace_class(all, "cloud"); });
    cluster.run(2min);
    EXPECT_THAT(cluster.begins, IsEmpty());
    EXPECT_EQ(lease_holder(cluster), "no Lease") << "another host may be able to start its cloud";
}

TEST(DaemonPluginStarts, EndTheDaemonIfAPluginRefusesItsSettings) {
    FailingStarts cloud({CAPSTAN_E_INVALID_CONFIG});
    LiveCluster cluster({}, web_group,
                        [&](LoadedConfig& all) { cloud.replace_class(all, "cloud"); });
    EXPECT_THROW(cluster.run(1min), std::runtime_error);
    EXPECT_THAT(cluster.begins, IsEmpty());
}

TEST(DaemonPluginStarts, SkipAnExpanderThatHasNotStarted) {
    FailingStarts expander({CAPSTAN_E_UNAVAILABLE, CAPSTAN_E_UNAVAILABLE});
    LiveCluster cluster({}, web_group, [&](LoadedConfig& all) {
        expander.replace_class(all, all.config.pipeline.scale_up.expanders.front().use.value());
    });
    cluster.add_pending_pod("web-1");
    std::map<Duration, std::size_t> skipped_hooks;
    std::size_t increases = 0;
    cluster.on_pass = [&](const PassReport& pass) {
        skipped_hooks[cluster.now()] = pass.input.skipped_hooks.size();
        increases += pass.decision().increases.size();
    };
    cluster.run(1min);
    ASSERT_THAT(skipped_hooks, Not(IsEmpty()));
    EXPECT_EQ(skipped_hooks.begin()->second, 1u);
    EXPECT_THAT(skipped_hooks.begin()->first, Le(3s));
    EXPECT_EQ(skipped_hooks.rbegin()->second, 0u) << "it is called once it runs";
    EXPECT_EQ(increases, 1u);
}

TEST(DaemonPluginStarts, EndForAnExpanderRemovedByAReload) {
    FailingStarts expander(std::deque<capstan_status>(100, CAPSTAN_E_UNAVAILABLE));
    LiveCluster cluster({}, web_group, [&](LoadedConfig& all) {
        expander.replace_class(all, all.config.pipeline.scale_up.expanders.front().use.value());
    });
    const auto other = cluster.assemble(
        "[pipeline.scale_up]\nsimilarity = []\nexpanders = [\"mine\"]\n"
        "[plugin.mine]\nfile = \"tiny.so\"\nclass = \"tiny\"\n");
    cluster.read_config = [&]() -> Result<std::shared_ptr<const LoadedConfig>> {
        return LiveCluster::loaded(*other);
    };
    std::size_t created = 0, skipped_hooks = 0;
    cluster.on_pass = [&](const PassReport& pass) {
        created = FailingStarts::created();
        skipped_hooks = pass.input.skipped_hooks.size();
    };
    std::size_t before = 0;
    cluster.at(21s, [&] {
        before = created;
        EXPECT_EQ(skipped_hooks, 1u);
        std::raise(SIGHUP);
    });
    cluster.run(3min);
    EXPECT_GE(before, 1u);
    EXPECT_EQ(created, before);
    EXPECT_EQ(skipped_hooks, 0u);
    EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_plugin_running{plugin=\"mine\"} 1"));
    EXPECT_THAT(cluster.metrics(), Not(HasSubstr("capstan_plugin_running{plugin=\"least_waste\"")));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
