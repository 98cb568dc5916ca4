// Command carina computes the flow of air in human airways on as many
// processors as there are, all of them equally busy.
package main
