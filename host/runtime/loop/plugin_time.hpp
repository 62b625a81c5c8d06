/// How long a thread is inside plugins: what they are blamed for, and nothing that the host does.
#pragma once

#include <capstan/time.hpp>

namespace capstan::runtime::loop {

/// Of each thread by itself, in real time. A call into a plugin counts (`Inside`), but for the
/// copying that the host does while the plugin waits for it (`Paused`), as when a view of ten
/// thousand groups is completed.
class PluginTime {
public:
    /// Of the calling thread, up to now.
    static Duration spent() noexcept;

    /// While it lives, the thread is inside a plugin.
    class Inside {
    public:
        Inside() noexcept : was_inside_(set_inside(true)) {}
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;
        ~Inside() { set_inside(was_inside_); }

    private:
        const bool was_inside_;
    };
    /// While it lives, the thread works for the host, wherever it was before.
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

}  // namespace capstan::runtime::loop
