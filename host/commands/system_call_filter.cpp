#include "commands/system_call_filter.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/plugin_files/file_descriptor.hpp"

namespace capstan::commands {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t filter_machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t filter_machine = AUDIT_ARCH_AARCH64;
#endif

/// Refused whatever their arguments are.
constexpr std::array refused_calls{
#if defined(__x86_64__)
    SYS_fork, SYS_vfork, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    // other programs and processes
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_tkill,
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_getfd,
    SYS_pidfd_send_signal, SYS_kcmp,
    // the network, also by the way that knows no system calls
    SYS_socket, SYS_io_uring_setup,
    // what protects files but is not writing
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

/// The lower half, which is all of an int, of the first argument.
constexpr std::size_t first_argument = offsetof(seccomp_data, args);

/// `call` is allowed where its first argument is `value`.
void allow_only_for(FilterProgram& program, long call, std::uint32_t value) {
    program.skip_unless_equal(static_cast<std::uint32_t>(call), 4);
    program.load(first_argument);
    program.skip_unless_equal(value, 1);
    program.answer(SECCOMP_RET_ALLOW);
    program.refuse(EPERM);
}

/// Threads and no processes. A filter cannot read the arguments of clone3, which lie in memory; the
/// C library goes back to clone where there is no such call.
void allow_threads_alone(FilterProgram& program) {
    program.skip_unless_equal(SYS_clone3, 1);
    program.refuse(ENOSYS);
    program.skip_unless_equal(SYS_clone, 4);
    program.load(first_argument);
    program.skip_unless_set(CLONE_THREAD, 1);
    program.answer(SECCOMP_RET_ALLOW);
    program.refuse(EPERM);
}

/// Calls by the tables of another architecture have other numbers.
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
    return "system calls are not filtered: seccomp: " + runtime::errno_message();
}

}  // namespace capstan::commands
