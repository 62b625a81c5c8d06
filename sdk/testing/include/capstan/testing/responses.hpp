/// Asks a decision hook through its C table, or the companion that answers in its place, and notes
/// everything in the answer that the contract forbids.
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

/// What every hook answers with. An answer with a fault is a bug of the plugin, whatever its
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

struct BucketResponse : Answer {
    std::uint64_t hash = 0;
};

struct SplitterResponse : Answer {
    std::vector<std::int64_t> growths{};  ///< one for each group of the request
};

ExpanderResponse ask(const capstan_expander& expander, const capstan_expander_request& in,
                     const FakeCall& call);
/// Of an expander that asks a service, with flags, seed, time and deadline of `call`; the clock of
/// `host` goes from timer to timer until it has answered.
ExpanderResponse ask(FakeHost& host, const capstan_async_expander& expander,
                     const capstan_expander_request& in, const FakeCall& call);
SimilarityResponse ask(const capstan_similarity& check, const capstan_template& a,
                       const capstan_template& b, const FakeCall& call);
/// Of a check that has buckets.
BucketResponse ask_bucket(const capstan_similarity& check, const capstan_template& node,
                          const FakeCall& call);
SplitterResponse ask(const capstan_splitter& splitter, const capstan_splitter_request& in,
                     const FakeCall& call);

struct GroupSourceResponse : Answer {
    std::vector<std::string> groups{};  ///< each as its name and all that it would be, in order
};
GroupSourceResponse ask(const capstan_group_source& source, const capstan_group_source_request& in,
                        const FakeCall& call);

/// What the contract says of a returned status: known, and the one that was reported, if one was.
std::vector<std::string> status_faults(capstan_status returned, const FakeCall& call);

}  // namespace testing
CAPSTAN_NAMESPACE_END
