/// Behind capstan.state/1: small values of instances, which outlive the process.
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
#include <vector>

#include <capstan/host.hpp>
#include <capstan/ids.hpp>
#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "io/file_descriptor.hpp"
#include "plugin_runtime/loop/blocking_pool.hpp"

namespace capstan::plugin_runtime::services {

/// All values of one instance. Revisions grow with every write of the instance, so that no revision
/// is used twice.
struct InstanceState {
    std::uint64_t last_revision = 0;
    std::string store_name{};  ///< the unique name of the store that wrote it; empty: none
    std::map<std::string, StoredValue, std::less<>> values;
};

/// The medium that a store writes to: memory, or files. Used by one thread at a time.
class StateMedium {
public:
    virtual ~StateMedium() = default;
    /// The state that was saved last; an empty one if none was saved.
    virtual Result<InstanceState> load(const PluginInstanceId& owner) = 0;
    /// Saves the whole state or, after an error, nothing.
    virtual Result<void> save(const PluginInstanceId& owner, const InstanceState& state) = 0;
    /// A lock, held from load to save, so that no other process writes in between.
    virtual Result<io::FileDescriptor> hold() { return io::FileDescriptor(); }
};

/// Each call returns when the medium has answered. [any thread]
class StateStore {
public:
    static constexpr std::size_t size_limit = 64
                                              << 10;  ///< keys and values of one instance together
    StateStore(const StateStore&) = delete;
    StateStore& operator=(const StateStore&) = delete;
    virtual ~StateStore() = default;

    /// `not_found`: no such key.
    Result<StoredValue> get(const PluginInstanceId& owner, std::string_view key);
    /// Writes if the key still has `if_revision` (0: the key does not exist). Returns the new
    /// revision. `conflict`: the key has another revision; `quota`: the size limit. After any error
    /// the state is unchanged.
    Result<std::uint64_t> put(const PluginInstanceId& owner, std::string_view key,
                              std::string_view value, std::uint64_t if_revision);

    /// All values of the instance as UTF-8 text, for the hosts that lead after this one. Empty: it
    /// has no values. `name` becomes the name of this store if it has none yet; it is unique and
    /// has no newline.
    Result<std::string> share(const PluginInstanceId& owner, const std::string& name);
    /// Replaces the instance's values by those that the last leader shared. False: the text is from
    /// this very store, which may be newer, and nothing is replaced. Values get revisions that were
    /// never used here, so that a write with an old revision is a conflict. `invalid_argument`: the
    /// text is not of `share`, and the state is unchanged.
    Result<bool> take_over(const PluginInstanceId& owner, std::string_view shared);

protected:
    explicit StateStore(std::shared_ptr<StateMedium> medium) : medium_(std::move(medium)) {}
    /// Runs `work`, one at a time, and returns at its end. After an error `work` has not begun, or
    /// still goes on: it owns what it uses.
    virtual Result<void> run(std::function<void()> work);

private:
    template <class T>
    Result<T> ask(std::function<Result<T>(StateMedium&)> question);

    const std::shared_ptr<StateMedium> medium_;
    std::mutex mutex_;
};

/// `quota`: with this key an instance would have so many bytes.
Error above_state_limit(std::string_view key, std::size_t bytes);

/// Keeps states in memory: for simulations, and for hosts without a folder.
class MemoryStateStore final : public StateStore {
public:
    MemoryStateStore();
};

/// One file per instance in a folder, which several hosts on one machine may share: each host sees
/// the writes of the others, and of two writes at once one is a `conflict`. A file is replaced
/// atomically and is on the disk before the answer: after an interrupted write there is the old or
/// the new file. A thread of its own reads and writes, one call after the other, so that a call
/// ends as `unavailable` when the disk does not answer or another process keeps the lock. Only
/// after that error may a write still be carried out later; `get` shows it.
class FileStateStore final : public StateStore {
public:
    struct Patience {
        Duration lock = std::chrono::seconds(2);    ///< for the lock of another process
        Duration answer = std::chrono::seconds(4);  ///< for one call in all
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

/// Renames each file of state in `directory` that cannot be parsed to FILE.unreadable, over an
/// earlier one. Its instance then has no state, and takes over the one that the last leader shared.
/// To be called before instances use the folder: a running one would continue without its state.
/// Returns a sentence for each such file.
std::vector<std::string> put_aside_unreadable_states(const std::filesystem::path& directory);

// The values of one instance as text: in its file, and for the hosts that lead after this one.
//
//     capstan-state 1
//     7 host-1_06e1
//     5 8 31
//     machines{"start":1795255200000, ...

/// More than the values themselves may have, for the numbers and the encoding.
inline constexpr std::size_t state_text_limit = 16 * StateStore::size_limit;

/// The format line, a line with the last revision and the store's name, if it has one, and for each
/// value a line of three numbers (its revision, the lengths of key and value) and the bytes of key
/// and value.
std::string state_text(const InstanceState& state);
/// Absent: `text` is not in this format.
std::optional<InstanceState> find_state(std::string_view text);

/// The same as UTF-8: a state with other bytes is encoded as base64.
std::string printable_state(const InstanceState& state);
std::optional<InstanceState> find_printable_state(std::string_view text);

}  // namespace capstan::plugin_runtime::services
