#include <capstan/plugin.hpp>

#include "label_priority.hpp"

namespace {

class Plugin : public capstan::expanders::LabelPriority {
public:
    explicit Plugin(const capstan::Settings& settings)
        : LabelPriority(capstan::expanders::read_label_priority(settings)) {}
    static capstan::Schema schema() { return capstan::expanders::label_priority_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::expanders::check_label_priority(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN("capstan.label_priority", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<Plugin>(
                   {.id = "label_priority",
                    .doc = "Keeps the options whose node label has the highest number."}))
