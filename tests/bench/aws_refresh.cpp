// capstan-bench-aws: CPU time of a refresh of Auto Scaling groups, with Google Benchmark.
#include <benchmark/benchmark.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <capstan/testing/run_task.hpp>
#include <capstan/url.hpp>

#include "aws_cloud.hpp"

namespace capstan::bench {
namespace {

constexpr int page_size = 100;

std::string element(const std::string& name, const std::string& content) {
    return "<" + name + ">" + content + "</" + name + ">";
}

std::string instance_text(int number) {
    return element(
        "member",
        element("InstanceId", "i-0" + std::to_string(1'000'000'000'000'000 + number)) +
            element("AvailabilityZone", "eu-central-1a") + element("InstanceType", "m5.large") +
            element("LifecycleState", "InService") + element("HealthStatus", "Healthy") +
            element("LaunchTemplate", element("LaunchTemplateId", "lt-0123456789abcdef0") +
                                          element("LaunchTemplateName", "workers") +
                                          element("Version", "7")) +
            element("ProtectedFromScaleIn", "true"));
}

std::string tag_text(const std::string& key, const std::string& value) {
    return element("member", element("Key", key) + element("Value", value) +
                                 element("ResourceType", "auto-scaling-group") +
                                 element("PropagateAtLaunch", "true"));
}

/// A group with ten tags, about as many as users of upstream have.
std::string group_text(int group, int machines) {
    std::string tags, instances;
    for (int i = 0; i < 10; ++i)
        tags += tag_text(
            "k8s.io/cluster-autoscaler/node-template/label/example.com/label-" + std::to_string(i),
            "value-" + std::to_string(group));
    for (int i = 0; i < machines; ++i) instances += instance_text(group * machines + i);
    return element(
        "member",
        element("AutoScalingGroupName", "group-" + std::to_string(1000 + group)) +
            element("AutoScalingGroupARN", "arn:aws:autoscaling:eu-central-1:123456789012:x") +
            element("MinSize", "0") + element("MaxSize", "100") +
            element("DesiredCapacity", std::to_string(machines)) +
            element("AvailabilityZones", element("member", "eu-central-1a")) +
            element("LaunchTemplate", element("LaunchTemplateId", "lt-0123456789abcdef0") +
                                          element("LaunchTemplateName", "workers") +
                                          element("Version", "7")) +
            element("Tags", tags) + element("Instances", instances) +
            element("CreatedTime", "2026-01-01T00:00:00Z"));
}

std::vector<std::string> make_pages(int groups, int machines_per_group) {
    std::vector<std::string> out;
    for (int first = 0; first < groups; first += page_size) {
        std::string members;
        for (int i = first; i < std::min(groups, first + page_size); ++i)
            members += group_text(i, machines_per_group);
        const int next = first + page_size;
        const std::string token =
            next < groups ? element("NextToken", std::to_string(next / page_size)) : "";
        out.push_back(element("DescribeAutoScalingGroupsResponse",
                              element("DescribeAutoScalingGroupsResult",
                                      element("AutoScalingGroups", members) + token)));
    }
    return out;
}

std::size_t page_of(const HttpRequest& request) {
    const auto parameters = parse_query(request.body);
    for (const auto& [name, value] : *parameters)
        if (name == "NextToken") return std::stoul(value);
    return 0;
}

/// Each iteration lists all groups, and includes signing, XML and the view.
void RefreshAws(benchmark::State& state) {
    const int groups = static_cast<int>(state.range(0));
    const int machines = static_cast<int>(state.range(1));
    const std::vector<std::string> pages = make_pages(groups, machines / groups);
    testing::FakeHost host;
    host.secrets()["key"] = "secret";
    host.http().handle([&](const HttpRequest& request) {
        return testing::reply(200, pages.at(page_of(request)));
    });
    aws::AwsCloud cloud(host.host(),
                        {.region = "eu-central-1",
                         .discovery = {{{.key = "cluster", .value = "prod"}}},
                         .credentials = {.access_key_id = "AKIA", .secret_access_key = "key"}});
    if (!testing::run(host, cloud.start())) throw std::runtime_error("the cloud does not start");
    for (auto _ : state) {
        state.PauseTiming();
        host.forget();
        host.advance(std::chrono::minutes(1));
        state.ResumeTiming();
        const auto view = testing::run(host, cloud.refresh({}));
        if (!view || std::ssize((*view)->machines) != machines)
            throw std::runtime_error("the view lacks machines");
    }
    std::ignore = host.stop();
}
BENCHMARK(RefreshAws)->Args({500, 5000})->Args({100, 1000})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace capstan::bench

BENCHMARK_MAIN();
