// Package series writes files that grow while a computation goes on: tables with a row a
// sample, and fields at some moments with the file that lists them for ParaView.
//
// They lie in a folder of their own. A computation that goes on from an earlier step, after
// a restart or because it has diverged, goes on in them: what was written behind that step
// goes. A mark tells the folder from those of others, of which nothing is touched.
//
// Begin with Open. Spectrum says which frequencies a column of a table holds.
package series
