// Two kinds in one file, one class each. It instantiates templates with static variables, which g++
// exports as unique symbols unless the build prevents that; such a file is never unloaded.
#include <map>
#include <memory>
#include <string>

#include <capstan/plugin.hpp>

namespace stranger {

/// Keeps one option, which the seed of the call selects.
class AnyOne {
public:
    void filter(const capstan::Call& call, const capstan::ExpanderRequest& question,
                const capstan::Selection& keep) const {
        if (question.options().empty()) return;
        const auto chosen = static_cast<std::uint32_t>(call.seed() % question.options().size());
        const auto sentence =
            std::make_shared<std::string>("keeps option " + std::to_string(chosen));
        keep(question.options()[chosen]);
        call.explain(*sentence);
    }
};

/// Agrees when the machine types are of one family: "m5.large" and "m5.xlarge".
class SameFamily {
public:
    capstan::Similarity similar(const capstan::Call&, const capstan::TemplateView& a,
                                const capstan::TemplateView& b) const {
        if (family(a) == family(b))
            return capstan::agrees("both of family " + std::string(family(a)));
        return capstan::differs(std::string(family(a)) + ", " + std::string(family(b)));
    }

private:
    static std::string_view family(const capstan::TemplateView& node) {
        return node.machine_type().substr(0, node.machine_type().find('.'));
    }
};

}  // namespace stranger

CAPSTAN_PLUGIN("example.stranger", "2.1.0", "A stranger",
               CAPSTAN_KIND_EXPANDER ";" CAPSTAN_KIND_SIMILARITY,
               capstan::make_class<stranger::AnyOne>({.id = "any_one",
                                                      .doc = "Keeps one option by chance."}),
               capstan::make_class<stranger::SameFamily>(
                   {.id = "same_family", .doc = "Agrees when machine types are of one family."}))
