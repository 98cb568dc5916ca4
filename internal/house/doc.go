// Package house holds the plan of the rooms that the packages are: which may
// import which, in one direction, and how large they may be. Its tests compare
// the plan with what is built.
package house
