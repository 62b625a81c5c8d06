/// The optional interfaces beside a cloud, found for a pass.
#pragma once

#include <memory>

#include "runtime/instances/hook_guard.hpp"
#include "runtime/instances/instance.hpp"

namespace capstan::runtime {

/// The interface `id`, kept by the watch; `unsupported`: there is none. [pass thread]
template <class Table>
Result<const Table*> find_companion(const std::shared_ptr<PluginInstance>& cloud, const char* id,
                                    PassWatch& watch) {
    CAPSTAN_TRY(const Table* const table, cloud->interface<Table>(id));
    if (table == nullptr)
        return fail(ErrorCode::unsupported, "plugin " + cloud->id() + " has no " + id);
    watch.admit(cloud);
    return table;
}

}  // namespace capstan::runtime
