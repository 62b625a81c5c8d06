/// Small values of instances that outlive the process, behind capstan.state/1.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/host.hpp>
#include <capstan/ids.hpp>
#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "io/file_descriptor.hpp"
#include "runtime/loop/blocking_pool.hpp"

namespace capstan::runtime::services {

/// Everything one instance keeps. Revisions of an instance grow with every write, so that none
/// comes twice.
struct InstanceState {
    std::uint64_t last_revision = 0;
    std::string home{};  ///< the store where it is written, by a name like no other's; empty: none
    std::map<std::string, StoredValue, std::less<>> values;
};

/// Where states are kept. Used by one thread at a time.
class StateMedium {
public:
    virtual ~StateMedium() = default;
    /// What was saved last; empty when nothing was.
    virtual Result<InstanceState> load(const PluginInstanceId& owner) = 0;
    /// All of it or nothing.
    virtual Result<void> save(const PluginInstanceId& owner, const InstanceState& state) = 0;
    /// Held from load to save, so that no other process writes between.
    virtual Result<io::FileDescriptor> hold() { return io::FileDescriptor(); }
};

/// Answers when the medium has answered. [any thread]
class StateStore {
public:
    static constexpr std::size_t size_limit = 64
                                              << 10;  ///< keys and values of one instance together
    StateStore(const StateStore&) = delete;
    StateStore& operator=(const StateStore&) = delete;
    virtual ~StateStore() = default;

    /// `not_found`: no such key.
    Result<StoredValue> get(const PluginInstanceId& owner, std::string_view key);
    /// Writes if the key still has `if_revision` (0: does not exist) and gives the new revision.
    /// `conflict`: it has another; `quota`: no room; after any error everything is as it was.
    Result<std::uint64_t> put(const PluginInstanceId& owner, std::string_view key,
                              std::string_view value, std::uint64_t if_revision);

    /// Everything that the instance keeps, as UTF-8, for the hosts that lead after this one; empty:
    /// it keeps nothing. `name`: what this store is called from now on where it has no name yet;
    /// like no other's, on one line.
    Result<std::string> share(const PluginInstanceId& owner, const std::string& name);
    /// Becomes what the leader before shared. False where that was from this very store, which may
    /// know more by now. Values get revisions that they never had here, so that a write by an older
    /// one gets a conflict. `invalid_argument`: it is no such text, and everything is as it was.
    Result<bool> take_over(const PluginInstanceId& owner, std::string_view shared);

protected:
    explicit StateStore(std::shared_ptr<StateMedium> medium) : medium_(std::move(medium)) {}
    /// Runs `work` alone and returns at its end. After an error it has not begun, or goes on
    /// without this: it owns what it touches.
    virtual Result<void> run(std::function<void()> work);

private:
    template <class T>
    Result<T> ask(std::function<Result<T>(StateMedium&)> question);

    const std::shared_ptr<StateMedium> medium_;
    std::mutex mutex_;
};

/// Forgets with the process: for simulations and for hosts that were given no folder.
class MemoryStateStore final : public StateStore {
public:
    MemoryStateStore();
};

/// One file per instance in a folder, which several hosts on one machine may share: each sees what
/// the others wrote, and of two that write at once one gets a `conflict`. A file is replaced as a
/// whole: whatever interrupts a write, the old or the new one is there, on the disk before the
/// answer. A thread of its own reads and writes, one call after the other, so that a disk or a
/// process that does not let go ends in `unavailable` after a while. Alone then a write may still
/// come to pass: `get` tells.
class FileStateStore final : public StateStore {
public:
    struct Patience {
        Duration lock = std::chrono::seconds(2);    ///< with another process that writes
        Duration answer = std::chrono::seconds(4);  ///< of one call, in all
    };
    explicit FileStateStore(const std::filesystem::path& directory)
        : FileStateStore(directory, Patience()) {}
    FileStateStore(const std::filesystem::path& directory, Patience patience);

private:
    Result<void> run(std::function<void()> work) override;

    const std::string name_;
    const Duration patience_;
    loop::BlockingPool pool_{{.threads = 1, .queue = 64}};
};

// What one instance keeps, as text: in its file, and for the hosts that lead after this one.
//
//     capstan-state 1
//     7 host-1_06e1
//     5 8 31
//     machines{"start":1795255200000, ...

/// Some more than the values themselves may have, for the numbers beside them.
inline constexpr std::size_t state_text_limit = 16 * StateStore::size_limit;

/// The line above, the last revision and the store's name, where it has one, and for each value a
/// line of three numbers (its revision, the lengths) and the bytes of key and value.
std::string state_text(const InstanceState& state);
/// Nothing: it is none.
std::optional<InstanceState> find_state(std::string_view text);

/// The same where only UTF-8 may stand: other bytes as base64.
std::string printable_state(const InstanceState& state);
std::optional<InstanceState> find_printable_state(std::string_view text);

}  // namespace capstan::runtime::services
