/// A fake host whose HTTP service reaches real servers on loopback: HTTP/2 without TLS, one
/// connection for each request.
#pragma once

#include <capstan/testing/fake_host.hpp>

namespace capstan::external_grpc {

/// All services are those of FakeHost except capstan.http/1, which sends requests on its blocking
/// threads. Deadlines of requests use real time, everything else the fake clock.
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
