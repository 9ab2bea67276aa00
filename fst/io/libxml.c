/* libxml2 at the first need of it. */
#include "io/libxml.h"

#include <pthread.h>

#ifdef PFI_LIBXML_FILE

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

pfi_libxml_functions pfi_libxml;

static char trouble[300]; /* why it is not there; empty: it is */

/* An object pointer, as dlsym gives it, in a function pointer. */
static bool find(void *library, const char *name, void *to) {
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol;
}

static bool find_all(void *library) {
    bool all = library;
#define FIND(NAME) all = all && find(library, "xml" #NAME, &pfi_libxml.NAME);
    PFI_LIBXML_FUNCTIONS(FIND)
#undef FIND
    return all && find(library, "__xmlStructuredError", &pfi_libxml.structured) &&
           find(library, "__xmlGenericError", &pfi_libxml.generic) &&
           find(library, "__xmlStructuredErrorContext", &pfi_libxml.structured_self) &&
           find(library, "__xmlGenericErrorContext", &pfi_libxml.generic_self) && find(library, "xmlFree", &pfi_libxml.free);
}

static void start(void) {
    if (find_all(dlopen(PFI_LIBXML_FILE, RTLD_NOW | RTLD_LOCAL))) pfi_libxml.InitParser();
    else snprintf(trouble, sizeof trouble, "XML cannot be read without libxml2: %s", dlerror());
}

static pf_err started(void) { return *trouble ? pf_fail(PF_EIO, "%s", trouble) : PF_OK; }

#else

pfi_libxml_functions pfi_libxml = {
#define MEMBER(NAME) .NAME = xml##NAME,
    PFI_LIBXML_FUNCTIONS(MEMBER)
#undef MEMBER
    .structured = __xmlStructuredError,
    .generic = __xmlGenericError,
    .structured_self = __xmlStructuredErrorContext,
    .generic_self = __xmlGenericErrorContext,
    .free = &xmlFree,
};

static void start(void) { pfi_libxml.InitParser(); }
static pf_err started(void) { return PF_OK; }

#endif

/* It is not safe to start it in several threads at a time. */
pf_err pfi_libxml_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return started();
}
