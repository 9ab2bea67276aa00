// Compositions by OpenFst with failure arcs in the second automaton, compared with others, for tests/phi.test:
//
//   phi_peer LABEL FIRST SECOND RESULT
//
// Each of the three files has as many automata, one after the other. The second is matched by a PhiMatcher with its defaults
// (failure loops read a word; both labels of a loop are rewritten in an acceptor). The composition, connected, and the result must
// be isomorphic; the numbers of those that are not are printed, and at the end how many there were and how many have states.

#include <fst/arcsort.h>
#include <fst/compose.h>
#include <fst/connect.h>
#include <fst/isomorphic.h>
#include <fst/vector-fst.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

using Arc = fst::StdArc;
using Vector = fst::StdVectorFst;
using Automaton = fst::Fst<Arc>;
using Sorted = fst::SortedMatcher<Automaton>;
using Phi = fst::PhiMatcher<Sorted>;
using Filter = fst::SequenceComposeFilter<Phi>;

namespace {

bool Compose(const Automaton &first, Vector *second, int label, Vector *both) {
  fst::ArcSort(second, fst::ILabelCompare<Arc>());
  using Options = fst::ComposeFstImplOptions<Phi, Phi, Filter>;
  Options options;
  options.matcher1 = new Phi(first, fst::MATCH_NONE, fst::kNoLabel);
  options.matcher2 = new Phi(*second, fst::MATCH_INPUT, label);
  *both = Vector(fst::StdComposeFst(first, *second, options));
  if (both->Properties(fst::kError, false)) return false;
  fst::Connect(both);
  return true;
}

// As numbers: tables may have other names.
void Sort(Vector *machine) {
  machine->SetInputSymbols(nullptr);
  machine->SetOutputSymbols(nullptr);
  fst::ArcSort(machine, fst::ILabelCompare<Arc>());
}

// Seals and ends, of which each is 40 bytes and begins like no OpenFst file.
void SkipFrames(std::ifstream *from) {
  while (from->peek() == 0x8f) from->ignore(40);
}

std::unique_ptr<Vector> Read(std::ifstream *from, const char *name) {
  SkipFrames(from);
  return std::unique_ptr<Vector>(Vector::Read(*from, fst::FstReadOptions(std::string(name))));
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  std::ifstream file[3];
  for (int i = 0; i < 3; i++) file[i].open(argv[2 + i], std::ios::binary);
  int records = 0, filled = 0;
  for (; file[0].peek() != EOF; records++) {
    std::unique_ptr<Vector> first = Read(&file[0], argv[2]), second = Read(&file[1], argv[3]), ours = Read(&file[2], argv[4]);
    Vector theirs;
    if (!first || !second || !ours || !Compose(*first, second.get(), std::atoi(argv[1]), &theirs)) {
      std::cerr << "phi_peer: record " << records + 1 << " failed" << std::endl;
      return 2;
    }
    Sort(&theirs);
    Sort(ours.get());
    if (!fst::Isomorphic(theirs, *ours)) std::cout << "record " << records + 1 << " differs\n";
    filled += theirs.NumStates() > 0;
    for (std::ifstream &each : file) SkipFrames(&each);
  }
  for (int i = 1; i < 3; i++)
    if (file[i].peek() != EOF) return 2;
  std::cout << records << " " << filled << std::endl;
  return 0;
}
