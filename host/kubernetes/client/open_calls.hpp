/// The open requests and timers of one owner, which end with the owner.
#pragma once

#include <functional>
#include <memory>

#include "io/loop.hpp"
#include "kubernetes/client/kube_api.hpp"

namespace capstan::kubernetes::client {

/// The last member of its owner. No callback runs after its destruction, so callbacks may hold the
/// owner's address. A callback may destroy the owner. Used on the loop's thread alone.
class OpenCalls {
public:
    /// Borrows `api` and `loop`.
    OpenCalls(Api& api, io::Loop& loop);
    OpenCalls(const OpenCalls&) = delete;
    OpenCalls& operator=(const OpenCalls&) = delete;
    /// Cancels all open requests and timers.
    ~OpenCalls();

    void send(ApiRequest request, Api::Done done);
    void after(Duration delay, std::function<void()> handler);
    /// Cancels all open requests and timers. The object stays usable.
    void cancel_all();

    io::Loop& loop() const noexcept;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace capstan::kubernetes::client
