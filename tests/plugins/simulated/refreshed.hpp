/// The view after a refresh.
#pragma once

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

#include "simulated.hpp"

namespace capstan::simulated {

inline Result<CloudView> refreshed(testing::FakeHost& host, Simulated& cloud) {
    CAPSTAN_TRY(const SharedCloudView view, testing::run(host, cloud.refresh()));
    return *view;
}

}  // namespace capstan::simulated
