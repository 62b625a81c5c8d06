#include "new_similarity.hpp"

#include <gtest/gtest.h>

#include <capstan/testing/builders.hpp>
#include <capstan/testing/fake_settings.hpp>

namespace {

using capstan::testing::FakeCall;
using capstan::testing::node_template;
using capstan::testing::settings_of;
using capstan::testing::similar;

NewSimilarity on_defaults() {
    auto settings = settings_of<NewSimilarity>();
    return NewSimilarity(settings.view());
}

std::uint64_t bucket_of(const NewSimilarity& check, const capstan::NodeTemplate& node) {
    const FakeCall call;
    capstan::AbiArena arena;
    const capstan_template crossing = arena.to_abi(node);
    return check.bucket(call.call(), capstan::TemplateView(crossing));
}

TEST(NewSimilarity, AgreesWhenTheLabelsAreTheSame) {
    const auto a = node_template("a").label("kubernetes.io/arch", "arm64").label("team", "web");
    const auto b = node_template("b").label("kubernetes.io/arch", "arm64");
    EXPECT_EQ(similar(on_defaults(), a, b), capstan::agrees("same 2 labels"));
    EXPECT_EQ(bucket_of(on_defaults(), a), bucket_of(on_defaults(), b));
}

TEST(NewSimilarity, NamesTheLabelThatDiffers) {
    const auto a = node_template("a").label("kubernetes.io/arch", "arm64");
    EXPECT_EQ(similar(on_defaults(), a, node_template("b").label("kubernetes.io/arch", "amd64")),
              capstan::differs("label kubernetes.io/arch: \"arm64\", \"amd64\""));
    EXPECT_EQ(similar(on_defaults(), a, node_template("b")),
              capstan::differs("label kubernetes.io/arch: \"arm64\", absent"));
    EXPECT_NE(bucket_of(on_defaults(), a), bucket_of(on_defaults(), node_template("b")));
}

}  // namespace
