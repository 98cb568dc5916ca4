package series

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/gonum/dsp/fourier"
)

// fewest is the fewest samples of which a spectrum is made.
const fewest = 32

// Spectrum is the power spectral density of samples that are equally far apart, interval
// seconds, in their unit squared per Hz, at frequencies in Hz from the lowest on: its
// integral over these is the variance. It is the mean over segments of a quarter of the
// samples that overlap by half, without their means, under the window of Hann (Welch
// 1967). Both are nil for fewer than 32 samples.
func Spectrum(samples []float64, interval float64) (frequency, density []float64) {
	n := len(samples) / 4 &^ 1
	if len(samples) < fewest {
		return nil, nil
	}
	transform := fourier.NewFFT(n)
	window, square := make([]float64, n), 0.0
	for i := range window {
		window[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(n))
		square += window[i] * window[i]
	}
	density = make([]float64, n/2)
	segment := make([]float64, n)
	coefficients := make([]complex128, n/2+1)
	segments := 0
	for from := 0; from+n <= len(samples); from += n / 2 {
		mean := 0.0
		for _, v := range samples[from : from+n] {
			mean += v / float64(n)
		}
		for i, v := range samples[from : from+n] {
			segment[i] = window[i] * (v - mean)
		}
		transform.Coefficients(coefficients, segment)
		for k := range density {
			c := coefficients[k+1]
			density[k] += real(c)*real(c) + imag(c)*imag(c)
		}
		segments++
	}
	for k := range density {
		// Both signs of a frequency but for the highest.
		both := 2.0
		if k == len(density)-1 {
			both = 1
		}
		frequency = append(frequency, float64(k+1)/(float64(n)*interval))
		density[k] *= both * interval / square / float64(segments)
	}
	return frequency, density
}

// WriteSpectra writes a row for every frequency: it, and the densities of all columns, each
// in the square of the unit in its name per Hz.
func WriteSpectra(w io.Writer, frequency []float64, names []string, densities [][]float64) error {
	table := csv.NewWriter(w)
	row := append([]string{"frequency_hz"}, names...)
	// A csv.Writer keeps its first error.
	_ = table.Write(row)
	for k, f := range frequency {
		row = append(row[:0], strconv.FormatFloat(f, 'g', 8, 64))
		for _, d := range densities {
			row = append(row, strconv.FormatFloat(d[k], 'g', 6, 64))
		}
		_ = table.Write(row)
	}
	table.Flush()
	if err := table.Error(); err != nil {
		return fmt.Errorf("writing spectra: %w", err)
	}
	return nil
}
