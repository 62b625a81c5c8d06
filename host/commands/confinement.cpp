#include "commands/confinement.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <tuple>
#include <vector>

#include "io/file_descriptor.hpp"

namespace capstan::commands {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t filter_machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t filter_machine = AUDIT_ARCH_AARCH64;
#endif

/// System calls that are refused with any arguments.
constexpr std::array refused_calls{
#if defined(__x86_64__)
    SYS_fork, SYS_vfork, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    // other programs and processes
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_tkill,
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_getfd,
    SYS_pidfd_send_signal, SYS_kcmp,
    // the network, also through io_uring, which seccomp cannot filter
    SYS_socket, SYS_io_uring_setup,
    // changes of files that are not writes: mode, owner, times, attributes; special files
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr,
    SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_mknodat,
    // the system itself
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_init_module,
    SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_acct, SYS_sethostname, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex};

/// A program of the kernel's packet filter, which is asked before each system call.
class FilterProgram {
public:
    void load(std::size_t offset) {
        add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    }
    void answer(std::uint32_t action) { add(BPF_STMT(BPF_RET | BPF_K, action)); }
    void refuse(std::uint32_t error) { answer(SECCOMP_RET_ERRNO | error); }
    void skip_unless_equal(std::uint32_t value, std::uint8_t steps) {
        add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, steps));
    }
    void skip_if_equal(std::uint32_t value, std::uint8_t steps) {
        add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, steps, 0));
    }
    void skip_unless_set(std::uint32_t bits, std::uint8_t steps) {
        add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, steps));
    }
    sock_fprog raw() {
        return {.len = static_cast<unsigned short>(code_.size()), .filter = code_.data()};
    }

private:
    void add(sock_filter step) { code_.push_back(step); }
    std::vector<sock_filter> code_;
};

/// Offset of the first argument; the filter loads its lower 32 bits, which hold an int.
constexpr std::size_t first_argument = offsetof(seccomp_data, args);

/// `call` is allowed where its first argument is `value`.
void allow_only_for(FilterProgram& program, long call, std::uint32_t value) {
    program.skip_unless_equal(static_cast<std::uint32_t>(call), 4);
    program.load(first_argument);
    program.skip_unless_equal(value, 1);
    program.answer(SECCOMP_RET_ALLOW);
    program.refuse(EPERM);
}

/// Allows threads, but no processes. A filter cannot read the arguments of clone3, which are in
/// memory; clone3 fails with ENOSYS, and the C library falls back to clone.
void allow_threads_alone(FilterProgram& program) {
    program.skip_unless_equal(SYS_clone3, 1);
    program.refuse(ENOSYS);
    program.skip_unless_equal(SYS_clone, 4);
    program.load(first_argument);
    program.skip_unless_set(CLONE_THREAD, 1);
    program.answer(SECCOMP_RET_ALLOW);
    program.refuse(EPERM);
}

/// Refuses the system call tables of other architectures, in which calls have other numbers.
void refuse_other_tables(FilterProgram& program) {
    program.load(offsetof(seccomp_data, arch));
    program.skip_if_equal(filter_machine, 1);
    program.answer(SECCOMP_RET_KILL_PROCESS);
    program.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    program.skip_unless_set(0x40000000, 1);  // x32's numbers
    program.refuse(EPERM);
#endif
}

FilterProgram make_filter() {
    FilterProgram program;
    refuse_other_tables(program);
    for (const long call : refused_calls) {
        program.skip_unless_equal(static_cast<std::uint32_t>(call), 1);
        program.refuse(EPERM);
    }
    allow_threads_alone(program);
    const auto own_id = static_cast<std::uint32_t>(::getpid());
    allow_only_for(program, SYS_kill, own_id);
    allow_only_for(program, SYS_tgkill, own_id);
    allow_only_for(program, SYS_prlimit64, 0);
    program.answer(SECCOMP_RET_ALLOW);
    return program;
}

}  // namespace

std::optional<std::string> filter_system_calls() {
    FilterProgram program = make_filter();
    const sock_fprog raw = program.raw();
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &raw, 0, 0) == 0) return std::nullopt;
    return "system calls are not filtered: seccomp: " + io::errno_message();
}

namespace {

// Kernel headers may be older than the kernel, so the parts of the interface that are used here are
// defined here. System calls from 424 on have the same number on all architectures.
constexpr long landlock_create_ruleset = 444, landlock_restrict_self = 446;

struct Ruleset {
    std::uint64_t files = 0, network = 0, scope = 0;
};

constexpr unsigned ask_for_version = 1;
constexpr std::uint64_t bits(int first, int last) {
    return ((std::uint64_t{1} << (last + 1)) - 1) & ~((std::uint64_t{1} << first) - 1);
}
constexpr std::uint64_t execute_and_write = bits(0, 1);
constexpr std::uint64_t remove_and_make = bits(4, 12);  // bits 2 and 3 are reading
constexpr std::uint64_t refer = bits(13, 13);
constexpr std::uint64_t truncate = bits(14, 14);
constexpr std::uint64_t device_ioctl = bits(15, 15);
constexpr std::uint64_t bind_and_connect = bits(0, 1);
constexpr std::uint64_t abstract_sockets_and_signals = bits(0, 1);

/// All rights that this version of the interface can restrict.
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
    return "writes to files are not blocked: Landlock: " + io::errno_message();
}

}  // namespace

std::optional<std::string> protect_files() {
    const long version = ::syscall(landlock_create_ruleset, nullptr, 0, ask_for_version);
    if (version < 1) return not_protected();
    const Ruleset rules = all_of(version);
    const io::FileDescriptor ruleset(
        static_cast<int>(::syscall(landlock_create_ruleset, &rules, sizeof rules, 0)));
    if (!ruleset || ::syscall(landlock_restrict_self, ruleset.get(), 0) != 0)
        return not_protected();
    return std::nullopt;
}

namespace {

using io::errno_message;
using io::FileDescriptor;

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

void drop_inherited_state(const Confinement& limits) {
    ::clearenv();
    std::ignore = ::chdir("/");
    ::setsid();  // no terminal to type into
    close_all_but(limits.kept);
}

bool write_text(const char* file, const std::string& text) {
    const io::FileDescriptor fd(::open(file, O_WRONLY | O_CLOEXEC));
    return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// An unprivileged process can create namespaces only inside a new user namespace. This process
/// keeps its user there.
bool unshare_as_a_user(int namespaces) {
    const std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
    return ::unshare(namespaces | CLONE_NEWUSER) == 0 &&
           write_text("/proc/self/setgroups", "deny") &&
           write_text("/proc/self/uid_map", uid + " " + uid + " 1") &&
           write_text("/proc/self/gid_map", gid + " " + gid + " 1");
}

/// Enters an empty network namespace, and a mount namespace in which mounts are read-only.
std::optional<std::string> isolate() {
    constexpr int namespaces = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS;
    if (::unshare(namespaces) != 0 && !unshare_as_a_user(namespaces))
        return "no separate network and mount namespace: " + io::errno_message();
#if defined(SYS_mount_setattr) && defined(MOUNT_ATTR_RDONLY)
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_RDONLY;
    attributes.propagation = MS_PRIVATE;
    // Older kernels do not have mount_setattr; Landlock protects files without it.
    std::ignore = ::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0x8000 /* AT_RECURSIVE */,
                            &attributes, sizeof attributes);
#endif
    return std::nullopt;
}

std::optional<std::string> drop_privileges() {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    if (::syscall(SYS_capset, &header, none.data()) != 0)
        return "capabilities are not dropped: " + io::errno_message();
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return "new privileges are not blocked: " + io::errno_message();
    return std::nullopt;
}

/// The address space and the writable memory that this process uses now, in bytes.
std::pair<rlim_t, rlim_t> current_memory() {
    // Fields: size, resident, shared, text, libraries (unused), data; in pages.
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
            return "not all resource limits are set: " + io::errno_message();
    }
    return std::nullopt;
}

/// The fallback if system calls cannot be filtered: forbids new threads and processes. The limit
/// counts all processes of the user, so no number would allow just a few in this one.
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
    drop_inherited_state(limits);
    note(isolate());
    note(drop_privileges());
    note(protect_files());
    note(set_limits(limits));
    if (note(filter_system_calls())) forbid_processes();
    return lacking;
}

}  // namespace capstan::commands
