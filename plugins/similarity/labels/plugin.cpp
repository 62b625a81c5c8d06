#include <capstan/plugin.hpp>

#include "labels.hpp"

namespace {

class Plugin : public capstan::similarity::LabelsCheck {
public:
    explicit Plugin(const capstan::Settings& settings)
        : LabelsCheck(capstan::similarity::read_labels(settings)) {}
    static capstan::Schema schema() { return capstan::similarity::labels_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::similarity::check_labels(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN(
    "capstan.labels", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_SIMILARITY,
    capstan::make_class<Plugin>({.id = "labels",
                                 .doc = "Two groups are similar if their nodes have the same "
                                        "labels, except for zone and host labels."}))
