// Package report puts what the commands have found into words, pages and pictures for
// people.
package report
