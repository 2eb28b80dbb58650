// SPDX-License-Identifier: Apache-2.0
#include "layers/attributes.h"

#include <type_traits>
#include <utility>

namespace tessera {
namespace {

// How messages call the type of a value.
struct TypeName {
  const char* operator()(int64_t) const { return "an integer"; }
  const char* operator()(float) const { return "a float"; }
  const char* operator()(const std::string&) const { return "a string"; }
  const char* operator()(const Tensor&) const { return "a tensor"; }
  const char* operator()(const std::vector<int64_t>&) const { return "a list of integers"; }
  const char* operator()(const std::vector<float>&) const { return "a list of floats"; }
  const char* operator()(const std::vector<std::string>&) const { return "a list of strings"; }
};

}  // namespace

template <typename T>
std::optional<T> AttributeReader::read(std::string_view name) {
  seen_.emplace(name);
  const auto found = attributes_.find(name);
  if (found == attributes_.end()) return std::nullopt;
  if (const T* value = std::get_if<T>(&found->second)) return *value;
  errors_.push_back("attribute '" + std::string(name) + "' is " +
                    std::visit(TypeName(), found->second) + ", expected " + TypeName()(T()));
  return std::nullopt;
}

int64_t AttributeReader::integer(std::string_view name, int64_t default_value) {
  return read<int64_t>(name).value_or(default_value);
}

float AttributeReader::real(std::string_view name, float default_value) {
  return read<float>(name).value_or(default_value);
}

std::string AttributeReader::text(std::string_view name, std::string default_value) {
  return read<std::string>(name).value_or(std::move(default_value));
}

std::vector<int64_t> AttributeReader::integers(std::string_view name,
                                               std::vector<int64_t> default_value) {
  return read<std::vector<int64_t>>(name).value_or(std::move(default_value));
}

std::vector<float> AttributeReader::reals(std::string_view name, std::vector<float> default_value) {
  return read<std::vector<float>>(name).value_or(std::move(default_value));
}

std::optional<Tensor> AttributeReader::tensor(std::string_view name) { return read<Tensor>(name); }

void AttributeReader::require(std::string_view name) {
  if (!has(name))
    errors_.push_back("the required attribute '" + std::string(name) + "' is missing");
}

void AttributeReader::ignore(std::string_view name) { seen_.emplace(name); }

Status AttributeReader::finish() const {
  std::string message;
  const auto add_line = [&message](const std::string& line) {
    if (!message.empty()) message += "\n";
    message += line;
  };
  for (const std::string& error : errors_) add_line(error);
  for (const auto& [name, value] : attributes_) {
    if (!seen_.contains(name)) {
      add_line("attribute '" + name + "' does not belong to this operator at this opset");
    }
  }
  return message.empty() ? Status() : invalid_model(std::move(message));
}

}  // namespace tessera
