package main

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"carina"
	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/quantity"
	"carina/partition"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/airflow/opening"
	"carina/solver/cuda"
)

// texts are any names as text.
func texts[T ~string](names ...T) []string {
	var list []string
	for _, name := range names {
		list = append(list, string(name))
	}
	return list
}

// choices are the flags that take one of some names, with all that are accepted.
func choices() map[string][]string {
	first, after := balance.DecompositionNames()
	for _, step := range after {
		first = append(first, "+"+step)
	}
	return map[string][]string{
		"unit":      geometry.UnitNames(),
		"axes":      texts(geometry.AxesNames...),
		"voxelizer": texts(geometry.Methods...),
		"decompose": first,
		"balance":   balance.BalancerNames(),
		"preset":    partition.PresetNames(),
		"profile":   texts(opening.Profiles...),
		"waveform":  {"sine", "breathing", "periodic"},
		"collision": texts(airflow.Collisions...),
		"layout":    texts(airflow.Layouts...),
		"lattice":   texts(airflow.Lattices...),
		"wall":      texts(airflow.Walls...),
		"precision": texts(airflow.Precisions...),
		"device":    texts(carina.CPU, carina.GPU, "gpu+cpu", "gpu+host"),
		"storage":   texts(gpu.Single, gpu.Half),
		"exchange":  texts(cuda.IPC, cuda.Host),
	}
}

// Names to choose from are listed as in a sentence.
func TestNamesAreListedAsASentence(t *testing.T) {
	for want, names := range map[string][]string{"": nil, "one": {"one"}, "one or two": {"one", "two"}, "one, two or three": {"one", "two", "three"}} {
		if got := quantity.Either(names); got != want {
			t.Errorf("%q: %q, want %q", names, got, want)
		}
	}
}

// missing are the names that do not stand in a text as words.
func missing(text string, names []string) []string {
	var list []string
	for _, name := range names {
		word := regexp.MustCompile(`(^|[^\pL\d+-])` + regexp.QuoteMeta(name) + `($|[^\pL\d-])`)
		if !word.MatchString(text) {
			list = append(list, name)
		}
	}
	return list
}

// Every name that a flag accepts stands in its help, and no command is left out.
func TestHelpNamesAllChoices(t *testing.T) {
	others := map[string]map[string][]string{
		"graph":         {"objective": partition.ObjectiveNames()},
		"generate":      {"rule": texts(generate.Rules...)},
		"bench cost":    {"layout": texts(balance.Layouts...)},
		"bench balance": {"layout": texts(balance.Layouts...)},
		"bench gpu":     {"exchange": texts(cuda.IPC, cuda.Host), "collision": texts(airflow.Collisions...), "lattice": texts(airflow.Lattices...), "wall": texts(airflow.Walls...)},
		"bench solver":  {"layout": texts(airflow.Layouts...)},
		"run":           choices(), "solve": choices(), "partition": choices(), "voxelize": choices(), "inspect": choices(), "view": choices(),
	}
	seen := map[string]bool{}
	for line, flags := range others {
		command, _, err := newRoot().Find(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		for name, names := range flags {
			flag := command.Flags().Lookup(name)
			if flag == nil {
				continue
			}
			seen[name] = true
			if missed := missing(flag.Usage, names); len(missed) > 0 {
				t.Errorf("%s --%s accepts %q too: %s", line, name, missed, flag.Usage)
			}
		}
	}
	for name := range choices() {
		if !seen[name] {
			t.Errorf("no command has --%s", name)
		}
	}
}

// What a case file may hold stands on its page, with all names that are accepted.
func TestCaseFilePageNamesKeysAndChoices(t *testing.T) {
	data, err := os.ReadFile("../../docs/case-file.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, key := range regexp.MustCompile("`[^`]+`").FindAllString(cells[1], -1) {
				rows[strings.Trim(key, "`")] = cells[2]
			}
		}
	}
	all := choices()
	for field := range reflect.TypeFor[carina.Case]().Fields() {
		key := field.Tag.Get("yaml")
		if row, ok := rows[key]; key != "" && !ok {
			t.Errorf("nothing is said of %q", key)
		} else if missed := missing(row, all[key]); len(missed) > 0 {
			t.Errorf("%s accepts %q too: %s", key, missed, row)
		}
	}
}
