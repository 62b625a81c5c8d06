#include "kubernetes/client/discovery.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"

namespace capstan::kubernetes::client {
namespace {

using boost::json::object;

/// The items of the array at `key` that are objects.
std::vector<const object*> objects_at(const object& in, std::string_view key) {
    std::vector<const object*> out;
    for (const auto& item : base::list_at(in, key)) {
        if (item.is_object()) out.push_back(&item.get_object());
    }
    return out;
}

ServedKind served_kind(const object& resource, std::string_view group, std::string_view version) {
    ServedKind out{.group = std::string(group),
                   .version = std::string(version),
                   .kind = std::string(base::text_at(resource, "responseKind.kind")),
                   .plural = std::string(base::text_at(resource, "resource")),
                   .has_namespace = base::text_at(resource, "scope") == "Namespaced"};
    for (const object* subresource : objects_at(resource, "subresources")) {
        out.has_scale = out.has_scale || base::text_at(*subresource, "subresource") == "scale";
    }
    return out;
}

}  // namespace

std::optional<ServedKinds> find_served_kinds(const object& document) {
    if (base::text_at(document, "kind") != "APIGroupDiscoveryList") return std::nullopt;
    ServedKinds out;
    for (const object* group : objects_at(document, "items")) {
        const std::string_view name = base::text_at(*group, "metadata.name");
        std::vector<ServedKind>& kinds = out[std::string(name)];
        for (const object* version : objects_at(*group, "versions")) {
            for (const object* resource : objects_at(*version, "resources"))
                kinds.push_back(served_kind(*resource, name, base::text_at(*version, "version")));
        }
    }
    return out;
}

std::vector<std::string> versions_of(const object& document, std::string_view group) {
    std::vector<std::string> out;
    if (const auto* versions = base::find_array(document, "versions"); group.empty() && versions) {
        for (const auto& version : *versions) {
            if (version.is_string()) out.emplace_back(version.get_string());
        }
        return out;
    }
    for (const object* each : objects_at(document, "groups")) {
        if (base::text_at(*each, "name") != group) continue;
        const std::string_view preferred = base::text_at(*each, "preferredVersion.version");
        for (const object* version : objects_at(*each, "versions"))
            out.emplace_back(base::text_at(*version, "version"));
        const auto first = std::find(out.begin(), out.end(), preferred);
        if (first != out.end()) std::rotate(out.begin(), first, first + 1);
    }
    return out;
}

std::vector<ServedKind> served_kinds_of(const object& document, std::string_view group,
                                        std::string_view version) {
    std::vector<ServedKind> out;
    std::set<std::string> with_scale;
    for (const object* resource : objects_at(document, "resources")) {
        const std::string_view name = base::text_at(*resource, "name");
        const std::size_t slash = name.find('/');
        if (slash == std::string::npos) {
            out.push_back({.group = std::string(group),
                           .version = std::string(version),
                           .kind = std::string(base::text_at(*resource, "kind")),
                           .plural = std::string(name),
                           .has_namespace = base::is_true_at(*resource, "namespaced")});
        } else if (name.substr(slash) == "/scale") {
            with_scale.emplace(name.substr(0, slash));
        }
    }
    for (ServedKind& kind : out) kind.has_scale = with_scale.contains(kind.plural);
    return out;
}

namespace {

constexpr Duration known_for = std::chrono::minutes(5);

struct GroupVersion {
    std::string group{}, version{};
};

GroupVersion parts_of(const std::string& api_version) {
    const std::size_t slash = api_version.find('/');
    if (slash == std::string::npos) return {.version = api_version};
    return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

std::string root_of(const std::string& group) { return group.empty() ? "/api" : "/apis"; }

}  // namespace

/// A group without aggregated discovery, whose versions are asked for one after the other.
struct Discovery::Legacy {
    std::string group;
    std::vector<std::string> versions;
    std::vector<ServedKind> kinds{};
    std::size_t next = 0;
    std::optional<Error> error{};
};

void Discovery::resolve(const KindName& name, Done done) {
    const std::string group = parts_of(name.api_version).group;
    if (knows_enough(name))
        return calls_.after(Duration::zero(),
                            [done = std::move(done), result = result_of(name)] { done(result); });
    std::vector<Waiting>& waiting = waiting_[group];
    waiting.push_back({name, std::move(done)});
    if (waiting.size() == 1) ask(group, std::string(discovery_accept));
}

bool Discovery::knows_enough(const KindName& name) const {
    const bool is_known = find(name) != nullptr;
    const auto asked_at = asked_at_.find(parts_of(name.api_version).group);
    if (asked_at == asked_at_.end()) return is_known;
    return calls_.loop().monotonic() - asked_at->second < (is_known ? known_for : between_);
}

const ServedKind* Discovery::find(const KindName& name) const {
    const auto [group, version] = parts_of(name.api_version);
    const auto kinds = known_.find(group);
    if (kinds == known_.end()) return nullptr;
    for (const ServedKind& each : kinds->second) {
        if (each.kind == name.kind && (version.empty() || each.version == version)) return &each;
    }
    return nullptr;
}

Result<ServedKind> Discovery::result_of(const KindName& name) const {
    if (const ServedKind* kind = find(name)) return *kind;
    return fail(ErrorCode::not_found, "the API server does not serve kind " + name.kind + " of " +
                                          (name.api_version.empty() ? "v1" : name.api_version));
}

void Discovery::ask(const std::string& group, std::string accept) {
    const bool is_plain = accept == "application/json";
    calls_.send({.path = root_of(group), .accept = std::move(accept), .purpose = "discovery"},
                [this, group, is_plain](Result<ApiReply> reply) {
                    // A strict server refuses the Accept header as a whole.
                    if (!reply && reply.error().code == ErrorCode::unsupported && !is_plain)
                        return ask(group, "application/json");
                    const auto document = parse_object(std::move(reply));
                    if (!document) return finish(group, fail(document.error()));
                    take(group, *document);
                });
}

void Discovery::take(const std::string& group, const boost::json::object& document) {
    if (auto all = find_served_kinds(document)) {
        // Groups that are no longer served are dropped.
        std::erase_if(known_,
                      [&](const auto& each) { return root_of(each.first) == root_of(group); });
        for (auto& [name, kinds] : *all) {
            asked_at_[name] = calls_.loop().monotonic();
            known_[name] = std::move(kinds);
        }
        return finish(group, {});
    }
    ask_version(std::make_shared<Legacy>(Legacy{group, versions_of(document, group)}));
}

void Discovery::ask_version(std::shared_ptr<Legacy> legacy) {
    if (legacy->next == legacy->versions.size()) {
        known_[legacy->group] = std::move(legacy->kinds);
        const std::optional<Error>& error = legacy->error;
        return finish(legacy->group, error ? Result<void>(fail(*error)) : Result<void>());
    }
    const std::string& version = legacy->versions[legacy->next++];
    std::string path = root_of(legacy->group);
    if (!legacy->group.empty()) path += "/" + legacy->group;
    calls_.send({.path = path + "/" + version, .purpose = "discovery"},
                [this, legacy, version](Result<ApiReply> reply) {
                    const auto document = parse_object(std::move(reply));
                    // A version that cannot be read does not hide the other versions.
                    if (!document) {
                        legacy->error = document.error();
                        keep_known(*legacy, version);
                    } else {
                        auto kinds = served_kinds_of(*document, legacy->group, version);
                        std::move(kinds.begin(), kinds.end(), std::back_inserter(legacy->kinds));
                    }
                    ask_version(legacy);
                });
}

/// Keeps the cached kinds of a version whose request failed.
void Discovery::keep_known(Legacy& legacy, const std::string& version) {
    for (const ServedKind& each : known_[legacy.group])
        if (each.version == version) legacy.kinds.push_back(each);
}

void Discovery::finish(const std::string& group, const Result<void>& result) {
    if (result) asked_at_[group] = calls_.loop().monotonic();
    std::vector<std::pair<Done, Result<ServedKind>>> answers;
    for (Waiting& each : std::exchange(waiting_[group], {})) {
        Result<ServedKind> answer = result_of(each.name);
        if (!answer && !result)
            answer = fail(within("discover kind " + each.name.kind, result.error()));
        answers.emplace_back(std::move(each.done), std::move(answer));
    }
    for (auto& [done, answer] : answers) done(std::move(answer));
}

}  // namespace capstan::kubernetes::client
