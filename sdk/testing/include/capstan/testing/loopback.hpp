/// Requests of a fake host that go to a real server on this machine.
///
///     FakeHost host;
///     host.http().handle(to_loopback(8080));
///     run(host, cloud.refresh());                     // https://api.example/groups goes there,
///     too write_file("acme.http", to_recording(host));    // recording.hpp
///
/// For tests against a vendor's own API server or an emulator of a cloud. The server is asked over
/// plain HTTP/1.1, whatever scheme and host the URL has; the header `Host` keeps the URL's.
#pragma once

#include <cstdint>

#include <capstan/testing/fake_http.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// Sends each request to 127.0.0.1:`port` on a connection of its own and waits for the reply, at
/// most `patience` of real time: the virtual clock stands still meanwhile. A server that is not
/// there, breaks off or answers no HTTP is `unavailable`, one that is too slow `deadline`.
HttpHandler to_loopback(std::uint16_t port, Duration patience = std::chrono::seconds(10));

}  // namespace testing
CAPSTAN_NAMESPACE_END
