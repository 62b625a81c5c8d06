// capstan-bench-gce: CPU time of a refresh of managed instance groups, with Google Benchmark.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <capstan/testing/run_task.hpp>

#include "gce_cloud.hpp"

namespace capstan::bench {
namespace {

constexpr int gce_page = 500;
const std::string gce_root = "https://www.googleapis.com/compute/v1/projects/p/";
const std::string gce_zone = gce_root + "zones/us-central1-a/";

std::string mig_name(int group) { return "gke-prod-pool-" + std::to_string(1000 + group) + "-grp"; }

std::string machine_name(int group, int machine) {
    return mig_name(group) + "-" + std::to_string(1000 + machine);
}

std::string mig_text(int group, int machines) {
    const std::string link = gce_root + "global/instanceTemplates/gke-prod-pool-1a2b3c4d";
    const std::string size = std::to_string(machines);
    return R"({"id":")" + std::to_string(5'000'000'000'000'000'000 + group) + R"(","selfLink":")" +
           gce_zone + "instanceGroupManagers/" + mig_name(group) + R"(","baseInstanceName":")" +
           mig_name(group) + R"(","instanceTemplate":")" + link +
           R"(","versions":[{"instanceTemplate":")" + link + R"("}],"targetSize":)" + size +
           R"(,"targetSuspendedSize":0,"targetStoppedSize":0,"currentActions":{"none":)" + size +
           R"(,"creating":0,"creatingWithoutRetries":0,"verifying":0,"recreating":0,"deleting":0,)"
           R"("abandoning":0,"restarting":0,"refreshing":0,"suspending":0,"resuming":0,)"
           R"("stopping":0,"starting":0},"status":{"isStable":true,"stateful":)"
           R"({"hasStatefulConfig":false}},"updatePolicy":{"type":"OPPORTUNISTIC",)"
           R"("replacementMethod":"SUBSTITUTE"}})";
}

std::string managed_text(int group, int machine) {
    return R"({"instance":")" + gce_zone + "instances/" + machine_name(group, machine) +
           R"(","id":")" + std::to_string(6'000'000'000'000'000'000 + group * 1000 + machine) +
           R"(","currentAction":"NONE","instanceStatus":"RUNNING","lastAttempt":{},)"
           R"("version":{"instanceTemplate":")" +
           gce_root + R"(global/instanceTemplates/gke-prod-pool-1a2b3c4d"}})";
}

std::string listed_text(int group, int machine) {
    return R"({"id":")" + std::to_string(6'000'000'000'000'000'000 + group * 1000 + machine) +
           R"(","selfLink":")" + gce_zone + "instances/" + machine_name(group, machine) +
           R"(","status":"RUNNING","machineType":")" + gce_zone +
           R"(machineTypes/n2-standard-4","creationTimestamp":"2026-01-01T00:00:00.000-07:00",)"
           R"("scheduling":{"preemptible":false,"provisioningModel":"STANDARD"}})";
}

/// The items in pages, each between `before` and `after`.
std::vector<std::string> pages_of(const std::vector<std::string>& items, const std::string& before,
                                  const std::string& after) {
    std::vector<std::string> out;
    for (std::size_t first = 0; first < items.size(); first += gce_page) {
        std::string page = before;
        const std::size_t last = std::min(items.size(), first + gce_page);
        for (std::size_t i = first; i < last; ++i) page += (i > first ? "," : "") + items[i];
        page += after;
        if (last < items.size())
            page += R"(,"nextPageToken":")" + std::to_string(out.size() + 1) + R"(")";
        out.push_back(page + "}");
    }
    return out;
}

/// The API responses of a refresh, generated once.
struct GceResponses {
    std::vector<std::string> groups{}, instances{};
    std::vector<std::string> managed{};  ///< by group

    GceResponses(int group_count, int machines_each) {
        std::vector<std::string> rows, listed;
        for (int group = 0; group < group_count; ++group) {
            rows.push_back(mig_text(group, machines_each));
            std::string own;
            for (int machine = 0; machine < machines_each; ++machine) {
                listed.push_back(listed_text(group, machine));
                own += (machine > 0 ? "," : "") + managed_text(group, machine);
            }
            managed.push_back(R"({"managedInstances":[)" + own + "]}");
        }
        groups =
            pages_of(rows, R"({"items":{"zones/us-central1-a":{"instanceGroupManagers":[)", "]}}");
        instances = pages_of(listed, R"({"items":[)", "]");
    }
    const std::string& find(const std::string& url) const {
        const std::size_t token = url.find("pageToken=");
        const std::size_t page =
            token == std::string::npos ? 0 : std::stoul(url.substr(token + 10));
        if (url.find("/aggregated/") != std::string::npos) return groups.at(page);
        if (url.find("/instances?") != std::string::npos) return instances.at(page);
        const std::size_t name = url.find("gke-prod-pool-");
        return managed.at(std::stoul(url.substr(name + 14, 4)) - 1000);
    }
};

enum class RefreshScope { unchanged, all_by_zone, all_by_group };

void run_gce_refresh(benchmark::State& state, RefreshScope scope) {
    const int groups = static_cast<int>(state.range(0));
    const int machines = static_cast<int>(state.range(1));
    const GceResponses responses(groups, machines / groups);
    testing::FakeHost host;
    bool is_zone_listed = true;
    host.http().handle([&](const HttpRequest& request) {
        const bool is_zone = request.url.find("/instances?") != std::string::npos;
        if (is_zone && !is_zone_listed) return testing::reply(403, "{}");
        return testing::reply(200, responses.find(request.url));
    });
    gce::GceConfig config{.project = "p",
                          .discovery = {{.name_prefix = "gke-prod-", .min = 0, .max = 100}},
                          .credentials = {.anonymous = true}};
    if (scope != RefreshScope::unchanged) config.refresh_every = Duration(0);
    is_zone_listed = scope != RefreshScope::all_by_group;
    gce::GceCloud cloud(host.host(), config);
    if (!testing::run(host, cloud.start())) throw std::runtime_error("the cloud does not start");
    if (scope == RefreshScope::unchanged) std::ignore = testing::run(host, cloud.refresh({}));
    for (auto _ : state) {
        state.PauseTiming();
        host.forget();
        host.advance(std::chrono::seconds(10));
        state.ResumeTiming();
        const auto view = testing::run(host, cloud.refresh({}));
        if (!view || std::ssize((*view)->machines) != machines)
            throw std::runtime_error("the view lacks machines");
    }
    std::ignore = host.stop();
}

/// A refresh without changes: the groups, and the machines of the few groups whose list
/// is old.
void RefreshGce(benchmark::State& state) { run_gce_refresh(state, RefreshScope::unchanged); }
BENCHMARK(RefreshGce)->Args({500, 5000})->Unit(benchmark::kMillisecond);

/// A refresh of all groups and all machines by zone lists, JSON and the view included.
void RefreshGceByZones(benchmark::State& state) {
    run_gce_refresh(state, RefreshScope::all_by_zone);
}
BENCHMARK(RefreshGceByZones)->Args({500, 5000})->Unit(benchmark::kMillisecond);

/// The most expensive refresh: a request for the machines of each group.
void RefreshGceByGroups(benchmark::State& state) {
    run_gce_refresh(state, RefreshScope::all_by_group);
}
BENCHMARK(RefreshGceByGroups)->Args({500, 5000})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace capstan::bench

BENCHMARK_MAIN();
