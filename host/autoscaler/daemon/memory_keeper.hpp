/// Keeps the host's memory, and the state of plugins, in ConfigMaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "autoscaler/daemon/memory_maps.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"

namespace capstan::autoscaler::daemon {

/// What a term persists for the next one.
struct PersistedState {
    engine::Memory memory{};
    std::string text{};  ///< that the memory was read from; empty: there was none
    /// The state of plugins, by instance, in the form of StateStore::share.
    std::map<std::string, std::string> states{};
};

/// The memory in the ConfigMaps; an empty one if they have none. The error: why it cannot be
/// parsed; `name` is for its message. `read`: see parse_memory.
Result<engine::Memory> find_memory(const MemoryMaps::Content& content,
                                   const kubernetes::client::ConfigMapName& name,
                                   const std::optional<engine::PassTime>& read = {});

/// The state of an instance is beside the memory (see MemoryMaps), under `state.INSTANCE`. A memory
/// that cannot be parsed is moved to `unreadable-memory`, for people, and the start begins with an
/// empty one. Used on the loop's thread alone.
class MemoryKeeper {
public:
    using Loaded = std::function<void(Result<PersistedState>)>;
    using Done = std::function<void(Result<void>)>;
    struct Options {
        kubernetes::client::ConfigMapName name{};
        std::uint64_t seed = 0;
        /// Called if the memory cannot be parsed; `what` says why, and where it was moved to.
        std::function<void(const std::string& what)> on_unreadable{};
    };
    /// Borrows `api` and `loop`.
    MemoryKeeper(kubernetes::client::Api& api, io::Loop& loop, Options options);

    /// The memory that was saved last, with its times on this host's clock; an empty one if there
    /// is none. The error: it cannot be read now. `done` is not called inside this call.
    void load(Loaded done);
    /// Room for the states and the beginning of the memory, less the size of an unreadable memory;
    /// the rest of the memory has MemoryMaps::rest_max. [any thread] after load.
    std::size_t room() const noexcept { return room_; }
    /// Unchanged texts are not written again. States of instances that are not in `states` stay.
    void save(std::string memory, const std::map<std::string, std::string>& states, Done done);

private:
    void take(Result<MemoryMaps::Content> content, Loaded done);
    void put_aside(PersistedState persisted, const std::string& text, const Error& why,
                   Loaded done);

    const Options options_;
    const std::shared_ptr<const io::Clock> clock_;
    std::size_t room_;
    MemoryMaps maps_;
};

}  // namespace capstan::autoscaler::daemon
