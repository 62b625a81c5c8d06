/// Compute of Google in memory, behind the fake host's HTTP: groups that grow, machines that cannot
/// be had, operations, lists that lag, pages, and requests that are refused or whose answer is
/// lost.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/labels.hpp>
#include <capstan/testing/fake_host.hpp>

namespace capstan::gce {

struct FakeVm {
    std::string name{}, zone = "us-central1-a";
    std::string action = "NONE", status = "RUNNING";
    std::string made_from = "t1";  ///< its instance template
    std::string type{};            ///< of a flexibility policy
    std::string fault{}, message{};
    int number = 0;            ///< Google's; 0: not made yet
    bool is_given_up = false;  ///< the operation that asked for it will fail: it is never made
};

struct FakeMig {
    std::string base{};  ///< of names of instances
    int number = 1;      ///< Google's
    int target = 0, suspended = 0;
    std::string made_from = "t1";
    std::vector<std::string> versions{};  ///< instance templates; none: `made_from` alone
    std::vector<std::string> zones{};     ///< of a regional one
    std::string shape{}, update_type = "OPPORTUNISTIC", replacement{}, redistribution{};
    std::string autoscaler{};
    bool is_stateful = false;
    std::vector<std::string> flexible_types{};
    std::vector<FakeVm> instances{};
};

struct FakeTemplate {
    std::string type = "n2-standard-4", image = "projects/images/global/images/cos-1";
    std::string kube_env{};
    Labels labels{};
    bool is_spot = false;
};

class FakeGce {
public:
    explicit FakeGce(testing::FakeHost& host);

    /// By "us-central1-a/web" and "us-central1/web".
    std::map<std::string, FakeMig> groups{};
    std::map<std::string, FakeTemplate> templates{{"t1", {}}, {"t2", {}}};
    std::map<std::string, std::vector<FakeVm>> strangers{};  ///< instances of no group, by zone
    std::set<std::string> types{"n2-standard-4", "e2-standard-2"};
    std::set<std::string> silent_places{};  ///< "zones/us-central1-b": lists lack its groups
    std::set<std::string> broken_groups{};  ///< lists have them without what they need
    std::size_t page_size = 500;
    int polls = 0;  ///< how often an operation is asked about until it is done
    /// What the next operation of a method ends with: code, message, and the instance it names.
    struct Ending {
        std::string code{}, message{}, location{};
    };
    std::map<std::string, std::deque<Ending>> endings{};
    bool keeps_requests = true;  ///< for `calls` and `asked`
    Duration latency{};          ///< of each answer; it shows what was when it was asked for
    std::function<void()> on_refusal{};  ///< runs after a request was refused

    FakeMig& add(const std::string& key, int size);
    /// Instances of the group run until it has what it wants, and those that go are gone.
    void settle(const std::string& key);
    /// Those that are being made cannot be had.
    void exhaust(const std::string& key, const std::string& zone,
                 const std::string& code = "ZONE_RESOURCE_POOL_EXHAUSTED");
    /// Lists show what is now from here on, or no longer.
    void lag(bool begins);
    /// Lists show what was so long ago, by what `remember` was called for.
    Duration list_lag{};
    void remember();

    /// The next requests of a method are refused.
    void refuse(const std::string& method, int status, const std::string& reason,
                const std::string& message, int times = 1);
    /// They are carried out, and the connection is lost before the answer.
    void lose(const std::string& method, int times = 1);
    int throttled = 0;  ///< next requests that are refused
    int hung = 0;       ///< next changes that have no effect and no answer
    int lost = 0;       ///< next changes that are carried out and have no answer
    Duration late{};    ///< createInstances has no answer and is carried out so much later
    /// Carries out what is due of it.
    void carry_out_late();
    std::function<void()> before_change{};  ///< called once, before the next change

    /// How many requests of a method there were ("listManagedInstances", "instances"); of all: "".
    int calls(const std::string& method = {}) const;
    void forget_calls() { asked_.clear(); }
    struct Asked {
        std::string method{}, path{};
        Labels query{};
        Json body{};
    };
    std::vector<Asked> asked(const std::string& method) const;

private:
    struct Problem {
        int status = 0;  ///< 0: the answer is lost
        std::string reason{}, message{};
    };
    testing::HttpOutcome answer(const HttpRequest& request);
    HttpReply act(const Asked& asked, const std::vector<std::string>& parts);
    HttpReply list_groups(const Asked& asked) const;
    HttpReply list_instances(const FakeMig& group) const;
    HttpReply list_zone(const Asked& asked, const std::string& zone) const;
    HttpReply change(const Asked& asked, const std::string& key);
    HttpReply begin_operation(const Asked& asked, const std::string& key);
    HttpReply show_operation(const std::string& place, const std::string& name);
    HttpReply show_template(const std::string& name) const;
    HttpReply show_type(const std::string& name) const;
    const std::map<std::string, FakeMig>& shown() const;
    void end_operation(const std::string& key);

    testing::FakeHost& host_;
    bool is_lagging_ = false;
    std::map<std::string, FakeMig> listed_{};                                 ///< while lists lag
    std::deque<std::pair<Duration, std::map<std::string, FakeMig>>> past_{};  ///< what was since
    std::vector<Asked> asked_{};
    std::map<std::string, std::deque<Problem>> troubles_{};
    struct Running {
        std::string key{};  ///< of its group
        int polls = 0;
        Ending ending{};
    };
    std::map<std::string, Running> operations_{};
    struct Late {
        Duration at{};
        Asked asked{};
        std::vector<std::string> parts{};  ///< of its path
    };
    std::deque<Late> late_{};
    int last_number_ = 0;
};

}  // namespace capstan::gce
