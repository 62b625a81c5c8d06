#include <capstan/plugin.hpp>

#include "config.hpp"
#include "priority.hpp"

namespace {

using namespace capstan;

expanders::Tiers first_tiers(const Settings& settings) {
    Result<expanders::Tiers> tiers = expanders::tiers_of(expanders::read_priority(settings));
    if (!tiers) throw Failure(tiers.error());
    return *std::move(tiers);
}

class Plugin : public expanders::Priority {
public:
    Plugin(const Host& host, const Settings& settings)
        : Priority(first_tiers(settings)), host_(host) {}
    static Schema schema() { return expanders::priority_schema(); }
    static void check(const Settings& settings) { expanders::check_priority(settings); }

    /// What cannot be read changes nothing: the last good priorities stay.
    Result<void> reconfigure(const Settings& settings) {
        Result<expanders::Tiers> tiers = expanders::tiers_of(expanders::read_priority(settings));
        if (!tiers) {
            host_.warn("the new priorities are refused, the last good ones stay: " +
                       tiers.error().message);
            return fail(tiers.error());
        }
        replace(*std::move(tiers));
        return {};
    }

private:
    Host host_;
};

}  // namespace

CAPSTAN_PLUGIN("capstan.priority", "1.0.0", "Capstan", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<Plugin>(
                   {.id = "priority",
                    .doc = "Keeps the options whose group id matches a pattern of the highest "
                           "priority."}))
