#include <capstan/testing/fake_kube.hpp>

#include <algorithm>
#include <utility>

#include <capstan/labels.hpp>
#include <capstan/selector_text.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

Unexpected refuse(ErrorCode code, const char* reason, std::string message) {
    return capstan::fail(Error{code, std::move(message), reason});
}

std::string api_version_of(const KubeResource& resource) {
    return resource.group.empty() ? resource.version : resource.group + "/" + resource.version;
}

std::string_view name_of_verb(KubeVerb verb) {
    switch (verb) {
        case KubeVerb::get: return "get";
        case KubeVerb::list: return "list";
        case KubeVerb::create: return "create";
        case KubeVerb::update: return "update";
        case KubeVerb::patch: return "patch";
        case KubeVerb::remove: return "delete";
    }
    return "?";
}

std::string where(const KubeRequest& r) {
    std::string out = std::string(name_of_verb(r.verb)) + " " + r.resource.plural;
    for (const std::string& part : {r.ns, r.name, r.subresource}) {
        if (!part.empty()) out += "/" + part;
    }
    return out;
}

std::vector<std::string_view> split_at(std::string_view text, char at) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const std::size_t found = std::min(text.find(at), text.size());
        out.push_back(text.substr(0, found));
        text.remove_prefix(std::min(found + 1, text.size()));
    }
    return out;
}

/// "a=b", "a==b" or "a!=b", of what `value_of` finds for "a".
template <class Find>
bool holds(std::string_view condition, Find value_of) {
    const std::size_t sign = std::min(condition.find('='), condition.size());
    const bool is_not = sign > 0 && condition[sign - 1] == '!';
    const std::string_view key = condition.substr(0, is_not ? sign - 1 : sign);
    std::string_view wanted = condition.substr(std::min(sign + 1, condition.size()));
    if (wanted.starts_with('=')) wanted.remove_prefix(1);
    return (value_of(key) == wanted) != is_not;
}

/// A selector that is none suits nothing.
bool suits(const Json& object, std::string_view labels, std::string_view fields) {
    const auto requirements = parse_requirements(labels);
    if (!requirements) return false;
    const Json* all = object.find({"metadata", "labels"});
    const auto meets = [all](const Requirement& requirement) {
        const Json* value = all != nullptr ? all->find(requirement.key) : nullptr;
        return matches_value(requirement, value != nullptr
                                              ? std::optional<std::string_view>(value->text())
                                              : std::nullopt);
    };
    const auto field = [&](std::string_view path) -> std::string {
        const Json* here = &object;
        for (const std::string_view key : split_at(path, '.')) {
            here = here->find(key);
            if (here == nullptr) return "";
        }
        return here->text();
    };
    return std::ranges::all_of(*requirements, meets) &&
           std::ranges::all_of(split_at(fields, ','), [&](auto c) { return holds(c, field); });
}

/// RFC 7386.
void merge(Json& into, const Json& patch) {
    if (!patch.is_object()) {
        into = patch;
        return;
    }
    if (!into.is_object()) into = Json::object();
    for (const auto& [key, value] : patch.members()) {
        if (value.is_null()) {
            into.erase(key);
        } else {
            merge(into.at(key), value);
        }
    }
}

/// A selector by labels as text; empty: there is none.
std::string selector_text(const Json& object) {
    const Json* selector = object.find({"spec", "selector"});
    if (selector == nullptr) return {};
    const Result<LabelSelector> read = read_label_selector(*selector);
    return read ? format_selector(*read) : std::string();
}

Json scale_of(const Json& object) {
    const auto count = [&](const char* below) {
        const Json* value = object.find({below, "replicas"});
        return value != nullptr ? *value : Json(0);
    };
    Json out = Json::object({{"apiVersion", "autoscaling/v1"}, {"kind", "Scale"}});
    if (const Json* metadata = object.find("metadata")) {
        for (const char* key : {"name", "namespace", "uid", "resourceVersion"}) {
            if (const Json* value = metadata->find(key)) out.at("metadata").set(key, *value);
        }
    }
    out.at("spec").set("replicas", count("spec"));
    out.at("status").set("replicas", count("status"));
    if (std::string selector = selector_text(object); !selector.empty())
        out.at("status").set("selector", std::move(selector));
    return out;
}

}  // namespace

FakeKube::FakeKube() {
    serve(KubeResource("", "v1", "nodes", "Node", false));
    serve(KubeResource("", "v1", "pods", "Pod"));
    serve(KubeResource("", "v1", "configmaps", "ConfigMap"));
    serve(KubeResource("apps", "v1", "deployments", "Deployment"), true);
}

FakeKube& FakeKube::serve(KubeResource resource, bool has_scale) {
    if (has_scale) scaled_.insert(resource.plural);
    served_.push_back(std::move(resource));
    return *this;
}

FakeKube::Key FakeKube::key_of(const KubeResource& resource, std::string_view ns,
                               std::string_view name) {
    return {resource.group, resource.plural, std::string(ns), std::string(name)};
}

Json FakeKube::put(const KubeResource& resource, Json object) {
    const Key key = key_of(resource, object.text_at({"metadata", "namespace"}),
                           object.text_at({"metadata", "name"}));
    return store(key, std::move(object), resource);
}

FakeKube& FakeKube::put_text(const KubeResource& resource, std::string_view json) {
    Result<Json> object = parse_json(json);
    if (!object) throw Failure(std::move(object.error()));
    put(resource, *std::move(object));
    return *this;
}

bool FakeKube::remove(const KubeResource& resource, std::string_view ns, std::string_view name) {
    return erase(key_of(resource, ns, name));
}

std::optional<Json> FakeKube::find(const KubeResource& resource, std::string_view ns,
                                   std::string_view name) const {
    const auto at = objects_.find(key_of(resource, ns, name));
    return at != objects_.end() ? std::optional(at->second) : std::nullopt;
}

std::vector<Json> FakeKube::objects(const KubeResource& resource) const {
    std::vector<Json> out;
    for (const auto& [key, object] : objects_) {
        if (std::get<0>(key) == resource.group && std::get<1>(key) == resource.plural)
            out.push_back(object);
    }
    return out;
}

FakeKube& FakeKube::grant(std::string_view text) {
    const std::size_t colon = text.find(':');
    for (const std::string_view verb : split_at(text.substr(colon + 1), ','))
        granted_.insert(std::string(text.substr(0, colon)) + ":" + std::string(verb));
    return *this;
}

bool FakeKube::is_granted(const KubeResource& resource, std::string_view verb) const {
    std::string name = resource.plural;
    if (!resource.group.empty()) name += "." + resource.group;
    return granted_.empty() || granted_.contains(name + ":" + std::string(verb));
}

FakeKube& FakeKube::slow(std::string plural, std::string name, Duration by) {
    delays_[{std::move(plural), std::move(name)}] = by;
    return *this;
}

Duration FakeKube::delay_of(const KubeRequest& request) const {
    const auto at = delays_.find({request.resource.plural, request.name});
    return at == delays_.end() ? Duration::zero() : std::min(at->second, request.timeout);
}

FakeKube& FakeKube::fail(KubeVerb verb, std::string plural, Error error, int times) {
    planned_.push_back({verb, std::move(plural), std::move(error), times});
    return *this;
}

void FakeKube::trouble(const Error& error) {
    for (const auto& [id, watch] : watches_) watch.listener(KubeEvent::Type::trouble, {}, error);
}

Result<void> FakeKube::check(const KubeRequest& request) {
    std::string verb(name_of_verb(request.verb));
    if (!request.subresource.empty()) verb += "/" + request.subresource;
    if (!is_granted(request.resource, verb))
        return refuse(ErrorCode::permission, "", where(request) + ": is not granted");
    const bool is_served = std::ranges::any_of(served_, [&](const KubeResource& r) {
        return r.group == request.resource.group && r.plural == request.resource.plural;
    });
    if (!is_served)
        return refuse(ErrorCode::not_found, "NotFound", where(request) + ": no such resource");
    for (Planned& plan : planned_) {
        if (plan.times == 0 || plan.verb != request.verb || plan.plural != request.resource.plural)
            continue;
        --plan.times;
        return capstan::fail(plan.error);
    }
    const auto delay = delays_.find({request.resource.plural, request.name});
    if (delay != delays_.end() && delay->second > request.timeout)
        return refuse(ErrorCode::deadline, "", where(request) + ": timed out");
    return {};
}

Result<std::string> FakeKube::carry_out(const KubeRequest& request) {
    requests_.push_back(request);
    CAPSTAN_CHECK(check(request));
    if (!request.dry_run) return answer(request);
    const auto [objects, version, uid] = std::tuple(objects_, version_, last_uid_);
    is_trying_ = true;
    Result<std::string> out = answer(request);
    is_trying_ = false;
    std::tie(objects_, version_, last_uid_) = std::tie(objects, version, uid);
    return out;
}

Result<std::string> FakeKube::answer(const KubeRequest& request) {
    if (request.verb == KubeVerb::list) return list(request);
    if (request.verb == KubeVerb::create) return create(request);
    const bool is_there = objects_.contains(key_of(request.resource, request.ns, request.name));
    const bool may_create =
        request.verb == KubeVerb::patch && request.patch_type == KubePatch::apply;
    if (!is_there && !may_create)
        return refuse(ErrorCode::not_found, "NotFound", where(request) + ": not found");
    if (request.subresource == "scale" && !scaled_.contains(request.resource.plural))
        return refuse(ErrorCode::not_found, "NotFound", where(request) + ": has no scale");
    if (request.verb == KubeVerb::remove) return remove(request);
    if (request.verb != KubeVerb::get) return change(request);
    const Json& stored = objects_.at(key_of(request.resource, request.ns, request.name));
    return to_string(request.subresource == "scale" ? scale_of(stored) : stored);
}

/// The token of a page is the place of its first object.
Result<std::string> FakeKube::list(const KubeRequest& request) const {
    CAPSTAN_CHECK(parse_requirements(request.label_selector));
    std::vector<Json> found;
    for (Json& object : objects(request.resource)) {
        const bool is_in =
            request.ns.empty() || object.text_at({"metadata", "namespace"}) == request.ns;
        if (is_in && suits(object, request.label_selector, request.field_selector))
            found.push_back(std::move(object));
    }
    const std::size_t begin =
        request.continue_token.empty() ? 0 : std::stoul(request.continue_token);
    const std::size_t most =
        request.limit > 0 ? static_cast<std::size_t>(request.limit) : found.size();
    const std::size_t end = std::min(found.size(), begin + most);
    Json out = Json::object({{"apiVersion", api_version_of(request.resource)},
                             {"kind", request.resource.kind + "List"}});
    out.at("metadata").set("resourceVersion", std::to_string(version_));
    if (end < found.size()) out.at("metadata").set("continue", std::to_string(end));
    out.set("items", Json::array());
    for (std::size_t i = begin; i < end; ++i) out.at("items").append(std::move(found[i]));
    return to_string(out);
}

Result<std::string> FakeKube::create(const KubeRequest& request) {
    CAPSTAN_TRY(Json object, parse_json(request.body));
    if (!request.subresource.empty())
        return refuse(ErrorCode::unsupported, "", where(request) + ": not supported by the fake");
    Json& metadata = object.at("metadata");
    if (request.resource.has_namespace) metadata.set("namespace", request.ns);
    if (metadata.text_at({"name"}).empty() && !metadata.text_at({"generateName"}).empty())
        metadata.set("name", metadata.text_at({"generateName"}) + std::to_string(last_uid_ + 1));
    const std::string name = metadata.text_at({"name"});
    if (name.empty())
        return refuse(ErrorCode::invalid_argument, "Invalid", where(request) + ": no name");
    const Key key = key_of(request.resource, request.ns, name);
    if (objects_.contains(key))
        return refuse(ErrorCode::conflict, "AlreadyExists",
                      where(request) + ": " + name + " already exists");
    return to_string(store(key, std::move(object), request.resource));
}

Result<std::string> FakeKube::change(const KubeRequest& request) {
    const Key key = key_of(request.resource, request.ns, request.name);
    CAPSTAN_TRY(Json body, parse_json(request.body));
    const auto at = objects_.find(key);
    const Json stored = at != objects_.end() ? at->second : Json();
    const std::string& version = body.text_at({"metadata", "resourceVersion"});
    if (!version.empty() && version != stored.text_at({"metadata", "resourceVersion"}))
        return refuse(ErrorCode::conflict, "Conflict",
                      where(request) + ": changed in the meantime");
    CAPSTAN_TRY(Json object, changed(request, stored, std::move(body)));
    const Json& now = store(key, std::move(object), request.resource);
    return to_string(request.subresource == "scale" ? scale_of(now) : now);
}

Result<Json> FakeKube::changed(const KubeRequest& request, const Json& stored, Json body) const {
    if (request.verb == KubeVerb::patch && request.patch_type == KubePatch::json)
        return refuse(ErrorCode::unsupported, "",
                      where(request) + ": JSON patch is not supported by the fake");
    Json whole = stored;
    if (request.subresource == "scale") {
        if (const Json* wanted = body.find({"spec", "replicas"}))
            whole.at("spec").set("replicas", *wanted);
    } else if (request.subresource == "status") {
        Json status;
        if (const Json* given = body.find("status")) status = *given;
        if (request.verb == KubeVerb::patch) {
            merge(whole.at("status"), status);
        } else {
            whole.set("status", std::move(status));
        }
    } else if (request.verb == KubeVerb::patch) {
        merge(whole, body);
    } else {
        whole = std::move(body);
    }
    whole.at("metadata").set("name", request.name);
    if (request.resource.has_namespace) whole.at("metadata").set("namespace", request.ns);
    return whole;
}

Result<std::string> FakeKube::remove(const KubeRequest& request) {
    const Key key = key_of(request.resource, request.ns, request.name);
    const Json& stored = objects_.at(key);
    const auto differs = [&](const std::string& wanted, const char* member) {
        return !wanted.empty() && wanted != stored.text_at({"metadata", member});
    };
    if (differs(request.uid, "uid") || differs(request.resource_version, "resourceVersion"))
        return refuse(ErrorCode::conflict, "Conflict", where(request) + ": precondition failed");
    erase(key);
    return std::string(R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
}

const Json& FakeKube::store(const Key& key, Json object, const KubeResource& resource) {
    const auto before = objects_.find(key);
    const bool is_new = before == objects_.end();
    object.set("apiVersion", api_version_of(resource));
    object.set("kind", resource.kind);
    Json& metadata = object.at("metadata");
    metadata.set("uid", is_new ? Json("uid-" + std::to_string(++last_uid_))
                               : Json(before->second.text_at({"metadata", "uid"})));
    metadata.set("resourceVersion", std::to_string(++version_));
    const Json& stored = objects_[key] = std::move(object);
    notify(is_new ? KubeEvent::Type::added : KubeEvent::Type::modified, key, stored);
    return stored;
}

bool FakeKube::erase(const Key& key) {
    const auto gone = objects_.extract(key);
    if (gone.empty()) return false;
    ++version_;
    notify(KubeEvent::Type::deleted, key, gone.mapped());
    return true;
}

void FakeKube::notify(KubeEvent::Type type, const Key& key, const Json& object) {
    if (is_trying_) return;
    for (const auto& [id, watch] : watches_) {
        const KubeSelection& what = watch.what;
        const bool is_seen = what.resource.group == std::get<0>(key) &&
                             what.resource.plural == std::get<1>(key) &&
                             (what.ns.empty() || what.ns == std::get<2>(key)) &&
                             suits(object, what.label_selector, what.field_selector);
        if (is_seen) watch.listener(type, to_string(object), {});
    }
}

Result<KubeResource> FakeKube::resolve(std::string_view api_version, std::string_view kind) const {
    for (const KubeResource& resource : served_) {
        const bool is_any_core = api_version.empty() && resource.group.empty();
        if (resource.kind == kind && (is_any_core || api_version_of(resource) == api_version))
            return resource;
    }
    return refuse(
        ErrorCode::not_found, "",
        "the fake does not support kind " + std::string(kind) + " of " + std::string(api_version));
}

Result<void> FakeKube::record(KubeNote note) {
    if (!is_granted(KubeResource("", "v1", "events", "Event"), "create"))
        return refuse(ErrorCode::permission, "", "events:create is not granted");
    notes_.push_back(std::move(note));
    return {};
}

Result<void> FakeKube::follow(std::uint64_t id, const KubeSelection& what, Listener listener) {
    if (!is_granted(what.resource, "list") || !is_granted(what.resource, "watch"))
        return refuse(ErrorCode::permission, "",
                      "list and watch " + what.resource.plural + ": is not granted");
    for (const Json& object : objects(what.resource)) {
        const bool is_in = what.ns.empty() || object.text_at({"metadata", "namespace"}) == what.ns;
        if (is_in && suits(object, what.label_selector, what.field_selector))
            listener(KubeEvent::Type::added, to_string(object), {});
    }
    listener(KubeEvent::Type::synced, {}, {});
    watches_.emplace(id, Watch{what, std::move(listener)});
    return {};
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
