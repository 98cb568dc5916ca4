// Package solver is an engine: it runs the phases of any physics on the cells of a rank: it knows
// cells, fields, blocks and messages, and no lattice.
//
// A Domain says which cells there are and who owns them. A Physics lists the
// fields that every cell has and, as a Program, the phases of its steps with the
// slots that cells touch at their neighbours; from these follow ghosts, borders
// and messages, saving, loading, moving and the hash, which are here. A Kernel is
// a physics bound to the memory of one rank, and a Device keeps that memory and
// does the work: packages processor and cuda have one each. Ranks of unlike devices
// exchange values by the engine, those of one kind may do so among themselves.
//
// Ranks exchange after each phase what crosses. With Options.ExchangeEvery they do so once
// in several steps and compute meanwhile, on rings of ghosts, what would come.
//
// What lives elsewhere: arithmetic of any kind (the physics), memory and
// goroutines (the devices), the ways between ranks (package transport). Begin
// reading with physics.go, then rank.go.
package solver
