/// Threads that may block: a few per instance, with a short queue.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace capstan::runtime::loop {

/// Not boost::asio::thread_pool, because that one waits for ever for work that never returns. [any
/// thread]
class BlockingPool {
public:
    struct Limits {
        std::size_t threads = 2;
        std::size_t queue = 64;  ///< accepted and not begun
    };

    explicit BlockingPool(Limits limits);
    BlockingPool(const BlockingPool&) = delete;
    BlockingPool& operator=(const BlockingPool&) = delete;
    /// Drops what has not begun. Threads inside a function are left to themselves and end with it:
    /// what a function touches it must keep alive. The others are joined.
    ~BlockingPool();

    /// Runs `work` on one of the threads, which start when first needed. False: all are taken and
    /// the queue is full. Throws std::system_error when the system gives no thread.
    bool submit(std::function<void()> work);

private:
    struct State;
    std::shared_ptr<State> state_;
    std::vector<std::thread> threads_;
};

}  // namespace capstan::runtime::loop
