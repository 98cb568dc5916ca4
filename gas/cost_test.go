package gas

import (
	"context"
	"sync/atomic"
	"testing"

	"carina"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/processor"
	"carina/solver/transport"
)

// counting counts the bytes that are sent.
type counting struct {
	transport.Transport
	bytes *atomic.Int64
}

func (c counting) Exchange(messages []transport.Message) error {
	for i := range messages {
		c.bytes.Add(int64(len(messages[i].Send)))
	}
	return c.Transport.Exchange(messages)
}

// What the cost model says that ranks send in a step is what they do, in stripes, tiles and
// other shapes, across periodic sides and beside walls.
func TestBytesSentArePredicted(t *testing.T) {
	for _, scene := range SceneNames() {
		for _, precision := range race.Few(Precisions[:1], Precisions) {
			for _, part := range []carina.PartitionCase{{Ranks: 2}, {Ranks: 6}, {Ranks: 3, Decompose: "bricks", Balance: "rcb"}} {
				for _, cut := range Cuts {
					c := Case{Scene: scene, Size: [2]int{24, 32}, Precision: precision, PartitionCase: part, Cut: cut}
					if part.Balance != "" {
						c.Cut = ""
					}
					if scene == heatedScene {
						c.Rayleigh = 3000
					}
					f, err := Open(context.Background(), c, Options{})
					if err != nil {
						t.Fatal(err)
					}
					const steps = 4
					var sent atomic.Int64
					err = transport.InProcess(part.Ranks, func(t transport.Transport) error {
						r, err := solver.NewRank(f.domain, solver.Together{&f.gas}, processor.New(1, t), counting{t, &sent}, solver.Options{})
						if err != nil {
							return err
						}
						defer r.Close()
						if err := transport.Agree(t, nil); err != nil {
							return err
						}
						if t.Rank() == 0 {
							sent.Store(0)
						}
						if err := transport.Agree(t, nil); err != nil {
							return err
						}
						for range steps {
							if err := r.Step(); err != nil {
								return err
							}
						}
						return nil
					})
					if want := steps * f.partition.Quality.BytesTotal; err != nil || sent.Load() != want {
						t.Errorf("%s, %s, %+v: %d bytes are sent (%v), %d predicted", scene, precision, f.partition.Method, sent.Load(), err, want)
					}
				}
			}
		}
	}
}
