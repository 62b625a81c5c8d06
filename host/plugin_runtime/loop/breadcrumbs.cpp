#include "plugin_runtime/loop/breadcrumbs.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <capstan/utf8.hpp>

#include "io/file_descriptor.hpp"
#include "io/printable.hpp"

namespace capstan::plugin_runtime::loop {

struct CallMarkers::Record {
    std::uint32_t in_use;
    std::array<std::uint32_t, 27>
        under_way;  ///< by hook; more than there are, so that one more is no new format
    std::array<char, 144> name;
};

struct Breadcrumbs::Layout {
    std::array<char, 16> magic;
    std::uint32_t is_running;
    std::array<std::uint32_t, 11> reserved;
    std::array<CallMarkers::Record, 512> records;
    std::array<char, 512> because;  ///< ends with a NUL
};

namespace {

constexpr std::string_view magic = "capstan-crumbs1";
static_assert(hook_count <= 27);

using Word = std::atomic_ref<std::uint32_t>;

Unexpected unavailable(const char* what, const std::filesystem::path& file) {
    return fail(ErrorCode::unavailable,
                std::string(what) + " " + file.string() + ": " + std::strerror(errno));
}

/// Has the disk set `size` bytes aside: a page of a mapping that the disk has no room for ends the
/// process with SIGBUS. File systems that cannot promise it are left as they are.
Result<void> reserve(const io::FileDescriptor& fd, std::size_t size,
                     const std::filesystem::path& file) {
    const int error = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(size));
    if (error == 0 || error == EOPNOTSUPP || error == EINVAL) return {};
    return fail(ErrorCode::unavailable, "reserve " + std::to_string(size >> 10) + " KiB in " +
                                            file.string() + ": " + std::strerror(error) +
                                            (error == ENOSPC || error == EDQUOT
                                                 ? "; free space there or choose another folder"
                                                 : ""));
}

/// A lock of the whole file. A forked child, which may outlive this process, does not inherit it.
struct flock write_lock() {
    struct flock out{};
    out.l_type = F_WRLCK;
    out.l_whence = SEEK_SET;
    return out;
}

/// Maps `size` bytes of the file. The lock is held as long as the mapping.
Result<std::shared_ptr<void>> map_file(const std::filesystem::path& file, std::size_t size) {
    auto fd = std::make_shared<io::FileDescriptor>(
        ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!*fd) return unavailable("open", file);
    struct flock lock = write_lock();
    if (::fcntl(fd->get(), F_SETLK, &lock) != 0) return unavailable("lock", file);
    if (::ftruncate(fd->get(), static_cast<off_t>(size)) != 0) return unavailable("resize", file);
    CAPSTAN_CHECK(reserve(*fd, size, file));
    void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd->get(), 0);
    if (at == MAP_FAILED) return unavailable("map", file);
    return std::shared_ptr<void>(at, [fd, size](void* mapped) { ::munmap(mapped, size); });
}

/// The text of a file that another process may have spoilt.
template <std::size_t size>
std::string text_in(const std::array<char, size>& bytes) {
    return io::printable({bytes.data(), ::strnlen(bytes.data(), size)}, size);
}

}  // namespace

CallMarkers::CallMarkers() noexcept : under_way_(own_.data()) {}

CallMarkers::CallMarkers(std::shared_ptr<void> mapping, Record* record) noexcept
    : mapping_(std::move(mapping)), record_(record), under_way_(record->under_way.data()) {}

CallMarkers::~CallMarkers() {
    if (record_ != nullptr) Word(record_->in_use).store(0);
}

void CallMarkers::enter(Hook hook) noexcept {
    Word(under_way_[index_of(hook)]).fetch_add(1, std::memory_order_relaxed);
}

void CallMarkers::leave(Hook hook) noexcept {
    Word(under_way_[index_of(hook)]).fetch_sub(1, std::memory_order_relaxed);
}

bool Breadcrumbs::is_taken(const std::filesystem::path& file) {
    const io::FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    struct flock lock = write_lock();
    return fd && ::fcntl(fd.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

Result<std::unique_ptr<Breadcrumbs>> Breadcrumbs::open(const std::filesystem::path& file) {
    CAPSTAN_TRY(std::shared_ptr<void> mapping, map_file(file, sizeof(Layout)));
    return std::unique_ptr<Breadcrumbs>(new Breadcrumbs(std::move(mapping)));
}

Breadcrumbs::Breadcrumbs(std::shared_ptr<void> mapping) : mapping_(std::move(mapping)) {
    if (std::memcmp(layout().magic.data(), magic.data(), magic.size()) == 0) read_previous();
    std::memset(mapping_.get(), 0, sizeof(Layout));
    std::copy(magic.begin(), magic.end(), layout().magic.begin());
    Word(layout().is_running).store(1);
}

void Breadcrumbs::read_previous() {
    previous_.clean = layout().is_running == 0;
    if (previous_.clean) return;
    previous_.because = text_in(layout().because);
    for (const CallMarkers::Record& record : layout().records) {
        if (record.in_use == 0) continue;
        for (std::size_t hook = 0; hook < hook_count; ++hook)
            if (record.under_way[hook] != 0)
                previous_.inside.push_back(text_in(record.name) + ", " +
                                           std::string(hook_names[hook]));
    }
}

std::string Breadcrumbs::Ending::sentence() const {
    if (clean) return {};
    std::string calls;
    for (const std::string& call : inside) calls += (calls.empty() ? "" : "; ") + call;
    if (!because.empty())
        return "the previous run was ended by the watchdog: " + because +
               (calls.empty() ? "" : "; running calls: " + calls);
    if (!calls.empty()) return "the previous run crashed or was killed; running calls: " + calls;
    return "the previous run crashed or was killed outside of plugin calls (kill, out of memory, "
           "or a crash in another thread)";
}

Breadcrumbs::~Breadcrumbs() { end(); }

void Breadcrumbs::end() noexcept { Word(layout().is_running).store(0); }

void Breadcrumbs::note_end(std::string_view reason) noexcept {
    std::array<char, 512>& because = layout().because;
    const std::size_t length = std::min<std::size_t>(reason.size(), 500);
    std::memcpy(because.data(), reason.data(), length);
    std::memset(because.data() + length, 0, because.size() - length);
}

Breadcrumbs::Layout& Breadcrumbs::layout() const noexcept {
    return *static_cast<Layout*>(mapping_.get());
}

std::unique_ptr<CallMarkers> Breadcrumbs::add_markers(std::string_view instance) {
    for (CallMarkers::Record& record : layout().records) {
        std::uint32_t free = 0;
        if (!Word(record.in_use).compare_exchange_strong(free, 1)) continue;
        record.under_way.fill(0);
        record.name.fill(0);
        const std::string_view name = beginning_of(instance, record.name.size() - 1);
        std::copy(name.begin(), name.end(), record.name.begin());
        return std::unique_ptr<CallMarkers>(new CallMarkers(mapping_, &record));
    }
    return std::make_unique<CallMarkers>();
}

}  // namespace capstan::plugin_runtime::loop
