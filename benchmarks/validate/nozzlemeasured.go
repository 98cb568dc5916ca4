package validate

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// nozzleMeasured is what the laboratories found.
type nozzleMeasured struct {
	// velocity on the axis has the half width of its 95 % interval.
	velocity []struct{ z, mean, interval float64 }
	// drops are the pressure drops between the taps, one a laboratory.
	drops []float64
}

// nozzleMeasurements are those of all laboratories at a Reynolds number, for a flow in
// m³/s. The profiles of a laboratory do not carry the flow that was meant: at Reynolds
// number 500 those before the cone are parabolas within 4 %, but carry 0.90 to 1.00 of
// it, so that even the exact parabola would lie outside of the interval there. So a
// laboratory's velocities are taken per flow of its own profiles (Stiehm et al. 2020, Curr.
// Dir. Biomed. Eng. 6). All of them up to the expansion carry the same, and what they seem
// to differ in, from 0.90 to 1.27 in one laboratory, is measured badly: their median is
// taken.
func (s *suite) nozzleMeasurements(reynolds, flow float64) (*nozzleMeasured, error) {
	files, err := filepath.Glob(filepath.Join(s.options.References, "fda-nozzle", fmt.Sprintf("PIV_Sudden_Expansion_%g_*.txt", reynolds)))
	if err != nil {
		return nil, err
	}
	m := &nozzleMeasured{}
	axis := map[float64][]float64{} // velocities by place
	for _, path := range files {
		plots, err := readNozzlePlots(path)
		if err != nil {
			return nil, err
		}
		if p := plots["wall-distribution-pressure"]; len(p) > 0 {
			m.drops = append(m.drops, p.at(nozzleTaps[0], 1)-p.at(nozzleTaps[1], 1))
		}
		profiles := flowsOfProfiles(plots)
		if len(profiles) == 0 {
			return nil, fmt.Errorf("%s has no profile of the velocity", path)
		}
		carried := (profiles[(len(profiles)-1)/2] + profiles[len(profiles)/2]) / 2
		for _, row := range plots["z-distribution-axial-velocity"] {
			z := math.Round(row[0]*1e5) / 1e5
			axis[z] = append(axis[z], row[1]*flow/carried)
		}
	}
	if len(axis) == 0 || len(m.drops) == 0 {
		return nil, fmt.Errorf("the nozzle's measurements at Re %g are not in %s: %w", reynolds, s.options.References, os.ErrNotExist)
	}
	for z, v := range axis {
		if len(v) < 2 {
			continue
		}
		mean, deviation := stat.MeanStdDev(v, nil)
		n := float64(len(v))
		t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975)
		m.velocity = append(m.velocity, struct{ z, mean, interval float64 }{z, mean, t * deviation / math.Sqrt(n)})
	}
	sort.Slice(m.velocity, func(i, j int) bool { return m.velocity[i].z < m.velocity[j].z })
	return m, nil
}

// flowsOfProfiles are the flows in m³/s that the profiles of a laboratory carry, in
// order, up to the expansion: behind it a profile's flow is the small difference of a jet
// and of what returns beside it.
func flowsOfProfiles(plots map[string]table) (flows []float64) {
	for name, profile := range plots {
		place, ok := strings.CutPrefix(name, "profile-axial-velocity-at-z ")
		if !ok {
			continue
		}
		z, err := strconv.ParseFloat(strings.Fields(place)[0], 64)
		if err != nil || z > 0 {
			continue
		}
		flows = append(flows, flowThrough(profile, nozzleRadius(z)))
	}
	sort.Float64s(flows)
	return flows
}

// flowThrough is that of a profile across a diameter, whose rows are place and
// velocity, within a radius.
func flowThrough(profile table, radius float64) (flow float64) {
	sort.Slice(profile, func(i, j int) bool { return profile[i][0] < profile[j][0] })
	for i := 1; i < len(profile); i++ {
		a, b := profile[i-1], profile[i]
		if math.Abs(a[0]) <= radius && math.Abs(b[0]) <= radius {
			flow += math.Pi / 2 * (b[0] - a[0]) * (math.Abs(a[0])*a[1] + math.Abs(b[0])*b[1])
		}
	}
	return flow
}

// nozzleRadius is that of the nozzle at a place up to the expansion.
func nozzleRadius(z float64) float64 {
	const wide, throat, start = 6e-3, 2e-3, -40e-3
	return min(wide, throat+max(0, start-z)*math.Tan(math.Pi/18))
}

// distances are by how many half widths of the 95 % interval a velocity on the axis is off
// the laboratories' at most, up to the expansion and behind it.
func (m *nozzleMeasured) distances(of Curve) (before, behind float64) {
	for _, v := range m.velocity {
		distance := math.Abs(interpolate(of, v.z)-v.mean) / v.interval
		if v.z <= 0 {
			before = max(before, distance)
		} else {
			behind = max(behind, distance)
		}
	}
	return before, behind
}

// readNozzlePlots reads the plots of a laboratory's file by name, each of rows of two
// numbers.
func readNozzlePlots(path string) (map[string]table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	plots, name := map[string]table{}, ""
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if plot, ok := strings.CutPrefix(lines.Text(), "plot-"); ok {
			name = strings.TrimSpace(plot)
			continue
		}
		fields := strings.Fields(lines.Text())
		if name == "" || len(fields) != 2 {
			continue
		}
		x, err := strconv.ParseFloat(fields[0], 64)
		v, wrong := strconv.ParseFloat(fields[1], 64)
		if err != nil || wrong != nil {
			return nil, fmt.Errorf("%s: %q are no two numbers", path, lines.Text())
		}
		plots[name] = append(plots[name], []float64{x, v})
	}
	return plots, lines.Err()
}
