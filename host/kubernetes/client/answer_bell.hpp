/// Listeners that wait for a server that did not answer, and are told when it answers again.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace capstan::kubernetes::client {

/// Used on the loop's thread alone.
class AnswerBell {
public:
    /// A listener at the bell where it was made; it ends when this is given up. May outlive the
    /// bell, which then tells it nothing.
    using Subscription = std::shared_ptr<const std::function<void()>>;

    /// `on_answer` is called once, when the next request succeeds, whichever that is. It must not
    /// call the bell's Api.
    [[nodiscard]] Subscription subscribe(std::function<void()> on_answer);
    /// A request has succeeded.
    void ring();

private:
    std::vector<std::weak_ptr<const std::function<void()>>> listeners_{};
};

}  // namespace capstan::kubernetes::client
