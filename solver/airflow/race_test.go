//go:build race

package airflow

// underRace tells that the race detector slows everything ten times: tests
// that compare many cases then take some.
const underRace = true
