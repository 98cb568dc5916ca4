// Package results writes what a computation ends with into a folder: the fields of each
// rank, pictures, a page, a history and the summary, and with them the grid and the
// partition file where these were made for the computation. All of it comes when it is
// complete, or nothing.
package results
