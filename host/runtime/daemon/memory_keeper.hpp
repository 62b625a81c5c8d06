/// Keeps the host's memory, and the state of plugins, in a ConfigMap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "kubernetes/client/writes/config_maps.hpp"

namespace capstan::runtime::daemon {

/// What a term persists for the next one.
struct PersistedState {
    engine::Memory memory{};
    std::string text{};  ///< that the memory was read from; empty: there was none
    /// The state of plugins, by instance, in the form of StateStore::share.
    std::map<std::string, std::string> states{};
};

/// The memory in the ConfigMap; an empty one if the ConfigMap has none. The error: why it cannot be
/// parsed; `name` is for its message. `read`: see parse_memory.
Result<engine::Memory> find_memory(const kubernetes::client::ConfigMap& map,
                                   const kubernetes::client::ConfigMapName& name,
                                   const std::optional<engine::PassTime>& read = {});

/// The memory is under the key `memory`, the state of an instance under `state.INSTANCE`. A memory
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
    /// is none. The error: the ConfigMap cannot be read now. `done` is not called inside this call.
    void load(Loaded done);
    /// Room for all texts together, less the size of an unreadable memory. [any thread] after load.
    std::size_t room() const noexcept { return room_; }
    /// Unchanged texts are not written again. States of instances that are not in `states` stay.
    void save(std::string memory, const std::map<std::string, std::string>& states, Done done);

private:
    void take(Result<kubernetes::client::ConfigMap> map, Loaded done);
    void put_aside(PersistedState persisted, const std::string& text, const Error& why,
                   Loaded done);

    const Options options_;
    const std::shared_ptr<const io::Clock> clock_;
    std::size_t room_;
    std::map<std::string, std::string> saved_{};  ///< by key
    kubernetes::client::ConfigMaps maps_;
};

}  // namespace capstan::runtime::daemon
