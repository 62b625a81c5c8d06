#include <capstan/testing/responses.hpp>

#include <algorithm>
#include <set>

#include <capstan/view.hpp>

#include <capstan/from_abi_provisioning.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

/// A plugin that calls a sink a million times shall not fill the report.
constexpr std::size_t faults_max = 20;

void note(std::vector<std::string>& faults, std::string fault) {
    if (faults.size() < faults_max) faults.push_back(std::move(fault));
}

struct KeptSink {
    capstan_expander_response out{sizeof out, 0, this, &keep};
    std::uint32_t options;
    std::set<std::uint32_t> kept{};
    std::vector<std::string> faults{};

    static void keep(const capstan_expander_response* out, std::uint32_t option, double) noexcept {
        auto& self = *static_cast<KeptSink*>(out->ctx);
        if (option < self.options) {
            self.kept.insert(option);
        } else {
            note(self.faults,
                 "kept option " + std::to_string(option) + " of " + std::to_string(self.options));
        }
    }
};

struct SimilaritySink {
    capstan_similarity_response out{sizeof out, 0, this, &answer};
    std::int32_t verdict = CAPSTAN_SIMILARITY_DIFFERS;
    std::string because{};
    int answers = 0;

    static void answer(const capstan_similarity_response* out, std::int32_t verdict,
                       capstan_str because) noexcept {
        auto& self = *static_cast<SimilaritySink*>(out->ctx);
        ++self.answers;
        self.verdict = verdict;
        self.because = text(because);
    }
};

std::string text_of(const GroupPlan& plan) {
    std::string out = plan.name + "(" + plan.machine_type + "," + plan.zone;
    if (plan.spot) out += ",spot";
    for (const auto& [key, value] : plan.labels)
        out.append(",").append(key).append("=").append(value);
    for (const Taint& taint : plan.taints) out += "," + to_string(taint);
    return out + ")";
}

struct SuggestSink {
    capstan_group_source_response out{sizeof out, 0, this, &suggest, &leave_out, &limit};
    View<capstan_machine_type> machines;
    std::vector<std::string> groups{};
    std::vector<std::string> faults{};
    std::set<std::string> names{};

    static SuggestSink& of(const capstan_group_source_response* out) noexcept {
        return *static_cast<SuggestSink*>(out->ctx);
    }
    static void suggest(const capstan_group_source_response* out, const capstan_group_plan* raw,
                        capstan_str /*because*/) noexcept {
        SuggestSink& self = of(out);
        if (raw == nullptr) return note(self.faults, "suggested NULL");
        const Result<GroupPlan> plan = group_plan_from_abi(*raw);
        if (!plan) return note(self.faults, "suggested a group whose " + plan.error().message);
        if (!self.names.insert(plan->name).second)
            note(self.faults, "suggested group " + plan->name + " twice");
        if (!self.is_on_offer(*plan))
            note(self.faults,
                 "suggested group " + plan->name + ", whose machine type is not offered");
        self.groups.push_back(text_of(*plan));
    }
    static void leave_out(const capstan_group_source_response*, capstan_str, capstan_str) noexcept {
    }
    static void limit(const capstan_group_source_response* out, std::int32_t most) noexcept {
        if (most < 0) note(of(out).faults, "limited groups to " + std::to_string(most));
    }
    bool is_on_offer(const GroupPlan& plan) const {
        for (const capstan_machine_type& type : machines) {
            if (text(type.name) != plan.machine_type) continue;
            for (const capstan_machine_offering& offer :
                 View<capstan_machine_offering>(type.offerings)) {
                if (text(offer.zone) == plan.zone && (offer.spot != 0) == plan.spot) return true;
            }
        }
        return false;
    }
};

struct GrowSink {
    capstan_splitter_response out{sizeof out, 0, this, &grow};
    View<capstan_group> groups;
    std::vector<std::int64_t> growths{};
    std::vector<std::string> faults{};

    static void grow(const capstan_splitter_response* out, std::uint32_t group,
                     std::int32_t by) noexcept {
        auto& self = *static_cast<GrowSink*>(out->ctx);
        if (group >= self.growths.size()) {
            return note(self.faults, "increased group " + std::to_string(group) + " of " +
                                         std::to_string(self.growths.size()));
        }
        const std::string id(text(self.groups[group].id));
        if (by <= 0) note(self.faults, "increased group " + id + " by " + std::to_string(by));
        if (self.growths[group] != 0) note(self.faults, "increased group " + id + " twice");
        self.growths[group] += by;
    }
    void check_sums(std::int64_t nodes) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < growths.size(); ++i) {
            const capstan_group& g = groups[static_cast<std::uint32_t>(i)];
            sum += growths[i];
            const bool bounded = (g.present & CAPSTAN_GROUP_MAX) != 0 && growths[i] > 0;
            const std::int64_t target = (g.present & CAPSTAN_GROUP_TARGET) != 0 ? g.target : 0;
            if (!bounded || target + growths[i] <= g.max) continue;
            note(faults, "increased group " + std::string(text(g.id)) + " from " +
                             std::to_string(target) + " by " + std::to_string(growths[i]) +
                             ", above its maximum of " + std::to_string(g.max));
        }
        if (sum > std::max<std::int64_t>(nodes, 0)) {
            note(faults,
                 "distributed " + std::to_string(sum) + " nodes of " + std::to_string(nodes));
        }
    }
};

/// Faults of the answer itself count only if the call went well: the host throws the rest away.
template <class A>
A finished(A answer, capstan_status status, const FakeCall& call, std::vector<std::string> faults) {
    answer.status = status;
    answer.faults = status_faults(status, call);
    if (status == CAPSTAN_OK)
        answer.faults.insert(answer.faults.end(), faults.begin(), faults.end());
    return answer;
}

}  // namespace

std::vector<std::string> status_faults(capstan_status returned, const FakeCall& call) {
    std::vector<std::string> faults;
    if (returned < CAPSTAN_OK || returned > CAPSTAN_E_BUSY) {
        faults.push_back("returned the status " + std::to_string(returned) +
                         ", which does not exist");
    }
    const capstan_status reported = call.failure_status();
    if (!call.failure()) return faults;
    if (reported == CAPSTAN_OK) faults.emplace_back("reported a failure with code CAPSTAN_OK");
    if (returned != CAPSTAN_OK && reported != returned) {
        faults.push_back("reported the failure " + std::to_string(reported) + " but returned " +
                         std::to_string(returned));
    }
    return faults;
}

ExpanderResponse ask(const capstan_expander& expander, const capstan_expander_request& in,
                     const FakeCall& call) {
    KeptSink sink{.options = in.options.count};
    const capstan_status status = expander.filter(expander.self, call.raw(), &in, &sink.out);
    ExpanderResponse answer;
    answer.kept.assign(sink.kept.begin(), sink.kept.end());
    return finished(std::move(answer), status, call, std::move(sink.faults));
}

ExpanderResponse ask(FakeHost& host, const capstan_async_expander& expander,
                     const capstan_expander_request& in, const FakeCall& call) {
    const capstan_call& raw = *call.raw();
    const capstan_async_expander_request request{sizeof request, raw.flags, raw.seed,
                                                 raw.now_unix_ns, &in};
    const Duration allowed = Duration(raw.deadline_ns) - host.monotonic();
    const auto operation = host.call<KeptOptions>(
        [&](capstan_op op) { return expander.filter(expander.self, op, &request); }, allowed);
    const Duration until = host.monotonic() + allowed;
    const Result<KeptOptions>& kept = host.settle(operation);
    ExpanderResponse answer;
    if (!kept) {
        answer.status = static_cast<capstan_status>(kept.error().code);
        const bool is_late = kept.error().code == ErrorCode::deadline && host.monotonic() >= until;
        if (is_late && allowed > Duration::zero()) note(answer.faults, "timed out");
        return answer;
    }
    std::set<std::uint32_t> options;
    for (const KeptOptions::Kept& k : kept->kept) {
        if (k.option < in.options.count) {
            options.insert(k.option);
        } else {
            note(answer.faults, "kept option " + std::to_string(k.option) + " of " +
                                    std::to_string(in.options.count));
        }
    }
    answer.kept.assign(options.begin(), options.end());
    return answer;
}

SimilarityResponse ask(const capstan_similarity& check, const capstan_template& a,
                       const capstan_template& b, const FakeCall& call) {
    SimilaritySink sink;
    const capstan_status status = check.similar(check.self, call.raw(), &a, &b, &sink.out);
    std::vector<std::string> faults;
    if (sink.answers != 1)
        note(faults, "responded " + std::to_string(sink.answers) + " times, not once");
    if (sink.verdict < CAPSTAN_SIMILARITY_DIFFERS || sink.verdict > CAPSTAN_SIMILARITY_DECIDED) {
        note(faults,
             "returned the verdict " + std::to_string(sink.verdict) + ", which does not exist");
    }
    if (sink.verdict == CAPSTAN_SIMILARITY_DECIDED &&
        (check.flags & CAPSTAN_SIMILARITY_MAY_DECIDE) == 0) {
        note(faults, "returned decided without the flag CAPSTAN_SIMILARITY_MAY_DECIDE");
    }
    SimilarityResponse answer;
    answer.verdict = sink.verdict;
    answer.because = std::move(sink.because);
    return finished(std::move(answer), status, call, std::move(faults));
}

HashResponse ask_bucket(const capstan_similarity& check, const capstan_template& node,
                        const FakeCall& call) {
    HashResponse answer;
    const capstan_status status = check.bucket(check.self, call.raw(), &node, &answer.hash);
    return finished(answer, status, call, {});
}

HashResponse ask_equivalence(const capstan_similarity& check, const capstan_template& node,
                             const FakeCall& call) {
    HashResponse answer;
    const capstan_status status = check.equivalence(check.self, call.raw(), &node, &answer.hash);
    return finished(answer, status, call, {});
}

GroupSourceResponse ask(const capstan_group_source& source, const capstan_group_source_request& in,
                        const FakeCall& call) {
    SuggestSink sink{.machines = View<capstan_machine_type>(in.machines)};
    const capstan_status status = source.suggest(source.self, call.raw(), &in, &sink.out);
    GroupSourceResponse answer;
    answer.groups = std::move(sink.groups);
    return finished(std::move(answer), status, call, std::move(sink.faults));
}

SplitterResponse ask(const capstan_splitter& splitter, const capstan_splitter_request& in,
                     const FakeCall& call) {
    GrowSink sink{.groups = View<capstan_group>(in.groups),
                  .growths = std::vector<std::int64_t>(in.groups.count)};
    const capstan_status status = splitter.split(splitter.self, call.raw(), &in, &sink.out);
    sink.check_sums(in.nodes);
    SplitterResponse answer;
    answer.growths = std::move(sink.growths);
    return finished(std::move(answer), status, call, std::move(sink.faults));
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
