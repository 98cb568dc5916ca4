package report

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"carina/internal/atomicfile"
	"carina/internal/quantity"
)

//go:embed report.html
var page string

// Picture is a PNG file to be shown.
type Picture struct {
	// Section is the one in which it stands, by its title; Alt says what it shows.
	Section, Alt, Path string
}

// summary is what is read of summary.json.
type summary struct {
	FluidCells   int64          `json:"fluid_cells"`
	Spacing      float64        `json:"spacing_m"`
	TimeStep     float64        `json:"time_step_s"`
	Steps        int64          `json:"steps"`
	Time         float64        `json:"time_s"`
	Seconds      float64        `json:"seconds"`
	MLUPS        float64        `json:"mlups"`
	Reynolds     float64        `json:"reynolds"`
	Mach         float64        `json:"mach"`
	Drop         float64        `json:"pressure_drop_pa"`
	MassBalance  float64        `json:"mass_balance"`
	PeakVelocity float64        `json:"peak_velocity_m_per_s"`
	StateHash    string         `json:"state_hash"`
	Collision    string         `json:"collision"`
	WallKind     string         `json:"wall"`
	Precision    string         `json:"precision"`
	Density      float64        `json:"density_kg_per_m3"`
	Viscosity    float64        `json:"kinematic_viscosity_m2_per_s"`
	Steady       *bool          `json:"steady"`
	Limited      *float64       `json:"limited_share"`
	Warnings     []string       `json:"warnings"`
	Known        []knownValue   `json:"known"`
	Resolution   map[string]any `json:"resolution"`
	Openings     []struct {
		Number   int     `json:"number"`
		Name     string  `json:"name"`
		Role     string  `json:"role"`
		Area     float64 `json:"area_m2"`
		Flow     float64 `json:"flow_m3_per_s"`
		Pressure float64 `json:"pressure_pa"`
		Sure     float64 `json:"sure"`
	} `json:"openings"`
	Ranks []struct {
		FluidCells    int64   `json:"fluid_cells"`
		Work          float64 `json:"work"`
		StepSeconds   float64 `json:"step_seconds"`
		ExchangeShare float64 `json:"exchange_share"`
		Device        string  `json:"device"`
	} `json:"ranks"`
	Branches []struct {
		Branch      int     `json:"branch"`
		Parent      int     `json:"parent"`
		Generation  int     `json:"generation"`
		Name        string  `json:"name"`
		Length      float64 `json:"length_m"`
		Diameter    float64 `json:"diameter_m"`
		CellsAcross float64 `json:"cells_across"`
		part
		Reynolds float64 `json:"reynolds"`
	} `json:"branches"`
	Lobes []struct {
		Name     string `json:"lobe"`
		Openings []int  `json:"openings"`
		part
		Share               float64  `json:"share"`
		FromInlet           float64  `json:"pressure_drop_from_inlet_pa"`
		ResistanceFromInlet *float64 `json:"resistance_from_inlet_pa_s_per_l"`
	} `json:"lobes"`
	Ends []struct {
		Number int    `json:"opening"`
		Name   string `json:"name"`
		Branch int    `json:"branch"`
		part
	} `json:"ends"`
	WallShear  *figures `json:"wall_shear"`
	Statistics *struct {
		From    float64 `json:"from_s"`
		Samples int64   `json:"samples"`
		Phases  int     `json:"phases"`
	} `json:"statistics"`
	Refinement     *refinement `json:"refinement"`
	Interrupted    bool        `json:"interrupted"`
	VelocityChange *float64    `json:"velocity_change"`
	of             Of
	Provenance     *struct {
		Version string         `json:"version"`
		Commit  string         `json:"commit"`
		Command []string       `json:"command"`
		Case    map[string]any `json:"case"`
		Notes   []string       `json:"grid_notes"`
	} `json:"provenance"`
}

// knownValue is a number of the flow with how far it is known.
type knownValue struct {
	Name    string  `json:"name"`
	Opening int     `json:"opening"`
	Value   float64 `json:"value"`
	Error   float64 `json:"error"`
	How     string  `json:"how"`
}

// part is what is told of branches, lobes and openings alike.
type part struct {
	Flow       float64  `json:"flow_m3_per_s"`
	Drop       *float64 `json:"pressure_drop_pa"`
	Resistance *float64 `json:"resistance_pa_s_per_l"`
	Water      *float64 `json:"resistance_cmh2o_s_per_l"`
	Volume     float64  `json:"volume_m3"`
	Wall       *figures `json:"wall_shear"`
}

// partHeading are the columns of words.
var partHeading = []string{"flow", "pressure drop", "Pa·s/L", "cmH₂O·s/L", "mean shear", "peak shear", "volume"}

// words are those of the columns; pressures that are less than the least are none.
func (p *part) words(least float64) []string {
	drop, mean, peak, resistance, water := "–", "–", "–", known(p.Resistance), known(p.Water)
	if p.Drop != nil {
		drop = quantity.FormatFrom(least, *p.Drop, "Pa")
		if math.Abs(*p.Drop) < least && p.Resistance != nil {
			resistance, water = "0", "0"
		}
	}
	if p.Wall != nil {
		mean, peak = quantity.FormatFrom(least, p.Wall.Mean, "Pa"), quantity.FormatFrom(least, p.Wall.Peak, "Pa")
	}
	return []string{quantity.FormatFlow(p.Flow), drop, resistance, water, mean, peak, quantity.FormatVolume(p.Volume)}
}

func known(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.4g", *v)
}

type figures struct {
	Area float64 `json:"area_m2"`
	Mean float64 `json:"mean_pa"`
	Peak float64 `json:"peak_pa"`
	Over *struct {
		Mean        float64 `json:"mean_pa"`
		Peak        float64 `json:"peak_pa"`
		Oscillatory float64 `json:"oscillatory_index"`
	} `json:"over_time"`
}

type table struct {
	Heading []string
	Rows    [][]string
}

// Wide tells that it has more columns than fit on paper at the usual size.
func (t *table) Wide() bool {
	const most = 8
	return len(t.Heading) > most
}

type shown struct {
	Alt    string
	Source template.URL
}

type section struct {
	Title    string
	Words    []string
	Code     string
	Pictures []shown
	Table    *table
	// Further are tables behind it.
	Further []*table
}

// Excess is between which parts a pressure drop is likely to be too high; Rough tells that
// it may be more.
type Excess struct {
	Least, Most float64
	Rough       bool
}

// Of is what a page is of, besides its summary.
type Of struct {
	Title, Lead string
	// Excess is how much too high the pressure drop is likely to be; nil is not known.
	Excess *Excess
	// Changing tells that a waveform changes the flow.
	Changing bool
}

// Write writes the page that says what a summary, as encoded in JSON, holds. Pictures that
// are not there are left out.
func Write(path string, of Of, encoded []byte, pictures []Picture) error {
	var s summary
	if err := json.Unmarshal(encoded, &s); err != nil {
		return fmt.Errorf("report: reading the summary: %w", err)
	}
	s.of = of
	sections := s.sections()
	for _, p := range pictures {
		data, err := os.ReadFile(p.Path)
		if err != nil {
			continue
		}
		for i := range sections {
			if sections[i].Title == p.Section {
				source := template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))
				sections[i].Pictures = append(sections[i].Pictures, shown{p.Alt, source})
			}
		}
	}
	kept := sections[:0]
	for _, one := range sections {
		if len(one.Words)+len(one.Pictures)+len(one.Code) > 0 || one.Table != nil || len(one.Further) > 0 {
			kept = append(kept, one)
		}
	}
	// Names from files are text here, never markup.
	t, err := template.New("report").Parse(page)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		return t.Execute(w, map[string]any{"Title": of.Title, "Lead": of.Lead, "Warnings": s.Warnings, "Sections": kept})
	})
}

// Titles of the sections in which pictures stand.
const (
	Flow    = "The flow"
	Wall    = "The wall"
	History = "Over time"
	Ranks   = "How it was computed"
)

func (s *summary) sections() []section {
	return []section{s.about(), s.openings(), {Title: Flow}, s.wall(), {Title: History}, s.lobes(), s.ends(), s.branches(), s.trust(), s.computing()}
}

// least is below what pressures are rounding.
func (s *summary) least() float64 {
	var pressures []float64
	for _, o := range s.Openings {
		pressures = append(pressures, o.Pressure)
	}
	return quantity.LeastPressure(s.Drop, s.Density, s.PeakVelocity, pressures...)
}

func (s *summary) about() section {
	one := section{Title: "The case"}
	one.Words = append(one.Words, fmt.Sprintf("Pressure drop %s at a Reynolds number of %.4g; fastest air %s; density %.4g kg/m³, kinematic viscosity %.4g m²/s.",
		quantity.FormatFrom(s.least(), s.Drop, "Pa"), s.Reynolds, quantity.Format(s.PeakVelocity, "m/s"), s.Density, s.Viscosity))
	if p := s.Provenance; p != nil {
		for _, note := range p.Notes {
			one.Words = append(one.Words, "Of the surface: "+note)
		}
		if len(p.Command) > 0 {
			one.Words = append(one.Words, "To run it again:")
			quoted := make([]string, len(p.Command))
			for i, word := range p.Command {
				if quoted[i] = word; strings.ContainsAny(word, " \t'\"$") {
					quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
				}
			}
			one.Code = strings.Join(quoted, " ")
		}
	}
	return one
}

func (s *summary) openings() section {
	least := s.least()
	t := &table{Heading: []string{"opening", "role", "area", "flow", "pressure", "sure"}}
	for _, o := range s.Openings {
		flow, pressure := quantity.FormatFlow(o.Flow), quantity.FormatFrom(least, o.Pressure, "Pa")
		if s.closed(o.Number) {
			flow, pressure = "closed", "–"
		}
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%d %s", o.Number, o.Name), o.Role, quantity.FormatArea(o.Area), flow, pressure, fmt.Sprintf("%.0f %%", 100*o.Sure),
		})
	}
	return section{Title: "The openings", Words: []string{"Flow is positive where air enters."}, Table: t}
}

// closed tells whether no branch ends at an opening, as no cell meets it.
func (s *summary) closed(number int) bool {
	for i := range s.Ends {
		if s.Ends[i].Number == number {
			return s.Ends[i].Branch == 0
		}
	}
	return false
}

func (s *summary) wall() section {
	one, least := section{Title: Wall}, s.least()
	if w := s.WallShear; w != nil {
		one.Words = append(one.Words, fmt.Sprintf("Wall shear: mean %s, and above %s on 1 %% of %s.",
			quantity.FormatFrom(least, w.Mean, "Pa"), quantity.FormatFrom(least, w.Peak, "Pa"), quantity.FormatArea(w.Area)))
		if o := w.Over; o != nil {
			one.Words = append(one.Words, fmt.Sprintf("Over the last period, or all time where there is none: mean %s, the largest at each place above %s on 1 %% of it, oscillatory shear index %.3f (0 where the direction stays, ½ where it turns around).",
				quantity.FormatFrom(least, o.Mean, "Pa"), quantity.FormatFrom(least, o.Peak, "Pa"), o.Oscillatory))
		}
	}
	one.Table = s.wallOverTime()
	return one
}

// wallOverTime are the lobes and branches whose stress was followed over time; nil without.
func (s *summary) wallOverTime() *table {
	least := s.least()
	t := &table{Heading: []string{"part", "mean over time", "largest over time", "oscillatory index"}}
	add := func(name string, w *figures) {
		if w != nil && w.Over != nil {
			t.Rows = append(t.Rows, []string{name, quantity.FormatFrom(least, w.Over.Mean, "Pa"), quantity.FormatFrom(least, w.Over.Peak, "Pa"), fmt.Sprintf("%.3f", w.Over.Oscillatory)})
		}
	}
	for _, l := range s.Lobes {
		add(l.Name, l.Wall)
	}
	for _, b := range s.Branches {
		add(strings.TrimSpace(fmt.Sprintf("branch %d %s", b.Branch, b.Name)), b.Wall)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

func (s *summary) branches() section {
	if len(s.Branches) == 0 {
		return section{}
	}
	least := s.least()
	t := &table{Heading: append([]string{"branch", "parent", "length", "diameter", "cells across", "Re"}, partHeading...)}
	for _, b := range s.Branches {
		t.Rows = append(t.Rows, append([]string{
			strings.TrimSpace(fmt.Sprintf("%d %s", b.Branch, b.Name)), fmt.Sprint(b.Parent), quantity.FormatLength(b.Length), quantity.FormatLength(b.Diameter),
			fmt.Sprintf("%.1f", b.CellsAcross), quantity.FormatDigits(b.Reynolds, 4),
		}, b.words(least)...))
	}
	return section{Title: "The branches", Words: []string{"Flow is positive away from the first inlet. The peak is exceeded on 1 % of a branch's wall."}, Table: t}
}

func (s *summary) lobes() section {
	if len(s.Lobes) == 0 {
		return section{}
	}
	least := s.least()
	t := &table{Heading: append([]string{"lobe", "openings", "share"}, append(slices.Clone(partHeading), "from the inlet", "Pa·s/L")...)}
	for _, l := range s.Lobes {
		row := append([]string{l.Name, strings.Trim(fmt.Sprint(l.Openings), "[]"), quantity.FormatPercent(l.Share)}, l.words(least)...)
		t.Rows = append(t.Rows, append(row, quantity.FormatFrom(least, l.FromInlet, "Pa"), known(l.ResistanceFromInlet)))
	}
	return section{Title: "The lobes", Words: []string{"Flow is positive away from the first inlet. The pressure drop of a lobe is from where it begins to its openings, the mean over these by what flows through them; then from the inlet on."}, Table: t}
}

func (s *summary) ends() section {
	if len(s.Ends) == 0 {
		return section{}
	}
	least := s.least()
	t := &table{Heading: append([]string{"opening", "branch"}, partHeading...)}
	for _, e := range s.Ends {
		if e.Branch == 0 {
			continue
		}
		t.Rows = append(t.Rows, append([]string{fmt.Sprintf("%d %s", e.Number, e.Name), fmt.Sprint(e.Branch)}, e.words(least)...))
	}
	return section{Title: "From the inlet to the openings", Words: []string{"Flow is positive where air leaves. The pressure drop is from the first inlet; wall shear and volume are those of the branch that ends at the opening."}, Table: t}
}

func (s *summary) computing() section {
	one := section{Title: Ranks}
	one.Words = append(one.Words, fmt.Sprintf("%s cells of %s, %d steps of %s, %s of flow in %.1f s: %.1f million updates a second; %s collision, %s walls, %s precision; state hash %s.",
		quantity.Grouped(s.FluidCells), quantity.FormatLength(s.Spacing), s.Steps, quantity.Format(s.TimeStep, "s"), quantity.Format(s.Time, "s"), s.Seconds, s.MLUPS, s.Collision, s.WallKind, s.Precision, s.StateHash))
	t := &table{Heading: []string{"rank", "device", "cells", "work over the mean", "step", "exchange"}}
	mean := 0.0
	for i := range s.Ranks {
		mean += s.Ranks[i].Work / float64(len(s.Ranks))
	}
	for i, r := range s.Ranks {
		t.Rows = append(t.Rows, []string{fmt.Sprint(i), r.Device, quantity.Grouped(r.FluidCells), fmt.Sprintf("%.3f", r.Work/mean), quantity.Format(r.StepSeconds, "s"), fmt.Sprintf("%.1f %%", 100*r.ExchangeShare)})
	}
	one.Table = t
	return one
}
