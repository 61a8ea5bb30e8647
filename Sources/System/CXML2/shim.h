// ICU's headers, which libxml2's include for one private field, clash with those of Foundation. Nothing here needs them.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/SAX2.h>
#include <libxml/xmlerror.h>

// xmlFree is a mutable C global, which Swift 6 refuses to touch directly.
static inline void shim_xmlFree(void *pointer) { xmlFree(pointer); }
