/// Keeps upstream's status ConfigMap, to which events about the cluster as a whole belong.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kubernetes/client/writes/config_maps.hpp"
#include "kubernetes/client/writes/event_correlator.hpp"

namespace capstan::runtime {

/// Nothing depends on it: what cannot be written is told once, until it can be again. Used on the
/// loop's thread alone.
class StatusWriter {
public:
    struct Options {
        kubernetes::ConfigMapName name{};
        std::uint64_t seed = 0;
        std::function<void(const Error& error)> on_trouble{};
    };
    /// Borrows both.
    StatusWriter(kubernetes::Api& api, io::Loop& loop, Options options);

    /// While a write is under way the last text that came meanwhile waits for its end.
    void write(std::string text, Time now);
    /// Removes it, once a write that is under way has ended, for nobody keeps it up to date any
    /// more. `done` is not called inside this.
    void remove(std::function<void()> done);
    kubernetes::ObjectReference reference() const;

private:
    void send();

    const Options options_;
    io::Loop& loop_;
    std::string next_{};  ///< empty: nothing to write
    Time next_at_{};
    std::string uid_{};
    bool is_writing_ = false, is_in_trouble_ = false;
    std::function<void()> removed_{};  ///< it is to be removed as soon as nothing is being written
    kubernetes::ConfigMaps maps_;
};

}  // namespace capstan::runtime
