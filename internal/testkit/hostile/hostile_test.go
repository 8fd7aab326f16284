package hostile_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/hostile"
)

// TestPrint shows that the stored case is the one that was played.
func TestPrint(t *testing.T) {
	for seed := range uint64(50) {
		w := hostile.World{Root: "/w", URIs: []string{"untitled:doc"}, Call: func(*hostile.Dice) string { return `{"command":"x"}` }}
		steps := hostile.Editor(hostile.ByChance(seed), w)
		again, err := hostile.Parse("# a remark\n" + hostile.Print(steps))
		for i := range steps {
			if steps[i].Times == 1 {
				steps[i].Times = 0
			}
		}
		if err != nil || !reflect.DeepEqual(again, steps) {
			t.Fatalf("%v:\n%s\nbecame\n%s", err, hostile.Print(steps), hostile.Print(again))
		}
	}
}

func TestText(t *testing.T) {
	for body, want := range map[string]string{
		"": "", "a": "a", "§3*ab§": "ababab", "[§2*x§]": "[xx]", `§2*{"a":§1§2*}§`: `{"a":{"a":1}}`, "§x§": "x", "§9999999999*x§": "9999999999*x",
	} {
		if got := (hostile.Step{Body: body}).Text(); got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
}

// TestSpoil shows that a message is spoiled in all of the ways that there are.
func TestSpoil(t *testing.T) {
	d := hostile.ByChance(1)
	const text = `{"a":{"b":[1,2,{"c":"d"}]},"e":null}`
	if got := hostile.Spoil(d, text, 0); got != text {
		t.Errorf("no fault makes %s", got)
	}
	kinds := map[string]int{}
	for range 1000 {
		switch got := hostile.Spoil(d, text, 1); {
		case !json.Valid([]byte(hostile.Step{Body: got}.Text())):
			kinds["no JSON"]++
		case strings.Count(got, `"e"`) > 1 || strings.Count(got, `"a"`) > 1:
			kinds["twice"]++
		case !strings.Contains(got, `"e"`):
			kinds["missing"]++
		default:
			kinds["another value"]++
		}
	}
	if len(kinds) != 4 {
		t.Errorf("got %v", kinds)
	}
}

func TestShrink(t *testing.T) {
	steps := []hostile.Step{{Verb: "a"}, {Verb: "b", Times: 5}, {Verb: "c"}, {Verb: "d"}, {Verb: "e"}}
	got := hostile.Shrink(steps, func(less []hostile.Step) bool {
		return strings.Contains(hostile.Print(less), "b") && strings.Contains(hostile.Print(less), "d")
	}, time.Minute)
	if want := []hostile.Step{{Verb: "b"}, {Verb: "d"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestLoaded shows that the bytes of a fuzzer decide, and that a case ends once they are used up.
func TestLoaded(t *testing.T) {
	d := hostile.Loaded([]byte{3, 1, 2})
	if got := []int{d.Int(10), d.Int(65536), d.Int(10), d.Int(10)}; !reflect.DeepEqual(got, []int{3, 258, 0, 0}) {
		t.Errorf("got %v", got)
	}
}
