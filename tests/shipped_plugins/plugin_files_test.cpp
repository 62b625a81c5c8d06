// The shipped plugin files, through their one exported symbol.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <capstan/testing/builders.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/fake_settings.hpp>

namespace capstan {
namespace {

using ::testing::ElementsAre;
using testing::FakeCall;
using testing::FakeHost;
using testing::FakeSettings;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::option;
using testing::Question;
using ::testing::SizeIs;

/// Is never unloaded: the library of regular expressions keeps a few strings until the process
/// ends, which a leak checker finds reachable only while the file is loaded.
class File {
public:
    explicit File(const std::string& path) {
        void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) throw std::runtime_error(dlerror());
        entry_ = static_cast<const capstan_entry*>(dlsym(library, CAPSTAN_ENTRY_SYMBOL));
    }
    View<capstan_class> classes() const { return View<capstan_class>(entry_->classes()->classes); }

private:
    const capstan_entry* entry_ = nullptr;
};

class Instance {
public:
    Instance(const capstan_class& made_of, FakeHost& host, FakeSettings& settings) {
        const FakeCall call;
        if (made_of.create(host.handle(), settings.raw(), call.raw(), &raw_) != CAPSTAN_OK) {
            throw std::runtime_error(call.failure().value().message);
        }
    }
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;
    ~Instance() { raw_->destroy(raw_->self); }
    const capstan_instance* operator->() const { return raw_; }
    const void* interface_of(std::string_view kind) const {
        return raw_->interface_of(raw_->self, std::string(kind).c_str());
    }

private:
    const capstan_instance* raw_ = nullptr;
};

const std::vector<std::string> files{CAPSTAN_TEST_PLUGINS};

TEST(PluginFiles, ContainOnePureClassNamedLikeTheFile) {
    EXPECT_THAT(files, SizeIs(10));
    for (const std::string& path : files) {
        const File file(path);
        ASSERT_EQ(file.classes().size(), 1u) << path;
        const capstan_class& only = file.classes()[0];
        EXPECT_EQ(text(only.class_id), std::filesystem::path(path).stem()) << path;
        EXPECT_EQ(only.concurrency, CAPSTAN_CONCURRENCY_PARALLEL) << path;
        EXPECT_EQ(only.flags, CAPSTAN_CLASS_PURE) << path;
    }
}

TEST(PluginFiles, CreateInstancesWithDefaults) {
    for (const std::string& path : files) {
        const File file(path);
        const capstan_class& only = file.classes()[0];
        FakeSettings settings(only.fields);
        FakeHost host;
        if (only.check != nullptr) {
            EXPECT_EQ(only.check(settings.raw(), FakeCall().raw()), CAPSTAN_OK) << path;
        }
        EXPECT_THAT(settings.rejections(), IsEmpty()) << path;
        const Instance instance(only, host, settings);
        EXPECT_NE(instance.interface_of(text(only.kind)), nullptr) << path;
    }
}

TEST(PriorityFile, KeepsTheLastValidPriorities) {
    const File file(CAPSTAN_TEST_PRIORITY);
    const capstan_class& priority = file.classes()[0];
    FakeHost host;
    FakeSettings settings(priority.fields);
    settings.set("yaml", "1: [a]");
    const Instance instance(priority, host, settings);
    const auto& expander =
        *static_cast<const capstan_expander*>(instance.interface_of(CAPSTAN_KIND_EXPANDER));
    const auto kept = [&] { return testing::kept(expander, Question({option("a"), option("b")})); };
    EXPECT_THAT(kept(), ElementsAre("a"));

    for (const char* broken : {"1: [b", "1: ['(']", "", "high: [b]"}) {
        settings.set("yaml", broken);
        const FakeCall call;
        EXPECT_EQ(instance->reconfigure(instance->self, settings.raw(), call.raw()),
                  CAPSTAN_E_INVALID_CONFIG);
        EXPECT_THAT(kept(), ElementsAre("a")) << broken;
        EXPECT_EQ(host.log_lines().back().level, CAPSTAN_LOG_WARN);
        EXPECT_THAT(host.log_lines().back().message,
                    HasSubstr("the last valid ones stay in use: yaml: "));
    }

    settings.set("yaml", "1: [b]");
    EXPECT_EQ(instance->reconfigure(instance->self, settings.raw(), FakeCall().raw()), CAPSTAN_OK);
    EXPECT_THAT(kept(), ElementsAre("b"));
}

}  // namespace
}  // namespace capstan
