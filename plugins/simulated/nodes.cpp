#include "nodes.hpp"

#include <charconv>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/json.hpp>
#include <capstan/quantity.hpp>
#include <capstan/well_known.hpp>

namespace capstan::simulated {
namespace {

constexpr std::string_view cloud_label = "simulated.capstan.io/cloud";
constexpr std::string_view launched_annotation = "simulated.capstan.io/launched-ms";
constexpr std::string_view id_start = "simulated://";
/// Nodes of one page of a list; few enough to be parsed without blocking the strand.
constexpr std::int64_t page = 100;

KubeResource node_resource() { return {"", "v1", "nodes", "Node", false}; }

std::optional<std::int64_t> find_number(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (bad != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

JoinedNode read_joined_node(const Json& object) {
    const MachineId id(object.text_at({"spec", "providerID"}));
    JoinedNode out{.name = object.text_at({"metadata", "name"}),
                   .uid = object.text_at({"metadata", "uid"}),
                   .type = object.text_at({"metadata", "labels", well_known::instance_type_label})};
    out.number = number_of(id);
    if (out.number > 0) {
        const std::string_view path = std::string_view(id.value()).substr(id_start.size());
        out.group = path.substr(0, path.rfind('/'));
    }
    if (const auto ms =
            find_number(object.text_at({"metadata", "annotations", launched_annotation})))
        out.launched = Time(std::chrono::milliseconds(*ms));
    return out;
}

void keep(JoinedNodes& nodes, JoinedNode node) {
    std::string name = node.name;
    nodes.insert_or_assign(std::move(name), std::move(node));
}

/// Sends a request for nodes. The cluster's permissions are not the credentials of the cloud, and
/// an API server that has just started refuses requests until it has loaded its roles.
Task<KubeReply> ask(Host host, KubeRequest request) {
    std::optional<Error> refused;
    try {
        co_return co_await send(host, std::move(request));
    } catch (const Failure& failure) {
        if (failure.error().code != ErrorCode::permission) throw;
        refused = failure.error();
    }
    refused->code = ErrorCode::unavailable;
    throw Failure(*std::move(refused));
}

std::string selector_of(const Host& host) {
    return std::string(cloud_label) + "=" + std::string(host.instance_id());
}

Json amounts(const Resources& resources) {
    Json out = Json::object();
    for (const auto& [resource, amount] : resources)
        out.set(resource, format_amount(resource, amount));
    return out;
}

Json taints_of(const NodeTemplate& node) {
    Json out = Json::array();
    for (const Taint& taint : node.taints) {
        Json written = Json::object({{"key", taint.key}, {"effect", name_of(taint.effect)}});
        if (!taint.value.empty()) written.set("value", taint.value);
        out.append(std::move(written));
    }
    return out;
}

}  // namespace

std::string node_name(const NodeGroupId& group, int number) {
    std::string out;
    for (const char c : group.value()) {
        const bool is_upper = is_ascii_upper(c);
        const bool is_plain = is_ascii_lower(c) || is_ascii_digit(c);
        out += is_upper ? static_cast<char>(c - 'A' + 'a') : is_plain ? c : '-';
    }
    // The name of an object begins with a letter or a digit.
    out.erase(0, std::min(out.find_first_not_of('-'), out.size()));
    return (out.empty() ? "machine" : out) + "-" + std::to_string(number);
}

int number_of(const MachineId& machine) {
    const std::string_view id = machine.value();
    const std::size_t slash = id.rfind('/');
    if (!id.starts_with(id_start) || slash < id_start.size()) return 0;
    const std::optional<std::int64_t> number = find_number(id.substr(slash + 1));
    return number && *number > 0 && *number < 1'000'000'000 ? static_cast<int>(*number) : 0;
}

Task<JoinedNodes> Nodes::list() {
    JoinedNodes out;
    std::string next;
    do {
        KubeRequest request =
            KubeRequest::list(node_resource()).labelled(selector_of(host_)).page(page, next);
        const KubeReply reply = co_await ask(host_, std::move(request));
        const Result<Json> nodes = parse_json(reply.body);
        if (!nodes) throw Failure(within("list nodes", nodes.error()));
        const Json* const items = nodes->find("items");
        // Otherwise all machines would seem to be without a node.
        if (items == nullptr || !items->is_array())
            throw Failure(ErrorCode::unavailable, "list nodes: the list has no items");
        for (const Json& object : items->items()) keep(out, read_joined_node(object));
        next = nodes->text_at({"metadata", "continue"});
    } while (!next.empty());
    co_return out;
}

void Nodes::follow() {
    if (watch_) return;
    try {
        watch_.emplace(host_, KubeSelection(node_resource(), {}, selector_of(host_)),
                       [this](const KubeEvent& event) { handle_event(event); });
    } catch (const Failure& failure) {
        // Without a watch the nodes are listed.
        host_.info("nodes cannot be watched, they are listed instead: " + failure.error().message);
    }
}

const JoinedNodes* Nodes::find_followed() const {
    const bool tells = watch_ && !watch_->has_ended() && has_synced_ && is_in_touch_;
    return tells ? &followed_ : nullptr;
}

bool Nodes::is_behind() {
    std::erase_if(awaited_, [this](const auto& awaited) {
        return followed_.contains(awaited.first) == awaited.second;
    });
    return !awaited_.empty();
}

void Nodes::handle_event(const KubeEvent& event) {
    is_in_touch_ = event.type != KubeEvent::Type::trouble;
    if (event.type == KubeEvent::Type::synced) has_synced_ = true;
    if (event.object.empty()) return;
    const Result<Json> object = parse_json(event.object);
    if (!object) throw Failure(within("watch nodes", object.error()));
    JoinedNode node = read_joined_node(*object);
    if (event.type == KubeEvent::Type::deleted) {
        version_ += followed_.erase(node.name);
    } else if (!is_known(node)) {
        ++version_;
        keep(followed_, std::move(node));
    }
}

bool Nodes::is_known(const JoinedNode& node) const {
    const auto at = followed_.find(node.name);
    return at != followed_.end() && at->second == node;
}

Task<void> Nodes::remove(JoinedNode node) {
    std::optional<Error> failed;
    try {
        KubeRequest request = KubeRequest::remove(node_resource(), {}, node.name).if_uid(node.uid);
        co_await ask(host_, std::move(request));
    } catch (const Failure& failure) {
        failed = failure.error();
    }
    if (failed && failed->code != ErrorCode::not_found)
        throw Failure(within("remove node " + node.name, *failed));
    awaited_[node.name] = false;
}

Task<void> Nodes::create(std::string name, std::string object) {
    std::optional<Error> failed;
    try {
        KubeRequest request = KubeRequest::create(node_resource(), {}, std::move(object));
        co_await ask(host_, std::move(request));
    } catch (const Failure& failure) {
        failed = failure.error();
    }
    if (failed) throw Failure(within("create node " + name, *failed));
    awaited_[name] = true;
}

std::string Nodes::write(const NodeTemplate& node, const Machine& machine) const {
    const std::string name = node_name(machine.group, number_of(machine.id));
    Json labels = Json::object();
    for (const auto& [key, value] : node.labels) labels.set(key, value);
    labels.set(well_known::hostname_label, name);
    if (!machine.machine_type.empty())
        labels.set(well_known::instance_type_label, machine.machine_type);
    labels.set(cloud_label, host_.instance_id());
    Json annotations = Json::object();
    for (const auto& [key, value] : node.annotations) annotations.set(key, value);
    annotations.set("kwok.x-k8s.io/node", "fake");
    if (machine.launched) {
        const auto ms = std::chrono::floor<std::chrono::milliseconds>(*machine.launched);
        annotations.set(launched_annotation, std::to_string(ms.time_since_epoch().count()));
    }
    Json out = Json::object({{"apiVersion", "v1"}, {"kind", "Node"}});
    out.at("metadata").set("name", name);
    out.at("metadata").set("labels", std::move(labels));
    out.at("metadata").set("annotations", std::move(annotations));
    out.at("spec").set("providerID", machine.id.value());
    if (!node.taints.empty()) out.at("spec").set("taints", taints_of(node));
    out.at("status").set("capacity", amounts(node.capacity));
    out.at("status").set("allocatable", amounts(node.allocatable));
    return to_string(out);
}

}  // namespace capstan::simulated
