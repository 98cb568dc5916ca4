package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"carina/internal/machine"
	"carina/internal/simd"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda"
	"carina/solver/transport"
)

// Agreement is what all ranks of a computation must have in common. Its fields
// are compared one by one, by their names in words or those of their tags.
type Agreement struct {
	Program string `name:"program version"`
	// Devices are those of all ranks.
	Devices   string `name:"device"`
	Kernels   string `name:"instruction set"`
	Storage   gpu.Storage
	Exchange  cuda.Exchange
	Grid      string
	Partition string
	Ranks     int    `name:"number of ranks"`
	Shares    bool   `name:"use of share files"`
	Folder    string `name:"folder for results"`
	Restart   string `name:"checkpoint to go on from"`
	Rebalance string `name:"balance while the flow is computed"`
	Steps     int64
	Time      float64
	Tolerance float64
	Settings  airflow.Settings
}

// Agree is an error on all ranks, before anything is computed or written, unless
// they are to compute the same: ranks that differ would wait for each other or
// end in a flow that nobody asked for. What the job says need not be filled in.
func (j *Job) Agree(a Agreement) error {
	if j.Transport == nil {
		return nil
	}
	a.Program, a.Devices, a.Kernels = machine.Build(), devicesText(j.Devices), kernelKind(j.Devices)
	a.Storage, a.Exchange, a.Ranks = j.Storage, j.Exchange, j.Domain.Ranks
	a.Steps, a.Time, a.Tolerance, a.Settings = j.Plan.Steps, j.Plan.Time, j.Plan.Tolerance, j.Settings
	return transport.Same(j.Transport, itemsOf(a))
}

// SettingsItems are the settings, and what computes their bits.
func (j *Job) SettingsItems() []transport.Item {
	return itemsOf(struct {
		Kernels  string `name:"instruction set"`
		Settings airflow.Settings
	}{kernelKind(j.Devices), j.Settings})
}

// kernelKind tells apart the instruction sets whose results differ in the last
// bits: all vector kernels give the same, and those in Go another.
func kernelKind(devices []Device) string {
	switch {
	case !On(devices, CPU):
		return "that of the GPU"
	case len(simd.Machines()) > 0:
		return "AVX2 or AVX-512"
	}
	return "portable, without AVX2"
}

// itemsOf lists the fields of a structure with their values as texts.
func itemsOf(structure any) []transport.Item {
	var items []transport.Item
	addItems(&items, "", reflect.ValueOf(structure))
	return items
}

func addItems(items *[]transport.Item, name string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				addItems(items, fieldName(name, f), v.Field(i))
			}
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
			addItems(items, fmt.Sprintf("%s of opening %v", strings.TrimSuffix(name, "s"), key), v.MapIndex(key))
		}
	default:
		*items = append(*items, transport.Item{Name: name, Value: valueText(v)})
	}
}

// fieldName is the name of a field in words, after those of what it is in.
func fieldName(outer string, f reflect.StructField) string {
	own := f.Tag.Get("name")
	if own == "" {
		own = words(f.Name)
	}
	if outer == "settings" {
		outer = ""
	}
	return strings.TrimSpace(outer + " " + own)
}

// words parts a name such as KinematicViscosity.
func words(name string) string {
	var w strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			w.WriteByte(' ')
		}
		w.WriteRune(unicode.ToLower(r))
	}
	return w.String()
}

// valueText is a value in full, or the beginning of its hash where it is long.
func valueText(v reflect.Value) string {
	const longest, digits = 40, 12
	text := exactText(v)
	if len(text) <= longest {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "hash " + hex.EncodeToString(sum[:])[:digits]
}

// exactText writes a value so that different ones have different texts.
func exactText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.String:
		if v.Len() == 0 {
			return "not given"
		}
		return v.String()
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return "not given"
		}
		return exactText(v.Elem())
	case reflect.Func:
		if v.IsNil() {
			return "not given"
		}
		return "a function"
	case reflect.Slice, reflect.Array:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = exactText(v.Index(i))
		}
		return strings.Join(parts, " ")
	case reflect.Struct:
		parts := []string{v.Type().Name()}
		for i := range v.NumField() {
			parts = append(parts, words(v.Type().Field(i).Name), exactText(v.Field(i)))
		}
		return strings.Join(parts, " ")
	}
	return fmt.Sprint(v)
}
