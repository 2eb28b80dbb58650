// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace tessera {

// What kind of thing went wrong. The command line maps each code to one exit code (docs/cli.md).
enum class StatusCode {
  kOk,
  kInvalidArgument,  // the caller asked for something that makes no sense: a bad flag, a bad size
  kNotFound,         // a file or folder that the caller named is not there or cannot be read
  kInvalidModel,     // the model file is broken or contradicts itself
  kUnsupported,      // a valid request that this build, device or kernel cannot carry out
  kOutOfMemory,      // more memory was asked for than there is
  kUnavailable,      // a device, driver or library is missing
  kIo,               // reading or writing failed after a successful open: disk full, broken pipe
  kInternal,         // a defect of this program
};

// "OK", "INVALID_MODEL", ...
const char* status_code_name(StatusCode code);

// The outcome of an operation that a file, a user or a device can make fail. The message names
// what was found, where, and what to do about it; it may hold several lines when there are several
// problems. Cheap to move; an OK status allocates nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  [[nodiscard]] bool ok() const { return code_ == StatusCode::kOk; }
  [[nodiscard]] StatusCode code() const { return code_; }
  [[nodiscard]] const std::string& message() const { return message_; }

  // The same status with `context` and ": " put before the message; an OK status stays as it is.
  [[nodiscard]] Status with_context(const std::string& context) const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

Status invalid_argument(std::string message);
Status not_found(std::string message);
Status invalid_model(std::string message);
Status unsupported(std::string message);
Status out_of_memory(std::string message);
Status unavailable(std::string message);
Status io_error(std::string message);
Status internal_error(std::string message);

// Either a value or the status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}        // NOLINT(google-explicit-constructor)
  Result(Status status) : state_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    assert(!std::get<Status>(state_).ok() && "a Result without a value needs an error");
  }

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }
  [[nodiscard]] Status status() const { return ok() ? Status() : std::get<Status>(state_); }

  // Requires: ok().
  [[nodiscard]] const T& value() const& { return std::get<T>(state_); }
  [[nodiscard]] T& value() & { return std::get<T>(state_); }
  [[nodiscard]] T&& value() && { return std::get<T>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace tessera

// Returns the status of `expression` from the enclosing function unless it is OK.
#define TESSERA_RETURN_IF_ERROR(expression)                                                     \
  do {                                                                                          \
    if (::tessera::Status status_or_ok = (expression); !status_or_ok.ok()) return status_or_ok; \
  } while (false)

#define TESSERA_CONCAT_INNER(a, b) a##b
#define TESSERA_CONCAT(a, b) TESSERA_CONCAT_INNER(a, b)

// `TESSERA_ASSIGN_OR_RETURN(auto x, make_x());` declares x, or returns the error of make_x().
#define TESSERA_ASSIGN_OR_RETURN(declaration, expression) \
  TESSERA_ASSIGN_OR_RETURN_IMPL(TESSERA_CONCAT(result_, __COUNTER__), declaration, expression)
#define TESSERA_ASSIGN_OR_RETURN_IMPL(result, declaration, expression) \
  auto result = (expression);                                          \
  if (!result.ok()) return result.status();                            \
  declaration = std::move(result).value()
