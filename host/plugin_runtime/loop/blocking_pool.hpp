/// Threads that may block: a few per instance, with a short queue.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace capstan::plugin_runtime::loop {

/// Not a boost::asio::thread_pool: its destructor waits forever for a function that never
/// returns. [any thread]
class BlockingPool {
public:
    struct Limits {
        std::size_t threads = 2;
        std::size_t queue = 64;  ///< functions that are accepted and not begun
    };

    explicit BlockingPool(Limits limits);
    BlockingPool(const BlockingPool&) = delete;
    BlockingPool& operator=(const BlockingPool&) = delete;
    /// Drops functions that have not begun. A thread inside a function is detached and ends when
    /// the function returns, so a function must own or share what it uses. The other threads are
    /// joined.
    ~BlockingPool();

    /// Runs `work` on one of the threads, which are started when needed. False: all threads are
    /// busy and the queue is full. Throws std::system_error when no thread can be created.
    bool submit(std::function<void()> work);

private:
    struct State;
    std::shared_ptr<State> state_;
    std::vector<std::thread> threads_;
};

}  // namespace capstan::plugin_runtime::loop
