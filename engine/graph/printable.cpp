// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/printable.h"

#include <cstddef>
#include <cstdint>

namespace tessera {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

// Bytes of the well-formed UTF-8 sequence at the start of `text`, 0 when there is none.
size_t utf8_sequence_length(std::string_view text) {
  const auto byte = [&text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  // The second byte has a narrower range where the sequence would be overlong, a surrogate or
  // above U+10FFFF.
  const uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

void append_escaped(std::string& out, char character) {
  const auto byte = static_cast<uint8_t>(character);
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

// The controls of ASCII, and those from U+0080 to U+009F: terminals obey both.
bool begins_with_control(std::string_view text) {
  const auto byte = [&text](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (byte(0) == 0xc2) return text.size() >= 2 && byte(1) < 0xa0;
  return byte(0) < 0x20 || byte(0) == 0x7f;
}

// Moves the first character of `text` to `out`, escaped where it cannot be shown.
void take_character(std::string_view& text, std::string& out) {
  const size_t length = utf8_sequence_length(text);
  if (length == 0 || begins_with_control(text)) {
    append_escaped(out, text[0]);
    text.remove_prefix(1);
  } else {
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
}

bool begins_with_escape(std::string_view text) {
  return text.size() >= 4 && text.starts_with("\\x") &&
         text.substr(2, 2).find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace

std::string printable(std::string_view text, size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= max_bytes) return out + "...";
    take_character(text, out);
  }
  return out;
}

std::string escape_name(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    if (begins_with_escape(name)) {
      append_escaped(out, name[0]);
      name.remove_prefix(1);
    } else {
      take_character(name, out);
    }
  }
  return out;
}

std::string quote_name(std::string_view name) {
  std::string out = "'";
  out += printable(name);
  return out += "'";
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace tessera
