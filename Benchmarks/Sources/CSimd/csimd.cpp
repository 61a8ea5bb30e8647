#include "csimd.h"
#include <simdjson.h>
#include <string>
#include <vector>

struct csimd_parser {
    simdjson::dom::parser parser;
    std::vector<char> output;
};

extern "C" csimd_parser *csimd_make(void) { return new csimd_parser; }

extern "C" long csimd_parse_write(csimd_parser *self, const uint8_t *text, size_t length) {
    simdjson::dom::element document;
    if (self->parser.parse(text, length).get(document)) { return -1; }
    std::string written = simdjson::minify(document);
    return (long)written.size();
}

extern "C" long csimd_parse_minify(csimd_parser *self, const uint8_t *text, size_t length) {
    simdjson::dom::element document;
    if (self->parser.parse(text, length).get(document)) { return -1; }
    self->output.resize(length + simdjson::SIMDJSON_PADDING);
    size_t written = 0;
    if (simdjson::minify((const char *)text, length, self->output.data(), written)) { return -1; }
    return (long)written;
}
