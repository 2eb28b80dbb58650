// SPDX-License-Identifier: Apache-2.0
#include "core/status.h"

#include <gtest/gtest.h>
#include <memory>

#include "core/status_list.h"

namespace tessera {
namespace {

TEST(Status, IsOkByDefault) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kOk);
  EXPECT_EQ(status.message(), "");
}

TEST(Status, CarriesCodeAndMessage) {
  const std::pair<Status, StatusCode> cases[] = {
      {invalid_argument("m"), StatusCode::kInvalidArgument},
      {not_found("m"), StatusCode::kNotFound},
      {invalid_model("m"), StatusCode::kInvalidModel},
      {unsupported("m"), StatusCode::kUnsupported},
      {out_of_memory("m"), StatusCode::kOutOfMemory},
      {unavailable("m"), StatusCode::kUnavailable},
      {io_error("m"), StatusCode::kIo},
      {internal_error("m"), StatusCode::kInternal},
  };
  for (const auto& [status, code] : cases) {
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.code(), code);
    EXPECT_EQ(status.message(), "m");
    EXPECT_STRNE(status_code_name(code), "UNKNOWN");
  }
}

TEST(Status, ContextComesFirstAndOnlyForErrors) {
  const Status status = io_error("disk full").with_context("out.csv");
  EXPECT_EQ(status.message(), "out.csv: disk full");
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_TRUE(Status().with_context("out.csv").ok());
  EXPECT_EQ(Status().with_context("out.csv").message(), "");
  EXPECT_EQ(io_error("one\ntwo").with_context("a\nb\n").message(), "a\\x0ab\\x0a: one\ntwo");
}

TEST(StatusList, IsOkWithoutProblems) {
  StatusList list;
  list.add(Status());
  list.add("a", Status());
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(list.status().ok());
  EXPECT_EQ(list.status().message(), "");
}

TEST(StatusList, KeepsTheFirstCodeAndGroupsByMessage) {
  StatusList list;
  list.add("a", unsupported("too big"));
  list.add(io_error("too big"));
  list.add("b", invalid_model("no input"));
  for (const char* place : {"c", "d", "e", "f"}) list.add(place, unsupported("too big"));
  EXPECT_EQ(list.status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(list.status().message(), "a, c, d and 2 more: too big\ntoo big\nb: no input");
}

TEST(StatusList, CountsProblemsThatDifferInQuotedNames) {
  StatusList list;
  for (char name = 'a'; name <= 'g'; ++name) {
    list.add("x", unsupported(std::string("reads '") + name + "' twice"));
  }
  EXPECT_EQ(list.status().message(),
            "x: reads 'a' twice\nx: reads 'b' twice\nx: reads 'c' twice\nx: reads 'd' twice\n"
            "x: reads 'e' twice\nand 2 more problems like the last");
}

Result<int> half(int value) {
  if (value % 2 != 0) return invalid_argument("odd");
  return value / 2;
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> value = half(14);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 7);
  EXPECT_TRUE(value.status().ok());
  const Result<int> error = half(7);
  EXPECT_FALSE(error.ok());
  EXPECT_EQ(error.status().code(), StatusCode::kInvalidArgument);
}

TEST(Result, MovesMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

Result<int> quarter(int value) {
  TESSERA_ASSIGN_OR_RETURN(const int once, half(value));
  TESSERA_ASSIGN_OR_RETURN(const int twice, half(once));
  return twice;
}

Status check_multiple_of_4(int value) {
  TESSERA_RETURN_IF_ERROR(quarter(value).status());
  return {};
}

TEST(StatusMacros, ReturnTheFirstError) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).status().message(), "odd");
  EXPECT_TRUE(check_multiple_of_4(8).ok());
  EXPECT_EQ(check_multiple_of_4(5).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tessera
