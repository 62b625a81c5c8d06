/// Small values of instances that outlive the process, behind capstan.state/1.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/host.hpp>
#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "runtime/plugin_files/file_descriptor.hpp"

namespace capstan::runtime {

/// Everything one instance keeps. Revisions of an instance grow with every write, so that none
/// comes twice.
struct InstanceState {
    std::uint64_t last_revision = 0;
    std::string home{};  ///< the store where it is written, by a name like no other's; empty: none
    std::map<std::string, StoredValue, std::less<>> values;
};

/// [any thread]
class StateStore {
public:
    static constexpr std::size_t size_limit = 64
                                              << 10;  ///< keys and values of one instance together
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
    /// know more by now. Values get revisions that they never had here, so whoever goes by an older
    /// one gets a conflict. `invalid_argument`: it is no such text, and everything is as it was.
    Result<bool> take_over(const PluginInstanceId& owner, std::string_view shared);

protected:
    /// What was saved last; empty when nothing was.
    virtual Result<InstanceState> load(const PluginInstanceId& owner) = 0;
    /// All of it or nothing.
    virtual Result<void> save(const PluginInstanceId& owner, const InstanceState& state) = 0;
    /// Held from load to save, so that no other process writes between.
    virtual Result<FileDescriptor> hold() { return FileDescriptor(); }

private:
    std::mutex mutex_;
};

/// Forgets with the process: for simulations and for hosts that were given no folder.
class MemoryStateStore final : public StateStore {
    Result<InstanceState> load(const PluginInstanceId& owner) override { return states_[owner]; }
    Result<void> save(const PluginInstanceId& owner, const InstanceState& state) override {
        states_[owner] = state;
        return {};
    }
    std::map<PluginInstanceId, InstanceState> states_;
};

/// One file per instance in a folder, which several hosts on one machine may share: each sees what
/// the others wrote, and of two that write at once one gets a `conflict`. A file is replaced as a
/// whole: whatever interrupts a write, the old or the new one is there.
class FileStateStore final : public StateStore {
public:
    explicit FileStateStore(std::filesystem::path directory) : directory_(std::move(directory)) {}

private:
    Result<InstanceState> load(const PluginInstanceId& owner) override;
    Result<void> save(const PluginInstanceId& owner, const InstanceState& state) override;
    Result<FileDescriptor> hold() override;
    const std::filesystem::path directory_;
};

}  // namespace capstan::runtime
