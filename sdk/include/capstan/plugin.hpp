/// The entry point of a plugin file. All that a plugin needs around its classes:
///
///     #include <capstan/plugin.hpp>
///     #include "score.hpp"
///
///     CAPSTAN_PLUGIN("acme.score", "1.0.0", "Acme", CAPSTAN_KIND_EXPANDER,
///                    capstan::make_class<acme::Score>({.id = "score", .doc = "Acme's score."}))
///
/// A class is any C++ class that satisfies one of the contracts (expander.hpp, async_expander.hpp,
/// similarity.hpp, splitter.hpp, cloud_provider.hpp, group_source.hpp, controller.hpp). Its
/// constructor takes (Host, const Settings&), (const Settings&) or nothing. It may have:
///
///     static Schema schema();                     its settings; default: none
///     static void check(const Settings&);         further checks, which call reject()
///     Task<void> start();                         called before the first hook
///     Task<void> stop();                          called after the last hook
///     Task<void> self_check();                    for `capstan doctor`
///     Result<void> reconfigure(const Settings&);  applies changed live settings
///
/// `start`, `stop` and `self_check` may take a StartRequest, StopRequest or SelfCheckRequest
/// (requests.hpp).
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/abi/abi.h>
#include <capstan/async_expander.hpp>
#include <capstan/cache.hpp>
#include <capstan/cloud_provider.hpp>
#include <capstan/controller.hpp>
#include <capstan/expander.hpp>
#include <capstan/group_source.hpp>
#include <capstan/host.hpp>
#include <capstan/requests.hpp>
#include <capstan/settings.hpp>
#include <capstan/similarity.hpp>
#include <capstan/splitter.hpp>
#include <capstan/task.hpp>
#include <capstan/wake.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Id and description of a class.
struct ClassOptions {
    std::string_view id;   ///< lower case, digits, '_'; a literal
    std::string_view doc;  ///< one sentence; a literal
    /// Results depend only on arguments, settings, seed and time. Ignored for clouds, controllers
    /// and expanders that call a service, which are never pure.
    bool pure = true;
};

namespace detail {

template <class T>
auto table_of(T& object) {
    constexpr int contracts = int(Expander<T>) + int(AsyncExpander<T>) + int(SimilarityCheck<T>) +
                              int(Splitter<T>) + int(CloudProvider<T>) + int(GroupSource<T>) +
                              int(Controller<T>);
    static_assert(
        contracts == 1,
        "a plugin class implements exactly one contract; check the signature of its hook");
    if constexpr (Expander<T>) {
        return ExpanderTable<T>(object);
    } else if constexpr (AsyncExpander<T>) {
        return AsyncExpanderTable<T>(object);
    } else if constexpr (SimilarityCheck<T>) {
        return SimilarityTable<T>(object);
    } else if constexpr (Splitter<T>) {
        return SplitterTable<T>(object);
    } else if constexpr (GroupSource<T>) {
        return GroupSourceTable<T>(object);
    } else if constexpr (Controller<T>) {
        return ControllerTable<T>(object);
    } else {
        return CloudTable<T>(object);
    }
}
template <class T>
using TableOf = decltype(table_of(std::declval<T&>()));

template <class T>
T make_object(const Host& host, const Settings& settings) {
    if constexpr (std::is_constructible_v<T, const Host&, const Settings&>) {
        return T(host, settings);
    } else if constexpr (std::is_constructible_v<T, const Settings&>) {
        return T(settings);
    } else {
        static_assert(
            std::is_default_constructible_v<T>,
            "the constructor of a plugin class takes (Host, Settings), (Settings) or nothing");
        return T();
    }
}

template <class T>
inline constexpr bool has_start =
    requires(T& t) { t.start(); } || requires(T& t, StartRequest request) { t.start(request); };
template <class T>
inline constexpr bool has_stop =
    requires(T& t) { t.stop(); } || requires(T& t, StopRequest request) { t.stop(request); };
template <class T>
inline constexpr bool has_self_check = requires(T& t) {
    t.self_check();
} || requires(T& t, SelfCheckRequest request) { t.self_check(request); };

/// One instance: the author's object, its ABI tables, and the C functions that call it.
template <class T>
struct Holder {
    capstan_instance instance{};
    Host host;
    T object;
    TableOf<T> tables;

    Holder(const capstan_host* raw, const Settings& settings)
        : host(raw), object(make_object<T>(host, settings)), tables(object) {
        instance.struct_size = sizeof instance;
        instance.self = this;
        instance.interface_of = &interface_of;
        instance.destroy = [](void* self) noexcept { delete static_cast<Holder*>(self); };
        if constexpr (requires { tables.attach(host); }) tables.attach(host);
        if constexpr (has_start<T>) instance.start = &start;
        if constexpr (has_stop<T>) instance.stop = &stop;
        if constexpr (has_self_check<T>) instance.self_check = &self_check;
        if constexpr (requires { object.reconfigure(settings); })
            instance.reconfigure = &reconfigure;
    }
    static const void* interface_of(void* self, const char* id) noexcept {
        auto& tables = static_cast<Holder*>(self)->tables;
        if constexpr (requires { tables.interface_of(id); }) {
            return tables.interface_of(id);
        } else {
            return std::strcmp(id, TableOf<T>::kind) == 0 ? &tables.table : nullptr;
        }
    }
    static capstan_status start(void* self, capstan_op op,
                                const capstan_start_request* raw) noexcept {
        auto& me = *static_cast<Holder*>(self);
        return run_operation<void>(me.host, op, [&] {
            if constexpr (requires { me.object.start(); }) {
                return me.object.start();
            } else {
                return me.object.start(from_abi(*raw));
            }
        });
    }
    static capstan_status stop(void* self, capstan_op op,
                               const capstan_stop_request* raw) noexcept {
        auto& me = *static_cast<Holder*>(self);
        return run_operation<void>(me.host, op, [&] {
            if constexpr (requires { me.object.stop(); }) {
                return me.object.stop();
            } else {
                return me.object.stop(from_abi(*raw));
            }
        });
    }
    static capstan_status self_check(void* self, capstan_op op,
                                     const capstan_self_check_request* raw) noexcept {
        auto& me = *static_cast<Holder*>(self);
        return run_operation<void>(me.host, op, [&] {
            if constexpr (requires { me.object.self_check(); }) {
                return me.object.self_check();
            } else {
                return me.object.self_check(from_abi(*raw));
            }
        });
    }
    static capstan_status reconfigure(void* self, const capstan_settings* settings,
                                      const capstan_call* call) noexcept {
        return guarded(call, [&] {
            return static_cast<Holder*>(self)->object.reconfigure(Settings(*settings));
        });
    }
};

template <class T>
capstan_status create(const capstan_host* host, const capstan_settings* settings,
                      const capstan_call* call, const capstan_instance** out) noexcept {
    return guarded(call, [&] { *out = &(new Holder<T>(host, Settings(*settings)))->instance; });
}

template <class T>
capstan_status check(const capstan_settings* settings, const capstan_call* call) noexcept {
    return guarded(call, [&] { return T::check(Settings(*settings)); });
}

/// Without this check an optional function with a wrong signature would be ignored silently.
template <class T>
constexpr bool demand_shape() {
    static_assert(requires { T::schema(); } || !requires { &T::schema; }, "static Schema schema()");
    static_assert(
        requires(const Settings& s) { T::check(s); } || !requires { &T::check; },
        "static void check(const Settings&)");
    static_assert(
        has_start<T> || !requires { &T::start; }, "Task<void> start(), or start(StartRequest)");
    static_assert(
        has_stop<T> || !requires { &T::stop; }, "Task<void> stop(), or stop(StopRequest)");
    static_assert(
        has_self_check<T> || !requires { &T::self_check; },
        "Task<void> self_check(), or self_check(SelfCheckRequest)");
    static_assert(
        requires(T& t, const Settings& s) { t.reconfigure(s); } || !requires { &T::reconfigure; },
        "Result<void> reconfigure(const Settings&)");
    return true;
}

template <class T>
const AbiSchema& schema_of() {
    static const AbiSchema schema([] {
        if constexpr (requires { T::schema(); }) {
            return Schema(T::schema());
        } else {
            return Schema();
        }
    }());
    return schema;
}

/// The descriptions of the classes of a file, made once; NULL on failure: the host refuses the
/// file.
template <class Make>
const capstan_class_list* list_classes(Make make) noexcept {
    try {
        static const std::vector<capstan_class> classes = make();
        static const capstan_class_list list{sizeof list, 0, array_of(classes)};
        return &list;
    } catch (...) {
        return nullptr;
    }
}

}  // namespace detail

/// Describes T as a class of this file. Its hooks determine the contract that it implements.
template <class T>
capstan_class make_class(ClassOptions options) {
    using Table = detail::TableOf<T>;
    static_assert(detail::demand_shape<T>());
    capstan_class out{};
    out.struct_size = sizeof out;
    constexpr bool needs_leader = CloudProvider<T> || Controller<T>;
    const bool is_pure = options.pure && !AsyncExpander<T>;
    out.flags = needs_leader ? static_cast<std::uint32_t>(CAPSTAN_CLASS_NEEDS_LEADER)
                : is_pure    ? static_cast<std::uint32_t>(CAPSTAN_CLASS_PURE)
                             : 0u;
    out.concurrency =
        Table::is_parallel ? CAPSTAN_CONCURRENCY_PARALLEL : CAPSTAN_CONCURRENCY_SERIAL;
    out.class_id = str(options.id);
    out.kind = str(Table::kind);
    out.doc = str(options.doc);
    out.fields = detail::schema_of<T>().fields();
    if constexpr (requires(const Settings& s) { T::check(s); }) out.check = &detail::check<T>;
    out.create = &detail::create<T>;
    return out;
}

CAPSTAN_NAMESPACE_END

/// Defines the ELF note and the one exported symbol of the file. All texts are literals; `kinds`
/// lists the kinds of the classes, separated by ';'. Use it once in a plugin, outside any
/// namespace.
#define CAPSTAN_PLUGIN(plugin_id_, version_, vendor_, kinds_, ...)               \
    CAPSTAN_NOTE(plugin_id_, version_, kinds_)                                   \
    namespace {                                                                  \
    const capstan_class_list* capstan_list_classes() noexcept {                  \
        return ::capstan::detail::list_classes(                                  \
            [] { return std::vector<capstan_class>{__VA_ARGS__}; });             \
    }                                                                            \
    }                                                                            \
    extern "C" {                                                                 \
    CAPSTAN_EXPORT extern const capstan_entry capstan_entry_1;                   \
    const capstan_entry capstan_entry_1 = {CAPSTAN_MAGIC,                        \
                                           sizeof(capstan_entry),                \
                                           CAPSTAN_ABI_MAJOR,                    \
                                           CAPSTAN_ABI_MINOR_LATEST,             \
                                           CAPSTAN_ABI_MINOR,                    \
                                           0,                                    \
                                           {plugin_id_, sizeof(plugin_id_) - 1}, \
                                           {version_, sizeof(version_) - 1},     \
                                           {vendor_, sizeof(vendor_) - 1},       \
                                           nullptr,                              \
                                           nullptr,                              \
                                           &capstan_list_classes};               \
    }
