/// An account in memory behind the HTTP of the fake host: groups, launch templates and policies for
/// group creation and permission checks. It responds in the XML of AWS.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/url.hpp>

namespace capstan::aws {

struct FakeGroup {
    Labels parameters{};  ///< as they were sent
    Labels tags{};
    std::vector<std::string> instances{};
    int desired = 0;
    std::string status{};
};

class FakeAccount {
public:
    explicit FakeAccount(testing::FakeHost& host) : host_(host) {
        launch_templates["workers"] = {{"imageId", "ami-1"}, {"userData", user_data}};
        host.http().handle([this](const HttpRequest& request) { return respond(request); });
    }

    std::map<std::string, FakeGroup> groups{};
    /// By name: the XML fields, and under "tag" the value of capstan.io/made-for on instances.
    std::map<std::string, Labels> launch_templates{};
    std::map<std::string, std::string> refusals{};  ///< by action: the error code
    std::set<std::string> lost{};        ///< actions that are applied but whose response is lost
    std::vector<std::string> actions{};  ///< of all requests, in order
    std::string caller = "arn:aws:sts::111122223333:assumed-role/capstan-prod/pod";
    /// The IAM decision by action; "allowed" by default.
    std::map<std::string, std::string> decisions{};
    std::string missing_context{};  ///< returned with an "implicitDeny"
    std::vector<Labels> simulations{};
    std::string user_data{};

    std::size_t count(const std::string& action) const {
        return static_cast<std::size_t>(std::count(actions.begin(), actions.end(), action));
    }

private:
    testing::HttpOutcome respond(const HttpRequest& request) {
        Labels sent;
        for (auto& [key, value] : parse_query(request.body).value_or(QueryParameters()))
            sent.emplace(key, value);
        const bool is_eks = request.url.find("//eks.") != std::string::npos;
        const std::string action = is_eks ? "DescribeNodegroup" : sent["Action"];
        actions.push_back(action);
        const bool is_ec2 = request.url.find("//ec2.") != std::string::npos;
        if (const auto code = refusals.find(action); code != refusals.end())
            return refusal(code->second, is_ec2);
        if (is_eks) return testing::reply(200, R"({"nodegroup": {"nodegroupName": "workers"}})");
        if (sent.contains("DryRun")) return refusal("DryRunOperation", true);
        const testing::HttpOutcome done = carry_out(action, sent);
        return lost.contains(action) ? testing::dropped() : done;
    }

    testing::HttpOutcome carry_out(const std::string& action, const Labels& sent) {
        if (action == "DescribeAutoScalingGroups") return query(action, described(sent));
        if (action == "CreateAutoScalingGroup") return create_group(sent);
        if (action == "DeleteAutoScalingGroup") {
            groups.erase(at(sent, "AutoScalingGroupName"));
            return query(action, "");
        }
        if (action == "CreateLaunchTemplate") return create_launch_template(sent);
        if (action == "DeleteLaunchTemplate") {
            if (launch_templates.erase(at(sent, "LaunchTemplateName")) == 0)
                return refusal("InvalidLaunchTemplateName.NotFoundException", true);
            return ec2(action, "");
        }
        if (action == "DescribeLaunchTemplateVersions") return version(sent);
        if (action == "DescribeImages")
            return ec2(action,
                       "<imagesSet><item><imageId>ami-1</imageId><architecture>x86_64"
                       "</architecture></item></imagesSet>");
        if (action == "DescribeSubnets")
            return ec2(action,
                       "<subnetSet><item><subnetId>subnet-a1</subnetId><availabilityZone>"
                       "eu-central-1a</availabilityZone></item></subnetSet>");
        if (action == "DescribeInstanceTypeOfferings")
            return ec2(action,
                       "<instanceTypeOfferingSet><item><instanceType>m5.large</instanceType>"
                       "<location>eu-central-1a</location></item>"
                       "</instanceTypeOfferingSet>");
        if (action == "GetCallerIdentity")
            return query(action, "<Account>111122223333</Account><Arn>" + caller + "</Arn>");
        if (action == "SimulatePrincipalPolicy") return simulated(sent);
        return query(action, "");
    }

    testing::HttpOutcome create_group(const Labels& sent) {
        const std::string name = at(sent, "AutoScalingGroupName");
        if (groups.contains(name)) return refusal("AlreadyExists", false);
        FakeGroup& made = groups[name];
        made.parameters = sent;
        for (int i = 1; sent.contains("Tags.member." + std::to_string(i) + ".Key"); ++i) {
            const std::string tag = "Tags.member." + std::to_string(i);
            made.tags[at(sent, tag + ".Key")] = at(sent, tag + ".Value");
        }
        return query("CreateAutoScalingGroup", "");
    }
    testing::HttpOutcome create_launch_template(const Labels& sent) {
        const std::string name = at(sent, "LaunchTemplateName");
        if (launch_templates.contains(name))
            return refusal("InvalidLaunchTemplateName.AlreadyExistsException", true);
        launch_templates[name] = {
            {"imageId", at(sent, "LaunchTemplateData.ImageId")},
            {"instanceType", at(sent, "LaunchTemplateData.InstanceType")},
            {"userData", at(sent, "LaunchTemplateData.UserData")},
            {"tag", at(sent, "LaunchTemplateData.TagSpecification.1.Tag.1.Value")}};
        return ec2("CreateLaunchTemplate",
                   "<launchTemplate><launchTemplateId>lt-1</launchTemplateId><launchTemplateName>" +
                       name + "</launchTemplateName></launchTemplate>");
    }
    std::string described(const Labels& sent) const {
        std::string out = "<AutoScalingGroups>";
        for (const auto& [name, group] : groups) {
            if (!is_requested(sent, name, group)) continue;
            out += "<member><AutoScalingGroupName>" + name +
                   "</AutoScalingGroupName><MinSize>0</MinSize><MaxSize>1000</MaxSize>"
                   "<DesiredCapacity>" +
                   std::to_string(group.desired) + "</DesiredCapacity>" + made_from(group) +
                   "<AvailabilityZones><member>eu-central-1a</member></AvailabilityZones><Tags>";
            for (const auto& [key, value] : group.tags)
                out += "<member><Key>" + key + "</Key><Value>" + value + "</Value></member>";
            out += "</Tags><Instances>";
            for (const std::string& id : group.instances)
                out += "<member><InstanceId>" + id +
                       "</InstanceId><LifecycleState>Terminating</LifecycleState></member>";
            out += "</Instances>";
            if (!group.status.empty()) out += "<Status>" + group.status + "</Status>";
            out += "</member>";
        }
        return out + "</AutoScalingGroups>";
    }
    /// By name, or by one tag: its key, or its key and value.
    static bool is_requested(const Labels& sent, const std::string& name, const FakeGroup& group) {
        const std::string wanted = at(sent, "AutoScalingGroupNames.member.1");
        if (!wanted.empty()) return wanted == name;
        const std::string filter = at(sent, "Filters.member.1.Name");
        const std::string value = at(sent, "Filters.member.1.Values.member.1");
        if (filter == "tag-key") return group.tags.contains(value);
        return at(group.tags, filter.substr(std::string("tag:").size())) == value;
    }
    static std::string made_from(const FakeGroup& group) {
        const auto named = [&](const std::string& parameter) {
            return "<LaunchTemplateName>" +
                   at(group.parameters, parameter + ".LaunchTemplateName") +
                   "</LaunchTemplateName><Version>" + at(group.parameters, parameter + ".Version") +
                   "</Version>";
        };
        const std::string policy = "MixedInstancesPolicy.LaunchTemplate";
        if (group.parameters.contains("LaunchTemplate.LaunchTemplateName"))
            return "<LaunchTemplate>" + named("LaunchTemplate") + "</LaunchTemplate>";
        if (!group.parameters.contains("MinSize")) return {};
        return "<MixedInstancesPolicy><LaunchTemplate><LaunchTemplateSpecification>" +
               named(policy + ".LaunchTemplateSpecification") +
               "</LaunchTemplateSpecification><Overrides><member><InstanceType>" +
               at(group.parameters, policy + ".Overrides.member.1.InstanceType") +
               "</InstanceType></member></Overrides></LaunchTemplate><InstancesDistribution>"
               "<OnDemandBaseCapacity>0</"
               "OnDemandBaseCapacity><OnDemandPercentageAboveBaseCapacity>0"
               "</OnDemandPercentageAboveBaseCapacity></InstancesDistribution>"
               "</MixedInstancesPolicy>";
    }
    testing::HttpOutcome version(const Labels& sent) const {
        const auto found = launch_templates.find(at(sent, "LaunchTemplateName"));
        if (found == launch_templates.end())
            return refusal("InvalidLaunchTemplateName.NotFoundException", true);
        std::string data;
        for (const auto& [key, value] : found->second) {
            if (key == "tag") {
                data +=
                    "<tagSpecificationSet><item><resourceType>instance</resourceType><tagSet>"
                    "<item><key>capstan.io/made-for</key><value>" +
                    value + "</value></item></tagSet></item></tagSpecificationSet>";
            } else {
                data += "<" + key + ">" + value + "</" + key + ">";
            }
        }
        return ec2("DescribeLaunchTemplateVersions",
                   "<launchTemplateVersionSet><item><versionNumber>1</versionNumber>"
                   "<launchTemplateData>" +
                       data + "</launchTemplateData></item></launchTemplateVersionSet>");
    }
    testing::HttpOutcome simulated(const Labels& sent) {
        simulations.push_back(sent);
        std::string out = "<EvaluationResults>";
        for (int i = 1; sent.contains("ActionNames.member." + std::to_string(i)); ++i) {
            const std::string action = at(sent, "ActionNames.member." + std::to_string(i));
            const auto decision = decisions.find(action);
            const std::string word = decision == decisions.end() ? "allowed" : decision->second;
            out += "<member><EvalActionName>" + action + "</EvalActionName><EvalDecision>" + word +
                   "</EvalDecision>";
            if (word == "implicitDeny" && !missing_context.empty())
                out += "<MissingContextValues><member>" + missing_context +
                       "</member></MissingContextValues>";
            out += "</member>";
        }
        return query("SimulatePrincipalPolicy", out + "</EvaluationResults>");
    }

    static std::string at(const Labels& sent, const std::string& key) {
        const auto found = sent.find(key);
        return found == sent.end() ? std::string() : found->second;
    }
    static testing::HttpOutcome query(const std::string& action, const std::string& inner) {
        return testing::reply(200, "<" + action + "Response><" + action + "Result>" + inner + "</" +
                                       action + "Result></" + action + "Response>");
    }
    static testing::HttpOutcome ec2(const std::string& action, const std::string& inner) {
        return testing::reply(200,
                              "<" + action + "Response>" + inner + "</" + action + "Response>");
    }
    static testing::HttpOutcome refusal(const std::string& code, bool is_ec2) {
        const std::string error =
            "<Error><Code>" + code + "</Code><Message>as the test wants it</Message></Error>";
        return testing::reply(400, is_ec2 ? "<Response><Errors>" + error +
                                                "</Errors><RequestID>r</RequestID></Response>"
                                          : "<ErrorResponse>" + error + "</ErrorResponse>");
    }

    testing::FakeHost& host_;
};

}  // namespace capstan::aws
