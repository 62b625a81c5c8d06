#include "kubernetes/pod_requests.hpp"

#include <map>
#include <string>

namespace capstan::kubernetes {
namespace {

/// Exact amounts by resource; Resources rounds, so nothing is summed in it.
using Quantities = std::map<std::string, Quantity, std::less<>>;

void add(Quantities& sum, const Quantities& more) {
    for (const auto& [resource, quantity] : more) sum[resource] += quantity;
}

/// Each resource at least as in `other`.
void raise_to(Quantities& amounts, const Quantities& other) {
    for (const auto& [resource, quantity] : other) {
        const auto [at, is_new] = amounts.emplace(resource, quantity);
        if (!is_new && at->second < quantity) at->second = quantity;
    }
}

Quantities decode_quantities(const JsonPlace& place) {
    Quantities out;
    for (const JsonPlace& member : place.members()) {
        const std::optional<Quantity> quantity = member.quantity();
        if (!quantity) continue;
        if (quantity->sign() < 0) {
            member.complain("is negative (" + to_string(*quantity) + ")");
        } else {
            out.emplace(member.key(), *quantity);
        }
    }
    return out;
}

Quantities container_requests(const JsonPlace& container) {
    const JsonPlace resources = container["resources"];
    Quantities requests = decode_quantities(resources["requests"]);
    requests.merge(decode_quantities(resources["limits"]));
    return requests;
}

bool is_sidecar(const JsonPlace& init_container) {
    return init_container["restartPolicy"].text() == "Always";
}

/// What containers and init containers need together.
Quantities containers_requests(const JsonPlace& spec) {
    Quantities running;
    for (const JsonPlace& container : spec["containers"].items())
        add(running, container_requests(container));

    Quantities sidecars;  // those started so far: they run beside every init container after them
    Quantities peak;
    for (const JsonPlace& container : spec["initContainers"].items()) {
        Quantities needed = container_requests(container);
        if (is_sidecar(container)) {
            add(running, needed);
            add(sidecars, needed);
            raise_to(peak, sidecars);
        } else {
            add(needed, sidecars);
            raise_to(peak, needed);
        }
    }
    raise_to(running, peak);
    return running;
}

bool may_be_set_for_the_pod(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

/// Requests of the pod as a whole; its limits stand in only where no container asks for anything.
void apply_pod_level(Quantities& requests, const JsonPlace& resources) {
    for (const auto& [resource, quantity] : decode_quantities(resources["requests"])) {
        if (may_be_set_for_the_pod(resource)) requests[resource] = quantity;
    }
    for (const auto& [resource, quantity] : decode_quantities(resources["limits"])) {
        if (may_be_set_for_the_pod(resource)) requests.emplace(resource, quantity);
    }
}

}  // namespace

Resources decode_pod_requests(const JsonPlace& spec) {
    Quantities requests = containers_requests(spec);
    apply_pod_level(requests, spec["resources"]);
    add(requests, decode_quantities(spec["overhead"]));
    Resources out;
    for (const auto& [resource, quantity] : requests)
        out.set(resource, amount_of(resource, quantity));
    return out;
}

}  // namespace capstan::kubernetes
