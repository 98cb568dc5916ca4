// Package resultsfolder replaces one set of files in a folder by another, all
// of it or nothing, and leaves alone what does not belong to a set.
//
// The new files are written into a hidden folder inside. When all are complete
// and on the disk, a journal says which of them come and which of the old ones
// go; then they are moved, and then the journal is removed. Whoever writes there
// next does what it says once more, which changes nothing where it was done
// already. Without a journal the old set is whole, and what the hidden folder
// holds is of no use.
//
// A set's own list says what was written, with sizes and hashes: what has become
// something else belongs to somebody and stays, whatever a list or a journal
// says, and so does what is a link, a pipe or a folder. A lock that ends with the
// process, and a file that goes with it unless it is killed, keeps a second one
// out.
package resultsfolder

import "carina/internal/atomicfile"

// Names inside the folder.
const (
	hidden  = atomicfile.Gathering // what will come
	mark    = ".mark"              // in the hidden folder: whose it is
	draft   = ".journal"           // in the hidden folder: the journal before it counts
	journal = ".carina-journal"    // what comes and what goes
	list    = ".carina-files"      // the set
	lock    = ".carina-lock"       // locked while somebody writes
)
