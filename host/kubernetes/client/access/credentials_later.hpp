/// Answers that must not come before the question has returned.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/post.hpp>

#include "io/loop.hpp"

namespace capstan::kubernetes {

/// Calls back on the loop's thread as long as this lives. Borrows the loop.
class Later {
public:
    explicit Later(io::Loop& loop) : loop_(loop) {}

    void call(std::function<void()> handler) const {
        boost::asio::post(loop_.io(), guarded(std::move(handler)));
    }
    /// `handler`, doing nothing once this has gone.
    std::function<void()> guarded(std::function<void()> handler) const {
        return [alive = watch(), handler = std::move(handler)] {
            if (!alive.expired()) handler();
        };
    }
    /// Expires with this.
    std::weak_ptr<const bool> watch() const { return alive_; }

private:
    io::Loop& loop_;
    std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace capstan::kubernetes
