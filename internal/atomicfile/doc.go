// Package atomicfile writes files that are either complete or not there.
//
// A file is written beside the place that it will have, under a name that nobody
// else has, and locked. So the next who writes into the folder can tell which of
// these belong to a process that was killed, and removes them.
package atomicfile
