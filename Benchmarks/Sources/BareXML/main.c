// libxml2's push parser over a file, 64 KiB at a time, with handlers that only count: the least that reading an
// Apple Health export can cost. The export's DTD is passed over: in some versions of iOS it is broken, and libxml2 stops
// there.
//
//     BareXML FILE
#include <libxml/parser.h>
#include <stdio.h>
#include <string.h>

static long elements, attributes;

static void start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                  const xmlChar **namespace, int count, int defaulted, const xmlChar **values) {
    (void)context, (void)name, (void)prefix, (void)uri, (void)namespaces, (void)namespace, (void)defaulted;
    (void)values;
    elements += 1;
    attributes += count;
}

int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: BareXML FILE\n");
        return 64;
    }
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = start;
    xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL);
    xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_RECOVER);
    static char chunk[1 << 16];
    size_t length = fread(chunk, 1, sizeof chunk - 1, file);
    chunk[length] = 0;
    char *begin = strstr(chunk, "<!DOCTYPE") ? strstr(chunk, "]>") : NULL;
    begin = begin ? begin + 2 : chunk;
    xmlParseChunk(parser, begin, (int)(chunk + length - begin), 0);
    while ((length = fread(chunk, 1, sizeof chunk, file)) > 0) { xmlParseChunk(parser, chunk, (int)length, 0); }
    xmlParseChunk(parser, chunk, 0, 1);
    xmlFreeParserCtxt(parser);
    fclose(file);
    printf("%ld elements, %ld attributes\n", elements, attributes);
    return elements > 0 ? 0 : 1;
}
