// Package metis reads and writes the files of the METIS family of programs:
// graphs ([Read], [Write]), partitions ([ReadParts], [WriteParts]) and fixed
// vertices as hMETIS has them ([ReadFixed]). It computes nothing.
package metis
