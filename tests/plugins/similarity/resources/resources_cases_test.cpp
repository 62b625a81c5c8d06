#include "cases.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/builders.hpp>
#include <capstan/testing/fake_settings.hpp>

#include "resources.hpp"

namespace capstan::similarity {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ResourcesCases, MatchTheTableInBothDirections) {
    const std::vector<tests::SimilarityCase> cases = tests::similarity_cases("resources");
    ASSERT_GT(cases.size(), 15u);
    for (const tests::SimilarityCase& c : cases) {
        SCOPED_TRACE(c.title);
        testing::FakeSettings settings(resources_schema());
        settings.set_all(c.settings);
        check_resources(settings.view());
        EXPECT_THAT(settings.rejections(), IsEmpty());
        const ResourcesCheck check(read_resources(settings.view()));
        const Similarity response = testing::similar(check, c.a, c.b);
        EXPECT_EQ(response.verdict, c.verdict) << response.because;
        EXPECT_THAT(response.because, HasSubstr(c.because));
        EXPECT_EQ(testing::similar(check, c.b, c.a).verdict, c.verdict);
    }
}

}  // namespace
}  // namespace capstan::similarity
