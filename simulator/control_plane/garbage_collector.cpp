#include "simulator/control_plane/cluster_controllers.hpp"

#include <algorithm>

#include "simulator/control_plane/context/object_fields.hpp"

namespace capstan::simulator::control_plane {
namespace {

struct Content {
    std::string_view resource, name;
};

constexpr Content contents[] = {{"serviceaccounts", "default"}, {"configmaps", "kube-root-ca.crt"}};

json::object make_content(std::string_view name, std::string_view resource) {
    json::object out{{"metadata", json::object{{"name", json_view(name)}}}};
    // The simulated server has no certificate.
    if (resource == "configmaps") out["data"] = json::object{{"ca.crt", ""}};
    return out;
}

/// The key of an object in the queue: "pods|default/web-0".
std::string key_of(const ObjectName& name) {
    return name.resource + "|" + object_key(name.space, name.name);
}

ObjectName name_in(const std::string& key) {
    const std::size_t bar = key.find('|'), slash = key.find('/', bar);
    return {key.substr(0, bar), key.substr(bar + 1, slash - bar - 1), key.substr(slash + 1)};
}

bool is_in_foreground_deletion(const json::object& object) {
    return is_terminating(object) && has_finalizer(object, foreground_finalizer);
}

/// Whether the dependent delays the foreground deletion of its owner.
bool blocks_deletion(const json::object& dependent, std::string_view uid) {
    return std::ranges::any_of(owners_of(dependent), [&](const json::object* owner) {
        return text_at(*owner, "uid") == uid && is_true_at(*owner, "blockOwnerDeletion");
    });
}

class NamespaceContents final : public QueuedController {
public:
    explicit NamespaceContents(ControlContext& context) : QueuedController(context) {
        context.feed().listen("namespaces", [this](const Change& change) {
            queue_.add(std::string(name_of(*change.object)));
        });
        for (const Content& content : contents)
            context.feed().listen(content.resource, [this](const Change& change) {
                if (change.type == ChangeType::deleted)
                    queue_.add(std::string(namespace_of(*change.object)));
            });
    }

private:
    void reconcile(const std::string& space) override {
        const ApiObject found = context_.find("namespaces", object_key("", space));
        if (found == nullptr || is_terminating(*found)) return;
        for (const Content& content : contents)
            if (context_.find(content.resource, object_key(space, content.name)) == nullptr)
                context_.create(content.resource, space,
                                make_content(content.name, content.resource));
    }
};

class GarbageCollector final : public QueuedController {
public:
    explicit GarbageCollector(ControlContext& context) : QueuedController(context) {
        context.feed().listen_to_all(
            [this](const ResourceKind& kind, const Change& change) { follow(kind, change); });
    }

private:
    void add(const ObjectName& name) { queue_.add(key_of(name)); }

    void follow(const ResourceKind& kind, const Change& change) {
        const json::object& object = *change.object;
        const std::string_view uid = uid_of(object);
        if (change.type == ChangeType::deleted) {
            for (const ObjectName& dependent : context_.index().dependents_of(uid)) add(dependent);
            // Owners in foreground deletion wait for this object.
            for (const json::object* owner : owners_of(object))
                for (const ObjectName& name : context_.index().find_by_uid(text_at(*owner, "uid")))
                    add(name);
            return;
        }
        const bool is_new =
            change.before == nullptr || list_at(object, "metadata.ownerReferences") !=
                                            list_at(*change.before, "metadata.ownerReferences");
        if (is_terminating(object) || (is_new && !owners_of(object).empty()))
            add({kind.resource(), std::string(namespace_of(object)), std::string(name_of(object))});
    }

    ApiObject find(const ObjectName& name) const {
        const KindPtr kind = context_.store().kinds().find(name.resource);
        return kind == nullptr ? nullptr : context_.store().find(*kind, name.space, name.name);
    }

    void reconcile(const std::string& key) override {
        const ObjectName name = name_in(key);
        const ApiObject object = find(name);
        if (object == nullptr) return;
        const ResourceKind& kind = context_.kind(name.resource);
        if (is_in_foreground_deletion(*object)) return finish_foreground_deletion(kind, *object);
        if (is_terminating(*object) && has_finalizer(*object, orphan_finalizer))
            return orphan_dependents(kind, *object);
        if (!is_terminating(*object)) collect(kind, *object);
    }

    /// Deletes an object that no owner keeps, in the foreground if an owner waits for it. If an
    /// owner keeps the object, removes the references to owners that do not exist.
    void collect(const ResourceKind& kind, const json::object& object) {
        bool has_owner = false, is_awaited = false;
        std::vector<std::string> missing;
        for (const json::object* reference : owners_of(object)) {
            const std::string_view uid = text_at(*reference, "uid");
            const auto names = context_.index().find_by_uid(uid);
            const ApiObject owner = names.empty() ? nullptr : find(names.front());
            if (owner == nullptr) {
                missing.emplace_back(uid);
            } else if (is_in_foreground_deletion(*owner)) {
                is_awaited = true;
            } else {
                has_owner = true;
            }
        }
        if (!has_owner && (is_awaited || !missing.empty()))
            return context_.remove(kind.resource(), object,
                                   {.propagation = is_awaited ? "Foreground" : ""});
        if (missing.empty()) return;
        context_.edit(kind.resource(), object, [&](json::object& fresh) {
            for (const std::string& uid : missing) remove_owner(fresh, uid);
        });
    }

    void finish_foreground_deletion(const ResourceKind& kind, const json::object& owner) {
        const std::string_view uid = uid_of(owner);
        bool is_blocked = false;
        for (const ObjectName& name : context_.index().dependents_of(uid)) {
            const ApiObject dependent = find(name);
            if (dependent == nullptr) continue;
            if (!is_terminating(*dependent)) add(name);
            is_blocked = is_blocked || blocks_deletion(*dependent, uid);
        }
        if (is_blocked) return;
        context_.edit(kind.resource(), owner,
                      [](json::object& fresh) { remove_finalizer(fresh, foreground_finalizer); });
    }

    void orphan_dependents(const ResourceKind& kind, const json::object& owner) {
        const std::string_view uid = uid_of(owner);
        for (const ObjectName& name : context_.index().dependents_of(uid))
            if (const ApiObject dependent = find(name))
                context_.edit(name.resource, *dependent,
                              [&](json::object& fresh) { remove_owner(fresh, uid); });
        context_.edit(kind.resource(), owner,
                      [](json::object& fresh) { remove_finalizer(fresh, orphan_finalizer); });
    }
};

}  // namespace

std::unique_ptr<Controller> make_namespace_contents(ControlContext& context) {
    return std::make_unique<NamespaceContents>(context);
}

std::unique_ptr<Controller> make_garbage_collector(ControlContext& context) {
    return std::make_unique<GarbageCollector>(context);
}

}  // namespace capstan::simulator::control_plane
