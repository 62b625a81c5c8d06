#include <capstan/testing/fake_environment.hpp>

#include <gmock/gmock.h>

#include <capstan/testing/run_task.hpp>

namespace {

using capstan::Error;
using capstan::ErrorCode;
using capstan::Variables;
using capstan::testing::FakeEnvironment;
using capstan::testing::FakeHost;
using capstan::testing::run;
using ::testing::ElementsAre;

TEST(FakeEnvironment, HasTheGivenVariablesAndFiles) {
    FakeHost host;
    FakeEnvironment environment;
    environment.set["HOME"] = "/h";
    environment.files["/h/token"] = "t";
    environment.refused["/h/key"] = {ErrorCode::permission, "permission denied"};
    EXPECT_EQ(run(host, environment.variables()), (Variables{{"HOME", "/h"}}));
    EXPECT_EQ(run(host, environment.read_file("/h/token")), "t");
    EXPECT_EQ(run(host, environment.read_file("/h/key")).error().code, ErrorCode::permission);
    EXPECT_EQ(run(host, environment.read_file("/h/none")).error(),
              (Error{ErrorCode::not_found, "\"/h/none\": no such file"}));
    EXPECT_THAT(environment.reads, ElementsAre("/h/token", "/h/key", "/h/none"));
}

}  // namespace
