/// Auto Scaling, EC2 and EKS in memory, behind the fake host's HTTP: groups that grow, launches
/// that fail, lists that lag, pages, and requests that are refused or whose answer is lost.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/url.hpp>

namespace capstan::aws {

struct FakeInstance {
    std::string id{};
    std::string state = "InService", health = "Healthy";
    std::string type = "m5.large", zone = "eu-central-1a";
    std::string version = "1";  ///< of the group's launch template
    bool is_protected = true;   ///< from scale-in
};

struct FakeActivity {
    std::string id{}, description{}, status{}, message{};
    Time started{};
};

struct FakeGroup {
    int min = 0, max = 10, desired = 0;
    bool protects_new = true;  ///< instances from scale-in
    Labels tags{};
    std::vector<FakeInstance> instances{};
    std::vector<FakeActivity> activities{};  ///< the newest first
    std::vector<std::string> zones{"eu-central-1a"};
    std::string launch_template = "lt-1", version = "1";
    std::string launch_configuration{};  ///< in place of the launch template
    std::string more{};                  ///< XML: a policy, suspended processes, a status
};

struct FakeLaunchTemplate {
    std::string type = "m5.large", image = "ami-1";
    int latest = 1;
    std::string more{};  ///< XML of its data
};

class FakeAws {
public:
    explicit FakeAws(testing::FakeHost& host);

    std::map<std::string, FakeGroup> groups{};
    std::map<std::string, FakeLaunchTemplate> launch_templates{{"lt-1", {}}};
    Labels parameters{};                              ///< images by "resolve:ssm:..."
    std::map<std::string, std::string> nodegroups{};  ///< JSON by "cluster/name"
    std::set<std::string> types{"m5.large", "c4.xlarge", "r4.large"};
    std::size_t page_size = 100;        ///< of groups
    std::string page_fails{};           ///< the token of a page that is always refused
    std::set<std::string> hidden{};     ///< ids of instances that EC2 does not show
    std::string hangs{};                ///< the action that is never answered
    std::vector<std::string> events{};  ///< bodies that wait in the queue
    Duration latency{};                 ///< of each answer; it shows what was when it was asked for
    Duration ahead{};                   ///< of its clock, which replies are dated by
    bool is_lagging = false;            ///< lists show groups as they were when it began
    /// Instances of a group come into service, each with its activity, until it has what it wants.
    void launch(const std::string& group);
    /// An activity of the group that begins now.
    FakeActivity& note(const std::string& group, const std::string& description,
                       const std::string& status);
    /// AWS tries to launch one, and cannot.
    void fail_launch(const std::string& group, const std::string& message,
                     const std::string& status = "Failed");
    /// Lists show what is now from here on, or no longer.
    void lag(bool begins);
    /// Its terminating instances are gone.
    void finish(const std::string& group);

    /// The next requests of an action are refused.
    void refuse(const std::string& action, const std::string& code, const std::string& message,
                int times = 1, int status = 400);
    void forget_refusals() { troubles_.clear(); }
    /// They are carried out, and the connection is lost before the answer.
    void lose(const std::string& action, int times = 1);

    /// How many requests of an action there were; of all: "".
    int calls(const std::string& action = {}) const;
    void forget_calls() { asked_.clear(); }
    /// What they asked, in order.
    std::vector<std::map<std::string, std::string>> asked(const std::string& action) const;

private:
    using Parameters = std::map<std::string, std::string>;
    struct Problem {
        std::string code{}, message{};
        int status = 0;  ///< 0: the answer is lost
    };
    testing::HttpOutcome answer(const HttpRequest& request);
    testing::HttpOutcome answer_queue(const std::string& target);
    HttpReply answer_nodegroup(const HttpRequest& request);
    HttpReply act(const Parameters& asked);
    HttpReply describe_groups(const Parameters& asked);
    HttpReply describe_activities(const Parameters& asked);
    HttpReply set_desired(const Parameters& asked);
    HttpReply set_protection(const Parameters& asked);
    HttpReply terminate(const Parameters& asked);
    HttpReply describe_version(const Parameters& asked);
    HttpReply describe_types(const Parameters& asked);
    HttpReply describe_instances(const Parameters& asked) const;
    HttpReply describe_images(const Parameters& asked);
    HttpReply describe_configurations(const Parameters& asked);

    testing::FakeHost& host_;
    std::map<std::string, FakeGroup> listed_{};  ///< while lists lag
    std::vector<Parameters> asked_{};
    std::map<std::string, std::deque<Problem>> troubles_{};
    int last_number_ = 0, activities_ = 0;
};

}  // namespace capstan::aws
