/// A fake host whose HTTP service reaches real servers on loopback: HTTP/2 without TLS, one
/// connection for each request.
#pragma once

#include <capstan/testing/fake_host.hpp>

namespace capstan::external_grpc {

/// All services are FakeHost's, but for capstan.http/1, whose requests go out on its blocking
/// threads. Deadlines of requests are of real time, everything else is of the fake clock.
class RealHttpHost {
public:
    RealHttpHost();
    RealHttpHost(const RealHttpHost&) = delete;
    RealHttpHost& operator=(const RealHttpHost&) = delete;

    Host host() const noexcept { return Host(&handle_); }
    testing::FakeHost& fake() noexcept { return fake_; }

private:
    testing::FakeHost fake_{};
    capstan_host handle_;
};

}  // namespace capstan::external_grpc
