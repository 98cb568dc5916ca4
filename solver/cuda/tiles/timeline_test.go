package tiles

import (
	"encoding/json"
	"maps"
	"testing"

	"carina/solver/cuda/device"
)

// clock is a device whose stamps are times.
type clock struct {
	device.Device
	now float64
}

func (c *clock) Stamp(device.Queue) (device.Stamp, error) { return c.now, nil }

func (c *clock) Between(from, to device.Stamp) (float64, error) {
	return to.(float64) - from.(float64), nil
}

// Every phase is the time between two points, under its name in records. Where a
// border is not exchanged in a way, the way takes no time.
func TestPhasesOfAStep(t *testing.T) {
	for _, test := range []struct {
		name  string
		times map[int]float64 // of the points passed
		want  map[string]float64
	}{
		{"messages", map[int]float64{beforeBorder: 1, afterBorder: 3, afterFetch: 7, afterDelivery: 15, afterUnpacking: 31, beforeInterior: 2, afterInterior: 66},
			map[string]float64{"border": 2, "fetch": 4, "transfer": 8, "unpack": 16, "handshake": 0, "interior": 64}},
		{"direct", map[int]float64{beforeBorder: 1, afterBorder: 3, afterHandshake: 35, beforeInterior: 2, afterInterior: 66},
			map[string]float64{"border": 2, "fetch": 0, "transfer": 0, "unpack": 0, "handshake": 32, "interior": 64}},
		{"both", map[int]float64{beforeBorder: 1, afterBorder: 3, afterFetch: 7, afterDelivery: 15, afterUnpacking: 31, afterHandshake: 63, beforeInterior: 2, afterInterior: 66},
			map[string]float64{"border": 2, "fetch": 4, "transfer": 8, "unpack": 16, "handshake": 32, "interior": 64}},
	} {
		c, line := &clock{}, new(Timeline)
		for point, at := range test.times {
			c.now = at
			if err := line.stamp(c, device.BorderQueue, point); err != nil {
				t.Fatal(err)
			}
		}
		phases, err := line.Phases(c)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(phases)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]float64
		if err := json.Unmarshal(text, &got); err != nil || !maps.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		var sum, want float64
		for _, p := range phases.List() {
			sum += *p
		}
		for _, v := range test.want {
			want += v
		}
		if sum != want {
			t.Errorf("%s: the list adds up to %g, want %g", test.name, sum, want)
		}
	}
}

// A device has computed while its border or its interior was computed, not in between and
// not twice where both were.
func TestBusyIsWhatIsComputed(t *testing.T) {
	for _, test := range []struct {
		name             string
		border, interior [2]float64
		hasBorder        bool
		want             float64
	}{
		{"the interior alone", [2]float64{}, [2]float64{2, 7}, false, 5},
		{"one after the other", [2]float64{1, 3}, [2]float64{4, 10}, true, 8},
		{"a late border", [2]float64{7, 10}, [2]float64{1, 5}, true, 7},
		{"beside each other", [2]float64{1, 3}, [2]float64{2, 10}, true, 9},
		{"the border within", [2]float64{4, 6}, [2]float64{2, 10}, true, 8},
		{"the interior within", [2]float64{1, 10}, [2]float64{3, 5}, true, 9},
	} {
		line := &Timeline{}
		line.stamps[beforeBorder], line.stamps[afterBorder] = test.border[0], test.border[1]
		line.stamps[beforeInterior], line.stamps[afterInterior] = test.interior[0], test.interior[1]
		if got, err := line.busy(&clock{}, test.hasBorder); got != test.want || err != nil {
			t.Errorf("%s: %g s, want %g; %v", test.name, got, test.want, err)
		}
	}
}
