/// The requests and timers of one owner, gone with it.
#pragma once

#include <functional>
#include <memory>

#include "io/loop.hpp"
#include "kubernetes/client/kube_api.hpp"

namespace capstan::kubernetes::client {

/// An owner's last member: once it is gone, nothing that it had under way calls back, so callbacks
/// may hold the owner's address. A callback may destroy the owner. Used on the loop's thread alone.
class OpenCalls {
public:
    /// Borrows both.
    OpenCalls(Api& api, io::Loop& loop);
    OpenCalls(const OpenCalls&) = delete;
    OpenCalls& operator=(const OpenCalls&) = delete;
    /// Cancels what is open.
    ~OpenCalls();

    void send(ApiRequest request, Api::Done done);
    void after(Duration delay, std::function<void()> handler);
    /// The same for all that is open now; its owner stays.
    void cancel_all();

    io::Loop& loop() const noexcept;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace capstan::kubernetes::client
