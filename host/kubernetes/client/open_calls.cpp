#include "kubernetes/client/open_calls.hpp"

#include <map>
#include <utility>

#include <boost/asio/post.hpp>

namespace capstan::kubernetes::client {

struct OpenCalls::State {
    Api& api;
    io::Loop& loop;
    std::uint64_t last_key = 0;
    std::map<std::uint64_t, Api::RequestId> requests{};
    std::map<std::uint64_t, io::TimerId> timers{};  ///< 0: posted
};

OpenCalls::OpenCalls(Api& api, io::Loop& loop) : state_(new State{api, loop}) {}

OpenCalls::~OpenCalls() { cancel_all(); }

io::Loop& OpenCalls::loop() const noexcept { return state_->loop; }

void OpenCalls::send(ApiRequest request, Api::Done done) {
    const std::uint64_t key = ++state_->last_key;
    const auto arrive = [key, weak = std::weak_ptr(state_),
                         done = std::move(done)](Result<ApiReply> reply) {
        const auto state = weak.lock();
        if (state != nullptr && state->requests.erase(key) == 1) done(std::move(reply));
    };
    state_->requests[key] = state_->api.send(std::move(request), arrive);
}

void OpenCalls::after(Duration delay, std::function<void()> handler) {
    const std::uint64_t key = ++state_->last_key;
    const auto fire = [key, weak = std::weak_ptr(state_), handler = std::move(handler)] {
        const auto state = weak.lock();
        if (state != nullptr && state->timers.erase(key) == 1) handler();
    };
    // Posted, not timed: a zero delay must elapse although a simulated clock does not advance.
    if (delay > Duration::zero()) {
        state_->timers[key] = state_->loop.after(delay, fire);
    } else {
        state_->timers[key] = 0;
        boost::asio::post(state_->loop.io(), fire);
    }
}

void OpenCalls::cancel_all() {
    for (const auto& [key, timer] : std::exchange(state_->timers, {})) state_->loop.cancel(timer);
    for (const auto& [key, id] : std::exchange(state_->requests, {})) state_->api.cancel(id);
}

}  // namespace capstan::kubernetes::client
