/// Compute Engine in memory behind the HTTP of the fake host: groups that grow, stock-outs,
/// operations, lagging lists, pages, refused requests and lost responses.
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
    int number = 0;             ///< the id; 0: not created yet
    bool is_abandoned = false;  ///< its operation will fail: it is never created
};

struct FakeMig {
    std::string base{};  ///< of names of instances
    int number = 1;      ///< the id
    int target = 0, suspended = 0;
    std::string made_from = "t1";
    std::vector<std::string> versions{};  ///< instance templates; empty: only `made_from`
    std::vector<std::string> zones{};     ///< of a regional group
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
    std::set<std::string> silent_places{};  ///< "zones/us-central1-b": lists omit its groups
    std::set<std::string> broken_groups{};  ///< lists contain them with an invalid target size
    std::size_t page_size = 500;
    int polls = 0;  ///< polls until an operation is done
    /// The error of an operation: code, message, and the instance that it names. An empty code:
    /// success.
    struct Ending {
        std::string code{}, message{}, location{};
    };
    std::map<std::string, std::deque<Ending>> endings{};
    bool records_requests = true;  ///< for `calls` and `requests`
    Duration latency{};  ///< of each response, which shows the state at the time of the request
    std::function<void()> on_refusal{};  ///< runs when a request is refused

    FakeMig& add(const std::string& key, int size);
    /// Creating instances run, up to the target, and deleting instances are removed.
    void settle(const std::string& key);
    /// The instances that are being created in the zone get a stock-out.
    void exhaust(const std::string& key, const std::string& zone,
                 const std::string& code = "ZONE_RESOURCE_POOL_EXHAUSTED");
    /// From now on lists lag, or show the current state again.
    void lag(bool begins);
    /// Lists show the state of this long ago, as recorded by `remember`.
    Duration list_lag{};
    void remember();

    /// The next requests of a method are refused.
    void refuse(const std::string& method, int status, const std::string& reason,
                const std::string& message, int times = 1);
    /// The next requests are applied, and their responses are lost.
    void lose_responses(const std::string& method, int times = 1);
    int throttled = 0;  ///< the number of next requests that are refused
    int hung = 0;       ///< the number of next changes without effect and response
    int lost = 0;       ///< the number of next changes that are applied without a response
    Duration late{};    ///< createInstances has no response and is applied this much later
    /// Applies late changes that are due.
    void carry_out_late();
    std::function<void()> before_change{};  ///< called once, before the next change

    /// The number of requests of a method ("listManagedInstances", "instances"), or of all.
    int calls(const std::string& method = {}) const;
    void forget_calls() { requests_.clear(); }
    struct Request {
        std::string method{}, path{};
        Labels query{};
        Json body{};
    };
    std::vector<Request> requests(const std::string& method) const;

private:
    struct Problem {
        int status = 0;  ///< 0: the response is lost
        std::string reason{}, message{};
    };
    testing::HttpOutcome respond(const HttpRequest& request);
    HttpReply act(const Request& received, const std::vector<std::string>& parts);
    HttpReply list_groups(const Request& received) const;
    HttpReply list_instances(const FakeMig& group) const;
    HttpReply list_zone(const Request& received, const std::string& zone) const;
    HttpReply change(const Request& received, const std::string& key);
    HttpReply begin_operation(const Request& received, const std::string& key);
    HttpReply show_operation(const std::string& place, const std::string& name);
    HttpReply show_template(const std::string& name) const;
    HttpReply show_type(const std::string& name) const;
    const std::map<std::string, FakeMig>& shown() const;
    void end_operation(const std::string& key);

    testing::FakeHost& host_;
    bool is_lagging_ = false;
    std::map<std::string, FakeMig> listed_{};                                 ///< while lists lag
    std::deque<std::pair<Duration, std::map<std::string, FakeMig>>> past_{};  ///< earlier states
    std::vector<Request> requests_{};
    std::map<std::string, std::deque<Problem>> failures_{};
    struct Running {
        std::string key{};  ///< of its group
        int polls = 0;
        Ending ending{};
    };
    std::map<std::string, Running> operations_{};
    struct Late {
        Duration at{};
        Request received{};
        std::vector<std::string> parts{};  ///< of its path
    };
    std::deque<Late> late_{};
    int last_number_ = 0;
};

}  // namespace capstan::gce
