/// The names of everything the host calls in a plugin: in metrics, messages and the breadcrumbs of
/// a crash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::runtime::loop {

enum class Hook {
    create,
    start,
    stop,
    destroy,
    reconfigure,
    self_check,
    callback,  ///< a task, timer, reply or cancellation handed back to it
    blocking,
    refresh,
    increase,
    decrease_target,
    remove,
    describe,
    price,
    options,
    machine_types,
    new_group,
    create_group,
    destroy_group,
    filter,
    similar,
    bucket,
    split,
    suggest,
    owns,
    reconcile,
};
inline constexpr std::array<std::string_view, 26> hook_names{
    "create",        "start",    "stop",    "destroy",       "reconfigure",     "self_check",
    "callback",      "blocking", "refresh", "increase",      "decrease_target", "remove",
    "describe",      "price",    "options", "machine_types", "new_group",       "create_group",
    "destroy_group", "filter",   "similar", "bucket",        "split",           "suggest",
    "owns",          "reconcile"};
inline constexpr std::size_t hook_count = hook_names.size();

/// What passes ask; these alone are left out, see HookRests.
inline constexpr std::array decision_hooks{Hook::price,  Hook::options, Hook::new_group,
                                           Hook::filter, Hook::similar, Hook::bucket,
                                           Hook::split,  Hook::suggest, Hook::owns};

constexpr std::size_t index_of(Hook hook) noexcept { return static_cast<std::size_t>(hook); }
constexpr std::string_view name_of(Hook hook) noexcept { return hook_names[index_of(hook)]; }

// Which plugin the process was inside when it died: counters in a file that survive SIGSEGV and
// SIGKILL.

/// The counters of one instance, where the calls into it that have not returned are counted. [any
/// thread]
class CallMarkers {
public:
    /// Counts without a file.
    CallMarkers() noexcept;
    CallMarkers(const CallMarkers&) = delete;
    CallMarkers& operator=(const CallMarkers&) = delete;
    ~CallMarkers();

    void enter(Hook hook) noexcept;
    void leave(Hook hook) noexcept;

private:
    friend class Breadcrumbs;
    struct Record;
    CallMarkers(std::shared_ptr<void> mapping, Record* record) noexcept;

    std::shared_ptr<void> mapping_;
    Record* record_ = nullptr;
    std::array<std::uint32_t, hook_count> own_{};
    std::uint32_t* under_way_;
};

/// Stands for one call, which costs some nanoseconds more.
class CallMarker {
public:
    CallMarker(CallMarkers& trail, Hook hook) noexcept : trail_(trail), hook_(hook) {
        trail_.enter(hook_);
    }
    CallMarker(const CallMarker&) = delete;
    CallMarker& operator=(const CallMarker&) = delete;
    ~CallMarker() { trail_.leave(hook_); }

private:
    CallMarkers& trail_;
    const Hook hook_;
};

/// The file of one host. [any thread]
class Breadcrumbs {
public:
    /// How the run before this one ended.
    struct Ending {
        bool clean = true;      ///< it ended by itself, or there was none
        std::string because{};  ///< the reason it left with note_end; empty: none
        /// "acme_score (score.so 1.2.0), filter": the calls it died in.
        std::vector<std::string> inside{};

        /// "the previous run did not end by itself; it was inside: ..."; empty: it did.
        std::string sentence() const;
    };
    /// Whether another process has the file open. Not for a file that this process has open: to
    /// look at it ends the lock.
    static bool is_taken(const std::filesystem::path& file);
    /// Opens or creates the file, with its whole size on the disk, and starts it anew.
    /// `unavailable`: it cannot be, for want of space as well, or another process has it open.
    static Result<std::unique_ptr<Breadcrumbs>> open(const std::filesystem::path& file);
    Breadcrumbs(const Breadcrumbs&) = delete;
    Breadcrumbs& operator=(const Breadcrumbs&) = delete;
    ~Breadcrumbs();

    /// The process ends by itself: the next one has nothing to tell. Calls that never returned do
    /// not matter any more.
    void end() noexcept;
    /// The process is about to end itself for that reason, cut at 500 bytes; the next one tells it.
    /// Also from a signal handler: neither locks nor allocates. The last reason counts.
    void note_end(std::string_view reason) noexcept;

    const Ending& previous() const noexcept { return previous_; }
    /// `instance` is how the report will call it; beyond 512 instances it is not recorded.
    std::unique_ptr<CallMarkers> trail(std::string_view instance);

private:
    struct Layout;
    explicit Breadcrumbs(std::shared_ptr<void> mapping);
    void read_previous();
    Layout& layout() const noexcept;

    std::shared_ptr<void> mapping_;
    Ending previous_;
};

}  // namespace capstan::runtime::loop
