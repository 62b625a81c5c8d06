/// The API in memory, for tests: it keeps its state, and can lag, throttle, hang, lose replies and
/// run out of capacity.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/testing/fake_http.hpp>

class FakeApi {
public:
    struct Group {
        int min = 0, max = 10, target = 0;
    };
    std::map<std::string, Group> groups{{"batch", {0, 5, 0}}, {"web", {1, 4, 1}}};
    capstan::Duration lag{};  ///< how long lists lag behind changes
    int throttled = 0;        ///< number of requests that are throttled first
    int lost = 0;             ///< number of changes whose replies are lost; the changes are made
    int hung = 0;             ///< number of changes that are not made and get no reply
    /// If not zero, the next change of a target gets no reply and is made after this time.
    capstan::Duration late{};
    std::function<void()> between{};     ///< called once, before the next change
    std::set<std::string> sold_out{};    ///< groups that get no machine
    std::map<std::string, int> stock{};  ///< machines that groups can still get; absent: any number

    /// `now` is a monotonic clock.
    explicit FakeApi(std::function<capstan::Duration()> now) : now_(std::move(now)) { remember(); }

    capstan::testing::HttpOutcome answer(const capstan::HttpRequest& request) {
        using capstan::testing::reply;
        const std::string target(capstan::testing::FakeHttp::target(request.url));
        if (throttled > 0) return --throttled, reply(429, "slow down", {{"retry-after", "2"}});
        if (!is_authorized(request)) return reply(401, "no token");
        if (request.method == "GET" && target == "/v1/groups?page=") return list_groups("batch");
        if (request.method == "GET" && target == "/v1/groups?page=2") return list_groups("web");
        if (request.method == "GET" && target == "/v1/machines?page=") return list_machines();
        if (between) std::exchange(between, nullptr)();
        if (hung > 0) return --hung, capstan::testing::unanswered();
        if (late > capstan::Duration::zero() && request.method == "PUT") {
            late_.push_back({now_() + std::exchange(late, {}), request, target});
            return capstan::testing::unanswered();
        }
        const capstan::HttpReply changed = change(request, target);
        remember();
        if (lost > 0) return --lost, capstan::testing::dropped();
        return changed;
    }
    /// All machines with their groups, whatever the lists show.
    const std::map<std::string, std::string>& machines() const { return machines_; }
    int count(const std::string& group) const { return count(group, machines_); }
    /// Makes late changes that are due, and creates missing machines while the stock lasts.
    void make_machines() {
        for (; !late_.empty() && late_.front().when <= now_(); late_.pop_front())
            change(late_.front().request, late_.front().target);
        remember();
    }
    /// Sets the target as another client would. It stays at least the number of machines.
    void set_by_another(const std::string& name, int target) {
        Group& group = groups.at(name);
        group.target = std::max(count(name), std::min(target, group.max));
        remember();
    }

private:
    using Machines = std::map<std::string, std::string>;
    struct Moment {
        capstan::Duration when{};
        std::map<std::string, Group> groups;
        Machines machines;
    };

    struct Late {
        capstan::Duration when{};
        capstan::HttpRequest request;
        std::string target;
    };

    static bool is_authorized(const capstan::HttpRequest& request) {
        return std::any_of(request.headers.begin(), request.headers.end(), [](const auto& h) {
            return h.first == "authorization" && h.second.substr(0, 7) == "Bearer ";
        });
    }
    static int count(const std::string& group, const Machines& machines) {
        return static_cast<int>(std::count_if(machines.begin(), machines.end(),
                                              [&](auto& m) { return m.second == group; }));
    }
    void remember() {
        for (auto& [name, group] : groups) fill(name, group);
        history_.push_back({now_(), groups, machines_});
    }
    void fill(const std::string& name, const Group& group) {
        const auto left = stock.find(name);
        for (int i = count(name); i < group.target && !sold_out.count(name); ++i) {
            if (left != stock.end() && left->second-- <= 0) return;
            machines_["vm-" + std::to_string(next_++)] = name;
        }
    }
    const Moment& listed() const {
        auto at = history_.rbegin();
        while (at + 1 != history_.rend() && at->when > now_() - lag) ++at;
        return *at;
    }
    capstan::HttpReply list_groups(const std::string& which) const {
        const Group& g = listed().groups.at(which);
        using capstan::Json;
        Json machine = Json::object(), group = Json::object(), page = Json::object();
        machine.set("type", "medium").set("cpu", "4").set("memory", "16Gi").set("pods", "110");
        group.set("id", which).set("min", g.min).set("max", g.max).set("target", g.target);
        group.set("machine", machine.set("zone", "z1"));
        page.at("groups").append(group);
        if (which == "batch") page.set("next", "2");
        return capstan::testing::reply(200, to_string(page));
    }
    capstan::HttpReply list_machines() const {
        using capstan::Json;
        Json page = Json::object();
        page.set("machines", Json::array());
        const Moment& then = listed();
        for (const auto& [id, group] : then.machines) {
            Json machine = Json::object();
            machine.set("id", id).set("group", group).set("state", "running").set("zone", "z1");
            page.at("machines").append(machine);
        }
        for (const auto& [name, group] : then.groups) {
            for (int i = count(name, then.machines); i < group.target; ++i) {
                Json machine = Json::object();
                machine.set("id", "wanted-" + name + "-" + std::to_string(i)).set("group", name);
                machine.set("state", "requested").set("error", "sold_out");
                page.at("machines").append(machine);
            }
        }
        return capstan::testing::reply(200, to_string(page));
    }
    capstan::HttpReply change(const capstan::HttpRequest& request, const std::string& target) {
        using capstan::testing::reply;
        for (auto& [name, group] : groups) {
            if (request.method == "PUT" && target == "/v1/groups/" + name + "/target")
                return set_target(group, name, capstan::parse_json(request.body).value());
        }
        for (auto at = machines_.begin(); at != machines_.end(); ++at) {
            if (request.method != "DELETE" || target != "/v1/machines/" + at->first) continue;
            Group& group = groups.at(at->second);
            if (group.target <= group.min) return reply(422, "at its minimum");
            --group.target;
            machines_.erase(at);
            return reply(204);
        }
        return reply(404, "not found");
    }
    capstan::HttpReply set_target(Group& group, const std::string& name, const capstan::Json& put) {
        using capstan::testing::reply;
        const std::string& key = put.text_at({"key"});
        const auto wanted = put.find("target")->integer().value();
        const bool is_done = !key.empty() && !done_.insert(name + "/" + key).second;
        if (!is_done) {
            const bool is_expected = put.find("expected")->integer() == group.target;
            const bool fits = wanted <= group.max && wanted >= count(name);
            if (!is_expected || !fits) done_.erase(name + "/" + key);
            if (!is_expected) return reply(409, "the target has changed");
            if (!fits) return reply(422, "above the maximum, or below the number of machines");
            group.target = static_cast<int>(wanted);
        }
        capstan::Json now = capstan::Json::object();
        return reply(200, to_string(now.set("target", group.target)));
    }

    const std::function<capstan::Duration()> now_;
    Machines machines_;
    std::set<std::string> done_;
    std::vector<Moment> history_;
    std::deque<Late> late_;
    int next_ = 1;
};
