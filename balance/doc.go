// Package balance distributes cuboids over ranks: what work and messages
// cost, the balancers, the partition file and the quality of a partition.
package balance
