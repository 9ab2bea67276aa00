// Compositions by OpenFst with failure arcs in the second automaton, for tests/phi.test:
//
//   phi_peer LABEL < NAMES
//
// Each line of NAMES is three files: two automata and where their composition goes.  The second is matched by a
// PhiMatcher with its defaults (failure loops read a word; both labels of a loop are rewritten in an acceptor).

#include <fst/fstlib.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

using Arc = fst::StdArc;
using Automaton = fst::Fst<Arc>;
using Sorted = fst::SortedMatcher<Automaton>;
using Phi = fst::PhiMatcher<Sorted>;
using Filter = fst::SequenceComposeFilter<Phi>;

namespace {

bool Compose(const std::string &left, const std::string &right, const std::string &to, int label) {
  std::unique_ptr<Automaton> first(Automaton::Read(left));
  std::unique_ptr<fst::StdVectorFst> second(fst::StdVectorFst::Read(right));
  if (!first || !second) return false;
  fst::ArcSort(second.get(), fst::ILabelCompare<Arc>());
  using Options = fst::ComposeFstImplOptions<Phi, Phi, Filter>;
  Options options;
  options.matcher1 = new Phi(*first, fst::MATCH_NONE, fst::kNoLabel);
  options.matcher2 = new Phi(*second, fst::MATCH_INPUT, label);
  fst::StdVectorFst both(fst::StdComposeFst(*first, *second, options));
  if (both.Properties(fst::kError, false)) return false;
  fst::Connect(&both);
  return both.Write(to);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  for (std::string left, right, to; std::cin >> left >> right >> to;) {
    if (!Compose(left, right, to, std::atoi(argv[1]))) {
      std::cerr << "phi_peer: " << left << " with " << right << ": failed" << std::endl;
      return 2;
    }
  }
  return 0;
}
