// Package partitionbench measures the graph partitioner against the others
// installed on the machine: the suite behind carina bench partition. It runs
// all METIS graphs of a folder, numbers of parts, presets and seeds, and draws
// up geometric means and a performance profile (Dolan and Moré 2002). A folder
// that holds reference-cuts.tsv or best-known-cuts.tsv (columns as in the
// header of the table: graph, k, tool, mean_cut, mean_seconds; graph, k,
// best_feasible_cut) is compared with these, too. [RunFeatures] measures what
// connected parts cost and what mapping to a machine gains.
package partitionbench
