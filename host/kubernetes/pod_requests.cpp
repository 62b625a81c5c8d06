#include "kubernetes/pod_requests.hpp"

#include <string_view>

#include "kubernetes/resource_list.hpp"

namespace capstan::kubernetes {
namespace {

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

Quantities container_requests(const JsonPlace& container) {
    const JsonPlace resources = container["resources"];
    Quantities requests = decode_quantities(resources["requests"]);
    requests.merge(decode_quantities(resources["limits"]));
    return requests;
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

bool is_sidecar(const JsonPlace& init_container) {
    return init_container["restartPolicy"].text() == "Always";
}

Resources decode_pod_requests(const JsonPlace& spec) {
    Quantities requests = containers_requests(spec);
    apply_pod_level(requests, spec["resources"]);
    add(requests, decode_quantities(spec["overhead"]));
    return rounded(requests);
}

}  // namespace capstan::kubernetes
