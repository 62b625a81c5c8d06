/// Calls a decision hook through its C table, or the companion that the host calls instead of it,
/// and notes everything in the answer that the contract forbids.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/abi/expander.h>
#include <capstan/abi/group_source.h>
#include <capstan/abi/similarity.h>
#include <capstan/abi/splitter.h>
#include <capstan/error.hpp>
#include <capstan/testing/fake_call.hpp>
#include <capstan/testing/fake_host.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// The common part of all answers. An answer with a fault is a bug of the plugin, whatever its
/// status.
struct Answer {
    capstan_status status = CAPSTAN_OK;
    std::vector<std::string> faults{};  ///< sentences: "kept option 7 of 3"

    bool is_good() const noexcept { return status == CAPSTAN_OK && faults.empty(); }
};

struct ExpanderResponse : Answer {
    std::vector<std::uint32_t> kept{};  ///< ascending, each once
};

struct SimilarityResponse : Answer {
    std::int32_t verdict = CAPSTAN_SIMILARITY_DIFFERS;
    std::string because{};
};

struct HashResponse : Answer {
    std::uint64_t hash = 0;
};

struct SplitterResponse : Answer {
    std::vector<std::int64_t> growths{};  ///< one for each group of the request
};

ExpanderResponse ask(const capstan_expander& expander, const capstan_expander_request& in,
                     const FakeCall& call);
/// For an expander that asks a service, with flags, seed, time and deadline of `call`. The clock of
/// `host` advances from timer to timer until the expander has answered.
ExpanderResponse ask(FakeHost& host, const capstan_async_expander& expander,
                     const capstan_expander_request& in, const FakeCall& call);
SimilarityResponse ask(const capstan_similarity& check, const capstan_template& a,
                       const capstan_template& b, const FakeCall& call);
/// For a check that implements `bucket`.
HashResponse ask_bucket(const capstan_similarity& check, const capstan_template& node,
                        const FakeCall& call);
/// For a check that implements `equivalence`.
HashResponse ask_equivalence(const capstan_similarity& check, const capstan_template& node,
                             const FakeCall& call);
SplitterResponse ask(const capstan_splitter& splitter, const capstan_splitter_request& in,
                     const FakeCall& call);

struct GroupSourceResponse : Answer {
    std::vector<std::string> groups{};  ///< each suggested plan as text, in order
};
GroupSourceResponse ask(const capstan_group_source& source, const capstan_group_source_request& in,
                        const FakeCall& call);

/// The faults of a returned status. It must be known. An error must have the code of the reported
/// failure, if a failure was reported.
std::vector<std::string> status_faults(capstan_status returned, const FakeCall& call);

}  // namespace testing
CAPSTAN_NAMESPACE_END
