#include "kubernetes/client/paths.hpp"

#include <gtest/gtest.h>

namespace capstan::kubernetes::client {
namespace {

TEST(ApiPaths, NameObjectsCollectionsAndSubresources) {
    const ApiResource replica_sets{"apps", "v1", "replicasets", "ReplicaSet"};
    EXPECT_EQ(path_of(resources::nodes), "/api/v1/nodes");
    EXPECT_EQ(path_of(resources::nodes, "", "n1"), "/api/v1/nodes/n1");
    EXPECT_EQ(path_of(resources::pods), "/api/v1/pods");
    EXPECT_EQ(path_of(resources::pods, "shop", "web-1", "eviction"),
              "/api/v1/namespaces/shop/pods/web-1/eviction");
    EXPECT_EQ(path_of(replica_sets, "shop", "web", "scale"),
              "/apis/apps/v1/namespaces/shop/replicasets/web/scale");
}

TEST(ApiPaths, EscapeSpecialCharacters) {
    EXPECT_EQ(path_of(resources::nodes, "", "a/b ?%"), "/api/v1/nodes/a%2Fb%20%3F%25");
}

}  // namespace
}  // namespace capstan::kubernetes::client
