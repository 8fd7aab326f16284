package patch_test

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/patch"
)

const forth = `A commit.

diff --git a/b.txt b/b.txt
new file mode 100644
index 0000000..e69de29
diff --git a/old.txt "b/\303\266.txt"
rename from old.txt
rename to "\303\266.txt"
diff --git a/old name.txt b/new.txt
old mode 100644
new mode 100755
rename from old name.txt
rename to new.txt
index 1234567..89abcde 100755
--- a/old name.txt
+++ b/new.txt
@@ -1,4 +1,3 @@ func a() {
 one

---- two
++++ three
-four
\ No newline at end of file
@@ -10 +9,2 @@
 ten
+eleven
--- c.txt	2026-01-01
+++ /dev/null
@@ -1 +0,0 @@
-gone
-- 
2.50
`

const back = `A commit.

diff --git a/b.txt b/b.txt
deleted file mode 100644
index e69de29..0000000
diff --git "a/\303\266.txt" b/old.txt
rename from "\303\266.txt"
rename to old.txt
diff --git a/new.txt b/old name.txt
old mode 100755
new mode 100644
rename from new.txt
rename to old name.txt
index 89abcde..1234567 100755
--- b/new.txt
+++ a/old name.txt
@@ -1,3 +1,4 @@ func a() {
 one

+--- two
-+++ three
+four
\ No newline at end of file
@@ -9,2 +10 @@
 ten
-eleven
--- /dev/null
+++ c.txt	2026-01-01
@@ -0,0 +1 @@
+gone
-- 
2.50
`

func TestReverse(t *testing.T) {
	for _, ends := range []string{"\n", "\r\n"} {
		forth, back := strings.ReplaceAll(forth, "\n", ends), strings.ReplaceAll(back, "\n", ends)
		if got, ok := patch.Reverse(forth); !ok || got != back {
			t.Errorf("reversed %v, it is\n%s", ok, got)
		}
		if again, ok := patch.Reverse(back); !ok || again != forth {
			t.Errorf("reversed again %v, it is\n%s", ok, again)
		}
	}
	for _, other := range []string{"", "one\n", "*** Begin Patch\n*** Delete File: a\n*** End Patch\n", "diff --git a/a b/b\ncopy from a\ncopy to b\n"} {
		if got, ok := patch.Reverse(other); ok {
			t.Errorf("%q is reversed to %q", other, got)
		}
	}
}
