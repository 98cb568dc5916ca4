// Command modelgraphs writes the generated graphs of the records under
// benchmarks/results/partition.md as METIS files into a folder: four networks with
// hubs and a mesh of a million vertices. Every run writes the same graphs.
//
//	go run ./benchmarks/partition/modelgraphs FOLDER
package main
