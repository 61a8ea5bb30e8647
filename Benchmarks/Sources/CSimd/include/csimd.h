#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csimd_parser csimd_parser;

/// A parser to use again and again.
csimd_parser *csimd_make(void);

/// Parses a text into simdjson's document and writes that out without spaces.
/// Returns the number of bytes written, or -1 where the text is refused.
long csimd_parse_write(csimd_parser *parser, const uint8_t *text, size_t length);

/// Parses a text into simdjson's document, then drops the spaces of the text itself (simdjson::minify on bytes).
/// Returns the number of bytes written, or -1 where the text is refused.
long csimd_parse_minify(csimd_parser *parser, const uint8_t *text, size_t length);

#ifdef __cplusplus
}
#endif
