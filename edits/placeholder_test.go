package edits

import "testing"

func TestElidedText(t *testing.T) {
	const old = "def f():\n    a()\n    b()\n    c()\n    d()\n"
	for _, put := range []string{
		"def f():\n    # ... existing code ...\n    x()\n",
		"// ...",
		"// … rest of the file …",
		"# ...",
		"/* ... */",
		"<!-- ... -->",
		"{/* ... existing code ... */}",
		"-- ... remaining columns ...",
		"// existing code",
		"// (existing code)",
		"// [rest of the code]",
		"// rest of the code remains the same",
		"# rest of the function unchanged",
		"# Rest of implementation here",
		"// ... other methods ...",
		"; ... same as before",
		"% ... rest",
		"// existing imports",
		"/* existing implementation */",
		"// unchanged",
		"# same as before",
		"// omitted for brevity",
		"def f():\n    ...\n",
		"def f():\n    …\n",
	} {
		if _, ok := elidedText(old, put); !ok {
			t.Errorf("%q leaves something out", put)
		}
	}
	for _, put := range []string{
		"f(...args)",
		"func f(xs ...T) {",
		"x := append(a, b...)",
		"x := [...]int{1, 2}",
		"def f(): ...",
		"class P(Protocol):\n    def f(self) -> int:\n        ...\n    def g(self) -> int:\n        ...\n    def h(self): ...\n",
		"print('loading...')",
		"Wait for it...",
		"// wait for the rest of the team",
		"// the existing code path is slow, see #12",
		"// Loads the remaining items, one by one.",
		"# Loading...",
		"// e.g. 1, 2, 3, ...",
		"// and so on...",
		"// TODO: handle other cases",
		"# same as above, but for tabs",
		"// keep the lock while writing",
		"--- a/x\n+++ b/x",
		"* item",
		"return existing.code",
		"const rest = items.slice(1)",
	} {
		if line, ok := elidedText(old, put); ok {
			t.Errorf("%q leaves nothing out; taken for it: %q", put, line)
		}
	}
	if _, ok := elidedText("a\n// ... existing code ...\nb\n", "a\n// ... existing code ...\nc\n"); ok {
		t.Error("what old has as well is text")
	}
}
