#include "informers.hpp"

#include <utility>

namespace capstan::replicas {
namespace {

/// The host limits the watches of an instance, and Balancers and pods take two of them.
constexpr std::size_t kinds_max = 12;

std::string key_of(const KubeResource& resource) { return resource.plural + "." + resource.group; }

std::string path_of(const Json& object) {
    return object.text_at({"metadata", "namespace"}) + "/" + object.text_at({"metadata", "name"});
}

}  // namespace

KubeResource balancer_resource() {
    return {"balancer.x-k8s.io", "v1alpha1", "balancers", "Balancer"};
}

Informers::Informers(Host host, Options options) : host_(host), options_(std::move(options)) {}

void Informers::start() {
    balancers_.emplace(host_, KubeSelection(balancer_resource(), options_.ns),
                       [this](const KubeEvent& event) { on_balancer_event(event); });
    all_pods_.emplace(host_, KubeSelection(KubeResource("", "v1", "pods", "Pod"), options_.ns),
                      [this](const KubeEvent& event) { on_pod_event(event); });
}

void Informers::stop() {
    balancers_.reset();
    all_pods_.reset();
    targets_.clear();
}

void Informers::follow(const KubeResource& resource) {
    const std::string key = key_of(resource);
    if (targets_.contains(key) || targets_.size() >= kinds_max) return;
    try {
        targets_.emplace(key,
                         new Targets{.watch = KubeWatch(host_, KubeSelection(resource, options_.ns),
                                                        [this, resource](const KubeEvent& event) {
                                                            on_target_event(resource, event);
                                                        })});
    } catch (const Failure& failure) {
        // The resync finds what the watch would have told.
        host_.debug(failure.error().message);
    }
}

std::vector<Error> Informers::problems() const {
    std::vector<Error> out;
    for (const auto& [plural, why] : problems_) {
        Error error{ErrorCode::unavailable, plural + " cannot be watched: " + why};
        error.subject = plural;
        out.push_back(std::move(error));
    }
    return out;
}

bool Informers::is_of_object(const std::string& plural, bool& is_complete, const KubeEvent& event) {
    if (event.type == KubeEvent::Type::trouble) {
        std::string& known = problems_[plural];
        const std::string why =
            event.error != nullptr ? std::string(text(event.error->message)) : "";
        // Plugins start before their host is connected, and a host that ends closes its connection.
        const bool is_expected = event.error != nullptr &&
                                 (event.error->code == CAPSTAN_E_CANCELLED ||
                                  (!is_complete && event.error->code == CAPSTAN_E_UNAVAILABLE));
        if (known != why)
            host_.log(is_expected ? CAPSTAN_LOG_DEBUG : CAPSTAN_LOG_WARN,
                      plural + " cannot be watched: " + why);
        known = why;
        options_.on_news();
        return false;
    }
    problems_.erase(plural);
    if (event.type != KubeEvent::Type::synced) return true;
    is_complete = true;
    options_.on_news();
    return false;
}

void Informers::on_balancer_event(const KubeEvent& event) {
    if (!is_of_object("balancers", has_balancers_, event)) return;
    const Result<Json> object = parse_json(event.object);
    if (!object) return host_.warn("cannot read a Balancer: " + object.error().message);
    if (event.type == KubeEvent::Type::deleted) {
        if (const auto gone = cache_.remove(*object)) options_.on_gone(*gone);
    } else if (cache_.put(*object)) {
        options_.on_news();
    }
}

void Informers::on_pod_event(const KubeEvent& event) {
    if (!is_of_object("pods", has_pods_, event)) return;
    const Result<Json> pod = parse_json(event.object);
    if (!pod) return host_.warn("cannot read a pod: " + pod.error().message);
    const bool is_news =
        event.type == KubeEvent::Type::deleted ? pods_.remove(*pod) : pods_.put(*pod);
    if (is_news && cache_.mark_namespace_dirty(pod->text_at({"metadata", "namespace"})))
        options_.on_news();
}

/// Only a target that comes, goes or changes spec.replicas marks its Balancers dirty. All else that
/// matters of a target shows in its pods.
void Informers::on_target_event(const KubeResource& resource, const KubeEvent& event) {
    const auto at = targets_.find(key_of(resource));
    if (at == targets_.end()) return;
    Targets& targets = *at->second;
    if (event.type == KubeEvent::Type::synced) targets.has_synced = true;
    const Result<Json> object = parse_json(event.object);
    if (!object) return;
    const Json* replicas = object->find({"spec", "replicas"});
    const std::string now = replicas != nullptr ? to_string(*replicas) : "";
    const auto [known, is_new] = targets.replicas.try_emplace(path_of(*object), now);
    const bool is_gone = event.type == KubeEvent::Type::deleted;
    const bool is_news = is_gone || is_new || known->second != now;
    known->second = now;
    if (is_gone) targets.replicas.erase(known);
    // The targets of the first list have just been read.
    if (!is_news || !targets.has_synced) return;
    if (cache_.mark_target_dirty(resource, object->text_at({"metadata", "namespace"}),
                                 object->text_at({"metadata", "name"})))
        options_.on_news();
}

}  // namespace capstan::replicas
