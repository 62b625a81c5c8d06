/// Auto Scaling, EC2, EKS and SQS in memory behind the HTTP of the fake host: groups that grow,
/// failing launches, lagging lists, pages, refused requests and lost responses.
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
    bool protects_new = true;  ///< new instances are protected from scale-in
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
    std::set<std::string> hidden{};     ///< ids of instances that EC2 does not return
    std::string hangs{};                ///< the action that gets no response
    std::vector<std::string> events{};  ///< bodies of the messages in the queue
    Duration latency{};  ///< of each response, which shows the state at the time of the request
    Duration ahead{};    ///< of the clock of AWS, which dates responses and activities
    bool is_lagging = false;  ///< lists show the groups as they were when the lag began
    /// Instances come into service, each with its activity, up to the desired capacity.
    void launch(const std::string& group);
    /// Adds an activity of the group that begins now.
    FakeActivity& note(const std::string& group, const std::string& description,
                       const std::string& status);
    /// AWS fails to launch an instance.
    void fail_launch(const std::string& group, const std::string& message,
                     const std::string& status = "Failed");
    /// From now on lists lag, or show the current state again.
    void lag(bool begins);
    /// Removes the terminating instances.
    void finish(const std::string& group);

    /// The next requests of an action are refused.
    void refuse(const std::string& action, const std::string& code, const std::string& message,
                int times = 1, int status = 400);
    void forget_refusals() { failures_.clear(); }
    /// The next requests are applied, and their responses are lost.
    void lose_responses(const std::string& action, int times = 1);

    /// The number of requests of an action, or of all.
    int calls(const std::string& action = {}) const;
    void forget_calls() { requests_.clear(); }
    /// The parameters of the requests of an action, in order.
    std::vector<std::map<std::string, std::string>> requests(const std::string& action) const;

private:
    using Parameters = std::map<std::string, std::string>;
    struct Problem {
        std::string code{}, message{};
        int status = 0;  ///< 0: the response is lost
    };
    testing::HttpOutcome respond(const HttpRequest& request);
    testing::HttpOutcome respond_to_queue(const std::string& target);
    HttpReply respond_with_nodegroup(const HttpRequest& request);
    HttpReply act(const Parameters& sent);
    HttpReply describe_groups(const Parameters& sent);
    HttpReply describe_activities(const Parameters& sent);
    HttpReply set_desired(const Parameters& sent);
    HttpReply set_protection(const Parameters& sent);
    HttpReply terminate(const Parameters& sent);
    HttpReply describe_version(const Parameters& sent);
    HttpReply describe_types(const Parameters& sent);
    HttpReply describe_instances(const Parameters& sent) const;
    HttpReply describe_images(const Parameters& sent);
    HttpReply describe_configurations(const Parameters& sent);

    testing::FakeHost& host_;
    std::map<std::string, FakeGroup> listed_{};  ///< while lists lag
    std::vector<Parameters> requests_{};
    std::map<std::string, std::deque<Problem>> failures_{};
    int last_number_ = 0, activities_ = 0;
};

}  // namespace capstan::aws
