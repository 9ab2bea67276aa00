/* Records are printed by the threads that work on them; what stands between two of them depends on their order. */
#include <permfst/verbs/printer.h>

#include <permfst/io/xml.h>

#include <stdio.h>

static pf_print_options options_of(const pf_printer *printer, const pf_record *record) {
    pf_print_options how = printer->how;
    how.record = record->record;
    how.self = record->call;
    return how;
}

static pf_err print(void *self, pf_record *record) {
    const pf_printer *printer = self;
    const pf_print_options how = options_of(printer, record);
    char words[60];
    bool no_path;
    PF_TRY(pf_expr_print(record->in, &how, record->text, &no_path));
    if (!no_path) return PF_OK;
    snprintf(words, sizeof words, "record %llu has no path", (unsigned long long)record->record);
    if (printer->say) printer->say(record->call, words);
    record->own = record; /* a mark */
    return PF_OK;
}

/* Do automata of this form stand below one another? */
static bool is_listed(pf_print_form form) {
    return form != PF_PRINT_DOT && form != PF_PRINT_SVG && form != PF_PRINT_PLF && form != PF_PRINT_XML;
}

static pf_err put_between(pf_printer *printer, const pf_record *record) {
    if (printer->how.form == PF_PRINT_SVG && printer->pictures++)
        return pf_fail(PF_EARG, "a picture shows one record, and there are more: take one of them (--records=%llu)",
                       (unsigned long long)record->record);
    if (!pf_print_as_automaton(&printer->how, record->in) || !is_listed(printer->how.form)) return PF_OK;
    if (printer->separate) PF_TRY(pf_writer_put(printer->writer, "\n", 1));
    printer->separate = true;
    return PF_OK;
}

static pf_err put(void *self, pf_record *record) {
    pf_printer *printer = self;
    const pf_print_options how = options_of(printer, record);
    if (record->own) printer->no_path = true;
    PF_TRY(put_between(printer, record));
    if (record->failed) PF_TRY(pf_print_nothing(&how, record->in, printer->writer));
    return pf_record_put_text(record, "", printer->writer);
}

const pf_record_steps pf_printer_steps = {.work = print, .finish = put, .text = true};

pf_err pf_printer_begin(const pf_printer *printer) {
    const pf_table columns = pf_print_columns(&printer->how);
    if (printer->how.form == PF_PRINT_LINES) return pf_table_heading(&columns, printer->writer);
    return printer->how.form == PF_PRINT_XML ? pf_xml_begin(printer->writer) : PF_OK;
}

pf_err pf_printer_end(const pf_printer *printer) {
    return printer->how.form == PF_PRINT_XML ? pf_xml_end(printer->writer) : PF_OK;
}
