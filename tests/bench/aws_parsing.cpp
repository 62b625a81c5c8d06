// The parsing part of a refresh of the AWS plugin: groups and their instances in XML.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "api/auto_scaling_xml.hpp"

namespace capstan::bench {
namespace {

constexpr int groups_per_page = 100;

std::string listed_instance(int number) {
    std::string id = std::to_string(100'000'000 + number);
    return "<member><InstanceId>i-00000000" + id +
           "</InstanceId><InstanceType>m5.xlarge</InstanceType>"
           "<AvailabilityZone>eu-central-1a</AvailabilityZone>"
           "<LifecycleState>InService</LifecycleState><HealthStatus>Healthy</HealthStatus>"
           "<LaunchTemplate><LaunchTemplateId>lt-0123456789abcdef0</LaunchTemplateId>"
           "<LaunchTemplateName>workers</LaunchTemplateName><Version>12</Version>"
           "</LaunchTemplate><ProtectedFromScaleIn>false</ProtectedFromScaleIn></member>";
}

std::string listed_tag(const std::string& key, const std::string& value) {
    return "<member><ResourceId>g</ResourceId><ResourceType>auto-scaling-group</"
           "ResourceType><Key>" +
           key + "</Key><Value>" + value +
           "</Value><PropagateAtLaunch>true</PropagateAtLaunch></member>";
}

std::string listed_group(int number, int instances) {
    const std::string name = "workers-" + std::to_string(1'000'000 + number);
    std::string out = "<member><AutoScalingGroupName>" + name +
                      "</AutoScalingGroupName><AutoScalingGroupARN>arn:aws:autoscaling:"
                      "eu-central-1:123456789012:autoScalingGroup:4d3c2b1a:autoScalingGroupName/" +
                      name + "</AutoScalingGroupARN>";
    out +=
        "<MixedInstancesPolicy><LaunchTemplate><LaunchTemplateSpecification>"
        "<LaunchTemplateName>workers</LaunchTemplateName><Version>$Latest</Version>"
        "</LaunchTemplateSpecification><Overrides>";
    for (const char* type : {"m5.xlarge", "m5a.xlarge", "m6i.xlarge"})
        out += "<member><InstanceType>" + std::string(type) + "</InstanceType></member>";
    out +=
        "</Overrides></LaunchTemplate><InstancesDistribution><OnDemandBaseCapacity>0"
        "</OnDemandBaseCapacity><OnDemandPercentageAboveBaseCapacity>0"
        "</OnDemandPercentageAboveBaseCapacity></InstancesDistribution></MixedInstancesPolicy>";
    out += "<MinSize>0</MinSize><MaxSize>100</MaxSize><DesiredCapacity>" +
           std::to_string(instances) +
           "</DesiredCapacity><DefaultCooldown>300</DefaultCooldown><AvailabilityZones>"
           "<member>eu-central-1a</member></AvailabilityZones><HealthCheckType>EC2"
           "</HealthCheckType><CreatedTime>2026-03-14T09:26:53.589Z</CreatedTime>"
           "<VPCZoneIdentifier>subnet-0a</VPCZoneIdentifier><Tags>";
    out += listed_tag("k8s.io/cluster-autoscaler/enabled", "true");
    for (int i = 0; i < 10; ++i)
        out +=
            listed_tag("k8s.io/cluster-autoscaler/node-template/label/l" + std::to_string(i), "v");
    out += "</Tags><Instances>";
    for (int i = 0; i < instances; ++i) out += listed_instance(number * instances + i);
    return out + "</Instances></member>";
}

std::vector<std::string> listed_pages(int groups, int instances_each) {
    std::vector<std::string> out;
    for (int at = 0; at < groups; at += groups_per_page) {
        std::string page =
            "<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult>"
            "<AutoScalingGroups>";
        for (int i = at; i < std::min(groups, at + groups_per_page); ++i)
            page += listed_group(i, instances_each);
        out.push_back(page +
                      "</AutoScalingGroups></DescribeAutoScalingGroupsResult>"
                      "</DescribeAutoScalingGroupsResponse>");
    }
    return out;
}

aws::AutoScalingGroups parse_pages(const std::vector<std::string>& pages) {
    std::vector<Result<aws::AutoScalingGroup>> read;
    for (const std::string& page : pages) {
        const auto reply = aws::XmlReply::parse(page, "DescribeAutoScalingGroups");
        if (!reply) throw std::runtime_error(reply.error().message);
        for (const aws::XmlElement& member : reply->result().items("AutoScalingGroups"))
            read.push_back(aws::read_group(member));
    }
    return aws::sorted_groups(std::move(read));
}

void ParseAwsResponses(benchmark::State& state) {
    const int groups = static_cast<int>(state.range(0));
    const int instances = static_cast<int>(state.range(1));
    const std::vector<std::string> pages = listed_pages(groups, instances / groups);
    std::size_t bytes = 0;
    for (const std::string& page : pages) bytes += page.size();
    for (auto _ : state) {
        const aws::AutoScalingGroups read = parse_pages(pages);
        if (std::ssize(read.groups) != groups)
            throw std::runtime_error("not all groups can be read");
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}
BENCHMARK(ParseAwsResponses)->Args({500, 5000})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace capstan::bench
