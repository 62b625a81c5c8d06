/// What a plugin must leave alone in the process it runs in.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// Notes the state of the process when made; tells what is different when asked.
class ProcessWatch {
public:
    ProcessWatch();
    /// Sentences: "the working directory changed from / to /tmp". Waits up to a second for threads
    /// to end.
    std::vector<std::string> changes() const;

private:
    std::string directory_, locale_, environment_;
    mode_t mask_;
    std::size_t threads_;
    std::array<struct sigaction, 65> handlers_{};
};

/// What the process holds: memory of its allocator, open file descriptors. Both 0: not known here.
struct Holdings {
    std::int64_t bytes = 0;
    std::int64_t descriptors = 0;

    static Holdings now();
    Holdings operator-(const Holdings& before) const noexcept {
        return {bytes - before.bytes, descriptors - before.descriptors};
    }
};

/// Catches what is written to standard output and error between its making and its end.
class StreamTrap {
public:
    StreamTrap();
    ~StreamTrap();
    StreamTrap(const StreamTrap&) = delete;
    StreamTrap& operator=(const StreamTrap&) = delete;
    /// Lets the streams through again; what was written meanwhile. False `is_set`: there was no
    /// memory for a trap.
    std::string release();
    bool is_set() const noexcept { return is_set_; }

private:
    int catcher_ = -1, out_ = -1, err_ = -1;
    bool is_set_ = false;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
