/* Prints a stream of records: each of them, and what goes before, between and after them. The verb of permprint.
 *
 * A record costs O(1) beside its reading and what pf_expr_print does.
 *
 *   pf_printer printer = {.how = options, .writer = writer};
 *   pf_printer_begin(&printer);
 *   pf_records_new(&pf_printer_steps, &printer, &options_of_records, &records); pf_records_read(records, source);
 *   pf_records_end(records, PF_OK, NULL); pf_printer_end(&printer); */
#ifndef PF_VERBS_PRINTER_H
#define PF_VERBS_PRINTER_H

#include <permfst/ops/records.h>
#include <permfst/verbs/print.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The `self` of the steps. All but the last members is set before the first record. */
typedef struct {
    pf_print_options how; /* of each record, but for its number; the `self` of its progress is the record's call */
    pf_writer *writer;    /* borrowed */
    void (*say)(void *call, const char *words); /* by the thread that works: a record has no path. NULL: nobody wants it */
    bool no_path;         /* out: a record has none */
    bool separate;        /* an automaton was printed: a blank line goes before the next one */
    uint64_t pictures;    /* written so far */
} pf_printer;

/* Steps of records (ops/records.h), which put nothing anywhere else. A record that failed is printed as pf_print_nothing does. The
 * errors of pf_expr_print; PF_EARG: a second record is to be drawn, and a picture is a document. */
extern const pf_record_steps pf_printer_steps;

/* Writes what goes before the first record, and after the last one: the heading of lines, the document of XML. Errors of the
 * writer. O(1). */
pf_err pf_printer_begin(const pf_printer *printer);
pf_err pf_printer_end(const pf_printer *printer);

#ifdef __cplusplus
}
#endif
#endif
