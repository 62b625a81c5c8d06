// An hour with the cloud that `capstan plugin new --kind cloud` writes, unchanged, and a second
// cloud. The API of the first cloud lists half a minute late, throttles, loses requests and
// replies, and runs out of capacity while pods come and go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "autoscaler/assembly.hpp"
#include "autoscaler/daemon/daemon.hpp"
#include "cloud_http_cpp/fake_api.hpp"
#include "cluster_objects.hpp"
#include "simulator/api_server/local_http_client.hpp"
#include "simulator/control_plane/control_plane.hpp"

namespace capstan::faults {
namespace {

using namespace simulator;
using namespace simulator::api_server;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Each pod needs its own machine in either cloud; machines of the vendor waste less.
constexpr const char* two_clouds = R"(
[admin]
listen = ""
[log]
level = "error"
[pipeline]
clouds = ["vendor", "spare"]
[pipeline.scale_up]
expanders = ["least_waste"]
similarity = []
[scale_down]
unneeded_time = "3m"
delay_after_add = "1m"
[plugin.vendor]
file = "new_http_cloud.so"
grants = { http = ["api.example"], secrets = ["cloud-token"] }
settings = { endpoint = "https://api.example", token = { secret = "cloud-token" } }
[plugin.spare]
class = "simulated"
grants = { state = true, kube = ["nodes:list,create,delete"] }
[plugin.spare.settings]
register_nodes = true
[[plugin.spare.settings.groups]]
id = "spare"
max = 9
boot = "1m"
machine = { cpu = "6", memory = "16Gi" }
)";
constexpr int milli_cpu_of_pod = 3500;

/// The network between the plugin and its API. At random, requests are throttled, or lost before or
/// after they were carried out, but never three in a row unless the network is down.
class FaultyNetwork final : public io::HttpClient {
public:
    /// Borrows the API and the loop. `on_handled` is called after each request that was carried
    /// out.
    FaultyNetwork(FakeApi& api, io::Loop& loop, std::uint64_t seed,
                  std::function<void()> on_handled)
        : api_(api), loop_(loop), random_(seed), on_handled_(std::move(on_handled)) {}

    RequestId send(HttpRequest request, Done done) override {
        open_.emplace(++last_id_, std::move(done));
        loop_.after(100ms, [this, id = last_id_, request = std::move(request)] {
            if (open_.contains(id)) end(id, carry(request));
        });
        return last_id_;
    }
    RequestId stream(HttpRequest, Listener, Done) override {
        throw std::logic_error("plugins use no streams");
    }
    void cancel(RequestId id) override {
        loop_.after(0s, [this, id] { end(id, fail(ErrorCode::cancelled, "cancelled")); });
    }
    void set_down(bool is_down) { is_down_ = is_down; }
    /// Requests that were throttled or lost.
    int fault_count() const { return fault_count_; }

private:
    Result<HttpReply> carry(const HttpRequest& request) {
        if (is_down_) return lost();
        const std::uint64_t random_number = in_a_row_ < 2 ? random_() % 100 : 99;
        in_a_row_ = random_number < 18 ? in_a_row_ + 1 : 0;
        fault_count_ += random_number < 18 ? 1 : 0;
        if (random_number < 8) return testing::reply(429, "slow down", {{"retry-after", "2"}});
        if (random_number < 12) return lost();
        const testing::HttpOutcome outcome = api_.answer(request);
        on_handled_();
        if (random_number < 18) return lost();
        return *outcome.reply;
    }
    static Result<HttpReply> lost() {
        Error error{ErrorCode::unavailable, "the connection was lost"};
        error.provider_code = io::connection_lost;
        return fail(std::move(error));
    }
    void end(RequestId id, Result<HttpReply> result) {
        if (auto done = open_.extract(id)) done.mapped()(std::move(result));
    }

    FakeApi& api_;
    io::Loop& loop_;
    std::mt19937_64 random_;
    const std::function<void()> on_handled_;
    std::map<RequestId, Done> open_;
    RequestId last_id_ = 0;
    bool is_down_ = false;
    int in_a_row_ = 0, fault_count_ = 0;
};

json::object node_of(const std::string& machine) {
    const json::object amounts{{"cpu", "4"}, {"memory", "16Gi"}, {"pods", "110"}};
    return {{"metadata",
             {{"name", machine}, {"labels", {{"node.kubernetes.io/instance-type", "medium"}}}}},
            {"spec", {{"providerID", machine}}},
            {"status", {{"capacity", amounts}, {"allocatable", amounts}}}};
}

/// A cluster with both clouds and a daemon that runs for an hour. Once a second the numbers of
/// machines and of pods are compared.
class VendorCloudRun {
public:
    explicit VendorCloudRun(std::uint64_t seed) {
        std::ofstream(folder_.path() / "kubeconfig") << kubeconfig;
        std::ofstream(folder_.path() / "cloud-token") << "hush";
        const std::string folder = folder_.path().string();
        assembly_ = std::make_unique<autoscaler::Assembly>(
            "[cluster]\nkubeconfig = \"" + folder + "/kubeconfig\"\n[secrets]\ndir = \"" + folder +
                "\"\n" + two_clouds,
            std::vector<std::filesystem::path>{VENDOR_CLOUD});
        if (assembly_->diagnostics().errors() > 0)
            throw std::invalid_argument(assembly_->diagnostics().text());
        host_ = autoscaler::PluginHost::open(
                    assembly_->config(), assembly_->plugins(),
                    {.seed = seed,
                     .version = "test",
                     .clock = clock_,
                     .http = [this](const std::string&) { return plugin_network_; },
                     .has_cluster = true})
                    .value();
        plugin_network_ =
            std::make_shared<FaultyNetwork>(api, loop(), seed, [this] { record_targets(); });
        api.lag = 30s;
        store_ = std::make_unique<ObjectStore>(loop(), ObjectStore::Options{});
        server_ = std::make_unique<ApiServer>(*store_);
        network_ = std::make_unique<LocalHttpClient>(*server_, loop());
        control_plane_ = std::make_unique<control_plane::ControlPlane>(*store_);
        control_plane_->start();
        run_machines();
    }

    void at(Duration when, std::function<void()> what) { loop().after(when, std::move(what)); }
    /// Creates StatefulSets with one pod each.
    void begin(std::initializer_list<const char*> owners) {
        for (const char* owner : owners)
            make(*store_, "statefulsets.apps", space, stateful_set(owner, milli_cpu_of_pod));
    }
    void end(std::initializer_list<const char*> owners) {
        for (const char* owner : owners)
            std::ignore = store_->remove(store_->kind("statefulsets.apps"), space, owner).value();
    }
    /// The cloud of each pod's node: "vendor", "spare", or "" for a pending pod.
    std::map<std::string, std::string> places() const {
        std::map<std::string, std::string> out;
        for (const ApiObject& pod : store_->list(store_->kind("pods")).items) {
            const std::string node(text_at(*pod, "spec.nodeName"));
            out.emplace(text_at(*pod, "metadata.name"), api.machines().contains(node) ? "vendor"
                                                        : node.empty()                ? ""
                                                                                      : "spare");
        }
        return out;
    }
    int machines_of_spare() const {
        return static_cast<int>(store_->list(store_->kind("nodes")).items.size() - joined_.size());
    }
    int machines() const { return static_cast<int>(api.machines().size()) + machines_of_spare(); }
    /// The number of machines that the API agreed to create so far.
    int requested() const { return requested_; }
    FaultyNetwork& network() { return *plugin_network_; }

    void run() {
        at(1h, [] { std::raise(SIGTERM); });
        const auto loaded =
            std::make_shared<autoscaler::daemon::LoadedConfig>(autoscaler::daemon::LoadedConfig{
                .config = assembly_->config(), .plugins = assembly_->plugins()});
        const Result<void> ended = autoscaler::daemon::run_daemon(
            loaded, *host_,
            {.version = "test",
             .identity = "tester",
             .seed = 1,
             .on_overdue = [] { throw std::runtime_error("the daemon does not stop in time"); },
             .on_pass = [this](const autoscaler::PassReport& pass) { record_pass(pass); },
             .starts_plugins = true,
             .http = network_.get()});
        if (!ended) throw std::runtime_error(ended.error().message);
    }

private:
    io::Loop& loop() { return host_->loop(); }
    int pods() const { return static_cast<int>(store_->list(store_->kind("pods")).items.size()); }
    void record_targets() {
        int now = 0;
        for (const auto& [name, group] : api.groups) now += group.target;
        requested_ += std::max(0, now - targets_);
        targets_ = now;
    }
    void record_pass(const autoscaler::PassReport& pass) {
        backed_off.clear();
        for (const auto& [group, backoff] : pass.memory.backoffs)
            if (!backoff.until || *backoff.until > pass.at) backed_off.insert(group.value());
        ever_backed_off.insert(backed_off.begin(), backed_off.end());
    }
    /// Registers the node of each machine 40 s after the machine was made, and deletes it with the
    /// machine.
    void run_machines() {
        for (const auto& [machine, group] : api.machines()) {
            const auto [made, is_new] = made_.try_emplace(machine, loop().monotonic());
            if (loop().monotonic() - made->second >= 40s && joined_.insert(machine).second)
                make(*store_, "nodes", "", node_of(machine));
        }
        std::erase_if(joined_, [this](const std::string& machine) {
            if (api.machines().contains(machine)) return false;
            std::ignore = store_->remove(store_->kind("nodes"), "", machine).value();
            return true;
        });
        if (machines() > last_ && machines() > pods())
            excess_machines.push_back(std::to_string(machines()) + " machines for " +
                                      std::to_string(pods()) + " pods");
        last_ = machines();
        loop().after(1s, [this] { run_machines(); });
    }

    const std::shared_ptr<io::ManualClock> clock_ =
        std::make_shared<io::ManualClock>(time_from_unix_ns(1'795'255'200'000'000'000));
    plugin_runtime::TemporaryFolder folder_;

public:
    FakeApi api{[this] { return clock_->monotonic(); }};
    std::set<std::string> backed_off;          ///< groups, after the last pass
    std::set<std::string> ever_backed_off;     ///< groups, after any pass
    std::vector<std::string> excess_machines;  ///< messages about more machines than pods

private:
    std::shared_ptr<FaultyNetwork> plugin_network_;
    std::unique_ptr<autoscaler::Assembly> assembly_;
    std::unique_ptr<autoscaler::PluginHost> host_;
    std::unique_ptr<ObjectStore> store_;
    std::unique_ptr<ApiServer> server_;
    std::unique_ptr<LocalHttpClient> network_;
    std::unique_ptr<control_plane::ControlPlane> control_plane_;
    std::map<std::string, Duration> made_;  ///< when each machine of the API was first seen
    std::set<std::string> joined_;
    int targets_ = 1, last_ = 1;  // the API's minimum
    int requested_ = 0;
};

class VendorCloud : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(VendorCloud, CreatesNoExcessMachinesDespiteFaults) {
    VendorCloudRun run(GetParam());
    int requested_before_shortage = 0, requested_before_return = 0;
    run.begin({"a"});
    run.at(5min, [&] { run.begin({"b", "c", "d"}); });
    run.at(15min, [&] {
        EXPECT_EQ(run.api.machines().size(), 4u);
        run.end({"c", "d"});
    });
    run.at(25min, [&] {
        EXPECT_EQ(run.api.machines().size(), 2u);
        requested_before_shortage = run.requested();
        run.api.sold_out = {"batch", "web"};
        run.begin({"e", "f", "g"});
    });
    run.at(35min, [&] {
        EXPECT_LE(run.requested() - requested_before_shortage, 2 * 3)
            << "three machines of each group, each at most once";
        EXPECT_EQ(run.machines_of_spare(), 3);
        EXPECT_THAT(run.ever_backed_off, ::testing::Not(IsEmpty()));
        run.api.sold_out.clear();
    });
    run.at(37min, [&] { run.network().set_down(true); });
    run.at(39min, [&] { run.network().set_down(false); });
    run.at(45min, [&] {
        EXPECT_THAT(run.backed_off, IsEmpty());
        requested_before_return = run.requested();
        run.begin({"h", "i"});
    });
    run.at(52min, [&] {
        EXPECT_EQ(run.requested() - requested_before_return, 2);
        EXPECT_EQ(run.api.machines().size(), 4u);
        run.end({"e", "h"});
    });
    run.at(59min, [&] {
        EXPECT_THAT(run.places(),
                    ElementsAre(Pair("a-1", "vendor"), Pair("b-1", "vendor"), Pair("f-1", "spare"),
                                Pair("g-1", "spare"), Pair("i-1", "vendor")));
        EXPECT_EQ(run.machines(), 5);
    });
    run.run();
    EXPECT_THAT(run.excess_machines, IsEmpty());
    EXPECT_GT(run.network().fault_count(), 100) << "too few faults occurred";
}

INSTANTIATE_TEST_SUITE_P(Seed, VendorCloud, ::testing::Range<std::uint64_t>(1, 4));

}  // namespace
}  // namespace capstan::faults
