/// Where the host's memory outlives it: a ConfigMap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <capstan/result.hpp>

#include "engine/memory.hpp"
#include "kubernetes/client/writes/config_maps.hpp"

namespace capstan::runtime {

/// Under the key `memory`. What cannot be read is kept aside under `unreadable-memory`, for people,
/// and a start goes on without it. Used on the loop's thread alone.
class MemoryKeeper {
public:
    using Loaded = std::function<void(Result<engine::Memory>)>;
    using Done = std::function<void(Result<void>)>;
    struct Options {
        kubernetes::ConfigMapName name{};
        std::uint64_t seed = 0;
        /// The memory could not be read and is begun anew; why, and where it is kept.
        std::function<void(const std::string& what)> on_unreadable{};
    };
    /// Borrows both.
    MemoryKeeper(kubernetes::Api& api, io::Loop& loop, Options options);

    /// As it was saved last, for a first pass; an empty one where there is none. The error: it
    /// cannot be had now. `done` is not called inside this.
    void load(Loaded done);
    /// Room for the text; what is kept aside takes from it. [any thread] after load.
    std::size_t room() const noexcept { return room_; }
    /// Text that is there already is not written again.
    void save(std::string text, Done done);

private:
    void take(Result<kubernetes::ConfigMap> map, Loaded done);
    void put_aside(const std::string& text, const Error& why, Loaded done);

    const Options options_;
    std::size_t room_;
    std::string saved_{};
    kubernetes::ConfigMaps maps_;
};

}  // namespace capstan::runtime
