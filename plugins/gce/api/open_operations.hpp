/// Operations that go on after the host got its answer.
#pragma once

#include <deque>
#include <functional>

#include <capstan/background.hpp>
#include <capstan/host.hpp>
#include <capstan/task.hpp>

#include "operations.hpp"

namespace capstan::gce {

/// [strand] Polls operations in the background, a few every three seconds, until they end. An
/// operation that does not exist any more, or that goes on for 15 minutes, is dropped. With 1000
/// operations a further one takes the place of the operation that would be polled next.
class OpenOperations {
public:
    using Ended = std::function<void(const Operation&)>;
    /// The client has to outlive the object.
    OpenOperations(const Host& host, GceClient& client)
        : host_(host), client_(client), background_(host) {}

    /// Calls `ended` once the operation has ended.
    void add(ResourceLink operation, Ended ended);

private:
    struct Open {
        ResourceLink link{};
        Ended ended{};
        Duration since{};
    };
    Task<void> poll();
    Task<void> ask();

    const Host host_;
    GceClient& client_;
    std::deque<Open> open_{};  ///< polled from the front; a polled one moves to the end
    Background background_;
};

}  // namespace capstan::gce
