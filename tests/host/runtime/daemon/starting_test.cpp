// How a daemon starts its plugins, on virtual time.
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <string>

#include "live_cluster.hpp"

namespace capstan::runtime::daemon {
namespace {

using ::testing::Contains;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using namespace std::chrono_literals;

/// A shipped class whose instances fail to start as a test says, then start as they are. One at a
/// time, for the tables of plugins have no room for more.
class Reluctant {
public:
    /// What each start answers, one after the other; later ones go well.
    explicit Reluctant(std::deque<capstan_status> starts) { starts_ = std::move(starts); }
    ~Reluctant() { made_.clear(); }
    Reluctant(const Reluctant&) = delete;
    Reluctant& operator=(const Reluctant&) = delete;

    /// Stands for the class of that instance.
    void pose_as(LoadedConfig& config, const std::string& id) {
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
constexpr const char* with_a_second_cloud =
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

TEST(Starting, TheLeaseIsLeftToOthersUntilACloudRuns) {
    Reluctant cloud({CAPSTAN_E_UNAVAILABLE});
    LiveCluster cluster({}, web_group, [&](LoadedConfig& all) { cloud.pose_as(all, "cloud"); });
    cluster.at(4s, [&] { EXPECT_EQ(lease_holder(cluster), "no Lease"); });
    cluster.run(30s);
    EXPECT_EQ(Reluctant::created(), 2u);
    ASSERT_THAT(cluster.begins, Not(IsEmpty()));
    EXPECT_THAT(cluster.begins.front(), Ge(5s));
    EXPECT_THAT(cluster.begins.front(), Le(10s));
    EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_plugin_running{plugin=\"cloud\"} 1"));
}

TEST(Starting, ACloudThatCannotStartStopsNoOtherAndJoinsLater) {
    Reluctant second({CAPSTAN_E_UNAUTHENTICATED, CAPSTAN_E_THROTTLED});
    LiveCluster cluster({}, with_a_second_cloud, [&](LoadedConfig& all) {
        all.config.pipeline.clouds.emplace_back("second");
        second.pose_as(all, "second");
    });
    std::map<Duration, std::vector<std::string>> seen;
    cluster.on_pass = [&](const PassReport& pass) { seen[cluster.now()] = groups_of(pass); };
    cluster.run(1min);
    ASSERT_THAT(seen, Not(IsEmpty()));
    EXPECT_THAT(seen.begin()->first, Le(3s)) << "the first cloud's passes wait for nothing";
    EXPECT_THAT(seen.begin()->second, Not(Contains("batch")));
    EXPECT_THAT(seen.rbegin()->second, Contains("batch"));
    EXPECT_THAT(seen.rbegin()->second, Contains("web"));
}

TEST(Starting, ACloudThatStaysOutIsToldOf) {
    Reluctant second({CAPSTAN_E_UNSUPPORTED});
    LiveCluster cluster({}, with_a_second_cloud, [&](LoadedConfig& all) {
        all.config.pipeline.clouds.emplace_back("second");
        second.pose_as(all, "second");
    });
    cluster.run(1min);
    EXPECT_EQ(Reluctant::created(), 1u);
    EXPECT_THAT(cluster.begins.size(), Ge(6u));
    EXPECT_THAT(cluster.metrics(), HasSubstr("capstan_plugin_running{plugin=\"second\"} 0"));
}

TEST(Starting, WithoutACloudNoPassIsMadeAndTheDaemonStopsAllTheSame) {
    Reluctant cloud(std::deque<capstan_status>(100, CAPSTAN_E_UNAVAILABLE));
    LiveCluster cluster({}, web_group, [&](LoadedConfig& all) { cloud.pose_as(all, "cloud"); });
    cluster.run(2min);
    EXPECT_THAT(cluster.begins, IsEmpty());
    EXPECT_EQ(lease_holder(cluster), "no Lease") << "another host may do better";
}

TEST(Starting, SettingsThatAPluginRefusesEndTheDaemon) {
    Reluctant cloud({CAPSTAN_E_INVALID_CONFIG});
    LiveCluster cluster({}, web_group, [&](LoadedConfig& all) { cloud.pose_as(all, "cloud"); });
    EXPECT_THROW(cluster.run(1min), std::runtime_error);
    EXPECT_THAT(cluster.begins, IsEmpty());
}

TEST(Starting, APassDoesWithoutAnExpanderThatHasNotStarted) {
    Reluctant expander({CAPSTAN_E_UNAVAILABLE, CAPSTAN_E_UNAVAILABLE});
    LiveCluster cluster({}, web_group, [&](LoadedConfig& all) {
        expander.pose_as(all, all.config.pipeline.scale_up.expanders.front().use.value());
    });
    cluster.add_waiting_pod("web-1");
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
    EXPECT_EQ(skipped_hooks.rbegin()->second, 0u) << "it takes part once it runs";
    EXPECT_EQ(increases, 1u);
}

TEST(Starting, AnExpanderThatAReloadTakesAwayIsTriedNoMore) {
    Reluctant expander(std::deque<capstan_status>(100, CAPSTAN_E_UNAVAILABLE));
    LiveCluster cluster({}, web_group, [&](LoadedConfig& all) {
        expander.pose_as(all, all.config.pipeline.scale_up.expanders.front().use.value());
    });
    const auto other = cluster.assemble(
        "[pipeline.scale_up]\nexpanders = [\"mine\"]\n"
        "[plugin.mine]\nfile = \"tiny.so\"\nclass = \"tiny\"\n");
    cluster.read_config = [&]() -> Result<std::shared_ptr<const LoadedConfig>> {
        return LiveCluster::loaded(*other);
    };
    std::size_t created = 0, skipped_hooks = 0;
    cluster.on_pass = [&](const PassReport& pass) {
        created = Reluctant::created();
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
}  // namespace capstan::runtime::daemon
