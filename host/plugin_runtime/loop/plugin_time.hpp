/// The time that a thread spends inside plugins, without the host's own work.
#pragma once

#include <capstan/time.hpp>

namespace capstan::plugin_runtime::loop {

/// Per thread, in real time. A call into a plugin counts (`Inside`). Copying that the host does
/// while the plugin waits for it does not (`Paused`), such as the copy of a view with ten thousand
/// groups.
class PluginTime {
public:
    /// The plugin time of the calling thread, up to now.
    static Duration spent() noexcept;

    /// During its life the thread is inside a plugin.
    class Inside {
    public:
        Inside() noexcept : was_inside_(set_inside(true)) {}
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;
        ~Inside() { set_inside(was_inside_); }

    private:
        const bool was_inside_;
    };
    /// During its life the thread works for the host, even if it was inside a plugin before.
    class Paused {
    public:
        Paused() noexcept : was_inside_(set_inside(false)) {}
        Paused(const Paused&) = delete;
        Paused& operator=(const Paused&) = delete;
        ~Paused() { set_inside(was_inside_); }

    private:
        const bool was_inside_;
    };

private:
    static bool set_inside(bool is_inside) noexcept;
};

}  // namespace capstan::plugin_runtime::loop
