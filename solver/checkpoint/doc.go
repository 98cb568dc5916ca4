// Package checkpoint keeps the state of a computation in a folder, from which any number
// of ranks go on, with any partition, on any device.
//
// Every rank writes a file of its own cells, in the order of their global numbers, while
// the computation goes on; a small file, the manifest, then makes them the last
// checkpoint at once, by a rename. A crash at any moment leaves the last one whole:
//
//	checkpoint              magic, length and SHA-256 of a text in JSON (Manifest)
//	ID-RANK.state           magic, chunks, index, trailer
//
// A chunk holds at most 1024 cells: their ranges, their records, what physics keep
// beside the fields and what they keep at few cells. The index says where each chunk
// lies, between which cells, and with which checksums (CRC-32C): a rank that goes on
// reads the chunks alone that hold cells of its own, one at a time. Numbers are little
// endian, records as they lie in memory.
package checkpoint
