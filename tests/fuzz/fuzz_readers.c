/* Fuzzing of everything that reads what others wrote: a target for libFuzzer. tests/fuzz/run builds it, makes seeds and runs
 * it for a minute, FUZZ_SECONDS=600 tests/fuzz/run for ten. By hand:
 *
 *   clang -g -O1 -std=c11 -D_GNU_SOURCE -Iinclude -Ifst -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_readers.c \
 *       tests/fuzz/fuzz_spaces.c tests/fuzz/fuzz_searches.c tests/fuzz/fuzz_learners.c tests/oracle.c $(find fst -name '*.c') \
 *       $(pkg-config --cflags --libs libxml-2.0 zlib) -lgmp -lm -o fuzz_readers
 *   ./fuzz_readers -max_len=8192 CORPUS < /dev/null
 *   ./fuzz_readers INPUT                               one input again
 *
 * The first byte of an input chooses the reader (`readers` below), the rest is what it reads. An error is as good an answer
 * as any. What is accepted is used a little and written, and what was written must be read again. */
#include "fuzz.h"

#include <permfst/base/crc.h>
#include <permfst/base/hash.h>
#include <permfst/chart/tree.h>
#include <permfst/draw/automaton.h>
#include <permfst/draw/order.h>
#include <permfst/io/docs.h>
#include <permfst/io/markup.h>
#include <permfst/io/plf.h>
#include <permfst/io/slf.h>
#include <permfst/io/stream.h>
#include <permfst/io/text.h>
#include <permfst/io/xml.h>
#include <permfst/learn/feature_map.h>
#include <permfst/metric/tokens.h>
#include <permfst/model/tuplemodel.h>
#include <permfst/ops/expand.h>
#include <permfst/ops/open.h>
#include <permfst/align/draw.h>
#include <permfst/align/format.h>
#include <permfst/chart/spans.h>
#include <permfst/align/evaluate.h>
#include <permfst/tuples/monotonize.h>
#include <permfst/rules/lattice.h>
#include <permfst/rules/map.h>
#include <permfst/align/symmetrize.h>
#include <permfst/tuples/write.h>
#include <permfst/tuples/unfold.h>
#include <permfst/search/best.h>
#include <permfst/shell/shell.h>
#include <permfst/tree/reorder.h>
#include <permfst/tree/treebank.h>
#include <permfst/tree/write.h>
#include <permfst/verbs/intact.h>

#include "io/frame.h"

#include <string.h>

enum { MAX_STEPS = 20, MAX_WRITTEN = 10000, MAX_COSTS = 10000, MOST_REPAIRED = 1 << 20 };

void fuzz_use_model(const pf_model *model) {
    pf_label last = pf_symtab_largest(model->cls->words(model->self));
    pf_scorer by;
    pf_fst *fst;
    MUST(!pf_scorer_of(model, &by));
    pf_state state = by.cls->start(&by);
    for (pf_label i = 0; i < MAX_STEPS; i++) {
        by.cls->final(&by, state);
        by.cls->step(&by, state, 1 + 7 * i % last, &state);
    }
    pf_scorer_end(&by);
    if (!model->cls->expand(model->self, PF_EPSILON, NULL, &fst)) pf_fst_free(fst);
}

/* Whatever is whole can be drawn, with any answer as its best path; an order only of an answer that has one. */
static void draw(pf_fst *whole, const pf_answer *best) {
    pf_fst *kept = NULL;
    pf_writer *writer;
    pf_draw_options how = {.record = 1, .best = best};
    MUST(!pf_writer_memory(&writer));
    if (best->paths.n) MUST(!pf_answer_fst(best, &kept));
    MUST(!pf_draw_dot(writer, whole, &how));
    how.kept = kept;
    MUST(!pf_draw_automaton(writer, whole, &how));
    for (size_t rank = 0; rank < best->paths.n; rank++) {
        pf_draw_diff(writer, best, rank, false, true);
        pf_draw_order(writer, best, rank, false);
        pf_draw_itg_tree(writer, best, rank, false, false);
    }
    pf_fst_free(kept);
    pf_writer_free(writer);
}

void fuzz_use_fst(pf_fst *fst) {
    enum { MAX_DRAWN = 100, MAX_ARCS = 1000 };
    pf_fst *whole = NULL;
    pf_answer answer = {0};
    if (pf_expand(fst, FUZZ_MAX_STATES, &whole)) whole = NULL;
    if (pf_best(fst, &(pf_best_options){.n = 2, .max_states = FUZZ_MAX_STATES}, &answer)) answer = (pf_answer){0};
    if (whole && pf_fst_states(whole) <= MAX_DRAWN && whole->narcs <= MAX_ARCS) draw(whole, &answer);
    pf_answer_free(&answer);
    pf_fst_free(whole);
}

/* The readers: each reads `r` to its end or an error, writes to `w` what it has accepted, and returns how much that was.
 * `variant` counts through the options there are. */

static void store(unsigned char *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(value >> 8 * i);
}

static size_t next_frame(const unsigned char *at, size_t n, size_t from) {
    while (from + PFI_FRAME_BYTES <= n && !pfi_frame_is(at + from, n - from)) from++;
    return from + PFI_FRAME_BYTES <= n ? from : n;
}

/* Makes the checksums of a stream right: else what comes after them would not be tried. A content reaches to the next frame. */
static void repair(unsigned char *at, size_t n) {
    size_t begin = 0;
    for (size_t i = next_frame(at, n, 0), next; i < n; i = next) {
        next = next_frame(at, n, i + PFI_FRAME_BYTES);
        bool seal = at[i + 12] == PFI_SEAL, end = at[i + 12] == PFI_END;
        size_t from = seal ? begin : i + PFI_FRAME_BYTES, length = end ? 0 : seal ? i - begin : next - from;
        store(at + i + 24, length, 8);
        store(at + i + 32, pf_crc32c(0, at + from, length), 4);
        store(at + i + 36, pf_crc32c(0, at + i, 36), 4);
        begin = seal || end ? i + PFI_FRAME_BYTES : next;
    }
}

/* All that is left, repaired; *bytes is to be freed after the reader. */
static pf_reader *repaired(pf_reader *reader, unsigned char **bytes) {
    const unsigned char *at;
    size_t n;
    pf_reader *out;
    if (pf_reader_peek(reader, MOST_REPAIRED, &at, &n)) n = 0; /* packed data that are damaged */
    MUST((*bytes = malloc(n + 1)));
    if (!n) at = *bytes;
    memcpy(*bytes, at, n);
    repair(*bytes, n);
    MUST(!pf_reader_memory(*bytes, n, "repaired", &out));
    return out;
}

/* The next record, if need be after damage; NULL at the end. */
static pf_expr *next_record(pf_stream_reader *in, bool resumes) {
    pf_stream_loss loss = {.resumed = true};
    pf_expr *expr = NULL;
    while (pf_stream_next(in, &expr)) {
        uint64_t before = loss.to;
        if (!resumes || pf_stream_resume(in, &loss) || !loss.resumed) return NULL;
        MUST(loss.to >= loss.from && loss.to >= before);
    }
    return expr;
}

bool fuzz_remembers;

/* Were there these bytes before? The table keeps hashes of 64 bits, until it is half full. */
static bool seen_before(const unsigned char *bytes, size_t n) {
    enum { SLOTS = 1 << 16 };
    static uint64_t seen[SLOTS];
    static size_t count;
    if (!fuzz_remembers) return false;
    uint64_t hash = pf_hash(bytes, n, 0) | 1;
    size_t i = hash >> 48;
    while (seen[i] && seen[i] != hash) i = (i + 1) % SLOTS;
    if (seen[i]) return true;
    if (count < SLOTS / 2) seen[i] = hash, count++;
    return false;
}

static void use_record(pf_expr *expr) {
    pf_opened *opened;
    const pf_model *model;
    pf_intact_counts counts = {0};
    (void)pf_expr_intact(expr, &counts);
    if (expr->kind == PF_EXPR_MODEL && !pf_open_model(expr->shared, &model)) fuzz_use_model(model);
    if (!pf_open(expr, &opened)) fuzz_use_fst(pf_opened_fst(opened));
    pf_opened_free(opened);
}

enum { AS_IT_IS, RESUMED, REPAIRED, RECORD_VARIANTS };

/* The first writing of a record says whether it was used before. The second one comes after its use, which changes nothing. */
static size_t records(pf_reader *reader, pf_writer *writer, unsigned variant) {
    size_t n = 0, from, to;
    pf_stream_reader *in;
    pf_stream_writer *out, *first;
    pf_writer *unused;
    unsigned char *bytes = NULL;
    pf_reader *own = variant == REPAIRED ? repaired(reader, &bytes) : NULL;
    MUST(!pf_stream_reader_new(own ? own : reader, 1, &in));
    MUST(!pf_stream_writer_new(writer, PF_AS_RECORDS, &out));
    MUST(!pf_writer_memory(&unused) && !pf_stream_writer_new(unused, PF_AS_RECORDS, &first));
    if (variant == RESUMED) pf_stream_reader_resumes(in);
    for (pf_expr *expr; (expr = next_record(in, variant == RESUMED));) {
        pf_writer_bytes(unused, &from);
        MUST(!pf_stream_put(first, expr, ++n));
        const unsigned char *written = pf_writer_bytes(unused, &to);
        if (!seen_before(written + from, to - from)) use_record(expr);
        MUST(!pf_stream_put(out, expr, n));
        pf_expr_free(expr);
    }
    MUST(!pf_stream_end(first) && !pf_stream_end(out));
    const unsigned char *before = pf_writer_bytes(unused, &from), *after = pf_writer_bytes(writer, &to);
    MUST(from == to && (!to || memcmp(before, after, to) == 0));
    pf_stream_writer_free(out);
    pf_stream_writer_free(first);
    pf_writer_free(unused);
    pf_stream_reader_free(in);
    pf_reader_free(own);
    free(bytes);
    return n;
}

/* ARPA text, or the bytes that a model is written as; a record has these only under their hash. */
static size_t models(pf_reader *reader, pf_writer *writer, unsigned variant) {
    pf_model model = {&pf_ngram_class, NULL};
    if (variant ? pf_ngram_read_arpa(reader, NULL, NULL, &model) : model.cls->read(reader, &model.self)) return 0;
    fuzz_use_model(&model);
    MUST(!model.cls->write(model.self, writer));
    pf_model_free(&model);
    return 1;
}

/* ARPA text of tuples; with a variant few of them are read. */
static size_t tuple_models(pf_reader *reader, pf_writer *writer PF_UNUSED, unsigned variant) {
    pf_model model;
    if (pf_tuplemodel_read_arpa(reader, &(pf_tuple_options){.pass = 5, .most = variant}, NULL, NULL, &model)) return 0;
    fuzz_use_model(&model);
    pf_model_free(&model);
    return 1;
}

static size_t text(pf_reader *reader, pf_writer *writer, unsigned variant) {
    pf_text_options options = {.acceptor = variant & 1, .many = variant & 2, .keep_numbering = variant & 4};
    size_t n = 0;
    pf_fst *fst;
    while ((options.many || !n) && !pf_text_read(reader, &options, &fst) && fst) {
        if (fst->state.n > MAX_WRITTEN) { /* with keep_numbering: not worth the time */
            pf_fst_free(fst);
            break;
        }
        MUST(!pf_text_write(writer, fst, options.acceptor, true));
        MUST(!options.many || !pf_writer_text(writer, "\n"));
        pf_fst_free(fst);
        n++;
    }
    return n;
}

static size_t symbols(pf_reader *reader, pf_writer *writer, unsigned variant PF_UNUSED) {
    pf_symtab *table;
    if (pf_symtab_read_text(reader, &table)) return 0;
    size_t n = pf_symtab_count(table);
    for (size_t i = 0, length; i < n; i++) {
        pf_label label;
        const char *symbol = pf_symtab_at(table, i, &length, &label);
        MUST(!pf_writer_put(writer, symbol, length) && !pf_writer_text(writer, "\t%d\n", label));
    }
    pf_symtab_free(table);
    return n;
}

static size_t xml(pf_reader *reader, pf_writer *writer, unsigned variant PF_UNUSED) {
    size_t n = 0;
    pf_xml_reader *in = NULL;
    pf_expr *expr;
    MUST(!pf_xml_begin(writer));
    for (pf_err err = pf_xml_reader_new(reader, &in); !err && !(err = pf_xml_next(in, &expr)) && expr; n++) {
        if (expr->kind == PF_EXPR_BEST) MUST(!pf_xml_answer(writer, expr->answer, expr->name));
        else MUST(!pf_xml_fst(writer, expr->fst, expr->name));
        pf_expr_free(expr);
    }
    MUST(!pf_xml_end(writer));
    pf_xml_reader_free(in);
    return n;
}

static void put_word(pf_writer *writer, const pf_sentence *sentence, size_t i) {
    size_t n;
    const char *word = pf_sentence_word(sentence, i, &n);
    for (size_t k = 0; k < n; k++) {
        const char *mark = word[k] == '<' ? "&lt;" : word[k] == '>' ? "&gt;" : word[k] == '&' ? "&amp;" : NULL;
        if (mark) MUST(!pf_writer_text(writer, "%s", mark));
        else MUST(!pf_writer_put(writer, word + k, 1));
    }
}

/* Writes the marks after the words up to `at`: zones end, a wall, zones begin. */
static void put_marks(pf_writer *writer, const pf_sentence *sentence, uint32_t at) {
    for (size_t i = sentence->zone.n; i--;)
        if (sentence->zone.at[i].last == at) MUST(!pf_writer_text(writer, "</zone>"));
    for (size_t i = 0; i < sentence->wall.n; i++)
        if (sentence->wall.at[i].at == at) MUST(!pf_writer_text(writer, "<wall/>"));
    for (size_t i = 0; i < sentence->zone.n; i++)
        if (sentence->zone.at[i].first == at + 1) MUST(!pf_writer_text(writer, "<zone monotone=\"%d\">",
                                                                       sentence->zone.at[i].unit));
}

static size_t markup(pf_reader *reader, pf_writer *writer, unsigned variant) {
    pf_sentence sentence = {.at_punctuation = variant};
    size_t n = 0, length;
    for (char *line; !pf_reader_line(reader, &line, &length) && line && !pf_sentence_markup(&sentence, line, length);) {
        for (uint32_t i = 0; i < sentence.end.n; i++) {
            put_marks(writer, &sentence, i);
            put_word(writer, &sentence, i);
            MUST(!pf_writer_text(writer, " "));
        }
        put_marks(writer, &sentence, (uint32_t)sentence.end.n);
        MUST(!pf_writer_text(writer, "\n"));
        n += 1 + sentence.end.n + sentence.zone.n + sentence.wall.n;
    }
    pf_sentence_free(&sentence);
    return n;
}

/* Scores are written as logarithms, which hold every weight. A lattice that is read has a path, unless SLF names its ends. */
static void put_lattice(pf_writer *writer, pf_fst *fst, bool slf, size_t *n) {
    pf_err err = slf ? pf_slf_write(writer, fst, "x", false, false) : pf_plf_write(writer, fst, PF_PLF_LOG, false);
    MUST(!err || (slf && err == PF_EINPUT));
    if (!err) ++*n;
    fuzz_use_fst(fst);
    pf_fst_free(fst);
}

static size_t plf(pf_reader *reader, pf_writer *writer, unsigned variant) {
    size_t n = 0;
    pf_score_scale scale[] = {{"1", 0.5}, {"words", -1}, {"f", 2}};
    pf_lattice_options options = {.scores = (pf_plf_scores)((variant + 1) % 3), .epsilon = "a b", .scale = scale,
                            .scales = variant > 2 ? 3 : 0};
    MUST(!pf_symtab_new("words", &options.labels.words));
    pf_fst *fst;
    size_t length;
    for (char *line; !pf_reader_line(reader, &line, &length) && line && !pf_plf_line(reader, &options, line, length, &fst);)
        put_lattice(writer, fst, false, &n);
    pf_symtab_free(options.labels.words);
    return n;
}

static size_t slf(pf_reader *reader, pf_writer *writer, unsigned variant) {
    size_t n = 0;
    pf_slf_reader *in;
    pf_lattice_options options = {.plain = variant};
    MUST(!pf_symtab_new("words", &options.labels.words));
    MUST(!pf_slf_reader_new(reader, &options, &in));
    for (pf_fst *fst; !pf_slf_next(in, &fst) && fst;) put_lattice(writer, fst, true, &n);
    pf_slf_reader_free(in);
    pf_symtab_free(options.labels.words);
    return n;
}

/* The method of that name; NULL: there is none. */
static const pf_sym_method *method_of(const char *name) {
    size_t i = 0;
    while (pf_sym_at(i) && strcmp(pf_sym_name(pf_sym_at(i)), name) != 0) i++;
    return pf_sym_at(i);
}

/* Every method lies between the intersection and the union. */
static void use_alignments(pf_sym *sym, const pf_alignment *a, const pf_alignment *b) {
    pf_alignment both = {0}, any = {0}, out = {0};
    const pf_sym_method *method;
    if (!pf_symmetrize(sym, method_of("intersect"), PF_SYM_ATOOLS, a, b, &both)) {
        MUST(!pf_symmetrize(sym, method_of("union"), PF_SYM_ATOOLS, a, b, &any));
        for (size_t i = 0; (method = pf_sym_at(i / 2)); i++) {
            pf_align_counts more = {0}, fewer = {0};
            MUST(!pf_symmetrize(sym, method, i % 2 ? PF_SYM_SYMAL : PF_SYM_ATOOLS, a, b, &out));
            pf_align_evaluate(&out, &any, &more);
            pf_align_evaluate(&both, &out, &fewer);
            MUST(more.in_possible == more.links && fewer.in_possible == fewer.links);
        }
    }
    pf_alignment_free(&both);
    pf_alignment_free(&any);
    pf_alignment_free(&out);
}

/* The order is a permutation, and the tuples end in order, the last one with the pair. */
static void whole(const pf_tuples *t, uint32_t n_source, uint32_t n_target) {
    pf_tuple at = {0, 0};
    uint64_t sum = 0;
    MUST(t->order.n == n_source);
    for (size_t p = 0; p < t->order.n; p++) sum += t->order.at[p];
    MUST(sum == (uint64_t)n_source * (n_source ? n_source - 1 : 0) / 2);
    for (size_t k = 0; k < t->tuple.n; k++) {
        MUST(t->tuple.at[k].source_end >= at.source_end && t->tuple.at[k].target_end >= at.target_end);
        at = t->tuple.at[k];
    }
    MUST(at.source_end == n_source && at.target_end == n_target);
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void cut(const pf_alignment *a, const pf_alignment *b) {
    pf_unfolder *unfolder;
    pf_tuples t = {0};
    pf_costs costs = {0};
    pf_monotone monotone = {0};
    MUST(!pf_unfolder_new(&unfolder));
    for (int way = 0; way < 4; way++) {
        pf_unfold_options how = {way / 2 ? PF_UNALIGNED_LEFT : PF_UNALIGNED_RIGHT, way % 2, NULL, NULL, NULL};
        MUST(!pf_unfold(unfolder, a, &how, &t));
        whole(&t, pf_alignment_sources(a), pf_alignment_targets(a));
    }
    uint32_t sources = larger(pf_alignment_sources(a), pf_alignment_sources(b));
    uint32_t targets = larger(pf_alignment_targets(a), pf_alignment_targets(b));
    if ((uint64_t)sources * targets <= MAX_COSTS)
        for (int way = 0; way < 4; way++) {
            if ((way / 2 ? pf_costs_posteriors : pf_costs_links)(&costs, a, way % 2 ? b : NULL, 0.25)) continue;
            MUST(!pf_monotonize(&monotone, &costs, way % 2, &t));
            whole(&t, costs.n_source, costs.n_target);
        }
    pf_unfolder_free(unfolder);
    pf_tuples_free(&t);
    pf_costs_free(&costs);
    pf_monotone_free(&monotone);
}

/* The variant is the format. A pair without links is not seen in naacl, so it does not count there. */
/* A matrix of any words, unless it is too large. */
static void draw_alignment(const pf_alignment *links, const pf_align_pair *pair) {
    pf_writer *writer;
    MUST(!pf_writer_memory(&writer));
    pf_err err = (uint64_t)pf_alignment_sources(links) * pf_alignment_targets(links) < MAX_WRITTEN
        ? pf_draw_alignment_text(writer, links, pair) : PF_ELIMIT;
    MUST(!err || err == PF_ELIMIT);
    err = err ? err : pf_draw_alignment(writer, links, pair);
    MUST(!err || err == PF_ELIMIT);
    pf_writer_free(writer);
}

static size_t alignments(pf_reader *reader, pf_writer *writer, unsigned variant) {
    pf_alignment a[2] = {{0}};
    pf_align_reader *in;
    pf_sym *sym;
    size_t n = 0;
    bool more = true;
    if (!pf_align_form_at(variant)->reads || pf_align_reader_new(reader, (pf_align_format)variant, 1, &in)) return 0;
    MUST(!pf_sym_new(&sym));
    pf_align_format format = pf_align_reader_format(in);
    pf_alignment_reset(&a[1]);
    for (uint64_t i = 1; i < MAX_WRITTEN; i++) {
        if (pf_align_next(in, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, &a[i % 2], &more) || !more) break;
        pf_align_pair pair = {i, pf_align_source_words(in), pf_align_target_words(in)};
        MUST(!pf_align_write(writer, format, &a[i % 2], &pair));
        draw_alignment(&a[i % 2], &pair);
        n += a[i % 2].link.n + (format != PF_ALIGN_NAACL);
        use_alignments(sym, &a[i % 2], &a[!(i % 2)]);
        cut(&a[i % 2], &a[!(i % 2)]);
    }
    pf_sym_free(sym);
    pf_align_reader_free(in);
    pf_alignment_free(&a[0]);
    pf_alignment_free(&a[1]);
    return n;
}

static void put_escaped(pf_writer *writer, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strchr("&<>\"'", text[i])) MUST(!pf_writer_text(writer, "&#%d;", text[i]));
        else MUST(!pf_writer_put(writer, text + i, 1));
}

/* Segment i of a set, in a set and a document of its own. */
static void put_segment(pf_writer *writer, const pf_docset *set, size_t i) {
    static const char *const element[] = {"tstset", "srcset", "refset", "tstset"};
    char line[40];
    size_t n, key_n = 0;
    const char *text = pf_docset_text(set, i, &n);
    const char *key = i < set->key.n ? pf_statetab_key(&set->key, (uint32_t)i, &key_n) : "";
    size_t doc = strlen(key);
    snprintf(line, sizeof line, "%zu", i);
    MUST(!pf_writer_text(writer, "<%s sysid=\"", element[set->kind]));
    put_escaped(writer, set->name, strlen(set->name));
    MUST(!pf_writer_text(writer, "\"><doc docid=\""));
    put_escaped(writer, key, doc);
    MUST(!pf_writer_text(writer, "\"><seg id=\""));
    put_escaped(writer, key_n ? key + doc + 1 : line, key_n ? key_n - doc - 1 : strlen(line));
    MUST(!pf_writer_text(writer, "\">"));
    put_escaped(writer, text, n);
    MUST(!pf_writer_text(writer, "</seg></doc></%s>\n", element[set->kind]));
}

static size_t docs(pf_reader *reader, pf_writer *writer, unsigned variant) {
    pf_docs all;
    pf_statetab vocabulary;
    pf_tokens words = {0};
    size_t n = 0, length;
    pf_statetab_init(&vocabulary, 0);
    bool accepted = !pf_docs_read(reader, (pf_docs_form)variant, &all);
    for (size_t k = 0; accepted && k < all.set.n; k++)
        for (size_t i = 0; i < all.set.at[k].end.n; i++, n++) {
            const char *at = pf_docset_text(&all.set.at[k], i, &length);
            MUST(!pf_tokens_add(&words, pf_tokeniser_at(1), &vocabulary, at, length));
            put_segment(writer, &all.set.at[k], i);
        }
    pf_docs_free(&all);
    pf_statetab_free(&vocabulary);
    pf_tokens_free(&words);
    return n;
}

/* A tuple a line, which must be written as it was. */
static size_t tuples(pf_reader *reader, pf_writer *writer, unsigned variant PF_UNUSED) {
    pf_tuple_words t = {0};
    size_t n = 0, length, before, after;
    char *line;
    while (!pf_reader_line(reader, &line, &length) && line) {
        if (pf_tuple_parse(line, length, &t)) continue;
        pf_writer_bytes(writer, &before);
        MUST(!pf_tuple_write(writer, t.source.at, t.source.n, t.target.at, t.target.n));
        const unsigned char *bytes = pf_writer_bytes(writer, &after);
        MUST(after - before == length && memcmp(bytes + before, line, length) == 0);
        MUST(!pf_writer_put(writer, "\n", 1));
        n++;
    }
    pf_tuple_words_free(&t);
    return n;
}

/* A sentence that some rule may match: each path of its lattice is one permutation. */
static void use_rules(const pf_rules *rules) {
    pf_word word[] = {{"A", 1}, {"B", 1}, {"A", 1}, {"C", 1}, {"B", 1}, {"A", 1}};
    pf_words tags = {word, sizeof word / sizeof *word, 0};
    unsigned turned[] = {5, 4, 3, 2, 1, 0};
    pf_rule_lattice *lattice;
    pf_rule_lattice_size size;
    uint64_t matches;
    bool fresh;
    mpz_t paths;
    mpz_init(paths);
    MUST(!pf_rule_lattice_new(6, &lattice));
    MUST(!pf_rule_lattice_match(lattice, rules, &tags, true, &matches));
    MUST(!pf_rule_lattice_add(lattice, turned, 1, &fresh) && pf_rule_lattice_has(lattice, turned, NULL));
    MUST(!pf_rule_lattice_count(lattice, &size, paths));
    MUST(mpz_cmp_ui(paths, 1) > 0 && mpz_cmp_ui(paths, 720) <= 0 && mpz_cmp_ui(paths, (unsigned long)(matches + 1)) >= 0);
    mpz_clear(paths);
    pf_rule_lattice_free(lattice);
}

/* Rule files; with a variant, sorted lines, which are reduced to one. */
static size_t rules(pf_reader *reader, pf_writer *writer, unsigned variant) {
    pf_rules_left_out left_out;
    pf_reader *reduced = NULL;
    pf_writer *file = NULL;
    pf_rules *rules = NULL;
    size_t n = 0, length;
    MUST(!pf_writer_memory(&file));
    if (variant && !pf_rule_reduce(reader, PF_RULES_MAX_COST, file, &left_out)) {
        const unsigned char *bytes = pf_writer_bytes(file, &length);
        MUST(!pf_reader_memory(bytes, length, "reduced", &reduced) && !pf_rules_read(reduced, NULL, &rules));
    } else if (!variant && pf_rules_read(reader, NULL, &rules)) rules = NULL;
    if (rules) {
        use_rules(rules);
        MUST(!pf_rules_write(rules, writer));
        n = 1 + pf_rules_size(rules);
    }
    pf_rules_free(rules);
    pf_reader_free(reduced);
    pf_writer_free(file);
    return n;
}

/* A permutation has each word once. */
static void check_order(const unsigned *perm, unsigned n) {
    char *met = calloc(n + 1, 1);
    MUST(met);
    for (unsigned i = 0; i < n; i++) MUST(perm[i] < n && !met[perm[i]]++);
    free(met);
}

static void use_tree(const pf_tree *tree, pf_writer *writer, pf_reorderer *reorderer) {
    const pf_tree_node *top = &tree->node[tree->nodes];
    uint32_t *order = calloc(top->blocks + top->n_blocks + 1, sizeof *order);
    unsigned *perm = calloc(tree->n + 1, sizeof *perm);
    MUST(order && perm);
    for (int model = PF_TREE_READ_OFF; model <= PF_TREE_COLLINS; model++) {
        pf_tree_rule rule = {(pf_tree_model)model, 0.5};
        if (pf_tree_reorder(reorderer, tree, &rule, order)) continue; /* too many orders that are equally good */
        MUST(model != PF_TREE_FULL || pf_tree_shd2(tree, order) <= pf_tree_shd2(tree, tree->block));
        MUST(!pf_tree_order(tree, order, perm));
        check_order(perm, tree->n);
    }
    for (unsigned j = 0; j < tree->n; j++) perm[j] = j;
    MUST(!pf_tree_write_conllu(writer, tree, perm));
    free(order);
    free(perm);
}

/* Trees in either format, with punctuation or without; what was written is CoNLL-U. */
static size_t trees(pf_reader *reader, pf_writer *writer, unsigned variant) {
    pf_treebank *treebank;
    pf_reorderer *reorderer;
    pf_tree *tree;
    size_t n = 0;
    if (pf_treebank_open(reader, (pf_tree_punctuation)variant, &treebank)) return 0;
    MUST(!pf_reorderer_new(&reorderer));
    for (unsigned failures = 0; failures < MAX_STEPS;) {
        pf_err err = pf_treebank_next(treebank, &tree);
        failures += err != PF_OK;
        if (err) continue;
        if (!tree) break;
        use_tree(tree, writer, reorderer);
        pf_tree_free(tree);
        n++;
    }
    pf_reorderer_free(reorderer);
    pf_treebank_free(treebank);
    return n;
}

/* Costs of spans, for more positions in each record. */
static size_t span_costs(pf_reader *reader, pf_writer *writer, unsigned variant) {
    enum { POSITIONS = 3 };
    size_t n = 0;
    (void)writer, (void)variant;
    for (pf_span_costs *spans; n < MAX_STEPS && !pf_span_costs_read(reader, (unsigned)(POSITIONS * (n + 1)), &spans); n++) {
        double cost[2] = {0, 0}, size = pf_span_costs_largest(spans);
        pf_span_costs_add(spans, 0, 1, 2, cost);
        MUST((cost[0] <= size || cost[0] == (double)INFINITY) && -cost[1] <= size);
        pf_span_costs_free(spans);
    }
    return n;
}

/* Asks a model for a sentence of words that it may know: costs are never negative. */
static void use_order_model(const pf_order_model *model) {
    pf_word word[] = {{"a", 1}, {"b", 1}, {"c", 1}, {"a", 1}};
    enum { WORDS = sizeof word / sizeof *word };
    const pf_words words = {word, WORDS, 0};
    const uint32_t governor[WORDS] = {1, PF_NO_GOVERNOR, 1, 2};
    pf_factored sentence = {.governor = governor};
    pf_numbered numbered = {.n = 0};
    int64_t matrix[WORDS * WORDS];
    for (int k = 0; k < PF_COLUMNS; k++) sentence.column[k] = &words;
    MUST(!pf_order_model_find(model, &sentence, &numbered));
    pf_order_model_matrix(model, &numbered, matrix);
    for (int k = 0; k < WORDS * WORDS; k++) MUST(matrix[k] >= 0);
    pf_numbered_free(&numbered);
}

static size_t weights(const pf_order_model *model) {
    size_t n = 0;
    for (size_t k = 0; k < model->weight.n; k++) n += model->weight.at[k] != 0;
    return n;
}

/* Counted features, reduced and read again. */
static size_t feature_lines(pf_reader *reader) {
    pf_writer *file;
    pf_reader *reduced = NULL;
    pf_order_model *model = NULL;
    uint64_t rare;
    size_t length, n = 0;
    MUST(!pf_writer_memory(&file));
    if (!pf_feature_reduce(reader, 2, file, &rare)) {
        const unsigned char *bytes = pf_writer_bytes(file, &length);
        MUST(!pf_reader_memory(bytes, length, "reduced", &reduced));
        if (!pf_features_read(reduced, PF_LEARN_LR, &model)) n = 1 + model->feature.n;
    }
    pf_order_model_free(model);
    pf_reader_free(reduced);
    pf_writer_free(file);
    return n;
}

enum { ORDER_MODEL_HEAD = 20, ORDER_MODEL_BYTES = 1 << 16 };

/* A compiled model whose checksum is right, whatever its content. */
static size_t compiled_order_model(pf_reader *reader) {
    static unsigned char bytes[ORDER_MODEL_HEAD + ORDER_MODEL_BYTES];
    pf_order_model *model;
    pf_reader *mended;
    size_t n;
    MUST(!pf_reader_some(reader, bytes, ORDER_MODEL_BYTES, &n));
    if (n < ORDER_MODEL_HEAD) return 0;
    const uint64_t length = n - ORDER_MODEL_HEAD;
    const uint32_t sum = pf_crc32c(0, bytes + ORDER_MODEL_HEAD, (size_t)length);
    memcpy(bytes, "pfOrder\2", 8);
    for (int k = 0; k < 4; k++) bytes[8 + k] = (unsigned char)(sum >> 8 * k);
    for (int k = 0; k < 8; k++) bytes[12 + k] = (unsigned char)(length >> 8 * k);
    MUST(!pf_reader_memory(bytes, n, "mended", &mended));
    pf_err err = pf_order_model_read(mended, &model);
    pf_reader_free(mended);
    if (err) return 0;
    use_order_model(model);
    n = 1 + model->feature.n;
    pf_order_model_free(model);
    return n;
}

/* Models of permlearn, as text or compiled, which are written as text; lists of templates; counted features. */
static size_t order_models(pf_reader *reader, pf_writer *writer, unsigned variant) {
    pf_templates templates = {{0}};
    pf_order_model *model;
    if (variant == 3) return compiled_order_model(reader);
    if (variant == 2) return feature_lines(reader);
    if (variant == 1) {
        size_t n = pf_templates_read(&templates, reader) ? 0 : templates.at.n;
        pf_templates_free(&templates);
        return n;
    }
    if (pf_order_model_read(reader, &model)) return 0;
    use_order_model(model);
    MUST(!pf_order_model_write(model, writer));
    size_t n = 1 + weights(model);
    pf_order_model_free(model);
    return n;
}

/* A search is asked now and then whether it is over. */
static bool over(void *asked) { return ++*(unsigned *)asked > MAX_STEPS; }

/* Would the line take long? Spaces of many words and lists of many paths do. */
static bool takes_long(const char *line, size_t n) {
    size_t words = 1, assigned = 0;
    for (size_t i = 0; i < n; i++) {
        words += line[i] == ' ' || line[i] == '\t' || line[i] == '(' || line[i] == ',';
        assigned += line[i] == '=';
        if (i && line[i] >= '0' && line[i] <= '9' && line[i - 1] >= '0' && line[i - 1] <= '9') return true;
    }
    return words > 12 || assigned > 3 || n > 150;
}

/* Lines of a session that opens no files: what fails changes nothing, and what it is set to can still be shown. */
static size_t session(pf_reader *reader, pf_writer *writer, unsigned variant) {
    unsigned asked = 0;
    pf_writer *answers; /* which are no lines of a session */
    MUST(!pf_writer_memory(&answers));
    pf_shell_options how = {.host = {.self = &asked, .interrupted = over}, .out = answers, .people = variant, .sealed = true,
                            .max_bytes = 1 << 24};
    pf_shell *shell;
    size_t n = 0, length;
    char *line;
    (void)writer;
    MUST(!pf_shell_new(&how, &shell));
    for (unsigned lines = 0; lines < 60 && !pf_reader_line(reader, &line, &length) && line; lines++) {
        if (takes_long(line, length)) continue;
        asked = 0;
        n += !pf_shell_line(shell, line);
        MUST(!pf_shell_line(shell, "show"));
    }
    pf_shell_free(shell);
    pf_writer_free(answers);
    return n;
}

/* New readers come at the end, because seeds name their reader by its place. Each has seeds (tests/fuzz/seeds). */
static const struct {
    fuzz_reader *read;
    unsigned variants, again; /* how many; those in which what was written is read again */
} readers[] = {
    {records, RECORD_VARIANTS, 0}, {models, 2, 0}, {text, 8, 3}, {symbols, 1, 0}, {xml, 1, 0}, {markup, 2, 0},
    {plf, 6, 0}, {slf, 2, 0}, {alignments, 6, 7}, {docs, 4, 0}, {tuples, 1, 0}, {rules, 2, 0},
    {fuzz_constraints, 1, 0}, {fuzz_tables, 3, 3}, {fuzz_orders, 2, 1}, {fuzz_references, 1, 0}, {tuple_models, 2, 1},
    {fuzz_searches, 1, 0}, {fuzz_machines, 1, 0}, {trees, 2, 1}, {span_costs, 1, 0},
    {order_models, 4, 0}, {session, 2, 0}, {fuzz_learners, 4, 0},
    {fuzz_graphs, 1, 0},
};

/* Reads n bytes into `w`, and what was written from there once more; returns how much was accepted. */
static size_t run(unsigned which, unsigned variant, const unsigned char *bytes, size_t n, bool again) {
    pf_reader *reader;
    pf_writer *writer;
    MUST(!pf_reader_memory(bytes, n, "input", &reader));
    MUST(!pf_writer_memory(&writer));
    size_t accepted = readers[which].read(reader, writer, variant);
    pf_reader_free(reader);
    bytes = pf_writer_bytes(writer, &n);
    if (n && !again) MUST(run(which, variant & readers[which].again, bytes, n, true) == accepted);
    pf_writer_free(writer);
    return accepted;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
    if (!n || *data >= sizeof readers / sizeof *readers) return 0;
    for (unsigned variant = 0; variant < readers[*data].variants; variant++) run(*data, variant, data + 1, n - 1, false);
    return 0;
}
