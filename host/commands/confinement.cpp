#include "commands/confinement.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <tuple>

#include "commands/file_protection.hpp"
#include "commands/system_call_filter.hpp"
#include "runtime/plugin_files/file_descriptor.hpp"

namespace capstan::commands {
namespace {

using runtime::errno_message;
using runtime::FileDescriptor;

void close_all_but(std::vector<int> kept) {
    std::ranges::sort(kept);
    unsigned first = STDERR_FILENO + 1;
    for (const int fd : kept) {
        const auto number = static_cast<unsigned>(std::max(fd, 0));
        if (number > first) ::close_range(first, number - 1, 0);
        first = std::max(first, number + 1);
    }
    ::close_range(first, ~0u, 0);
}

void forget_surroundings(const Confinement& limits) {
    ::clearenv();
    std::ignore = ::chdir("/");
    ::setsid();  // no terminal to type into
    close_all_but(limits.kept);
}

bool write_text(const char* file, const std::string& text) {
    const FileDescriptor fd(::open(file, O_WRONLY | O_CLOEXEC));
    return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Without privileges, namespaces are only to be had inside a new one of users, in which this
/// process keeps its user.
bool unshare_as_a_user(int namespaces) {
    const std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
    return ::unshare(namespaces | CLONE_NEWUSER) == 0 &&
           write_text("/proc/self/setgroups", "deny") &&
           write_text("/proc/self/uid_map", uid + " " + uid + " 1") &&
           write_text("/proc/self/gid_map", gid + " " + gid + " 1");
}

/// A network with nothing in it, and mounts that are read-only.
std::optional<std::string> isolate() {
    constexpr int namespaces = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS;
    if (::unshare(namespaces) != 0 && !unshare_as_a_user(namespaces))
        return "no network and mount namespace of its own: " + errno_message();
#if defined(SYS_mount_setattr) && defined(MOUNT_ATTR_RDONLY)
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_RDONLY;
    attributes.propagation = MS_PRIVATE;
    // Older kernels have no such call; the protection of files does not depend on it.
    std::ignore = ::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0x8000 /* AT_RECURSIVE */,
                            &attributes, sizeof attributes);
#endif
    return std::nullopt;
}

std::optional<std::string> drop_privileges() {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    if (::syscall(SYS_capset, &header, none.data()) != 0)
        return "its capabilities stay: " + errno_message();
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return "it may gain privileges: " + errno_message();
    return std::nullopt;
}

/// What this process has of address space and of memory that it may write, in bytes.
std::pair<rlim_t, rlim_t> current_memory() {
    // size, resident, shared, text, libraries (unused), data; in pages
    std::array<rlim_t, 6> pages{};
    std::ifstream statm("/proc/self/statm");
    for (rlim_t& each : pages) statm >> each;
    const auto page = static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    return {pages[0] * page, pages[5] * page};
}

std::optional<std::string> set_limits(const Confinement& limits) {
    const auto [address_space, data] = current_memory();
    const std::array<std::pair<__rlimit_resource, rlim_t>, 6> wanted{{
        {RLIMIT_AS, address_space + limits.address_space},
        {RLIMIT_DATA, data + limits.memory},
        {RLIMIT_CPU, static_cast<rlim_t>(limits.cpu.count())},
        {RLIMIT_FSIZE, limits.file_size},
        {RLIMIT_NOFILE, static_cast<rlim_t>(limits.descriptors)},
        {RLIMIT_CORE, 0},
    }};
    for (const auto& [resource, most] : wanted) {
        rlimit limit{};
        ::getrlimit(resource, &limit);
        limit.rlim_cur = limit.rlim_max = std::min(most, limit.rlim_max);
        if (::setrlimit(resource, &limit) != 0)
            return "not all its limits could be set: " + errno_message();
    }
    return std::nullopt;
}

/// Where system calls cannot be refused, at least threads and processes can: this user has others,
/// so there is no number that would leave this process a few.
void forbid_processes() {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NPROC, &none);
}

}  // namespace

std::vector<std::string> confine(const Confinement& limits) {
    std::vector<std::string> lacking;
    const auto note = [&](std::optional<std::string> why) {
        if (!why) return false;
        lacking.push_back(*std::move(why));
        return true;
    };
    forget_surroundings(limits);
    note(isolate());
    note(drop_privileges());
    note(protect_files());
    note(set_limits(limits));
    if (note(filter_system_calls())) forbid_processes();
    return lacking;
}

}  // namespace capstan::commands
