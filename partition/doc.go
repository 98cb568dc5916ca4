// Package partition divides the vertices of a weighted graph into parts of
// given weight while few edges are cut. It knows nothing of fluids.
//
// [Partition] is the entry point; [Evaluate] computes the figures of partitions
// made elsewhere.
//
// # Where things are
//
// Here is what decides: options and limits, which search runs when and with how
// much effort (presets.go has the table), initial partitions, combining, the
// figures of the result. The tools lie below, each in a package of its own:
//
//	graph    weighted graphs, their pieces, subgraphs and quotients
//	coarsen  matchings, clusters, contraction
//	refine   moves of vertices between parts
//	flow     minimum cuts between two parts
//	metis    files
//
// Begin reading with search.go.
//
// # Method
//
// The graph is coarsened by matchings (global path algorithm) or by
// size-constrained clusterings, with the rating ω²/(c(u)·c(v)); the coarsest
// graph is bisected recursively, each bisection being multilevel itself and
// the best of several; on the way back, partitions are refined by localised
// k-way Fiduccia–Mattheyses searches, on large graphs in groups of parts side
// by side, and by flow cuts between adjacent parts (FlowCutter). Where some
// vertices have very many neighbours, as in networks of people or of web pages,
// searches from the whole boundary come first, and within narrower limits:
// otherwise the parts that hold these hubs fill up early. The presets
// Eco and Strong then partition groups of two to four adjacent parts anew, by
// themselves, and keep what is better (large neighbourhood search; Strong
// begins with the best of three); of two parts they make several partitions
// and combine them: coarsening contracts no edge that one of two partitions
// cuts, so the child takes over the best of both. With a time limit such
// combinations, each followed by more rounds of groups, go on until time is
// up.
//
// Connected parts ([Options.Contiguous]) are searched for on a coarse graph,
// where several partitions are cheaply made and combined: some by bisections
// at the ratio that cuts least, since graphs like trees have their narrow
// places where they have them, some from unconstrained partitions whose lesser
// pieces join their neighbours or are tied to their part by corridors. Of two
// parts, several unconstrained partitions are tied so on the finest graph, where
// corridors are narrow, and all of it is done for several coarse graphs; of more
// than four, groups of parts are made anew in both ways, over and over. Of three
// and four parts Eco and Strong make many partitions quickly on the finest graph
// instead; each is annealed, and so are the combinations of two: which branches of
// a tree share a part shows only then.
// Refinement then moves a vertex only together with what would break off
// without it, and so does the annealing at several temperatures that comes last:
// where a connected part runs through a tree changes by many moves that each
// cost something. It exchanges vertices, too, where parts are about full. Strong
// anneals unconstrained parts as well, shortly, unless there is a time limit;
// neither is done on large graphs. On tree-like graphs few connected parts of
// equal weight cost more than unconstrained ones, whatever the method.
//
// Process mapping ([MappingCost]) divides among the outermost groups of a
// machine first (multisection) and refines all parts by the mapping cost.
//
// # Limits
//
// A part may weigh ⌈(1+ε)·share·W⌉, computed exactly. Where single vertices
// are heavier than that, each gets a part to itself and the other parts keep
// their limits; where whole vertices cannot be packed as tightly as asked for,
// the limits that a heaviest-first packing needs take their place
// ([Result.Unreachable] tells of both). If refinement ends above the limits
// although a packing keeps them, the packing is refined instead.
//
// # Determinism
//
// All random numbers come from the seed, and work that is done side by side
// has its seeds drawn beforehand and is merged in a fixed order: results
// depend on the graph, the options and the seed, not on the number of workers.
// Only a time limit, which stops where it stops, makes them differ.
package partition
