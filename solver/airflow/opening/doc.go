// Package opening holds what happens where air enters and leaves: the conditions
// that users choose, with their waveforms and profiles.
//
// Begin reading with condition.go.
package opening
