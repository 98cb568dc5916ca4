// Package machine says what the computer at hand is and measures what it can
// do, so that every benchmark's figures come with the machine they belong to.
package machine
