// SPDX-License-Identifier: Apache-2.0
#include "engine/image/natural_order.h"

#include <algorithm>

namespace tessera {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the digits at the front of `text` away and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
  const size_t end =
      static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view rest_a = a;
  std::string_view rest_b = b;
  while (!rest_a.empty() && !rest_b.empty()) {
    if (is_digit(rest_a.front()) && is_digit(rest_b.front())) {
      const std::string_view number_a = take_number(rest_a);
      const std::string_view number_b = take_number(rest_b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      continue;
    }
    if (rest_a.front() != rest_b.front()) {
      return static_cast<unsigned char>(rest_a.front()) <
             static_cast<unsigned char>(rest_b.front());
    }
    rest_a.remove_prefix(1);
    rest_b.remove_prefix(1);
  }
  if (rest_a.empty() != rest_b.empty()) return rest_a.empty();
  return a < b;
}

}  // namespace tessera
