/* Calls: made, run, ended; and what they say. */
#include "toolcall.h"
#include "toolfst.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* ---- the parts of a call ---- */

const void *tool_options(const tool_call *call) { return call->options; }
const tool_common *tool_common_of(const tool_call *call) { return call->options; }

bool tool_is_wanted(void *call, uint64_t record) { return tool_in_ranges(&tool_common_of(call)->records, record); }

pf_err tool_records_met(void *call, uint64_t last) {
    const tool_ranges *ranges = &tool_common_of(call)->records;
    for (size_t i = 0; i < ranges->n; i++)
        if (ranges->at[i].first > last)
            return pf_fail(PF_EARG, "--records=%llu: the last record is %llu", (unsigned long long)ranges->at[i].first,
                           (unsigned long long)last);
    return PF_OK;
}

pf_err tool_text_ended(tool_call *call, uint64_t last) {
    assert(tool_common_of(call)->first_record > 0);
    PF_TRY(tool_records_met(call, last));
    if (last < tool_common_of(call)->first_record)
        tool_say(call, "warning: the input is empty: there are no %ss", tool_item_name(call));
    return PF_OK;
}

int tool_operands(const tool_call *call, const char *const **operands) {
    assert(call->form);
    int command = tool_command_length(call->form) > 0;
    *operands = call->operands + command;
    return call->n - command;
}

const char *tool_input_file(const tool_call *call) {
    const char *const *operands;
    return tool_operands(call, &operands) ? operands[0] : "-";
}

const tool_streams *tool_streams_of(const tool_call *call) { return &call->streams; }

int tool_form(const tool_call *call) {
    int i = 0;
    assert(call->form);
    while (call->program->forms[i] != call->form) assert(call->program->forms[i]), i++;
    return i;
}

bool tool_given(const tool_call *call, const char *name) {
    const tool_option *row = tool_find(call->program->options, name, strlen(name));
    assert(row);
    return call->given & tool_bit_of(call->program, row);
}

bool tool_colours(const tool_call *call) {
    const char *no_colour = getenv("NO_COLOR");
    return !tool_common_of(call)->output && !(no_colour && *no_colour) && isatty(call->streams.out);
}

/* ---- messages ---- */

void tool_say_into(tool_call *call, pf_writer *writer) {
    tool_thread *thread = tool_this_thread(call);
    if (thread) thread->collector = writer;
}

/* One that says its words at once needs no tool_thread. */
static pf_writer *collector_of(const tool_call *call) {
    const tool_thread *thread = call->begun ? pthread_getspecific(call->threads) : NULL;
    return thread ? thread->collector : NULL;
}

void tool_say(tool_call *call, const char *format, ...) {
    char words[1400], line[sizeof words + 60];
    pf_writer *collector = collector_of(call);
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    if (collector && !pf_writer_text(collector, "%s: %s\n", call->program->name, words)) return;
    snprintf(line, sizeof line, "%s: %s", call->program->name, words);
    tool_line(call, line);
}

void tool_said(tool_call *call, const pf_writer *writer) {
    size_t count;
    const char *at = (const char *)pf_writer_bytes(writer, &count), *end = at + count;
    for (const char *lf; at < end && (lf = memchr(at, '\n', (size_t)(end - at))); at = lf + 1) {
        char line[TOOL_LINE];
        snprintf(line, sizeof line, "%.*s", (int)(lf - at), at);
        tool_line(call, line);
    }
}

void tool_say_left_out(tool_call *call, const tool_left_out *all, size_t count) {
    char words[1000];
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof words; i++)
        if (all[i].n)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s: %llu", used ? "; " : "", all[i].what,
                                     (unsigned long long)all[i].n);
    if (used) tool_say(call, "left out: %s", words);
}

int tool_trouble(tool_call *call) {
    tool_say(call, "%s", pf_message());
    return TOOL_TROUBLE;
}

int tool_status(tool_call *call, pf_err err, bool no) {
    if (err) return tool_trouble(call);
    return call->failed ? TOOL_TROUBLE : no ? TOOL_NO : TOOL_DONE;
}

void tool_failed(tool_call *call) { call->failed = true; }

void tool_warn(void *call, const char *words) { tool_say(call, "warning: %s", words); }
void tool_say_words(void *call, const char *words) { tool_say(call, "%s", words); }

void tool_list_add(tool_list *list, const char *format, ...) {
    size_t room = sizeof list->text - 3; /* " or " is longer */
    va_list ap;
    if (list->used >= room) return;
    if (list->used) {
        list->last = list->used;
        list->used += (size_t)snprintf(list->text + list->used, room - list->used, ", ");
    }
    va_start(ap, format);
    if (list->used < room) list->used += (size_t)vsnprintf(list->text + list->used, room - list->used, format, ap);
    va_end(ap);
    if (list->used >= room) list->used = room - 1;
}

const char *tool_list_text(tool_list *list) {
    char *at = list->text + list->last;
    if (!list->last) return list->text;
    memmove(at + 4, at + 2, strlen(at + 2) + 1);
    memcpy(at, " or ", 4);
    return list->text;
}

/* ---- calls ---- */

tool_thread *tool_this_thread(tool_call *call) {
    assert(call->begun);
    tool_thread *thread = pthread_getspecific(call->threads);
    if (thread) return thread;
    thread = calloc(1, sizeof *thread);
    if (!thread || pthread_setspecific(call->threads, thread) == 0) return thread;
    free(thread);
    return NULL;
}

static bool begin(tool_call *call, int count) {
    size_t size = call->program->size ? call->program->size : sizeof(tool_common);
    assert(size >= sizeof(tool_common) && call->program->run && call->program->forms[0] && count >= 0);
    call->options = calloc(1, size);
    call->operands = calloc((size_t)count + 1, sizeof *call->operands);
    call->begun = call->options && call->operands && pthread_key_create(&call->threads, free) == 0;
    if (!call->begun) return false;
    if (call->program->defaults) memcpy(call->options, call->program->defaults, size);
    tool_progress_begin(&call->progress);
    return true;
}

/* The other threads of the call have ended, and what they had with them. */
static void end(tool_call *call) {
    if (call->begun) {
        free(pthread_getspecific(call->threads));
        pthread_key_delete(call->threads);
    }
    pf_symtab_free(call->input.isyms);
    pf_symtab_free(call->input.osyms);
    free(call->operands);
    free(call->options);
}

static int run(tool_call *call, int count, const char *const *arguments, bool watched) {
    int parsed = tool_parse(call, count, arguments);
    if (parsed) return parsed < 0 ? TOOL_TROUBLE : TOOL_DONE;
    if (watched) tool_watch_begin(call);
    int status = call->program->run(call);
    if (watched) tool_watch_end(call);
    return status;
}

static int begin_and_run(tool_call *call, int count, const char *const *arguments, bool watched) {
    int status = TOOL_TROUBLE;
    if (begin(call, count)) status = run(call, count, arguments, watched);
    else tool_say(call, "out of memory");
    end(call);
    return status;
}

int tool_run(const tool *program, int count, const char *const *arguments, tool_streams streams) {
    tool_call call = {.program = program, .streams = streams};
    return begin_and_run(&call, count, arguments, false);
}

/* A standard descriptor that is closed would be given to the next file that is opened, and messages would land there. It
 * is filled so that using it still fails. */
static void fill_standard_descriptors(void) {
    static const int useless[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", useless[fd]);
}

/* What one record gives back is kept for the next one. The C library would return it to the system, and clear it when it is asked
 * for again: an eighth of the time of a chart. */
static void keep_memory(void) {
#ifdef __GLIBC__
    enum { MOST_KEPT = 1 << 27, MOST_IN_HEAP = 1 << 25 };
    mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
    mallopt(M_MMAP_THRESHOLD, MOST_IN_HEAP);
#endif
}

static pf_err print_table(void *call, pf_writer *writer) { return tool_print_table(((const tool_call *)call)->program, writer); }

/* Some file systems say only now that the disk is full. */
static int close_output(tool_call *call, int status) {
    if (close(call->streams.out) == 0) return status;
    tool_say(call, "standard output: %s", strerror(errno));
    return TOOL_TROUBLE;
}

int tool_main(const tool *program, int argc, char **argv) {
    tool_call call = {.program = program, .streams = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}};
    fill_standard_descriptors();
    if (argc == 2 && strcmp(argv[1], "--option-table") == 0)
        return toolfst_print(&call, print_table, &call) ? tool_trouble(&call) : TOOL_DONE;
    keep_memory();
    tool_watch_signals();
    return close_output(&call, begin_and_run(&call, argc ? argc - 1 : 0, (const char *const *)argv + !!argc, true));
}
