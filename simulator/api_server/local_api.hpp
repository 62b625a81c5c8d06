/// An API server in this process with a client of its own, on virtual time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/client/access/api_client.hpp"
#include "kubernetes/client/access/credentials.hpp"
#include "simulator/api_server/api_server.hpp"
#include "simulator/api_server/local_http_client.hpp"
#include "simulator/api_server/object_store.hpp"

namespace capstan::simulator::api_server {

/// Serves objects to plugins. No controller of Kubernetes runs, and requests need no credentials.
class LocalApi {
public:
    /// Borrows the loop.
    explicit LocalApi(io::ManualLoop& loop);

    kubernetes::client::Api& api() noexcept { return client_; }
    ObjectStore& store() noexcept { return store_; }
    const ObjectStore& store() const noexcept { return store_; }

    /// Creates an object of a resource such as "pods" or "deployments.apps". The error is that of
    /// the server; an object that exists already is none.
    Result<void> create(std::string_view resource, const std::string& ns,
                        boost::json::object object);
    /// Creates the namespace if there is none of that name.
    void add_namespace(const std::string& name);
    /// Runs all that is ready to run at this moment of virtual time.
    void settle() { loop_.settle(); }
    /// False: requests are refused, and watches end.
    void set_reachable(bool reachable) { network_.set_reachable(reachable); }
    Time now() const { return loop_.clock()->now(); }
    /// Creates objects from their JSON, with their namespaces. A kind that the server does not know
    /// is defined, with the plural KINDs. Metadata that only a server sets is dropped.
    Result<void> add(const std::vector<std::string>& objects);
    /// Serves a namespaced kind that has the subresources `status` and `scale`.
    Result<void> define(const std::string& group, const std::string& version,
                        const std::string& plural, const std::string& kind);
    /// "balancers.balancer.x-k8s.io" for ("balancer.x-k8s.io/v1alpha1", "Balancer"); empty: the
    /// server does not serve the kind.
    std::string resource_of(std::string_view api_version, std::string_view kind) const;

private:
    Result<void> add(boost::json::object object);

    /// Gives an empty credential.
    class Anyone final : public kubernetes::client::Credentials {
    public:
        explicit Anyone(io::Loop& loop) : loop_(loop) {}
        void get(Done done) override;
        void rejected(const kubernetes::client::Credential&) override {}

    private:
        io::Loop& loop_;
    };

    io::ManualLoop& loop_;
    ObjectStore store_;
    ApiServer server_;
    LocalHttpClient network_;
    Anyone anyone_;
    kubernetes::client::ApiClient client_;
};

}  // namespace capstan::simulator::api_server
