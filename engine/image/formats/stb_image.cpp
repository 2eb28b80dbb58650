// SPDX-License-Identifier: Apache-2.0
// The body of the one-header library, apart from the code that calls it: its warnings are not ours.
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>
