//go:build !race

package airflow

const underRace = false
