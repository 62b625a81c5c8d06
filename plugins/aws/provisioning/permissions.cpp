#include "permissions.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/sentence.hpp>

#include "../api/ec2.hpp"
#include "../api/eks.hpp"
#include "../api/sts.hpp"
#include "../wire/aws_client.hpp"
#include "autoprovisioned_group.hpp"
#include "policy_simulation.hpp"

namespace capstan::aws {
namespace {

using Kind = RightVerdict::Kind;

/// Each group takes a call of IAM, which has a low rate limit.
constexpr std::size_t most_simulated_groups = 10;

/// The verdict on an action by the result of a call.
RightVerdict verdict_of(std::string action, const std::optional<Error>& error) {
    RightVerdict out{.action = std::move(action), .kind = Kind::granted};
    if (!error) return out;
    out.kind = error->code == ErrorCode::permission ? Kind::refused : Kind::not_checked;
    out.because = error->message;
    return out;
}

template <class T>
std::optional<Error> error_in(const Result<T>& result) {
    return result ? std::nullopt : std::optional(result.error());
}

/// The simulation's context for a group's tags, with the names of IAM's condition keys.
Labels context_of(const Labels& tags, std::string_view region) {
    Labels out{{"aws:RequestedRegion", std::string(region)}};
    for (const auto& [key, value] : tags) {
        out.emplace("aws:ResourceTag/" + key, value);
        out.emplace("autoscaling:ResourceTag/" + key, value);
    }
    return out;
}

/// The tag in a condition key on the resource's tags ("aws:ResourceTag/team"); empty for any other
/// condition key.
std::string tag_in(std::string_view condition_key) {
    const std::size_t slash = condition_key.find('/');
    const std::string kind = lower_case(condition_key.substr(0, slash));
    const bool is_of_tags = kind == "aws:resourcetag" || kind == "autoscaling:resourcetag";
    if (!is_of_tags || slash == std::string_view::npos) return {};
    return std::string(condition_key.substr(slash + 1));
}

/// The tags that the group lacks, if nothing else made IAM refuse. All tags of the group are in the
/// simulation, so AWS will refuse, too.
std::set<std::string> find_lacking_tags(const SimulatedRight& answer) {
    std::set<std::string> out;
    for (const std::string& key : answer.missing_context) {
        std::string tag = tag_in(key);
        if (tag.empty()) return {};
        out.insert(std::move(tag));
    }
    return out;
}

/// Moves one group of each set of tag keys to the front, so that a group that lacks a tag is among
/// those that are asked about.
void put_different_groups_first(std::vector<AutoScalingGroup>& groups) {
    std::set<std::set<std::string>> seen;
    std::stable_partition(groups.begin(), groups.end(), [&](const AutoScalingGroup& group) {
        std::set<std::string> keys;
        for (const auto& [key, value] : group.tags) keys.insert(key);
        return seen.insert(std::move(keys)).second;
    });
}

/// Checks the actions of the table one after another, since IAM and EC2 throttle parallel calls.
class RightsCheck {
public:
    RightsCheck(const Host& host, AwsClient& client, RightsQuestion question)
        : host_(host), client_(client), question_(std::move(question)) {}

    Task<std::vector<RightVerdict>> run() {
        const CallerIdentity caller = co_await StsApi(client_).get_caller_identity();
        account_ = caller.account;
        principal_ = policy_source_of(caller.arn);
        co_await call_readers();
        co_await ask_dry_runs();
        co_await ask_simulations();
        co_return std::move(verdicts_);
    }

private:
    bool is_needed(const NeededRight& right) const {
        switch (right.of) {
            case RightOf::groups:
            case RightOf::protection:
            case RightOf::addresses: return true;
            case RightOf::nodegroups: return find_nodegroup() != nullptr;
            case RightOf::activities: return question_.failed_activities;
            case RightOf::provisioning: return question_.provisioning;
            case RightOf::queue: return !question_.event_queue_url.empty();
            case RightOf::doctor: return false;
        }
        return false;
    }
    std::vector<std::string> actions(RightCheck check) const {
        std::vector<std::string> out;
        for (const NeededRight& right : needed_rights())
            if (right.check == check && is_needed(right)) out.emplace_back(right.action);
        return out;
    }
    /// A group of an EKS managed node group; NULL if there is none.
    const AutoScalingGroup* find_nodegroup() const {
        const auto at = std::ranges::find_if(question_.groups, [](const AutoScalingGroup& group) {
            return group.tags.contains("eks:cluster-name") &&
                   group.tags.contains("eks:nodegroup-name");
        });
        return at == question_.groups.end() ? nullptr : &*at;
    }

    Task<void> call_readers() {
        for (const std::string& action : actions(RightCheck::call)) {
            const std::optional<Error> error = co_await call_reader(action);
            verdicts_.push_back(verdict_of(action, error));
        }
    }
    Task<std::optional<Error>> call_reader(std::string action) {
        AutoScalingApi groups(client_);
        // A name that no group has is answered with an empty list.
        const std::vector<std::string> nothing{"capstan-doctor"};
        if (action == "autoscaling:DescribeAutoScalingGroups") {
            co_return error_in(co_await as_result(groups.describe_groups(nothing)));
        }
        if (action == "autoscaling:DescribeLaunchConfigurations") {
            co_return error_in(co_await as_result(groups.describe_launch_configurations(nothing)));
        }
        if (action == "eks:DescribeNodegroup") {
            const std::string cluster = find_nodegroup()->tags.at("eks:cluster-name");
            const std::string name = find_nodegroup()->tags.at("eks:nodegroup-name");
            EksApi eks(client_);
            co_return error_in(co_await as_result(eks.describe_nodegroup(cluster, name)));
        }
        if (question_.groups.empty()) {
            Error none{ErrorCode::unavailable, "no group found to check"};
            co_return std::optional<Error>(std::move(none));
        }
        const std::string name = question_.groups.front().name;
        co_return error_in(co_await as_result(groups.describe_activities(name, host_.now())));
    }

    Task<void> ask_dry_runs() {
        Ec2Api ec2(client_);
        for (const std::string& action : actions(RightCheck::dry_run)) {
            const std::string name(bare_action(action));
            const std::optional<Error> error = co_await ec2.dry_run(name);
            verdicts_.push_back(verdict_of(action, error));
        }
    }

    Task<void> ask_simulations() {
        const std::vector<std::string> all = actions(RightCheck::simulate);
        const std::optional<std::string> obstacle = find_obstacle_to_simulation();
        if (obstacle) {
            leave_unchecked(all, "", *obstacle);
            co_return;
        }
        co_await simulate_on_groups();
        if (question_.provisioning) co_await simulate_making();
        if (!question_.event_queue_url.empty()) co_await simulate_queue();
    }
    std::optional<std::string> find_obstacle_to_simulation() const {
        if (principal_.ends_with(":root")) return "the caller is the account's root user";
        const bool has_policies = principal_.find(":role/") != std::string::npos ||
                                  principal_.find(":user/") != std::string::npos;
        if (has_policies) return std::nullopt;
        return "IAM can simulate only roles and users, the caller is " + principal_;
    }
    Task<void> simulate_on_groups() {
        const std::vector<std::string> all{"autoscaling:SetDesiredCapacity",
                                           "autoscaling:TerminateInstanceInAutoScalingGroup",
                                           "autoscaling:SetInstanceProtection"};
        if (question_.groups.empty()) leave_unchecked(all, "", "no group found to check");
        for (std::size_t i = 0; i < question_.groups.size(); ++i) {
            const AutoScalingGroup group = question_.groups[i];
            if (i < most_simulated_groups) {
                co_await simulate(all, group.arn, context_of(group.tags, question_.region));
            } else {
                leave_unchecked(all, group.arn, "only ten groups are checked");
            }
        }
    }
    /// Simulates on the ARNs of a group and a launch template that do not exist.
    Task<void> simulate_making() {
        const std::string at = question_.region + ":" + account_ + ":";
        const std::string partition(partition_of(question_.region));
        const std::string name =
            name_of_made_group("nodeautoprovisioning-doctor", question_.cluster);
        Labels context =
            context_of({{std::string(made_for_tag), question_.cluster}}, question_.region);
        context.emplace("aws:RequestTag/" + std::string(made_for_tag), question_.cluster);
        context.emplace(launch_template_version_key, "true");
        const std::vector<std::string> of_groups{"autoscaling:CreateAutoScalingGroup",
                                                 "autoscaling:CreateOrUpdateTags",
                                                 "autoscaling:DeleteAutoScalingGroup"};
        const std::string group = "arn:" + partition + ":autoscaling:" + at +
                                  "autoScalingGroup:*:autoScalingGroupName/" + name;
        co_await simulate(of_groups, group, context);
        const std::vector<std::string> of_templates{"ec2:CreateLaunchTemplate",
                                                    "ec2:DeleteLaunchTemplate"};
        const std::string launch_template =
            "arn:" + partition + ":ec2:" + at + "launch-template/lt-0";
        co_await simulate(of_templates, launch_template, context);
    }
    Task<void> simulate_queue() {
        const std::vector<std::string> both{"sqs:ReceiveMessage", "sqs:DeleteMessage"};
        const std::string arn = queue_arn(question_.event_queue_url, question_.region);
        if (arn.empty()) {
            leave_unchecked(both, "", "event_queue_url is not an SQS queue URL");
            co_return;
        }
        co_await simulate(both, arn, context_of({}, question_.region));
    }

    Task<void> simulate(std::vector<std::string> asked, std::string resource, Labels context) {
        if (refusal_) {
            leave_unchecked(asked, resource, *refusal_);
            co_return;
        }
        const Simulation question{.principal_arn = principal_,
                                  .actions = asked,
                                  .resource = resource,
                                  .context = std::move(context)};
        const auto answers = co_await as_result(simulate_policy(client_, question));
        if (!answers) {
            // Most policies do not allow the simulation; one refused call is enough.
            refusal_ = answers.error().message;
            leave_unchecked(asked, resource, *refusal_);
            co_return;
        }
        for (const SimulatedRight& answer : *answers) add_answer(answer, resource);
    }
    void add_answer(const SimulatedRight& answer, const std::string& resource) {
        RightVerdict verdict{.action = answer.action, .resource = resource};
        switch (answer.decision) {
            case SimulatedRight::Decision::allowed: verdict.kind = Kind::granted; break;
            case SimulatedRight::Decision::denied:
                verdict.kind = Kind::refused;
                verdict.because = "IAM returned " + answer.word;
                break;
            case SimulatedRight::Decision::unknown: judge_unknown(answer, verdict); break;
        }
        verdicts_.push_back(std::move(verdict));
    }
    void judge_unknown(const SimulatedRight& answer, RightVerdict& verdict) const {
        const auto group =
            std::ranges::find(question_.groups, verdict.resource, &AutoScalingGroup::arn);
        const std::set<std::string> tags = find_lacking_tags(answer);
        if (group == question_.groups.end() || tags.empty()) {
            verdict.because = "a policy condition requires " +
                              listed(answer.missing_context, [](const auto& key) { return key; });
            return;
        }
        const std::string quoted = listed(tags, [](const auto& tag) { return in_quotes(tag); });
        verdict.kind = Kind::refused;
        verdict.because = "group " + in_quotes(group->name) + " does not have " +
                          (tags.size() == 1 ? "the tag " : "the tags ") + quoted +
                          ", which a policy condition requires; tag the group";
    }
    void leave_unchecked(const std::vector<std::string>& asked, const std::string& resource,
                         const std::string& because) {
        for (const std::string& action : asked)
            verdicts_.push_back({.action = action, .resource = resource, .because = because});
    }

    const Host host_;
    AwsClient& client_;
    const RightsQuestion question_;
    std::string account_{}, principal_{};
    std::optional<std::string> refusal_{};  ///< of the simulation
    std::vector<RightVerdict> verdicts_{};
};

/// What an action that is only recommended is for; empty: the action is required.
std::string_view purpose_of(const RightVerdict& verdict) {
    const auto right = std::ranges::find(needed_rights(), verdict.action, &NeededRight::action);
    if (right == needed_rights().end()) return {};
    if (right->of == RightOf::protection)
        return "instances are protected from scale-in while a failed request is cancelled";
    if (right->of == RightOf::addresses)
        return "nodes without spec.providerID are matched by address";
    return {};
}

std::string text_of_verdict(const RightVerdict& verdict) {
    std::string out = verdict.action;
    if (!verdict.resource.empty()) out += " on " + verdict.resource;
    return out + " is denied: " + verdict.because;
}

}  // namespace

Task<std::vector<RightVerdict>> check_rights(Host host, AwsClient& client,
                                             RightsQuestion question) {
    put_different_groups_first(question.groups);
    const auto check = std::make_unique<RightsCheck>(host, client, std::move(question));
    co_return co_await check->run();
}

Result<void> judge_rights(const std::vector<RightVerdict>& verdicts) {
    std::string out;
    for (const RightVerdict& verdict : verdicts) {
        if (verdict.kind != Kind::refused || !purpose_of(verdict).empty()) continue;
        out += (out.empty() ? "" : "; ") + text_of_verdict(verdict);
    }
    if (out.empty()) return {};
    return fail(ErrorCode::permission, std::move(out));
}

std::vector<std::string> format_recommended(const std::vector<RightVerdict>& verdicts) {
    std::vector<std::string> out;
    for (const RightVerdict& verdict : verdicts) {
        const std::string_view purpose = purpose_of(verdict);
        if (verdict.kind == Kind::refused && !purpose.empty())
            out.push_back("recommended: " + text_of_verdict(verdict) + "; with it, " +
                          std::string(purpose));
    }
    return out;
}

std::vector<std::string> format_unchecked(const std::vector<RightVerdict>& verdicts) {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const RightVerdict& verdict : verdicts) {
        if (verdict.kind != Kind::not_checked) continue;
        std::vector<std::string>& actions = by_reason[verdict.because];
        if (std::ranges::count(actions, verdict.action) == 0) actions.push_back(verdict.action);
    }
    std::vector<std::string> out;
    for (const auto& [reason, actions] : by_reason)
        out.push_back(
            "not checked: " + listed(actions, [](const std::string& action) { return action; }) +
            ": " + reason);
    return out;
}

Task<void> require_rights(Host host, AwsClient& client, RightsQuestion question) {
    const std::vector<RightVerdict> verdicts =
        co_await check_rights(host, client, std::move(question));
    for (const std::string& sentence : format_recommended(verdicts)) host.warn(sentence);
    for (const std::string& sentence : format_unchecked(verdicts)) host.warn(sentence);
    if (const Result<void> judged = judge_rights(verdicts); !judged) throw Failure(judged.error());
}

std::string queue_arn(std::string_view url, std::string_view region) {
    const std::size_t name_at = url.rfind('/');
    if (name_at == std::string_view::npos || name_at == 0) return {};
    const std::size_t account_at = url.rfind('/', name_at - 1);
    if (account_at == std::string_view::npos) return {};
    const std::string_view account = url.substr(account_at + 1, name_at - account_at - 1);
    const std::string_view name = url.substr(name_at + 1);
    const bool is_account =
        account.size() == 12 && account.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_account || name.empty()) return {};
    return "arn:" + std::string(partition_of(region)) + ":sqs:" + std::string(region) + ":" +
           std::string(account) + ":" + std::string(name);
}

}  // namespace capstan::aws
