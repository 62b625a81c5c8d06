#include "plugin_runtime/instances/interface_tables.hpp"

#include <capstan/abi/autoprovision.h>
#include <capstan/abi/cloud.h>
#include <capstan/abi/controller.h>
#include <capstan/abi/expander.h>
#include <capstan/abi/group_source.h>
#include <capstan/abi/similarity.h>
#include <capstan/abi/splitter.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "plugin_runtime/loop/guarded_call.hpp"

namespace capstan::plugin_runtime::instances {

namespace {

struct Function {
    const char* name;
    std::size_t offset;
};

struct Table {
    std::string_view id;
    std::vector<Function> required;
};

const std::vector<Table>& tables() {
    static const std::vector<Table> all{
        {CAPSTAN_KIND_EXPANDER, {{"filter", offsetof(capstan_expander, filter)}}},
        {CAPSTAN_INTERFACE_ASYNC_EXPANDER, {{"filter", offsetof(capstan_async_expander, filter)}}},
        {CAPSTAN_KIND_SIMILARITY, {{"similar", offsetof(capstan_similarity, similar)}}},
        {CAPSTAN_KIND_SPLITTER, {{"split", offsetof(capstan_splitter, split)}}},
        {CAPSTAN_KIND_CLOUD,
         {{"refresh", offsetof(capstan_cloud, refresh)},
          {"increase", offsetof(capstan_cloud, increase)},
          {"decrease_target", offsetof(capstan_cloud, decrease_target)},
          {"remove", offsetof(capstan_cloud, remove)}}},
        {CAPSTAN_KIND_CONTROLLER, {{"reconcile", offsetof(capstan_controller, reconcile)}}},
        {CAPSTAN_INTERFACE_TEMPLATES, {{"describe", offsetof(capstan_cloud_templates, describe)}}},
        {CAPSTAN_INTERFACE_PRICING, {{"price", offsetof(capstan_cloud_pricing, price)}}},
        {CAPSTAN_KIND_GROUP_SOURCE,
         {{"suggest", offsetof(capstan_group_source, suggest)},
          {"owns", offsetof(capstan_group_source, owns)}}},
        {CAPSTAN_INTERFACE_AUTOPROVISION,
         {{"machine_types", offsetof(capstan_cloud_autoprovision, machine_types)},
          {"new_group", offsetof(capstan_cloud_autoprovision, new_group)},
          {"create", offsetof(capstan_cloud_autoprovision, create)},
          {"destroy", offsetof(capstan_cloud_autoprovision, destroy)}}},
        {CAPSTAN_INTERFACE_OPTIONS, {{"get", offsetof(capstan_cloud_options, get)}}},
    };
    return all;
}

template <class T>
T read_member(const void* table, std::size_t offset) {
    T value{};
    std::memcpy(&value, static_cast<const std::byte*>(table) + offset, sizeof value);
    return value;
}

Result<void> check(const Table& expected, const void* table) {
    const auto size = read_member<std::uint32_t>(table, 0);
    for (const Function& function : expected.required) {
        const std::string name = "interface " + std::string(expected.id) + ": " + function.name;
        if (size < function.offset + sizeof(void*)) {
            return fail(ErrorCode::internal,
                        name + " is beyond the table's struct_size of " + std::to_string(size));
        }
        if (read_member<void*>(table, function.offset) == nullptr)
            return fail(ErrorCode::internal, name + " is NULL");
    }
    return {};
}

}  // namespace

Result<const void*> find_interface(const capstan_instance& instance, std::string_view id) {
    const std::string name(id);
    const Result<const void*> asked = loop::call_guarded(
        [&] { return loop::distrusted(instance.interface_of)(instance.self, name.c_str()); });
    if (!asked) return fail(ErrorCode::internal, "interface_of " + asked.error().message);
    const void* const table = *asked;
    if (table == nullptr) return nullptr;
    const auto expected =
        std::find_if(tables().begin(), tables().end(), [id](const Table& t) { return t.id == id; });
    if (expected != tables().end()) CAPSTAN_CHECK(check(*expected, table));
    return table;
}

}  // namespace capstan::plugin_runtime::instances
