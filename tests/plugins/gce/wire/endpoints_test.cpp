#include "wire/endpoints.hpp"

#include <gtest/gtest.h>

namespace capstan::gce {
namespace {

TEST(GceEndpoints, AreThoseOfGoogle) {
    const EndpointConfig usual;
    EXPECT_EQ(base_url_of(Service::compute, usual), "https://compute.googleapis.com/compute/v1");
    EXPECT_EQ(base_url_of(Service::resource_manager, usual),
              "https://cloudresourcemanager.googleapis.com/v3");
    EXPECT_EQ(base_url_of(Service::iam_credentials, usual),
              "https://iamcredentials.googleapis.com/v1");
    EXPECT_EQ(base_url_of(Service::sts, usual), "https://sts.googleapis.com/v1");
    EXPECT_EQ(base_url_of(Service::oauth2, usual), "https://oauth2.googleapis.com");
}

TEST(GceEndpoints, UseAnotherUniverse) {
    EXPECT_EQ(base_url_of(Service::compute, {.universe = "apis-berlin.example"}),
              "https://compute.apis-berlin.example/compute/v1");
}

TEST(GceEndpoints, PreferTheOverrideOfTheService) {
    const EndpointConfig own{
        .overrides = {{"", "http://127.0.0.1:80/"}, {"compute", "https://psc.example"}}};
    EXPECT_EQ(base_url_of(Service::compute, own), "https://psc.example/compute/v1");
    EXPECT_EQ(base_url_of(Service::sts, own), "http://127.0.0.1:80/v1");
}

}  // namespace
}  // namespace capstan::gce
