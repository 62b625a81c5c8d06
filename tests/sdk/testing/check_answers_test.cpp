// Checks of the conformance suite for the results of decision hooks.
#include <chrono>
#include <string>
#include <thread>

#include <capstan/plugin.hpp>
#include <capstan/testing/conformance.hpp>

#include "verdicts.hpp"

namespace {

using namespace std::chrono_literals;
using capstan::Call;
using capstan::ExpanderRequest;
using capstan::GroupIncreases;
using capstan::GroupList;
using capstan::Host;
using capstan::OptionView;
using capstan::Selection;
using capstan::Settings;
using capstan::Similarity;
using capstan::TemplateView;
using capstan::testing::failures;
using capstan::testing::failures_of;
using capstan::testing::results_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Keeps option `index` if there is one.
void keep_one(const ExpanderRequest& question, const Selection& keep, std::uint64_t index) {
    if (question.options().size() > 0)
        keep(question.options()[static_cast<std::uint32_t>(index % question.options().size())]);
}

/// An asynchronous expander whose service responds or does not.
template <bool responses>
class ServiceAsker {
public:
    capstan::Task<capstan::KeptOptions> filter(capstan::AsyncExpanderRequest) {
        if (!responses) throw capstan::Failure(capstan::ErrorCode::unavailable, "nothing is there");
        co_return capstan::KeptOptions{.kept = {{0, 1}}};
    }
};

/// An expander class whose C function is Faulty::filter.
template <class Faulty>
capstan_class faulty_expander() {
    struct Holder {
        capstan_instance instance{};
        capstan_expander table{sizeof table, 0, nullptr, &Faulty::filter};
        static capstan_status create(const capstan_host*, const capstan_settings*,
                                     const capstan_call*, const capstan_instance** out) noexcept {
            auto* holder = new Holder();
            holder->instance.struct_size = sizeof holder->instance;
            holder->instance.self = holder;
            holder->instance.interface_of = [](void* self, const char* id) noexcept -> const void* {
                return std::string_view(id) == CAPSTAN_KIND_EXPANDER
                           ? &static_cast<Holder*>(self)->table
                           : nullptr;
            };
            holder->instance.destroy = [](void* self) noexcept {
                delete static_cast<Holder*>(self);
            };
            *out = &holder->instance;
            return CAPSTAN_OK;
        }
    };
    capstan_class of{};
    of.struct_size = sizeof of;
    of.class_id = capstan::str("wild");
    of.kind = capstan::str(CAPSTAN_KIND_EXPANDER);
    of.doc = capstan::str("Wild.");
    of.create = &Holder::create;
    return of;
}

TEST(AnswerChecks, FindAnUnknownOption) {
    struct Faulty {
        static capstan_status filter(void*, const capstan_call*, const capstan_expander_request* in,
                                     const capstan_expander_response* out) noexcept {
            if (in->options.count == 1) out->keep(out, 7, 0);
            return CAPSTAN_OK;
        }
    };
    EXPECT_THAT(failures(results_of(faulty_expander<Faulty>())),
                ElementsAre("answers/valid: one option: kept option 7 of 1"));
}

TEST(AnswerChecks, FindAnUnknownStatus) {
    struct Faulty {
        static capstan_status filter(void*, const capstan_call*, const capstan_expander_request* in,
                                     const capstan_expander_response*) noexcept {
            return in->options.count == 0 ? 99 : CAPSTAN_OK;
        }
    };
    EXPECT_THAT(failures(results_of(faulty_expander<Faulty>())),
                ElementsAre("answers/malformed: no options and no pods: returned the status 99, "
                            "which does not exist"));
}

TEST(AnswerChecks, FindAStatusThatDiffersFromTheReportedError) {
    struct Faulty {
        static capstan_status filter(void*, const capstan_call* call,
                                     const capstan_expander_request* in,
                                     const capstan_expander_response*) noexcept {
            if (in->options.count != 1) return CAPSTAN_OK;
            const capstan_error error{
                sizeof error, CAPSTAN_E_QUOTA, capstan::str("full"), {}, {}, -1, 0, 0};
            call->fail(call, &error);
            return CAPSTAN_E_INTERNAL;
        }
    };
    EXPECT_THAT(failures(results_of(faulty_expander<Faulty>())),
                ElementsAre("answers/valid: one option: reported the failure 9 but returned 14"));
}

TEST(AnswerChecks, FindAnArrayReadBySizeInsteadOfStride) {
    struct Faulty {
        static capstan_status filter(void*, const capstan_call*, const capstan_expander_request* in,
                                     const capstan_expander_response* out) noexcept {
            const auto* options = static_cast<const capstan_option*>(in->options.data);
            // If structs are longer, sizeof finds poison in place of the second element.
            const bool is_odd = in->options.count > 1 && options[1].struct_size % 8 != 0;
            if (is_odd) out->keep(out, in->options.count, 0);
            return CAPSTAN_OK;
        }
    };
    EXPECT_THAT(
        failures(results_of(faulty_expander<Faulty>())),
        ElementsAre(StartsWith("answers/valid: longer structs of a newer host: kept option")));
}

TEST(AnswerChecks, AcceptErrors) {
    struct Failing {
        void filter(const Call&, const ExpanderRequest&, const Selection&) const {
            throw capstan::Failure(capstan::ErrorCode::unavailable, "not today");
        }
    };
    EXPECT_THAT(failures_of<Failing>(), IsEmpty());
}

struct Busy {
    void filter(const Call& call, const ExpanderRequest& question, const Selection&) const {
        const auto until = std::chrono::steady_clock::now() + 30ms;
        while (question.options().size() > 100 && std::chrono::steady_clock::now() < until) {
            if (listens && call.is_cancelled()) return;
        }
    }
    bool listens = false;
};
struct BusyButListening : Busy {
    BusyButListening() { listens = true; }
};

TEST(AnswerChecks, FindAHookThatTakesTooLong) {
    auto options = capstan::testing::quick();
    options.call_deadline = 1ms;
    EXPECT_THAT(failures_of<Busy>(options),
                ElementsAre(StartsWith("answers/huge: 1000 options took"),
                            StartsWith("answers/cancelled: 1000 options, cancelled")));
    EXPECT_THAT(failures_of<BusyButListening>(options),
                ElementsAre(StartsWith("answers/huge: 1000 options took")));
}

struct Counting {
    int calls = 0;
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) {
        keep_one(question, keep, static_cast<std::uint64_t>(++calls));
    }
};

TEST(AnswerChecks, FindAStatefulPureClass) {
    EXPECT_THAT(failures_of<Counting>(),
                ElementsAre(AllOf(StartsWith("answers/repeatable:"),
                                  HasSubstr("different result the second time"))));
    EXPECT_THAT(failures_of<Counting>(capstan::testing::quick(), false), IsEmpty())
        << "a class that is not pure may have state";
}

TEST(AnswerChecks, FindAPureClassThatReadsTheClock) {
    struct ReadsClock {
        Host host;
        ReadsClock(Host lent, const Settings&) : host(lent) {}
        void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
            keep_one(question, keep, static_cast<std::uint64_t>(host.monotonic() / 24h));
        }
    };
    EXPECT_THAT(failures_of<ReadsClock>(),
                ElementsAre(AllOf(StartsWith("answers/repeatable:"), HasSubstr("30 days later"))));
}

TEST(AnswerChecks, FindAPureClassWhoseInstancesDiffer) {
    struct DiffersByInstance {
        std::uint64_t mood;
        DiffersByInstance(Host host, const Settings&) : mood(host.random()) {}
        void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
            keep_one(question, keep, mood);
        }
    };
    EXPECT_THAT(
        failures_of<DiffersByInstance>(),
        ElementsAre(AllOf(StartsWith("answers/repeatable:"), HasSubstr("from another instance"))));
}

TEST(AnswerChecks, FindAParallelClassThatIsNotThreadSafe) {
    struct OneThread {
        std::thread::id home = std::this_thread::get_id();
        void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
            keep_one(question, keep, home == std::this_thread::get_id() ? 0 : 1);
        }
    };
    EXPECT_THAT(failures_of<OneThread>(),
                ElementsAre(AllOf(StartsWith("answers/parallel:"),
                                  HasSubstr("while 7 other threads call it"))));
}

TEST(SimilarityChecks, FindAResultThatDependsOnTheOrder) {
    struct LeftOrRight {
        Similarity similar(const Call&, const TemplateView& a, const TemplateView& b) const {
            return a.zone() <= b.zone() ? capstan::agrees("in order")
                                        : capstan::differs("out of order");
        }
    };
    EXPECT_THAT(
        failures_of<LeftOrRight>(),
        ElementsAre(AllOf(StartsWith("similarity/symmetric: pair "), HasSubstr("out of order"))));
}

TEST(SimilarityChecks, FindBucketsThatSeparateSimilarTemplates) {
    struct TooFine {
        Similarity similar(const Call&, const TemplateView&, const TemplateView&) const {
            return capstan::agrees("always");
        }
        std::uint64_t bucket(const Call&, const TemplateView& node) const {
            return std::hash<std::string_view>()(node.zone());
        }
    };
    EXPECT_THAT(failures_of<TooFine>(),
                ElementsAre(AllOf(StartsWith("similarity/buckets:"),
                                  HasSubstr("similar, but in different buckets: always"))));
}

TEST(SimilarityChecks, FindEquivalentTemplatesThatDiffer) {
    struct TooCoarse {
        Similarity similar(const Call&, const TemplateView& a, const TemplateView& b) const {
            return a.zone() == b.zone() ? capstan::agrees("one zone")
                                        : capstan::differs("two zones");
        }
        std::uint64_t equivalence(const Call&, const TemplateView&) const { return 1; }
    };
    EXPECT_THAT(failures_of<TooCoarse>(),
                ElementsAre(AllOf(StartsWith("similarity/equivalence:"),
                                  HasSubstr("with itself a template agrees and with the other it "
                                            "differs: two zones"))));
}

TEST(SimilarityChecks, FindAResultWithoutAReason) {
    struct NoReason {
        Similarity similar(const Call&, const TemplateView&, const TemplateView&) const {
            return capstan::agrees("");
        }
    };
    EXPECT_THAT(failures_of<NoReason>(), ElementsAre(AllOf(StartsWith("similarity/reasons:"),
                                                           HasSubstr("agrees without a reason"))));
}

TEST(SimilarityChecks, FindADecisionWithoutTheFlag) {
    struct DecidesWithoutFlag {
        Similarity similar(const Call&, const TemplateView& a, const TemplateView& b) const {
            return a.name() == b.name() ? capstan::decided("one name")
                                        : capstan::differs("two names");
        }
    };
    EXPECT_THAT(failures_of<DecidesWithoutFlag>(),
                Contains(StartsWith(
                    "answers/valid: a template and itself: returned decided without the flag")));
}

TEST(SplitterChecks, FindAGroupAboveItsMaximum) {
    struct Generous {
        void split(const Call&, int nodes, const GroupList& groups,
                   const GroupIncreases& grow) const {
            if (nodes > 0 && groups.size() > 0) grow(0, nodes);
        }
    };
    EXPECT_THAT(failures_of<Generous>(),
                Contains(AllOf(StartsWith("answers/valid: groups that are full: increased group a "
                                          "from 2 by 5, above its maximum of 2"))));
}

TEST(SplitterChecks, FindMoreNodesThanRequested) {
    struct Doubling {
        void split(const Call&, int nodes, const GroupList& groups,
                   const GroupIncreases& grow) const {
            for (std::uint32_t i = 0; i < groups.size(); ++i) {
                if (nodes == 1 && groups.size() == 3) grow(i, 1);
            }
        }
    };
    EXPECT_THAT(
        failures_of<Doubling>(),
        ElementsAre("answers/valid: 1 node for sizes 1, 3 and 6: distributed 3 nodes of 1"));
}

TEST(AnswerChecks, CheckAnExpanderThatCallsAService) {
    EXPECT_THAT(failures_of<ServiceAsker<true>>(), IsEmpty());
}

TEST(AnswerChecks, AreSkippedIfAServiceDoesNotRespond) {
    const auto results =
        results_of(capstan::make_class<ServiceAsker<false>>({.id = "test", .doc = "A test."}));
    EXPECT_THAT(failures(results), IsEmpty());
    EXPECT_THAT(capstan::testing::skipped_checks(results), Contains("answers/valid"));
}

TEST(AnswerChecks, FindAPureClassThatCallsAService) {
    capstan_class of = capstan::make_class<ServiceAsker<true>>({.id = "test", .doc = "A test."});
    of.flags = CAPSTAN_CLASS_PURE;
    EXPECT_THAT(failures(results_of(of)),
                ElementsAre("answers/repeatable: the class is declared pure but calls a service"));
}

}  // namespace
