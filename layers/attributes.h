// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/status.h"
#include "core/tensor.h"

namespace tessera {

using AttributeValue = std::variant<int64_t, float, std::string, Tensor, std::vector<int64_t>,
                                    std::vector<float>, std::vector<std::string>>;

// The attributes of one node, by name.
using Attributes = std::map<std::string, AttributeValue, std::less<>>;

// Reads the attributes of a node into a layer's own struct. Each getter gives the default when the
// attribute is absent; a value of another type is remembered as an error. finish() returns all
// errors at once, attributes that nobody asked for included: an attribute that a layer does not
// know changes what the node means.
class AttributeReader {
 public:
  explicit AttributeReader(const Attributes& attributes) : attributes_(attributes) {}

  [[nodiscard]] bool has(std::string_view name) const { return attributes_.contains(name); }
  int64_t integer(std::string_view name, int64_t default_value);
  float real(std::string_view name, float default_value);
  std::string text(std::string_view name, std::string default_value);
  std::vector<int64_t> integers(std::string_view name, std::vector<int64_t> default_value = {});
  std::vector<float> reals(std::string_view name, std::vector<float> default_value = {});
  std::optional<Tensor> tensor(std::string_view name);
  // Remembers an error when the attribute is absent.
  void require(std::string_view name);
  // Accepts an attribute that has no effect on inference (momentum, consumed_inputs, ...).
  void ignore(std::string_view name);

  // kInvalidModel with one line per problem.
  [[nodiscard]] Status finish() const;

 private:
  template <typename T>
  std::optional<T> read(std::string_view name);

  const Attributes& attributes_;
  std::set<std::string, std::less<>> seen_;
  std::vector<std::string> errors_;
};

}  // namespace tessera
