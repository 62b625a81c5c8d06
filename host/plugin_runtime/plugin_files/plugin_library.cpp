#include "plugin_runtime/plugin_files/plugin_library.hpp"

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <string>
#include <tuple>

#include <capstan/view.hpp>

#include "plugin_runtime/loop/guarded_call.hpp"
#include "plugin_runtime/plugin_files/plugin_file.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::plugin_runtime::plugin_files {

namespace {

/// The message of dlerror. Boost.DLL has one error code for all failures, and has dlerror's message
/// only in the text of its exceptions: "... (dlerror system message: WORDS): Bad file descriptor
/// ...". The private copy's name is removed, because it would mislead the reader.
std::string load_failure(const std::exception& e, const std::filesystem::path& copy) {
    std::string text = e.what();
    constexpr std::string_view before = "(dlerror system message: ";
    if (const std::size_t at = text.find(before); at != std::string::npos) {
        text.erase(0, at + before.size());
        text.erase(std::min(text.rfind(')'), text.size()));
    }
    if (text.starts_with(copy.string() + ": ")) text.erase(0, copy.string().size() + 2);
    return text;
}

Result<void> check_equal(std::string_view what, const std::string& entry, const std::string& note) {
    if (entry == note) return {};
    return refuse("contradicts itself: its entry says " + std::string(what) + " " + entry +
                  ", its note says " + note);
}

Result<void> check_same(const capstan_entry& entry, const PluginNote& note) {
    CAPSTAN_TRY(const std::string_view id,
                checked_text(entry.plugin_id, "plugin id", sizeof(capstan_note::plugin_id)));
    CAPSTAN_TRY(const std::string_view version,
                checked_text(entry.version, "version", sizeof(capstan_note::version)));
    CAPSTAN_CHECK(checked_text(entry.vendor, "vendor", 256));
    CAPSTAN_CHECK(check_equal("plugin id", std::string(id), note.plugin_id));
    CAPSTAN_CHECK(check_equal("version", std::string(version), note.version));
    CAPSTAN_CHECK(
        check_equal("ABI major", std::to_string(entry.abi_major), std::to_string(note.abi_major)));
    return check_equal("required ABI minor", std::to_string(entry.abi_minor_required),
                       std::to_string(note.abi_minor_required));
}

Result<void> check_entry(const capstan_entry& entry, const PluginNote& note) {
    if (entry.magic != CAPSTAN_MAGIC)
        return refuse("has an entry with magic " + magic_text(entry.magic) + ", expected " +
                      magic_text(CAPSTAN_MAGIC));
    if (entry.struct_size < entry_size_min)
        return refuse("has an entry whose struct_size is " + std::to_string(entry.struct_size) +
                      ", at least " + std::to_string(entry_size_min) + " is needed");
    CAPSTAN_CHECK(check_same(entry, note));
    if (entry.classes == nullptr) return refuse("has an entry without a classes function");
    return {};
}

}  // namespace

struct PluginLibrary::Mapping {
    boost::dll::shared_library library;
};

PluginLibrary::PluginLibrary(PluginFacts facts, std::filesystem::path copy)
    : facts_(std::move(facts)), copy_(std::move(copy)), mapping_(std::make_unique<Mapping>()) {}

Result<std::shared_ptr<PluginLibrary>> PluginLibrary::open(PluginFacts facts,
                                                           const std::filesystem::path& copy) {
    std::shared_ptr<PluginLibrary> library(new PluginLibrary(std::move(facts), copy));
    CAPSTAN_CHECK(library->load());
    CAPSTAN_CHECK(check_entry(*library->entry_, library->facts_.note));
    CAPSTAN_CHECK(library->init());
    CAPSTAN_TRY(library->classes_, read_classes(*library->entry_, library->facts_.note.kinds));
    return library;
}

PluginLibrary::~PluginLibrary() {
    deinit();
    if (mapping_) keep_mapped(std::move(mapping_));
}

void PluginLibrary::keep_mapped(std::unique_ptr<Mapping> mapping) {
    // Leaked deliberately, so that no static destructor closes a library.
    static auto& kept = *new std::vector<std::unique_ptr<Mapping>>;
    kept.push_back(std::move(mapping));
}

const ClassInfo* PluginLibrary::find_class(std::string_view id) const {
    const auto found = std::ranges::find(classes_, id, &ClassInfo::id);
    return found == classes_.end() ? nullptr : &*found;
}

Result<void> PluginLibrary::load() {
    using boost::dll::load_mode::rtld_local, boost::dll::load_mode::rtld_now;
    try {
        mapping_->library.load(copy_.string(), rtld_now | rtld_local);
        entry_ = &mapping_->library.get<const capstan_entry>(CAPSTAN_ENTRY_SYMBOL);
    } catch (const std::exception& e) {
        return refuse("cannot be loaded: " + load_failure(e, copy_));
    }
    return {};
}

Result<void> PluginLibrary::init() {
    if (entry_->init != nullptr) {
        const std::string path = facts_.path.string();
        const Result<capstan_status> status =
            loop::call_guarded([&] { return loop::distrusted(entry_->init)(str(path)); });
        if (!status) return refuse("cannot start: its init " + status.error().message);
        if (*status != CAPSTAN_OK)
            return refuse("refused to start: its init returned " + std::to_string(*status) + " (" +
                          std::string(name_of(error_code(*status))) + ")");
    }
    is_initialised_ = true;
    return {};
}

void PluginLibrary::deinit() {
    if (std::exchange(is_initialised_, false) && entry_->deinit != nullptr)
        std::ignore = loop::call_guarded([&] { loop::distrusted(entry_->deinit)(); });
}

void PluginLibrary::close() {
    deinit();
    classes_.clear();
    entry_ = nullptr;
    mapping_.reset();
}

}  // namespace capstan::plugin_runtime::plugin_files
