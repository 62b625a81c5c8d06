/// Where the host's memory outlives it: a ConfigMap.
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

/// What a term leaves to the next one.
struct PersistedState {
    engine::Memory memory{};
    std::string text{};  ///< that it was read from; empty: there is none
    /// What plugins keep, by instance, as StateStore::share has it.
    std::map<std::string, std::string> states{};
};

/// The memory that a ConfigMap of that name holds; an empty one where it holds none. The error says
/// why it cannot be read. `read`: see parse_memory.
Result<engine::Memory> find_memory(const kubernetes::client::ConfigMap& map,
                                   const kubernetes::client::ConfigMapName& name,
                                   const std::optional<engine::PassTime>& read = {});

/// The memory under the key `memory`, what an instance keeps under `state.INSTANCE`. A memory that
/// cannot be read is kept aside under `unreadable-memory`, for people, and a start goes on without
/// it. Used on the loop's thread alone.
class MemoryKeeper {
public:
    using Loaded = std::function<void(Result<PersistedState>)>;
    using Done = std::function<void(Result<void>)>;
    struct Options {
        kubernetes::client::ConfigMapName name{};
        std::uint64_t seed = 0;
        /// The memory could not be read and is begun anew; why, and where it is kept.
        std::function<void(const std::string& what)> on_unreadable{};
    };
    /// Borrows both.
    MemoryKeeper(kubernetes::client::Api& api, io::Loop& loop, Options options);

    /// As it was saved last, for a first pass, its moments as of now; an empty one where there is
    /// none. The error: it cannot be had now. `done` is not called inside this.
    void load(Loaded done);
    /// Room for all texts together; what is kept aside takes from it. [any thread] after load.
    std::size_t room() const noexcept { return room_; }
    /// Text that is there already is not written again. States that are not named stay.
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
