package edits_test
import ("testing";"fmt";"os";"path/filepath";"strings"
"github.com/patchls/patchls/edits"; "github.com/patchls/patchls/edits/text")
func TestReal(t *testing.T){
 if os.Getenv("REAL")=="" { t.Skip("x") }
 base := "/root/go/pkg/mod/golang.org/x/"
 for _, pr := range [][2]string{{"tools@v0.51.0","tools@v0.52.0"},{"text@v0.41.0","text@v0.43.0"}} {
  filepath.Walk(base+pr[0], func(p string, fi os.FileInfo, err error) error {
   if fi.IsDir() || fi.Size() > 1<<20 { return nil }
   q := strings.Replace(p, pr[0], pr[1], 1)
   a, e1 := os.ReadFile(p); b, e2 := os.ReadFile(q)
   if e1!=nil||e2!=nil||string(a)==string(b) { return nil }
   es := checkRewrite(t, string(a), 0, len(a), string(b))
   tx := text.New(string(a))
   u := edits.Unified("a","b",tx,es)
   plus := 0
   for _, l := range strings.Split(u,"\n") { if strings.HasPrefix(l,"+")||strings.HasPrefix(l,"-") { plus += len(l) } }
   small := 0; for _, e := range es { if e.End-e.Start+len(e.New) <= 2 { small++ } }
   fmt.Printf("%-70s edits %4d bytes %6d linebytes %6d small %d\n", p[len(base):], len(es), editBytes(es), plus-8, small)
   if os.Getenv("REAL")==filepath.Base(p) { fmt.Println(u); for _, d := range describe(tx,es) { fmt.Println("   ", d) } }
   return nil
  })
 }
}
