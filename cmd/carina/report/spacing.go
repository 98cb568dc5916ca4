package report

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"carina"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver/airflow"
)

const (
	// firstCells are those of a first look on processors.
	firstCells = 150_000
	// trialSteps are computed to know the speed.
	trialSteps = 8 * airflow.CheckInterval
	// stepping is the part of a limited run that steps may take, as planned; the rest is for
	// cells, pictures and tables, and for a machine that was faster when it was tried.
	stepping = 0.75
	// tries is how many spacings are tried for a limit.
	tries = 4
)

// finer are the factors of the spacing for which is told what they take.
var finer = []float64{1, 0.7, 0.5}

// plan finds out what a run at the spacing and at finer ones will take, by the rules of the
// run itself, and computes a few steps to know the speed. Where the run is limited to so many
// seconds, it looks for the finest spacing with which a flow that fluctuates ends in them.
// Before that becomes coarser than usual, which closes narrow branches, the flow is computed
// for less time, but for an exchange of the air at least.
func (n *NewCase) plan(ctx context.Context, c *carina.Case, p *geometry.Prepared, options geometry.Options, o CaseOptions) error {
	trial := *c
	trial.Flow, trial.Ranks, trial.Conditions = usualFlow, usualRanks, conditionsOf(p.Openings)
	usual, within := n.Spacing, o.Within
	n.Updates = o.Updates
	for try := 1; ; try++ {
		options.Spacing = n.Spacing
		grid, filled, err := geometry.VoxelizePrepared(ctx, p, options)
		if err != nil {
			return err
		}
		if err := n.planOn(&trial, grid); err != nil {
			return err
		}
		if o.Updates == 0 {
			if err := n.measure(ctx, trial, grid); err != nil {
				return err
			}
		}
		most := int64(stepping * within * n.Updates / float64(n.Cells))
		next := n.better(most, usual)
		if within <= 0 || try >= tries && n.Plans[0].Least <= most {
			next = n.Spacing
		}
		if next == n.Spacing {
			n.close(filled.LostOpenings, trial.Conditions)
			if within > 0 {
				n.limit(within, most)
			}
			return nil
		}
		if try > 2*tries {
			return fmt.Errorf("no spacing was found with which a run ends in %s on this machine: allow more, or leave --within out", lasting(within))
		}
		n.Spacing = next
	}
}

// better is the spacing that fits so many steps better, given the usual one.
func (n *NewCase) better(most int64, usual float64) float64 {
	const unused = 0.7
	p := &n.Plans[0]
	steps := p.Usual
	if n.Spacing >= usual && most < steps {
		steps = max(p.Least, min(steps, most))
	}
	over := float64(steps) / float64(most)
	if over > unused && over <= 1 {
		return n.Spacing
	}
	// Cells grow with the third power of the inverse spacing, steps with the first.
	next := roundUp(n.Spacing * math.Pow(over, 0.25))
	if n.Spacing < usual && next > usual {
		return usual
	}
	return next
}

// planOn plans runs on a grid and finer ones.
func (n *NewCase) planOn(trial *carina.Case, grid *geometry.Grid) error {
	n.Cells, n.Plans = grid.Cells(), nil
	for _, factor := range finer {
		plan, err := trial.PlanOn(grid, factor)
		if err != nil {
			return err
		}
		n.Plans = append(n.Plans, plan)
	}
	return nil
}

// measure computes a few steps to know the speed.
func (n *NewCase) measure(ctx context.Context, trial carina.Case, grid *geometry.Grid) error {
	partition, err := trial.Partition(grid)
	if err != nil {
		return err
	}
	trial.Steps = trialSteps
	flow, err := carina.Open(grid, partition, trial, carina.Discard())
	if err != nil {
		return err
	}
	if err := flow.Run(ctx); err != nil {
		return err
	}
	n.Updates = flow.Summary().MLUPS * 1e6
	return nil
}

// close tells which ends the spacing closes, and whose share others take.
func (n *NewCase) close(lost []geometry.LostOpening, conditions []carina.ConditionCase) {
	var numbers []string
	share := 0.0
	for _, l := range lost {
		n.Closed = append(n.Closed, l.Number)
		number := strconv.Itoa(l.Number)
		numbers = append(numbers, number)
		for i := range conditions {
			if conditions[i].Opening == number {
				share += conditions[i].Share
			}
		}
	}
	if len(lost) > 0 {
		n.Notes = append(n.Notes, fmt.Sprintf("at this spacing no cell meets %s %s, so nothing leaves there, and the other ends take %s of the flow in addition: choose a smaller spacing where that matters",
			quantity.Plural(len(lost), "opening"), strings.Join(numbers, ", "), quantity.FormatPercent(share)))
	}
}

// limit ends the run after so many steps at the most, and says what that costs.
func (n *NewCase) limit(within float64, most int64) {
	p := &n.Plans[0]
	steps := max(1, min(p.Usual, most))
	n.Time = float64(steps) * p.TimeStep
	exchanges := max(0, float64(steps-p.Start)) / float64(p.Least-p.Start)
	words := fmt.Sprintf("for a run of at most %s on this machine the spacing is %s, and it ends after %s of flow, %.2g exchanges of the air", lasting(within), quantity.FormatLength(n.Spacing), quantity.Format(n.Time, "s"), exchanges)
	if steps < p.Usual {
		words += ", when the flow may not be steady, which the report tells"
	}
	n.Notes = append(n.Notes, words+dropWords(p))
}

// spacingFor gives a volume as many cells as a first look has, with two digits.
func spacingFor(volume float64) float64 {
	spacing := math.Cbrt(volume / firstCells)
	digit := digitOf(spacing)
	return math.Round(spacing/digit) * digit
}

// roundUp gives a spacing two digits, so that there are at most as many cells.
func roundUp(spacing float64) float64 {
	digit := digitOf(spacing)
	return math.Ceil(spacing/digit) * digit
}

// digitOf is what the second digit of a number counts.
func digitOf(x float64) float64 { return math.Pow(10, math.Floor(math.Log10(x))-1) }
