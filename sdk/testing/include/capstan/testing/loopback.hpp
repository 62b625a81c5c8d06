/// Requests of a fake host that go to a real server on this machine.
///
///     FakeHost host;
///     host.http().handle(to_loopback(8080));
///     run(host, cloud.refresh());                   // https://api.example/groups goes there, too
///     write_file("acme.http", to_recording(host));  // recording.hpp
///
/// For tests against a vendor's own API server or an emulator of a cloud. Requests go over plain
/// HTTP/1.1, whatever scheme and host the URL has; the header `Host` has the host of the URL.
#pragma once

#include <cstdint>

#include <capstan/testing/fake_http.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// Sends each request to 127.0.0.1:`port` on a connection of its own and waits for the reply, at
/// most for `patience` of real time; the virtual clock stands still meanwhile. `unavailable`: there
/// is no server, the connection was lost, or the reply is not HTTP/1. `deadline`: the reply took
/// too long. `quota`: the reply is larger than 64 MiB.
HttpHandler to_loopback(std::uint16_t port, Duration patience = std::chrono::seconds(10));

}  // namespace testing
CAPSTAN_NAMESPACE_END
