#include "simulator/dump_input.hpp"

#include <utility>

namespace capstan::simulator {

Input input_of(autoscaler::dump::Dump dump) {
    return {.title = std::move(dump.title),
            .source = std::move(dump.source),
            .start = dump.start,
            .start_because = std::move(dump.start_because),
            .time_limit = time_limit_of_dumps,
            .objects = std::move(dump.objects),
            .budgets = std::move(dump.budgets),
            .plugin_objects = std::move(dump.plugin_objects),
            .steps = {Step{}},
            .memory = std::move(dump.memory),
            .label_preset = std::move(dump.label_preset),
            .provider_ids = std::move(dump.provider_ids),
            .clouds = std::move(dump.clouds)};
}

}  // namespace capstan::simulator
