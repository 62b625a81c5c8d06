// What holds for the optional companions of a cloud: templates, prices, options.
#include <algorithm>
#include <string>
#include <vector>

#include <capstan/from_abi.hpp>
#include <capstan/testing/builders.hpp>
#include <capstan/testing/responses.hpp>

#include "cloud_session.hpp"
#include "malformations.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

constexpr std::size_t groups_max = 20;

/// An exbibyte: no machine has so much of anything.
constexpr std::int64_t amount_max = std::int64_t{1} << 60;

std::string amount_fault(const NodeTemplate& node) {
    if (node.capacity.empty()) return "the template has no capacity";
    for (const Resources* amounts : {&node.capacity, &node.allocatable}) {
        for (const Resources::Entry& entry : *amounts) {
            if (entry.amount < 0 || entry.amount > amount_max)
                return "the template has " + std::to_string(entry.amount) + " of " + entry.resource;
        }
    }
    return {};
}

Outcome check_templates(const Subject& subject) {
    return with_view(subject, [](CloudSession& cloud, const CloudView& view) {
        if (cloud.session().instance().find<void>(CAPSTAN_INTERFACE_TEMPLATES) == nullptr) {
            return not_applicable("the cloud describes no templates");
        }
        for (std::size_t i = 0; i < std::min(view.groups.size(), groups_max); ++i) {
            const std::string& id = view.groups[i].id.value();
            const Result<NodeTemplate> node = cloud.describe(id);
            const bool broken = !node && (node.error().code == ErrorCode::internal ||
                                          node.error().code == ErrorCode::deadline);
            if (broken) return failed("describe " + id + ": " + describe(node.error()));
            const std::string fault = node ? amount_fault(*node) : "";
            if (!fault.empty()) return failed("describe " + id + ": " + fault);
        }
        for (const char* unknown : {"", "no-such-group-7d1f", "\xff\xfe"}) {
            if (cloud.describe(unknown)) return failed("describe of an unknown group succeeds");
        }
        return judged(cloud.session().misuse());
    });
}

/// Calls `ask` with a plain noun, a longer one, and with every way it can be wrong.
template <class Raw, class Ask>
std::vector<std::string> ask_all(const Raw& plain, void (*Malformation::*spoil)(Raw&), Ask ask) {
    std::vector<std::string> faults;
    const auto note = [&faults](std::string_view name, const std::vector<std::string>& found) {
        for (const std::string& fault : found) faults.push_back(std::string(name) + ": " + fault);
    };
    Stretcher stretcher;
    note("a plain one", ask(plain));
    note("a longer struct of a newer host", ask(*stretcher.one(plain)));
    for (const Malformation& how : malformations()) {
        Raw spoilt = plain;
        (how.*spoil)(spoilt);
        note(how.name, ask(spoilt));
    }
    return faults;
}

template <class T>
std::vector<std::string> faults_of(const Result<T>& read) {
    return read ? std::vector<std::string>() : std::vector{read.error().message};
}

Outcome check_pricing(const Subject& subject) {
    return with_started(subject, [](Session& session) {
        const auto* pricing =
            session.instance().find<capstan_cloud_pricing>(CAPSTAN_INTERFACE_PRICING);
        if (!CAPSTAN_HAS(pricing, capstan_cloud_pricing, price))
            return not_applicable("the cloud has no prices");
        AbiArena arena;
        const NodeTemplate node = node_template();
        const NodeGroup of = group("plain");
        const capstan_group raw_group = arena.to_abi(of);
        return judged(
            ask_all(arena.to_abi(node), &Malformation::node, [&](const capstan_template& raw) {
                const FakeCall call;
                capstan_price out{};
                out.struct_size = sizeof out;
                const capstan_status status =
                    pricing->price(pricing->self, call.raw(), &raw_group, &raw, &out);
                return status == CAPSTAN_OK ? faults_of(price_from_abi(out))
                                            : status_faults(status, call);
            }));
    });
}

Outcome check_options(const Subject& subject) {
    return with_started(subject, [](Session& session) {
        const auto* options =
            session.instance().find<capstan_cloud_options>(CAPSTAN_INTERFACE_OPTIONS);
        if (!CAPSTAN_HAS(options, capstan_cloud_options, get))
            return not_applicable("the cloud's groups have no options of their own");
        AbiArena arena;
        const NodeGroup plain = group("plain");
        return judged(
            ask_all(arena.to_abi(plain), &Malformation::group, [&](const capstan_group& raw) {
                const FakeCall call;
                capstan_group_options out{};
                out.struct_size = sizeof out;
                const capstan_status status = options->get(options->self, call.raw(), &raw, &out);
                return status == CAPSTAN_OK ? faults_of(group_options_from_abi(out))
                                            : status_faults(status, call);
            }));
    });
}

}  // namespace

void add_companion_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    add(checks, subject, "cloud/templates", check_templates);
    add(checks, subject, "cloud/pricing", check_pricing);
    add(checks, subject, "cloud/options", check_options);
    add_autoprovision_checks(checks, subject);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
