package elision

import (
	"strings"
	"testing"
)

// body is an old text from which new texts leave out lines.
const body = "def f(self):\n    one()\n    two()\n    three()\n    four()\n"

func TestElidedTextInALine(t *testing.T) {
	elided := []string{
		// An ellipsis alone.
		"...", "…", "    ...", "....", "// ...", "//...", "/// ...", "# ...", "#...", "-- ...", ";; ...", "% ...", "/* ... */", "/* … */",
		"<!-- ... -->", "{/* ... */}", "{# ... #}", "(* ... *)", "[...]", "(...)", "{ ... }", "<...>", "func f() { /* ... */ }",
		// With words.
		"// ... existing code ...", "// ...existing code...", "# ... existing code ...", "/* ... existing code ... */",
		"<!-- ... existing code ... -->", "{/* ... existing code ... */}", "-- ... existing code ...", "… existing code …",
		"... existing code ...", "...existing code...", "// (existing code)", "// existing code", "// Existing code here", "/* existing code */",
		"// [existing code]", "// ---- existing code ----", "// existing implementation", "# existing imports",
		"# rest of the code unchanged", "// rest of the code remains the same", "// Rest of the code remains the same...",
		"// ... (rest of the code remains the same)", "//... (rest of the code remains the same)", "(rest of methods ...)",
		"// rest of methods ...", "(unchanged code ...)", "[rest of code unchanged]", "# rest of code", "// The rest of your code here",
		"// ... rest of the file ...", "// rest of the function", "// rest of MyClass unchanged", "// ... rest of handleClick ...",
		"{/* Rest of the code remains exactly the same as the previous edit, starting from the hero section to the end */}",
		"// unchanged", "// (unchanged)", "# unchanged", "// ... unchanged ...", "...unchanged...", "// ... other methods ...", "# ... other tests ...",
		"// ... other methods unchanged", "// ... imports ...", "# ... remaining code ...", "// remaining code", "// previous code",
		"/* previous code */", "// ... previous code remains the same ...", "// code omitted for brevity", "// code left out", "// Lines 5-9 skipped", "// ... omitted for brevity ...",
		"// Lines 10-20 omitted", "# ... 15 more lines ...", "// same code as before", "// ... same as before", "// ... unchanged methods", "// methods unchanged", "// keep the rest as is",
		"// Everything else stays the same", "// Keep existing code", "// ... keep existing code ...", "# ... (code unchanged) ...",
		"// ... existing imports and useState hooks ...", " * ... existing code ...",
		// In any language.
		"# ... остальной код без изменений", "// ... reste du code", "// Restlicher Code bleibt ...", "// ... koko muu koodi ...", "# 其余代码不变...", "... 残り ...", "// ...その他",
		"function f() { // ... existing code ...", "function f() { /* existing code */ }", "x = 1 # ... rest of the code ...",
	}
	for _, line := range elided {
		new := "def g(self):\n    zero()\n" + line + "\n    five()\n"
		if got, found := Find(nothing, body, new); !found || got != strings.TrimSpace(line) {
			t.Errorf("%q: %q, %v", line, got, found)
		}
		if got, found := Find(nothing, body+line+"\n", new); found {
			t.Errorf("%q is in the old text too, but %q is elided", line, got)
		}
	}
	text := []string{
		// Spread and variadic.
		"...args", "    ...rest,", "...rest", "...props", "  ...existing,", "{...props}", "f(...args)", "func f(xs ...T) {", "fmt.Println(xs...)",
		"x := []int{...}", "x := [...]int{1, 2}", "           ...)", "...);", "template <typename... Ts>", "case 1 ... 5:", "for i in 1...10 {", "0...n",
		// Ellipsis in code.
		"def f(self): ...", "x: Tuple[int, ...]", "class A(Protocol): ...", "y = ...", "a[..., 0]", "@overload", "else: ...",
		// Prose.
		"Please wait...", "and so on...", "...and that was it.", "... and then it stopped.", "Loading…", "\"...\"", "`...`", "'// ... existing code ...'",
		"\"// ... existing code ...\",", "`# rest of the code unchanged`", "See the rest of the code.", "The rest of the file is generated.", "unchanged", "- unchanged",
		"... more methods", "... imports", "// skipped lines", "- ...", "* ...", "..........", "// ----------", "//................", "Existing code", "rest of the code", "| ... | existing code | ... |",
		// Comments.
		"// ...args", "# Ждём ответа...", "// 等待中...", "// medir el resultado ...", "... koko muu koodi", "## ... koko muu koodi",
		"// Loading existing code ...", "// TODO: ...", "# wait for the others ...", "# see below ...", "# key: value ...", "// your code here", "// Other methods",
		"// Imports", "# Remaining tests", "// The rest of the buffer is zero.", "// Existing users keep their names.", "// Same as above.", "// keep",
		"// the existing connection is reused", "// rest", "# Keep the file open", "// previous implementations were slower", "// more code", "# type: ignore",
		"// x stays the same if y does", "/* unused */", "// existing file", "# Existing files", "// rest of the line", "// rest of line", "// unchanged lines", "// The file remains unchanged.",
		"// same as before", "// the remaining lines", "// Previous version", "// Other tests", "// original content", "// no changes", "// skipped", "// is this existing code?", "// existing = code", "## Unchanged", "### Existing code", "#!/bin/sh",
		"// Truncated to 10 lines.", "* existing code", "// e.g. f(...)", "log.Print(\"...\") // ...", "return x // unchanged", "i++ // ... and so on",
		"foo(/* ... */)", "/// impl Foo { /* ... */ }",
		strings.Repeat("// existing code ", 20),
	}
	for _, line := range text {
		new := "def g(self):\n    zero()\n" + line + "\n    five()\n"
		if got, found := Find(nothing, body, new); found {
			t.Errorf("%q: %q is elided", line, got)
		}
	}
	t.Logf("%d lines that elide, %d that do not", len(elided), len(text))
}

func TestElidedText(t *testing.T) {
	tests := []struct {
		name     string
		old, new string
		want     string // the line, "" for none
	}{
		{"the middle of a function", body, "def f(self):\n    one()\n    ...\n    four()\n", "..."},
		{"the end of a text", body, "def f(self):\n    uno()\n...", "..."},
		{"a body in an old function", body, "def f(self):\n    ...\n", "..."},
		{"a body in an old function, others below", body + "\ndef g():\n    pass\n", "def f(self):\n    ...\n\ndef g():\n    return 1\n", "..."},
		{"a body in a new function", body, "def stub(self):\n    ...\n", ""},
		{"a docstring and a body", body, "def stub(self):\n    \"\"\"Says it.\"\"\"\n    ...\n\nx = 1\n", ""},
		{"below a new function, but not all of it", body, "def stub(self):\n    ...\n    return 1\n", "..."},
		{"a body in place of one line", "def f(self):\n    pass\n", "def f(self):\n    ...\n", ""},
		{"nothing but an ellipsis", body, "    ...\n", ""},
		{"nothing but an ellipsis in a comment", body, "    # ...\n", "# ..."},
		{"words are enough", "x = 1\n", "x = 2\n// ... existing code ...\n", "// ... existing code ..."},
		{"an ellipsis where nothing is missing", "a: 1\nb: 2\n", "a: 1\nb: 2\n# ...\nc: 3\n", ""},
		{"an ellipsis where one line is missing", "a: 1\nb: 2\n", "a: 1\n# ...\nc: 3\n", ""},
		{"an ellipsis where lines are missing", "a: 1\nb: 2\nc: 3\n", "a: 1\n# ...\nd: 4\n", "# ..."},
		{"an ellipsis that goes on a comment", "a: 1\nb: 2\nc: 3\n", "# d: 1\n# ...\nd: 4\n", ""},
		{"an ellipsis that a comment goes on", "a: 1\nb: 2\nc: 3\n", "# ...\n# d: 1\nd: 4\n", ""},
		{"the end of a YAML document", "a: 1\nb: 2\nc: 3\n", "---\na: 2\n...\n---\nd: 4\n", ""},
		{"a doctest", "a\nb\nc\n", ">>> for x in y:\n... f(x)\n...\n1\n", ""},
		{"a doctest of one line", "a\nb\nc\n", ">>> for x in y: f(x)\n...\n1\n", ""},
		{"the end of a YAML document, CRLF", "a: 1\nb: 2\nc: 3\n", "---\r\na: 2\r\n...\r\n---\r\nd: 4\r\n", ""},
		{"a sentence that goes on", "a\nb\nc\n", "// Only the head is read:\n// it is copied, and\n// the rest of the file is unchanged\nx()\n", ""},
		{"no sentence that goes on", "a\nb\nc\n", "// Read the head.\n// rest of the file unchanged\nx()\n", "// rest of the file unchanged"},
		{"the old text has it, indented in another way", "a\n  // ...\nb\nc\n", "a\n\t// ...\nd\n", ""},
		{"CRLF", body, "def f(self):\r\n    one()\r\n    ...\r\n    four()\r\n", "..."},
		{"the first of two", body, "x\n# rest of the code\n# ... existing code ...\n", "# rest of the code"},
		{"no old text", "", "x\n// ... existing code ...\n", ""},
		{"nothing is left out", "a = 1\n", "// unchanged\na = 1\n", ""},
		{"no new text", body, "", ""},
		{"in a string", body, "x = `\n# ... existing code ...\n`\n", ""},
		{"in a string, CRLF", body, "a\r\nb\r\nx = `\r\n# ... existing code ...\r\n`\r\n", ""},
		{"above a string", body, "# ... existing code ...\nx = `\n`\n", "# ... existing code ..."},
		{"below a string", body, "x = `\n`\n# ... existing code ...\n", "# ... existing code ..."},
		{"between two strings", body, "x = `a`\n# ... existing code ...\ny = `b`\n", "# ... existing code ..."},
		{"in a string without an end", body, "x = `\n# ... existing code ...\n", "# ... existing code ..."},
		{"in a string with quotes of another kind", body, "x = \"\"\"\n`\n# ... existing code ...\n\"\"\"\n", ""},
		{"in a here-document", body, "cat <<-'END' |\n# ... existing code ...\nEND", ""},
		{"below a shift", body, "x = 1<<N\n# ... existing code ...\n", "# ... existing code ..."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, found := Find(nothing, tt.old, tt.new)
			if got != tt.want || found != (tt.want != "") {
				t.Errorf("elidedText(%q, %q) = %q, %v; want %q", tt.old, tt.new, got, found, tt.want)
			}
		})
	}
}

func FuzzElidedText(f *testing.F) {
	f.Add(body, "def f(self):\n    ...\n")
	f.Add("", "{ /* ... */ }\n(...)\n")
	f.Fuzz(func(t *testing.T, old, new string) {
		line, found := Find(nothing, old, new)
		if found != (line != "") || !strings.Contains(new, line) {
			t.Errorf("%q, %v", line, found)
		}
		if line, found := Find(nothing, new, new); found {
			t.Errorf("%q is in the old text", line)
		}
	})
}

// nothing is what stands above a text that is all.
func nothing() string { return "" }
