// The OpenFst side of `make bench`: the best reordering of each sentence under
// a reordering constraint and a back-off language model.
//
// This is the search an experienced OpenFst user would write, so that a time
// to beat is a fair one.  The permutations of a sentence are a lazy automaton
// of OpenFst's own kind (a CacheImpl whose states are 64-bit coverage masks),
// composed on demand with the model, whose failure arcs a PhiMatcher follows
// exactly, and searched by ShortestPath with a shortest-first queue that stops
// at the first complete path.  All matching is compiled for the concrete
// classes (no virtual call per arc), neither side has epsilons and so the
// trivial filter does, and the state tables are flat and open-addressed; each
// of these, and each cache setting below, was the fastest of those measured.
// The model must be a proper one (no negative cost once back-off is applied):
// stopping at the first path is exact only then.
//
// --queue=shortest is OpenFst's own NaturalShortestFirstQueue, --queue=lazy one
// written to the same interface that takes a fifth less time, --queue=auto the
// default queue, which looks at the whole composed machine first.
//
//   openfst_peer [--constraint=none|ibm:L|inverse-ibm:L|local:L]
//                [--monotone=A] [--queue=shortest|lazy|auto] [--repeat=K]
//                --model=LM.fst --symbols=LM.syms [--phi=SYM] [--unk=SYM]
//   openfst_peer --expand [--constraint=...] [--monotone=A] [--repeat=K]
//
// Sentences come on standard input, one a line, at most 64 words each.  For
// each of them a line of tab-separated fields goes to standard output:
//   number, words, cost, permutation, composed states taken from the queue,
//   seconds, permutation states seen, composed states seen
// or, with --expand (the whole permutation automaton, no model):
//   number, words, states, arcs, seconds.
// The seconds are those of the fastest of K runs, building the lazy machines
// included and taking them down excluded.  A last line on standard error has
// the seconds for loading the model, the peak of the resident memory and what
// was resident once the model was loaded.
//
// The model is a standard FST.  A const one, sorted on input, is used as it
// is; any other is converted first, which shows in the peak.  Failure look-ups
// are cheapest when the failure symbol has the least label, 1.

#include <fst/fstlib.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using Arc = fst::StdArc;
using Label = Arc::Label;
using StateId = Arc::StateId;
using Weight = Arc::Weight;
using Coverage = std::uint64_t;  // Bit p-1 is set when position p is visited.

constexpr int kMaxWords = 64;

[[noreturn]] void Fail(const std::string &message) {
  std::cerr << "openfst_peer: " << message << std::endl;
  std::exit(2);
}

// Numbers 64-bit keys 0, 1, 2, ... in the order in which they are first seen:
// linear probing over slots of ids, which are half the size of the keys.
class IdTable {
 public:
  IdTable() : slots_(1024, -1), shift_(64 - 10) {}

  StateId FindId(std::uint64_t key) {
    std::size_t i = FirstSlot(key);
    for (; slots_[i] >= 0; i = Next(i)) {
      if (keys_[slots_[i]] == key) return slots_[i];
    }
    const auto id = static_cast<StateId>(keys_.size());
    slots_[i] = id;
    keys_.push_back(key);
    if (2 * keys_.size() > slots_.size()) Grow();
    return id;
  }

  std::uint64_t Key(StateId id) const { return keys_[id]; }

  std::size_t Size() const { return keys_.size(); }

 private:
  std::size_t FirstSlot(std::uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15u) >> shift_;  // Fibonacci hashing.
  }

  std::size_t Next(std::size_t i) const {
    return (i + 1) & (slots_.size() - 1);
  }

  void Grow() {
    slots_.assign(2 * slots_.size(), -1);
    --shift_;
    for (std::size_t id = 0; id < keys_.size(); ++id) {
      std::size_t i = FirstSlot(keys_[id]);
      while (slots_[i] >= 0) i = Next(i);
      slots_[i] = static_cast<StateId>(id);
    }
  }

  std::vector<StateId> slots_;       // Ids; -1 where free; a power of two.
  std::vector<std::uint64_t> keys_;  // By id.
  int shift_;                        // 64 - log2 of the number of slots.
};

// Which position may come next.  Every state these constraints reach is live.
struct Constraint {
  enum Kind { kNone, kIbm, kInverseIbm, kLocal };

  Kind kind = kNone;
  int limit = 1;

  // The bits of `open`, the uncovered positions, that may be visited next.
  Coverage Moves(Coverage covered, Coverage open) const {
    const Coverage first = open & -open;
    switch (kind) {
      case kIbm: {
        Coverage rest = open;
        for (int i = 0; i < limit && rest; ++i) rest &= rest - 1;
        return open ^ rest;
      }
      case kInverseIbm: {
        const Coverage ahead = covered & -first;  // Covered beyond `first`.
        return __builtin_popcountll(ahead) < limit - 1 ? open : first;
      }
      case kLocal:
        return limit < kMaxWords ? open & (first * ((Coverage{1} << limit) - 1))
                                 : open;
      default:
        return open;
    }
  }
};

// The cost of a move among n: with `monotone` = a > 0, at a state that covers
// a prefix, -ln a for the next position and -ln (1-a)/(n-1) for the others;
// -ln 1/n at all other states; nothing where there is no choice.
class MoveCosts {
 public:
  explicit MoveCosts(double monotone) : weighted_(monotone > 0) {
    if (!weighted_) return;
    for (int n = 2; n <= kMaxWords; ++n) {
      straight_[n] = Weight(-std::log(monotone));
      jump_[n] = Weight(-std::log((1 - monotone) / (n - 1)));
      uniform_[n] = Weight(-std::log(1.0 / n));
    }
  }

  bool Weighted() const { return weighted_; }

  Weight Cost(bool at_prefix, bool to_first, int n) const {
    if (!weighted_ || n == 1) return Weight::One();
    return !at_prefix ? uniform_[n] : to_first ? straight_[n] : jump_[n];
  }

 private:
  bool weighted_;
  Weight straight_[kMaxWords + 1], jump_[kMaxWords + 1],
      uniform_[kMaxWords + 1];
};

struct Reordering {
  Constraint constraint;
  MoveCosts costs{0};
};

// The permutations of a sentence: a state is a coverage, an arc reads a
// position and writes its word.  The reordering must outlive it.
class PermutationFstImpl : public fst::internal::CacheImpl<Arc> {
 public:
  using Cache = fst::internal::CacheImpl<Arc>;

  PermutationFstImpl(const std::vector<Label> &words,
                     const Reordering &reordering,
                     const fst::CacheOptions &opts)
      : Cache(opts),
        words_(words),
        full_(words.empty() ? 0 : ~Coverage{0} >> (kMaxWords - words.size())),
        reordering_(reordering) {
    SetType("permutation");
    SetProperties(fst::kAcyclic | fst::kInitialAcyclic | fst::kAccessible |
                  fst::kCoAccessible | fst::kIDeterministic |
                  fst::kILabelSorted | fst::kNoEpsilons | fst::kNoIEpsilons |
                  fst::kNoOEpsilons |
                  (reordering.costs.Weighted() ? 0 : fst::kUnweighted));
    SetStart(states_.FindId(0));
  }

  PermutationFstImpl(const PermutationFstImpl &impl)
      : Cache(impl, true),
        words_(impl.words_),
        full_(impl.full_),
        reordering_(impl.reordering_),
        states_(impl.states_) {}

  Weight Final(StateId s) const {
    return states_.Key(s) == full_ ? Weight::One() : Weight::Zero();
  }

  std::size_t NumArcs(StateId s) {
    if (!HasArcs(s)) Expand(s);
    return Cache::NumArcs(s);
  }

  std::size_t NumInputEpsilons(StateId) const { return 0; }

  std::size_t NumOutputEpsilons(StateId) const { return 0; }

  void InitArcIterator(StateId s, fst::ArcIteratorData<Arc> *data) {
    if (!HasArcs(s)) Expand(s);
    Cache::InitArcIterator(s, data);
  }

  void Expand(StateId s) {
    const Coverage covered = states_.Key(s), open = full_ & ~covered;
    const Coverage first = open & -open;
    const bool at_prefix = (covered & (covered + 1)) == 0;
    Coverage moves = reordering_.constraint.Moves(covered, open);
    const int n = __builtin_popcountll(moves);
    ReserveArcs(s, n);
    for (; moves; moves &= moves - 1) {
      const int p = __builtin_ctzll(moves);
      const Coverage move = Coverage{1} << p;
      EmplaceArc(s, p + 1, words_[p],
                 reordering_.costs.Cost(at_prefix, move == first, n),
                 states_.FindId(covered | move));
    }
    SetArcs(s);
  }

  std::size_t NumSeen() const { return states_.Size(); }

 private:
  const std::vector<Label> words_;
  const Coverage full_;
  const Reordering &reordering_;
  IdTable states_;
};

class PermutationFst : public fst::ImplToFst<PermutationFstImpl> {
 public:
  using Arc = fst::StdArc;
  using Impl = PermutationFstImpl;
  using Store = fst::DefaultCacheStore<Arc>;
  using State = Store::State;

  friend class fst::ArcIterator<PermutationFst>;
  friend class fst::StateIterator<PermutationFst>;

  PermutationFst(const std::vector<Label> &words, const Reordering &reordering,
                 const fst::CacheOptions &opts)
      : ImplToFst(std::make_shared<Impl>(words, reordering, opts)) {}

  PermutationFst(const PermutationFst &fst, bool safe = false)
      : ImplToFst(fst, safe) {}

  PermutationFst *Copy(bool safe = false) const override {
    return new PermutationFst(*this, safe);
  }

  void InitStateIterator(fst::StateIteratorData<Arc> *data) const override;

  void InitArcIterator(StateId s,
                       fst::ArcIteratorData<Arc> *data) const override {
    GetMutableImpl()->InitArcIterator(s, data);
  }

  std::size_t NumSeen() const { return GetImpl()->NumSeen(); }
};

}  // namespace

namespace fst {

template <>
class StateIterator<PermutationFst>
    : public CacheStateIterator<PermutationFst> {
 public:
  explicit StateIterator(const PermutationFst &fst)
      : CacheStateIterator<PermutationFst>(fst, fst.GetMutableImpl()) {}
};

template <>
class ArcIterator<PermutationFst> : public CacheArcIterator<PermutationFst> {
 public:
  ArcIterator(const PermutationFst &fst, StdArc::StateId s)
      : CacheArcIterator<PermutationFst>(fst.GetMutableImpl(), s) {
    if (!fst.GetImpl()->HasArcs(s)) fst.GetMutableImpl()->Expand(s);
  }
};

}  // namespace fst

namespace {

void PermutationFst::InitStateIterator(
    fst::StateIteratorData<Arc> *data) const {
  data->base = new fst::StateIterator<PermutationFst>(*this);
}

using LmFst = fst::ConstFst<Arc>;
using PermutationMatcher = fst::SortedMatcher<PermutationFst>;
using LmMatcher = fst::PhiMatcher<fst::SortedMatcher<LmFst>>;
using Filter = fst::TrivialComposeFilter<PermutationMatcher, LmMatcher>;

// The composed states, (coverage state, model state).
class PairTable {
 public:
  using StateId = Arc::StateId;
  using StateTuple =
      fst::DefaultComposeStateTuple<StateId, Filter::FilterState>;

  PairTable() = default;

  PairTable(const fst::Fst<Arc> &, const fst::Fst<Arc> &) {}

  StateId FindState(const StateTuple &tuple) {
    return ids_.FindId(std::uint64_t(tuple.StateId1()) << 32 |
                       std::uint64_t(tuple.StateId2()));
  }

  StateTuple Tuple(StateId s) const {
    const std::uint64_t key = ids_.Key(s);
    return StateTuple(key >> 32, key & 0xFFFFFFFFu, Filter::FilterState(true));
  }

  std::size_t Size() const { return ids_.Size(); }

  constexpr bool Error() const { return false; }

 private:
  IdTable ids_;
};

// A shortest-first queue whose heap holds the distances next to the states, so
// that a comparison stays inside the heap.  A state whose distance falls enters
// once more; its older entries are dropped when they come to the top.
class LazyShortestFirstQueue : public fst::QueueBase<StateId> {
 public:
  explicit LazyShortestFirstQueue(const std::vector<Weight> &distance)
      : QueueBase(fst::SHORTEST_FIRST_QUEUE), distance_(distance) {}

  StateId Head() const override { return heap_.top().second; }

  void Enqueue(StateId s) override { heap_.emplace(distance_[s].Value(), s); }

  void Update(StateId s) override { Enqueue(s); }

  void Dequeue() override {
    do heap_.pop();
    while (!heap_.empty() && heap_.top().first != distance_[Head()].Value());
  }

  bool Empty() const override { return heap_.empty(); }

  void Clear() override { heap_ = {}; }

 private:
  using Entry = std::pair<float, StateId>;

  const std::vector<Weight> &distance_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> heap_;
};

template <class Queue>
class Counting final : public Queue {
 public:
  using Queue::Queue;

  void Dequeue() final {
    ++dequeued_;
    Queue::Dequeue();
  }

  std::size_t NumDequeued() const { return dequeued_; }

 private:
  std::size_t dequeued_ = 0;
};

// A back-off model with its vocabulary.
class Model {
 public:
  Model(const std::string &fst_file, const std::string &symbols_file,
        const std::string &phi, const std::string &unk)
      : symbols_(fst::SymbolTable::ReadText(symbols_file)),
        fst_(ReadSorted(fst_file)) {
    if (!symbols_) Fail("cannot read " + symbols_file);
    phi_ = symbols_->Find(phi);
    if (phi_ == fst::kNoLabel) Fail("no " + phi + " in " + symbols_file);
    unk_ = symbols_->Find(unk);
    for (fst::StateIterator<LmFst> s(*fst_); !s.Done(); s.Next()) {
      for (fst::ArcIterator<LmFst> a(*fst_, s.Value()); !a.Done(); a.Next()) {
        MarkReadable(a.Value().ilabel);
      }
    }
  }

  const LmFst &Fst() const { return *fst_; }

  // Failure arcs come first at every state if their label is the least one:
  // then a linear search finds them at once.
  LmMatcher *NewMatcher() const {
    const Label binary_from = phi_ == 1 ? 2 : 1;
    auto *arcs = new fst::SortedMatcher<LmFst>(fst_.get(), fst::MATCH_INPUT,
                                               binary_from);
    return new LmMatcher(fst_.get(), fst::MATCH_INPUT, phi_,
                         /*phi_loop=*/false, fst::MATCHER_REWRITE_NEVER, arcs);
  }

  Label Find(const std::string &word) const {
    const auto label = symbols_->Find(word);
    if (IsReadable(label)) return label;
    if (!IsReadable(unk_)) Fail("not in the model: '" + word + "'");
    return unk_;
  }

 private:
  static std::unique_ptr<const LmFst> ReadSorted(const std::string &file) {
    std::unique_ptr<fst::Fst<Arc>> read(fst::Fst<Arc>::Read(file));
    if (!read) Fail("cannot read " + file);
    if (read->Type() == "const" && read->Properties(fst::kILabelSorted, true)) {
      return std::unique_ptr<const LmFst>(static_cast<LmFst *>(read.release()));
    }
    fst::VectorFst<Arc> sorted(*read);
    read.reset();
    fst::ArcSort(&sorted, fst::ILabelCompare<Arc>());
    return std::make_unique<const LmFst>(sorted);
  }

  void MarkReadable(Label label) {
    if (label >= static_cast<Label>(readable_.size())) {
      readable_.resize(label + 1);
    }
    readable_[label] = label != 0 && label != phi_;
  }

  bool IsReadable(std::int64_t label) const {
    return label >= 0 && label < static_cast<std::int64_t>(readable_.size()) &&
           readable_[label];
  }

  std::unique_ptr<const fst::SymbolTable> symbols_;
  std::unique_ptr<const LmFst> fst_;
  Label phi_, unk_;
  std::vector<bool> readable_;  // By label: is it a word on some arc?
};

class Timer {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

struct Result {
  fst::VectorFst<Arc> path;
  std::size_t dequeued = 0, permutation_states = 0, composed_states = 0;
  double seconds = 0;
};

enum class QueueKind { kShortest, kLazy, kAuto };

// Returns the number of states taken from the queue.
template <class BaseQueue>
std::size_t FirstPath(const fst::Fst<Arc> &machine, fst::VectorFst<Arc> *path) {
  using Queue = Counting<BaseQueue>;
  using Any = fst::AnyArcFilter<Arc>;
  std::vector<Weight> distance;
  Queue queue(distance);
  fst::ShortestPathOptions<Arc, Queue, Any> opts(&queue, Any());
  opts.first_path = true;
  fst::ShortestPath(machine, path, &distance, opts);
  return queue.NumDequeued();
}

std::size_t Search(const fst::Fst<Arc> &machine, QueueKind kind,
                   const PairTable &table, fst::VectorFst<Arc> *path) {
  switch (kind) {
    case QueueKind::kShortest:
      return FirstPath<fst::NaturalShortestFirstQueue<StateId, Weight>>(machine,
                                                                        path);
    case QueueKind::kLazy:
      return FirstPath<LazyShortestFirstQueue>(machine, path);
    default:
      fst::ShortestPath(machine, path);
      return table.Size();  // Every state, in topological order.
  }
}

// The shortest-first search expands a composed state once (and those of the
// best path once more at the end), so one at a time is kept (gc_limit 0), while
// the automatic queue walks over all of them twice.  A permutation state serves
// several composed states, yet on long sentences making its arcs anew takes no
// more time than keeping them, and a fifth less memory in all.
const fst::CacheOptions kKeepAll(false), kKeepOne(false, 0);
constexpr std::size_t kLongSentence = 36;

Result BestReordering(const std::vector<Label> &words,
                      const Reordering &reordering, const Model &model,
                      QueueKind kind) {
  const bool is_auto = kind == QueueKind::kAuto;
  const bool is_long = words.size() >= kLongSentence;
  Result result;
  Timer timer;
  const PermutationFst permutations(
      words, reordering, is_long && !is_auto ? kKeepOne : kKeepAll);
  PairTable table;
  fst::ComposeFstImplOptions<PermutationMatcher, LmMatcher, Filter, PairTable>
      opts(is_auto ? kKeepAll : kKeepOne);
  opts.matcher1 = new PermutationMatcher(&permutations, fst::MATCH_NONE);
  opts.matcher2 = model.NewMatcher();
  opts.state_table = &table;
  opts.own_state_table = false;
  const fst::ComposeFst<Arc> machine(permutations, model.Fst(), opts);
  result.dequeued = Search(machine, kind, table, &result.path);
  result.seconds = timer.Seconds();
  if (machine.Properties(fst::kError, false)) Fail("the composition failed");
  result.permutation_states = permutations.NumSeen();
  result.composed_states = table.Size();
  return result;
}

struct Size {
  std::size_t states = 0, arcs = 0;
  double seconds = 0;
};

Size ExpandAll(const std::vector<Label> &words, const Reordering &reordering) {
  Size size;
  Timer timer;
  const PermutationFst permutations(words, reordering, kKeepOne);
  fst::StateIterator<PermutationFst> s(permutations);
  for (; !s.Done(); s.Next()) {
    ++size.states;
    fst::ArcIterator<PermutationFst> a(permutations, s.Value());
    for (; !a.Done(); a.Next()) ++size.arcs;
  }
  size.seconds = timer.Seconds();
  return size;
}

// The exact cost of a linear FST and the positions it reads; no path at all
// costs infinity.
double FollowPath(const fst::VectorFst<Arc> &path, std::string *positions) {
  if (path.Start() == fst::kNoStateId) {
    return std::numeric_limits<double>::infinity();
  }
  double cost = 0;
  StateId s = path.Start();
  while (path.NumArcs(s) > 0) {
    const Arc arc = fst::ArcIterator<fst::VectorFst<Arc>>(path, s).Value();
    if (!positions->empty()) positions->push_back(' ');
    *positions += std::to_string(arc.ilabel);
    cost += arc.weight.Value();
    s = arc.nextstate;
  }
  return cost + path.Final(s).Value();
}

// The result of the fastest of `repeat` runs.
template <class Run>
auto Fastest(int repeat, Run run) {
  auto best = run();
  while (--repeat > 0) {
    auto other = run();
    if (other.seconds < best.seconds) best = std::move(other);
  }
  return best;
}

// VmRSS or VmHWM, its peak, in KiB.  (The peak of getrusage will not do: it
// starts at the size of the process that started this one.)
long MemoryKib(const std::string &field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(field + ":", 0) == 0) {
      return std::atol(line.c_str() + field.size() + 1);
    }
  }
  return -1;
}

struct Options {
  Reordering reordering;
  QueueKind queue = QueueKind::kShortest;
  int repeat = 1;
  bool expand = false;
  std::string model, symbols, phi, unk;
};

double ParseNumber(const std::string &text, double least, double most) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(value >= least && value <= most)) {
    Fail("not a number that fits here: '" + text + "'");
  }
  return value;
}

Constraint ParseConstraint(const std::string &text) {
  static const std::map<std::string, Constraint::Kind> kinds = {
      {"none", Constraint::kNone},
      {"ibm", Constraint::kIbm},
      {"inverse-ibm", Constraint::kInverseIbm},
      {"local", Constraint::kLocal}};
  const auto colon = text.find(':');
  const auto kind = kinds.find(text.substr(0, colon));
  const bool limited = colon != std::string::npos;
  if (kind == kinds.end() || limited == (kind->second == Constraint::kNone)) {
    Fail("no such constraint: " + text);
  }
  Constraint constraint;
  constraint.kind = kind->second;
  if (limited) {
    const double limit = ParseNumber(text.substr(colon + 1), 1, 1e6);
    constraint.limit = static_cast<int>(limit);
  }
  return constraint;
}

QueueKind ParseQueue(const std::string &text) {
  if (text == "shortest") return QueueKind::kShortest;
  if (text == "lazy") return QueueKind::kLazy;
  if (text == "auto") return QueueKind::kAuto;
  Fail("no such queue: " + text);
}

Options ParseOptions(int argc, char **argv) {
  std::map<std::string, std::string> given = {
      {"--constraint", "ibm:4"}, {"--monotone", ""},  {"--queue", "shortest"},
      {"--repeat", "1"},         {"--expand", "no"},  {"--model", ""},
      {"--symbols", ""},         {"--phi", "<phi>"},  {"--unk", "<unk>"}};
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto equals = arg.find('=');
    const auto option = given.find(arg.substr(0, equals));
    const bool has_value = equals != std::string::npos;
    if (option == given.end() || has_value == (option->first == "--expand")) {
      Fail("bad option " + arg);
    }
    option->second = has_value ? arg.substr(equals + 1) : "yes";
  }
  Options options;
  options.reordering.constraint = ParseConstraint(given["--constraint"]);
  if (!given["--monotone"].empty()) {
    options.reordering.costs =
        MoveCosts(ParseNumber(given["--monotone"], 1e-9, 1 - 1e-9));
  }
  options.queue = ParseQueue(given["--queue"]);
  options.repeat = static_cast<int>(ParseNumber(given["--repeat"], 1, 1e6));
  options.expand = given["--expand"] == "yes";
  options.model = given["--model"];
  options.symbols = given["--symbols"];
  options.phi = given["--phi"];
  options.unk = given["--unk"];
  if (!options.expand && (options.model.empty() || options.symbols.empty())) {
    Fail("--model and --symbols are needed");
  }
  return options;
}

// The words of the next line; false at the end of the input.
bool ReadSentence(int number, std::vector<std::string> *words) {
  std::string line;
  if (!std::getline(std::cin, line)) return false;
  std::istringstream stream(line);
  words->clear();
  for (std::string word; stream >> word;) words->push_back(word);
  if (words->size() > kMaxWords) {
    Fail("line " + std::to_string(number) + ": more than 64 words");
  }
  return true;
}

void ExpandSentences(const Options &options) {
  std::vector<std::string> words;
  for (int number = 1; ReadSentence(number, &words); ++number) {
    const std::vector<Label> labels(words.size(), 1);
    const Size size = Fastest(options.repeat, [&] {
      return ExpandAll(labels, options.reordering);
    });
    std::printf("%d\t%zu\t%zu\t%zu\t%.6f\n", number, words.size(), size.states,
                size.arcs, size.seconds);
  }
}

void ReorderSentences(const Options &options, const Model &model) {
  std::vector<std::string> words;
  for (int number = 1; ReadSentence(number, &words); ++number) {
    std::vector<Label> labels;
    for (const auto &word : words) labels.push_back(model.Find(word));
    const Result best = Fastest(options.repeat, [&] {
      return BestReordering(labels, options.reordering, model, options.queue);
    });
    std::string positions;
    const double cost = FollowPath(best.path, &positions);
    std::printf("%d\t%zu\t%.6f\t%s\t%zu\t%.6f\t%zu\t%zu\n", number,
                words.size(), cost, positions.c_str(), best.dequeued,
                best.seconds, best.permutation_states, best.composed_states);
  }
}

}  // namespace

int main(int argc, char **argv) {
  const Options options = ParseOptions(argc, argv);
  mallopt(M_TRIM_THRESHOLD, 1 << 27);  // as permfst's programs do
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
  double load_seconds = 0;
  long loaded_kib = 0;
  if (options.expand) {
    loaded_kib = MemoryKib("VmRSS");
    ExpandSentences(options);
  } else {
    Timer timer;
    const Model model(options.model, options.symbols, options.phi, options.unk);
    load_seconds = timer.Seconds();
    loaded_kib = MemoryKib("VmRSS");
    ReorderSentences(options, model);
  }
  std::fprintf(stderr, "load_seconds=%.6f peak_kib=%ld loaded_kib=%ld\n",
               load_seconds, std::max(MemoryKib("VmHWM"), loaded_kib),
               loaded_kib);
  if (std::fflush(stdout) != 0) Fail("cannot write standard output");
  return 0;
}
