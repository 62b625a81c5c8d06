/// The hooks of plugins by name, for metrics and messages, and the file of call markers that tells
/// after a crash which hook the process was inside.
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

namespace capstan::plugin_runtime::loop {

enum class Hook {
    create,
    start,
    stop,
    destroy,
    reconfigure,
    self_check,
    callback,  ///< a task, timer, reply or cancellation that the plugin asked for
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
    equivalence,
    split,
    suggest,
    owns,
    reconcile,
};
inline constexpr std::array<std::string_view, 27> hook_names{
    "create",        "start",    "stop",     "destroy",       "reconfigure",     "self_check",
    "callback",      "blocking", "refresh",  "increase",      "decrease_target", "remove",
    "describe",      "price",    "options",  "machine_types", "new_group",       "create_group",
    "destroy_group", "filter",   "similar",  "bucket",        "equivalence",     "split",
    "suggest",       "owns",     "reconcile"};
inline constexpr std::size_t hook_count = hook_names.size();

/// The hooks that passes call. Only these are skipped after overruns, see HookBackoffs.
inline constexpr std::array decision_hooks{
    Hook::price,  Hook::options,     Hook::new_group, Hook::filter,  Hook::similar,
    Hook::bucket, Hook::equivalence, Hook::split,     Hook::suggest, Hook::owns};

constexpr std::size_t index_of(Hook hook) noexcept { return static_cast<std::size_t>(hook); }
constexpr std::string_view name_of(Hook hook) noexcept { return hook_names[index_of(hook)]; }

// Which plugin the process was inside when it died: counters in a mapped file, which survives
// SIGSEGV and SIGKILL.

/// For each hook of one instance the number of calls that have not returned. [any thread]
class CallMarkers {
public:
    /// Counts in memory, without a file.
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

/// Marks one call during its own life, at the cost of some nanoseconds.
class CallMarker {
public:
    CallMarker(CallMarkers& markers, Hook hook) noexcept : markers_(markers), hook_(hook) {
        markers_.enter(hook_);
    }
    CallMarker(const CallMarker&) = delete;
    CallMarker& operator=(const CallMarker&) = delete;
    ~CallMarker() { markers_.leave(hook_); }

private:
    CallMarkers& markers_;
    const Hook hook_;
};

/// The file of call markers of one host. [any thread]
class Breadcrumbs {
public:
    /// How the run before this one ended.
    struct Ending {
        bool clean = true;      ///< it ended as intended, or there was none
        std::string because{};  ///< the reason that it passed to note_end; empty: none
        /// "acme_score (score.so 1.2.0), filter": the calls that it died in.
        std::vector<std::string> inside{};

        /// "the previous run crashed or was killed; running calls: ..."; empty: it ended normally.
        std::string sentence() const;
    };
    /// Whether another process has the file open. Not to be called for a file that this process has
    /// open: closing any descriptor of the file releases the lock.
    static bool is_taken(const std::filesystem::path& file);
    /// Opens or creates the file, allocates its whole size on the disk, reads how the previous run
    /// ended, and clears it. `unavailable`: the file cannot be opened, the disk has no space, or
    /// another process has the file open.
    static Result<std::unique_ptr<Breadcrumbs>> open(const std::filesystem::path& file);
    Breadcrumbs(const Breadcrumbs&) = delete;
    Breadcrumbs& operator=(const Breadcrumbs&) = delete;
    ~Breadcrumbs();

    /// The process ends as intended, whatever calls have not returned: the next run reports
    /// nothing.
    void end() noexcept;
    /// The process is about to end itself for that reason, which is cut at 500 bytes and which the
    /// next run reports. The last call counts. May be called in a signal handler: it neither locks
    /// nor allocates.
    void note_end(std::string_view reason) noexcept;

    const Ending& previous() const noexcept { return previous_; }
    /// The call markers of one instance. `instance` is its name in the report of the next run.
    /// Beyond 512 instances the markers are not in the file.
    std::unique_ptr<CallMarkers> add_markers(std::string_view instance);

private:
    struct Layout;
    explicit Breadcrumbs(std::shared_ptr<void> mapping);
    void read_previous();
    Layout& layout() const noexcept;

    std::shared_ptr<void> mapping_;
    Ending previous_;
};

}  // namespace capstan::plugin_runtime::loop
