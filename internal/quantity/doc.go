// Package quantity reads numbers with units, such as 0.25mm or 15L/min.
package quantity
