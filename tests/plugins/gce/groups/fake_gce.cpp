#include "fake_gce.hpp"

#include <algorithm>
#include <cstdio>

#include <capstan/url.hpp>

namespace capstan::gce {
namespace {

const std::string root = "https://www.googleapis.com/compute/v1/projects/p/";

bool is_zone(const std::string& place) { return place.back() < '0' || place.back() > '9'; }

std::string place_path(const std::string& place) {
    return (is_zone(place) ? "zones/" : "regions/") + place;
}

std::string place_of_key(const std::string& key) { return key.substr(0, key.find('/')); }
std::string name_of_key(const std::string& key) { return key.substr(key.find('/') + 1); }

HttpReply done(const Json& json) { return testing::reply(200, to_string(json)); }

HttpReply refusal(int status, const std::string& reason, const std::string& message) {
    const Json item =
        Json::object({{"reason", reason}, {"domain", "global"}, {"message", message}});
    return testing::reply(
        status,
        to_string(Json::object({{"error", Json::object({{"code", status},
                                                        {"message", message},
                                                        {"errors", Json::array({item})}})}})));
}

HttpReply not_found(const std::string& what) {
    return refusal(404, "notFound", "The resource '" + what + "' was not found");
}

std::vector<std::string> split_path(std::string_view path) {
    std::vector<std::string> out;
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        if (slash != 0) out.push_back(std::string(path.substr(0, slash)));
        if (slash == std::string_view::npos) break;
        path.remove_prefix(slash + 1);
    }
    return out;
}

std::string template_link(const std::string& name) {
    return root + "global/instanceTemplates/" + name;
}
std::string instance_link(const FakeVm& vm) {
    return root + "zones/" + vm.zone + "/instances/" + vm.name;
}

bool is_apart(const FakeVm& vm) {
    return vm.action == "SUSPENDING" || vm.action == "STOPPING" || vm.action == "ABANDONING" ||
           vm.status == "SUSPENDED" || vm.status == "STOPPED";
}
bool counts(const FakeVm& vm) { return vm.action != "DELETING" && !is_apart(vm); }

std::string camel(std::string action) {
    if (action == "CREATING_WITHOUT_RETRIES") return "creatingWithoutRetries";
    for (char& c : action) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return action;
}

Json actions_json(const FakeMig& group) {
    std::map<std::string, int> all;
    for (const FakeVm& vm : group.instances) ++all[camel(vm.action)];
    Json out = Json::object();
    for (const auto& [action, count] : all) out.set(action, count);
    return out;
}

bool is_stable(const FakeMig& group) {
    const auto moves = [](const FakeVm& vm) { return vm.action != "NONE"; };
    return std::none_of(group.instances.begin(), group.instances.end(), moves) &&
           std::count_if(group.instances.begin(), group.instances.end(), &counts) == group.target;
}

Json policy_json(const FakeMig& group) {
    Json zones = Json::array();
    for (const std::string& zone : group.zones)
        zones.append(Json::object({{"zone", root + "zones/" + zone}}));
    return Json::object({{"zones", zones}, {"targetShape", group.shape}});
}

void add_update_policy(const FakeMig& group, Json& out) {
    Json update = Json::object({{"type", group.update_type}});
    if (!group.replacement.empty()) update.set("replacementMethod", group.replacement);
    if (!group.redistribution.empty())
        update.set("instanceRedistributionType", group.redistribution);
    out.set("updatePolicy", update);
}

void add_flexibility(const FakeMig& group, Json& out) {
    if (group.flexible_types.empty()) return;
    Json types = Json::array();
    for (const std::string& type : group.flexible_types) types.append(type);
    const Json one = Json::object({{"machineTypes", types}});
    out.set("instanceFlexibilityPolicy",
            Json::object({{"instanceSelections", Json::object({{"best", one}})}}));
}

Json group_json(const std::string& key, const FakeMig& group) {
    const std::string place = place_of_key(key);
    Json status = Json::object({{"isStable", is_stable(group)}});
    if (!group.autoscaler.empty())
        status.set("autoscaler", root + place_path(place) + "/autoscalers/" + group.autoscaler);
    if (group.is_stateful) status.set("stateful", Json::object({{"hasStatefulConfig", true}}));
    Json versions = Json::array();
    for (const std::string& each :
         group.versions.empty() ? std::vector{group.made_from} : group.versions)
        versions.append(Json::object({{"instanceTemplate", template_link(each)}}));
    Json out = Json::object(
        {{"id", std::to_string(group.number)},
         {"name", name_of_key(key)},
         {"selfLink", root + place_path(place) + "/instanceGroupManagers/" + name_of_key(key)},
         {"baseInstanceName", group.base},
         {"instanceTemplate", template_link(group.made_from)},
         {"versions", versions},
         {"targetSize", group.target},
         {"targetSuspendedSize", group.suspended},
         {"currentActions", actions_json(group)},
         {"status", status}});
    if (!is_zone(place)) out.set("distributionPolicy", policy_json(group));
    add_update_policy(group, out);
    add_flexibility(group, out);
    return out;
}

Json managed_json(const FakeVm& vm) {
    Json out = Json::object(
        {{"instance", instance_link(vm)},
         {"currentAction", vm.action},
         {"version", Json::object({{"instanceTemplate", template_link(vm.made_from)}})}});
    if (vm.number > 0) out.set("id", std::to_string(vm.number)).set("instanceStatus", vm.status);
    if (!vm.type.empty())
        out.set("propertiesFromFlexibilityPolicy", Json::object({{"machineType", vm.type}}));
    if (!vm.fault.empty()) {
        const Json error = Json::object({{"code", vm.fault}, {"message", vm.message}});
        out.set("lastAttempt",
                Json::object({{"errors", Json::object({{"errors", Json::array({error})}})}}));
    }
    return out;
}

Json listed_json(const FakeVm& vm, const std::string& type) {
    return Json::object({{"id", std::to_string(vm.number)},
                         {"selfLink", instance_link(vm)},
                         {"status", vm.status},
                         {"machineType", root + "zones/" + vm.zone + "/machineTypes/" + type},
                         {"creationTimestamp", "2026-01-01T00:00:00.000-00:00"},
                         {"scheduling", Json::object({{"provisioningModel", "STANDARD"}})}});
}

/// One page, and the token of the next.
Json page_of(std::vector<Json> items, const std::string& key, const Labels& query,
             std::size_t page_size) {
    const auto token = query.find("pageToken");
    const std::size_t first = token != query.end() ? std::stoul(token->second) : 0;
    const std::size_t last = std::min(items.size(), first + page_size);
    Json out =
        Json::object({{key, Json::array({items.begin() + static_cast<std::ptrdiff_t>(first),
                                         items.begin() + static_cast<std::ptrdiff_t>(last)})}});
    if (last < items.size()) out.set("nextPageToken", std::to_string(last));
    return out;
}

}  // namespace

FakeGce::FakeGce(testing::FakeHost& host) : host_(host) {
    host.http().handle([this](const HttpRequest& request) { return respond(request); });
}

FakeMig& FakeGce::add(const std::string& key, int size) {
    FakeMig& group = groups[key];
    group.base = name_of_key(key);
    group.number = ++last_number_;
    group.target = size;
    settle(key);
    return group;
}

void FakeGce::settle(const std::string& key) {
    FakeMig& group = groups.at(key);
    std::erase_if(group.instances, [](const FakeVm& vm) { return vm.action == "DELETING"; });
    const auto members = [&] {
        return std::count_if(group.instances.begin(), group.instances.end(), &counts);
    };
    while (members() < group.target) {
        const auto zones = group.zones.empty() ? std::vector{place_of_key(key)} : group.zones;
        char suffix[16];
        std::snprintf(suffix, sizeof suffix, "-%04d", ++last_number_ % 10000);
        const std::string zone = zones[static_cast<std::size_t>(last_number_) % zones.size()];
        group.instances.push_back(
            {.name = group.base + suffix, .zone = zone, .made_from = group.made_from});
    }
    for (FakeVm& vm : group.instances) {
        if (is_apart(vm) && vm.number > 0) continue;
        if (vm.number == 0 || vm.action == "RECREATING") vm.number = ++last_number_;
        if (!is_apart(vm)) vm.action = "NONE", vm.status = "RUNNING";
        vm.fault.clear();
    }
}

void FakeGce::exhaust(const std::string& key, const std::string& zone, const std::string& code) {
    for (FakeVm& vm : groups.at(key).instances) {
        if (vm.action != "CREATING" || vm.zone != zone) continue;
        vm.fault = code;
        vm.message = "The zone 'projects/p/zones/" + zone +
                     "' does not have enough resources available to fulfill the request.";
    }
}

void FakeGce::lag(bool begins) {
    is_lagging_ = begins;
    listed_ = groups;
}

void FakeGce::remember() {
    past_.emplace_back(host_.monotonic(), groups);
    while (past_.size() > 1 && past_[1].first <= host_.monotonic() - std::chrono::seconds(10))
        past_.pop_front();
}

const std::map<std::string, FakeMig>& FakeGce::shown() const {
    if (is_lagging_) return listed_;
    if (list_lag == Duration::zero() || past_.empty()) return groups;
    auto at = past_.rbegin();
    while (at + 1 != past_.rend() && at->first > host_.monotonic() - list_lag) ++at;
    return at->second;
}

void FakeGce::refuse(const std::string& method, int status, const std::string& reason,
                     const std::string& message, int times) {
    failures_[method].insert(failures_[method].end(), static_cast<std::size_t>(times),
                             {status, reason, message});
}

void FakeGce::lose_responses(const std::string& method, int times) {
    failures_[method].insert(failures_[method].end(), static_cast<std::size_t>(times), {});
}

int FakeGce::calls(const std::string& method) const {
    return static_cast<int>(method.empty() ? requests_.size() : requests(method).size());
}

std::vector<FakeGce::Request> FakeGce::requests(const std::string& method) const {
    std::vector<Request> out;
    for (const Request& each : requests_)
        if (each.method == method) out.push_back(each);
    return out;
}

testing::HttpOutcome FakeGce::respond(const HttpRequest& request) {
    const std::string target(testing::FakeHttp::target(request.url));
    const std::size_t question = target.find('?');
    Request received{.path = target.substr(0, question)};
    if (question != std::string::npos) {
        const auto query = parse_query(target.substr(question + 1));
        if (!query) return testing::reply(400, "no query");
        for (const auto& [name, value] : *query) received.query[name] = value;
    }
    if (const auto body = parse_json(request.body)) received.body = *body;
    // "compute", "v1", "projects", "p", and the resource.
    std::vector<std::string> parts = split_path(received.path);
    if (parts.size() < 6) return testing::reply(404, "no such path");
    parts.erase(parts.begin(), parts.begin() + 4);
    if (parts[0] == "aggregated") {
        received.method = "aggregatedList";
    } else if (parts[0] == "global") {
        received.method = parts[1];
    } else {
        const bool is_group = parts.size() > 2 && parts[2] == "instanceGroupManagers";
        received.method = !is_group ? parts.at(2) : parts.size() > 4 ? parts[4] : "get";
    }
    if (records_requests) requests_.push_back(received);
    std::deque<Problem>& failures = failures_[received.method];
    std::optional<Problem> failure;
    if (!failures.empty()) {
        failure = failures.front();
        failures.pop_front();
        if (failure->status != 0) {
            if (on_refusal) on_refusal();
            return refusal(failure->status, failure->reason, failure->message);
        }
    }
    if (throttled > 0) {
        --throttled;
        return refusal(403, "rateLimitExceeded", "too many calls");
    }
    const bool is_change = received.method == "resize" || received.method.ends_with("Instances");
    const bool changes = is_change && received.method != "listManagedInstances";
    if (changes && before_change) std::exchange(before_change, nullptr)();
    if (received.method == "createInstances" && late > Duration::zero()) {
        // A repeated request id has no effect.
        const auto is_it = [&](const Late& each) {
            return each.received.query.at("requestId") == received.query.at("requestId");
        };
        if (std::none_of(late_.begin(), late_.end(), is_it))
            late_.push_back({host_.monotonic() + late, std::move(received), std::move(parts)});
        return testing::dropped(latency);
    }
    if (changes && hung > 0) {
        --hung;
        return testing::dropped(latency);
    }
    if (changes && lost > 0) {
        --lost;
        failure.emplace();
    }
    HttpReply reply = act(received, parts);
    if (failure) return testing::dropped(latency);
    return testing::delayed(latency, std::move(reply));
}

void FakeGce::carry_out_late() {
    std::erase_if(late_, [&](const Late& each) {
        if (each.at > host_.monotonic()) return false;
        act(each.received, each.parts);
        return true;
    });
}

HttpReply FakeGce::act(const Request& received, const std::vector<std::string>& parts) {
    if (received.method == "aggregatedList") return list_groups(received);
    if (received.method == "instanceTemplates") return show_template(parts.at(2));
    if (received.method == "images")
        return done(Json::object({{"selfLink", root + "global/images/" + parts.back()},
                                  {"name", parts.back()},
                                  {"architecture", "X86_64"},
                                  {"diskSizeGb", "10"}}));
    if (received.method == "machineTypes") return show_type(parts.at(3));
    if (received.method == "instances") return list_zone(received, parts.at(1));
    if (received.method == "operations") return show_operation(parts.at(1), parts.at(3));
    if (parts.size() < 4 || parts[2] != "instanceGroupManagers") return not_found(received.path);
    const std::string key = parts[1] + "/" + parts[3];
    if (!groups.contains(key)) return not_found(received.path);
    const auto shown_group = shown().find(key);
    if (received.method == "get" || received.method == "listManagedInstances") {
        if (shown_group == shown().end()) return not_found(received.path);
        return received.method == "get" ? done(group_json(key, shown_group->second))
                                        : list_instances(shown_group->second);
    }
    return change(received, key);
}

HttpReply FakeGce::list_groups(const Request& received) const {
    std::vector<Json> all;
    std::vector<std::string> scopes;
    for (const auto& [key, group] : shown()) {
        const std::string scope = place_path(place_of_key(key));
        if (silent_places.contains(scope)) continue;
        all.push_back(group_json(key, group));
        if (broken_groups.contains(key)) all.back().set("targetSize", "many");
        scopes.push_back(scope);
    }
    const Json page = page_of(all, "groups", received.query, page_size);
    Json items = Json::object();
    const auto token = received.query.find("pageToken");
    std::size_t at = token != received.query.end() ? std::stoul(token->second) : 0;
    for (const Json& group : page.find("groups")->items())
        items.at(scopes[at++]).at("instanceGroupManagers").append(group);
    for (const std::string& place : silent_places)
        items.at(place).set("warning", Json::object({{"code", "UNREACHABLE"},
                                                     {"message", "this place is silent"}}));
    Json out = Json::object({{"items", items}});
    if (const Json* const next = page.find("nextPageToken")) out.set("nextPageToken", *next);
    return done(out);
}

HttpReply FakeGce::list_instances(const FakeMig& group) const {
    Json all = Json::array();
    for (const FakeVm& vm : group.instances) all.append(managed_json(vm));
    return done(Json::object({{"managedInstances", all}}));
}

HttpReply FakeGce::list_zone(const Request& received, const std::string& zone) const {
    std::vector<Json> all;
    const auto add_all = [&](const std::vector<FakeVm>& instances, const std::string& type) {
        for (const FakeVm& vm : instances)
            if (vm.zone == zone && vm.number > 0) all.push_back(listed_json(vm, type));
    };
    for (const auto& [key, group] : shown()) add_all(group.instances, templates.at("t1").type);
    if (const auto others = strangers.find(zone); others != strangers.end())
        add_all(others->second, "n1-standard-1");
    return done(page_of(all, "items", received.query, page_size));
}

HttpReply FakeGce::change(const Request& received, const std::string& key) {
    FakeMig& group = groups.at(key);
    const Json* const instances = received.body.find("instances");
    if (received.method == "resize") {
        group.target = std::stoi(received.query.at("size"));
    } else if (received.method == "createInstances") {
        const bool refuses = group.update_type == "PROACTIVE" && group.replacement == "SUBSTITUTE";
        if (refuses)
            return refusal(412, "conditionNotMet",
                           "Instances cannot be created by name with this update policy.");
        const std::deque<Ending>& ends = endings[received.method];
        const bool gives_up = polls > 0 && !ends.empty() && !ends.front().code.empty();
        for (const Json& one : instances->items()) {
            const std::string name = one.text_at({"name"});
            const auto has_it = [&](const FakeVm& vm) { return vm.name == name; };
            if (std::any_of(group.instances.begin(), group.instances.end(), has_it)) continue;
            const auto zones = group.zones.empty() ? std::vector{place_of_key(key)} : group.zones;
            group.instances.push_back({.name = name,
                                       .zone = zones[group.instances.size() % zones.size()],
                                       .action = "CREATING",
                                       .status = "",
                                       .made_from = group.made_from,
                                       .is_abandoned = gives_up});
            ++group.target;
        }
    } else if (received.method == "deleteInstances") {
        for (const Json& one : instances->items()) {
            const std::string name = one.text().substr(one.text().rfind('/') + 1);
            for (FakeVm& vm : group.instances) {
                if (vm.name != name || !counts(vm)) continue;
                vm.action = "DELETING";
                --group.target;
            }
        }
    } else if (received.method == "recreateInstances") {
        for (const Json& one : instances->items()) {
            const std::string name = one.text().substr(one.text().rfind('/') + 1);
            for (FakeVm& vm : group.instances)
                if (vm.name == name && counts(vm)) vm.action = "RECREATING", vm.status = "STOPPING";
        }
    } else {
        return not_found(received.path);
    }
    HttpReply out = begin_operation(received, key);
    remember();
    return out;
}

HttpReply FakeGce::begin_operation(const Request& received, const std::string& key) {
    const std::string name = "operation-" + std::to_string(++last_number_);
    Running& running = operations_[name];
    running.key = key;
    running.polls = polls;
    std::deque<Ending>& waiting = endings[received.method];
    if (!waiting.empty()) {
        running.ending = waiting.front();
        waiting.pop_front();
    }
    return show_operation(place_of_key(key), name);
}

HttpReply FakeGce::show_operation(const std::string& place, const std::string& name) {
    const auto at = operations_.find(name);
    if (at == operations_.end()) return not_found(name);
    Running& running = at->second;
    const bool is_done = running.polls <= 0;
    if (!is_done) --running.polls;
    if (is_done) end_operation(running.key);
    Json out = Json::object({{"name", name},
                             {"selfLink", root + place_path(place) + "/operations/" + name},
                             {"status", is_done ? "DONE" : "RUNNING"}});
    if (is_done && !running.ending.code.empty()) {
        const Json error = Json::object({{"code", running.ending.code},
                                         {"message", running.ending.message},
                                         {"location", running.ending.location}});
        out.set("error", Json::object({{"errors", Json::array({error})}}));
    }
    return done(out);
}

/// Removes the instances that the failed operation would have created.
void FakeGce::end_operation(const std::string& key) {
    const auto at = groups.find(key);
    if (at == groups.end()) return;
    const auto gone = std::erase_if(at->second.instances, [](const FakeVm& vm) {
        return vm.is_abandoned && vm.action != "DELETING";
    });
    if (gone == 0) return;
    at->second.target -= static_cast<int>(gone);
    remember();
}

HttpReply FakeGce::show_template(const std::string& name) const {
    const auto at = templates.find(name);
    if (at == templates.end()) return not_found("instanceTemplates/" + name);
    const FakeTemplate& made = at->second;
    Json labels = Json::object();
    for (const auto& [key, value] : made.labels) labels.set(key, value);
    const Json disk =
        Json::object({{"boot", true},
                      {"type", "PERSISTENT"},
                      {"initializeParams", Json::object({{"diskSizeGb", "100"},
                                                         {"diskType", "pd-balanced"},
                                                         {"sourceImage", made.image}})}});
    const Json item = Json::object({{"key", "kube-env"}, {"value", made.kube_env}});
    const Json properties =
        Json::object({{"machineType", made.type},
                      {"labels", labels},
                      {"disks", Json::array({disk})},
                      {"metadata", Json::object({{"items", Json::array({item})}})},
                      {"scheduling",
                       Json::object({{"provisioningModel", made.is_spot ? "SPOT" : "STANDARD"}})}});
    return done(Json::object({{"id", "7" + std::to_string(name.size())},
                              {"name", name},
                              {"selfLink", template_link(name)},
                              {"properties", properties}}));
}

HttpReply FakeGce::show_type(const std::string& name) const {
    if (!types.contains(name)) return not_found("machineTypes/" + name);
    const bool is_small = name == "e2-standard-2";
    return done(Json::object({{"name", name},
                              {"guestCpus", is_small ? 2 : 4},
                              {"memoryMb", is_small ? 8192 : 16384},
                              {"architecture", "X86_64"}}));
}

}  // namespace capstan::gce
