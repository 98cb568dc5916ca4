// Package race tells tests whether the race detector is at work, which takes ten
// times the time and its memory in advance: what measures time or limits memory
// heeds it.
package race
