#include "commands/file_protection.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "runtime/plugin_files/file_descriptor.hpp"

namespace capstan::commands {
namespace {

// The kernel's interface grows and its headers may be older than the kernel: named here as far as
// it is used. Calls from 424 on have one number on all architectures.
constexpr long landlock_create_ruleset = 444, landlock_restrict_self = 446;

struct Ruleset {
    std::uint64_t files = 0, network = 0, scope = 0;
};

constexpr unsigned ask_for_version = 1;
constexpr std::uint64_t bits(int first, int last) {
    return ((std::uint64_t{1} << (last + 1)) - 1) & ~((std::uint64_t{1} << first) - 1);
}
constexpr std::uint64_t execute_and_write = bits(0, 1);
constexpr std::uint64_t remove_and_make = bits(4, 12);  // 2 and 3 read files and folders
constexpr std::uint64_t refer = bits(13, 13);
constexpr std::uint64_t truncate = bits(14, 14);
constexpr std::uint64_t device_ioctl = bits(15, 15);
constexpr std::uint64_t bind_and_connect = bits(0, 1);
constexpr std::uint64_t abstract_sockets_and_signals = bits(0, 1);

/// All that this version of the interface can take away.
Ruleset all_of(long version) {
    Ruleset out{.files = execute_and_write | remove_and_make};
    if (version >= 2) out.files |= refer;
    if (version >= 3) out.files |= truncate;
    if (version >= 4) out.network = bind_and_connect;
    if (version >= 5) out.files |= device_ioctl;
    if (version >= 6) out.scope = abstract_sockets_and_signals;
    return out;
}

std::optional<std::string> not_protected() {
    return "files are not protected from being written: Landlock: " + runtime::errno_message();
}

}  // namespace

std::optional<std::string> protect_files() {
    const long version = ::syscall(landlock_create_ruleset, nullptr, 0, ask_for_version);
    if (version < 1) return not_protected();
    const Ruleset rules = all_of(version);
    const runtime::FileDescriptor ruleset(
        static_cast<int>(::syscall(landlock_create_ruleset, &rules, sizeof rules, 0)));
    if (!ruleset || ::syscall(landlock_restrict_self, ruleset.get(), 0) != 0)
        return not_protected();
    return std::nullopt;
}

}  // namespace capstan::commands
