#include "cases.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/builders.hpp>
#include <capstan/testing/fake_settings.hpp>

#include "labels.hpp"

namespace capstan::similarity {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LabelsCases, MatchTheTableInBothDirections) {
    const std::vector<tests::SimilarityCase> cases = tests::similarity_cases("labels");
    ASSERT_GT(cases.size(), 15u);
    for (const tests::SimilarityCase& c : cases) {
        SCOPED_TRACE(c.title);
        testing::FakeSettings settings(labels_schema());
        settings.set_all(c.settings);
        check_labels(settings.view());
        EXPECT_THAT(settings.rejections(), IsEmpty());
        const LabelsCheck check(read_labels(settings.view()));
        const Similarity response = testing::similar(check, c.a, c.b);
        EXPECT_EQ(response.verdict, c.verdict) << response.because;
        EXPECT_THAT(response.because, HasSubstr(c.because));
        EXPECT_EQ(testing::similar(check, c.b, c.a).verdict, c.verdict);
    }
}

}  // namespace
}  // namespace capstan::similarity
