/// A client and an API server in this process, on virtual time, without a daemon.
#pragma once

#include <memory>

#include "fault_variants.hpp"
#include "kubernetes/client/access/api_client.hpp"
#include "kubernetes/client/access/credentials_stored.hpp"
#include "simulator/api_server/local_http_client.hpp"

namespace capstan::faults {

struct Client {
    /// Injects a fault from now on: as often as `fault` says, or for two minutes if it `lasts`.
    void inject(simulator::api_server::ApiFault fault, const FaultVariant& variant, bool lasts) {
        variant.apply(fault);
        if (lasts) fault.times.reset();
        server.faults().add(fault);
        if (lasts) loop.after(std::chrono::minutes(2), [this] { server.faults().clear(); });
    }

    boost::asio::io_context io{};
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    simulator::api_server::ObjectStore store{loop, {}};
    simulator::api_server::ApiServer server{store};
    simulator::api_server::LocalHttpClient network{server, loop};
    std::unique_ptr<kubernetes::client::Credentials> credentials =
        *kubernetes::client::make_stored_credentials(loop, {});
    kubernetes::client::ApiClient api{network, loop, *credentials, {.server = "http://api.local"}};
};

}  // namespace capstan::faults
