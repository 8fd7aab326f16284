package reread

import (
	"html"
	"regexp"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits/patch"
)

// Rereadings read a command that was escaped once too often, each in its way. They are for
// one whose old text stands nowhere as it is: that it stands there so read is what tells.
var Rereadings = []struct {
	As   func(old, put string) (bareOld, barePut string, ok bool)
	Note string
}{
	{unescaped, `The literal \n and \t in old_str and new_str were taken for line breaks and tabs.`},
	{unquoted, `The \" and \' in old_str and new_str were taken for quotes.`},
	{unentitled, "The entities of HTML in old_str and new_str were taken for what they stand for."},
}

// unescaped takes literal \n and \t for line breaks and tabs, if there are no real ones
// and none that is in quotes: that one is meant, and stays. One of put must then be in old.
func unescaped(old, put string) (bareOld, barePut string, ok bool) {
	old, put = strings.TrimSuffix(old, "\n"), strings.TrimSuffix(put, "\n")
	if strings.ContainsAny(old+put, "\n\t") || strings.Contains(old+put, `\\`) {
		return "", "", false
	}
	bareOld, _ = unescapeOutside(old)
	barePut, kept := unescapeOutside(put)
	for _, quoted := range kept {
		if !strings.Contains(old, quoted) {
			return "", "", false
		}
	}
	return bareOld, barePut, bareOld != old
}

// unescapeOutside replaces the escapes of s that are not in quotes, and returns those
// quotes that hold others.
func unescapeOutside(s string) (bare string, kept []string) {
	var b strings.Builder
	for i := 0; i < len(s); {
		if c := s[i]; c == '"' || c == '`' || c == '\'' && (i == 0 || !patch.IsWordByte(s[i-1])) {
			if n := strings.IndexByte(s[i+1:], c); n >= 0 {
				quoted := s[i : i+n+2]
				if strings.Contains(quoted, `\n`) || strings.Contains(quoted, `\t`) {
					kept = append(kept, quoted)
				}
				b.WriteString(quoted)
				i += len(quoted)
				continue
			}
		}
		switch {
		case strings.HasPrefix(s[i:], `\n`):
			b.WriteByte('\n')
			i += 2
		case strings.HasPrefix(s[i:], `\t`):
			b.WriteByte('\t')
			i += 2
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String(), kept
}

// unquoted takes \" for a quote.
func unquoted(old, put string) (bareOld, barePut string, ok bool) {
	bare := strings.NewReplacer(`\"`, `"`, `\'`, `'`).Replace
	bareOld, barePut = bare(old), bare(put)
	return bareOld, barePut, bareOld != old
}

var entity = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`&(?:lt|gt|amp|quot|apos|#39|#34);`) })

// unentitled takes the entities of HTML for what they stand for.
func unentitled(old, put string) (bareOld, barePut string, ok bool) {
	bareOld = entity().ReplaceAllStringFunc(old, html.UnescapeString)
	return bareOld, entity().ReplaceAllStringFunc(put, html.UnescapeString), bareOld != old
}
