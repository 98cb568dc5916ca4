// Package steadiness tells when a flow is still, or known as a mean over time, and with
// what error, of a record whose memory does not grow.
package steadiness
