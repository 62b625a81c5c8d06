/// Requests to the gRPC expander in these tests.
#pragma once

#include <capstan/async_expander.hpp>
#include <capstan/testing/builders.hpp>

namespace capstan::external_grpc {

inline AsyncExpanderRequest question(const std::vector<testing::OptionBuilder>& options,
                                     std::vector<PodEquivalenceGroup> pods = {
                                         testing::pods("web-1", 3)}) {
    AsyncExpanderRequest out;
    for (const testing::OptionBuilder& option : options) out.options.push_back(option.value(pods));
    out.pods = std::move(pods);
    return out;
}

}  // namespace capstan::external_grpc
