// An expander that gets a secret and logs only its size.
#include <capstan/plugin.hpp>

namespace {

using namespace capstan;

class Keeper {
public:
    Keeper(const Host& host, const Settings& settings) {
        const Result<void> read =
            host.with_secret(settings.text("token"), [&](std::string_view secret) {
                host.info("was given " + std::to_string(secret.size()) + " bytes");
            });
        if (!read) throw Failure(read.error());
    }
    static Schema schema() {
        return {
            {.key = "token", .type = SettingType::secret, .doc = "A secret.", .required = true}};
    }
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
        if (!question.options().empty()) keep(question.options()[0]);
    }
};

}  // namespace

CAPSTAN_PLUGIN("test.keeper", "0.1.0", "Capstan's tests", CAPSTAN_KIND_EXPANDER,
               make_class<Keeper>({.id = "keeper", .doc = "Keeps the first, and a secret."}))
